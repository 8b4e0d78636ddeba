package index

import (
	_ "embed"
	"html/template"
	"io"
	"net/url"
)

// generator is the mark by which a page is known as one of simrun.
const generator = `<meta name="generator" content="simrun">`

var (
	//go:embed style.css
	style string
	//go:embed list.html
	listText string
	//go:embed table.html
	tableText string
)

var (
	listPage  = page("list", listText)
	tablePage = page("table", tableText)
)

func page(name, text string) *template.Template {
	return template.Must(template.New(name).Funcs(template.FuncMap{
		"style":     func() template.CSS { return template.CSS(style) },
		"generator": func() template.HTML { return generator },
		"link":      link,
	}).Parse(text))
}

// link returns a file beside the page as a reference, whatever is in its name.
func link(name string) string { return (&url.URL{Path: "./" + name}).String() }

// List writes a page with a row for each story.
func List(w io.Writer, stories []Story) error { return listPage.Execute(w, stories) }

// A Table is a matrix of locks and checks.
type Table struct {
	Command string // which made it
	About   string // what its cells say
	Checks  []Column
	Rows    []Row
}

// A Column is a check.
type Column struct{ Name, Breaks string }

// A Row is what became of one lock.
type Row struct {
	Protocol, About string
	Cells           []Cell // one for each column
}

// A Cell says whether a lock keeps a check.
type Cell struct {
	Text     string   // such as 12 % or -
	Broken   bool     // a story shows it
	Suffices []string // the sets of faults that break it, each as one text
	Trace    string   // the file of the story, empty if there is none
	Page     string   // the page of the story, empty if there is none
}

// Matrix writes a page with a table whose cells lead to their stories.
func Matrix(w io.Writer, t *Table) error { return tablePage.Execute(w, t) }

// KeepMatrix writes the page of a matrix as the index of a folder. An index.html
// of somebody else is left alone.
func KeepMatrix(dir string, t *Table) error {
	return keep(dir, func(w io.Writer) error { return Matrix(w, t) })
}
