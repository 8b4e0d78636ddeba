package sim

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// What would make a run depend on more than its schedule: packages, and
// functions of others.
var (
	ambientPackages  = []string{"math/rand", "math/rand/v2", "crypto/rand", "os"}
	ambientFunctions = []string{
		"time.Now", "time.Since", "time.Until", "time.After", "time.AfterFunc", "time.Tick",
		"time.NewTimer", "time.NewTicker", "time.Sleep", "maps.All", "maps.Keys", "maps.Values",
	}
)

// ambient lists the places in files where something other than the schedule
// can decide how a run goes on.
func ambient(fset *token.FileSet, files []*ast.File, info *types.Info) []string {
	var found []string
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if what := ambientNode(n, info); what != "" {
				p := fset.Position(n.Pos())
				found = append(found, fmt.Sprintf("%s:%d: %s", filepath.Base(p.Filename), p.Line, what))
			}
			return true
		})
	}
	return found
}

func ambientNode(n ast.Node, info *types.Info) string {
	switch n := n.(type) {
	case *ast.GoStmt:
		return "go statement"
	case *ast.SelectStmt:
		return "select statement"
	case *ast.RangeStmt:
		if _, ok := info.TypeOf(n.X).Underlying().(*types.Map); ok {
			return "range over a map"
		}
	case *ast.ImportSpec:
		if path, _ := strconv.Unquote(n.Path.Value); slices.Contains(ambientPackages, path) {
			return "import of " + path
		}
	case *ast.Ident:
		if f, ok := info.Uses[n].(*types.Func); ok && slices.Contains(ambientFunctions, f.FullName()) {
			return "use of " + f.FullName()
		}
	}
	return ""
}

func check(fset *token.FileSet, imp types.Importer, files []*ast.File) (*types.Info, error) {
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: imp}
	_, err := config.Check(files[0].Name.Name, fset, files, info)
	return info, err
}

func TestNothingAmbientDecidesARun(t *testing.T) {
	fset := token.NewFileSet()
	imp := importer.ForCompiler(fset, "source", nil)
	for _, dir := range []string{"clock", "sim", "nodes", "protocols", "checker"} {
		names, err := filepath.Glob(filepath.Join("..", dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		var files []*ast.File
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(fset, name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
		if len(files) == 0 {
			t.Errorf("package %s has no files", dir)
			continue
		}
		info, err := check(fset, imp, files)
		if err != nil {
			t.Fatal(err)
		}
		for _, place := range ambient(fset, files, info) {
			t.Errorf("%s/%s", dir, place)
		}
	}
}

func TestAmbientCodeIsFound(t *testing.T) {
	tests := []struct {
		imports, body string
		want          []string
	}{
		{`"time"`, `d := time.Second; _ = d.String()`, nil},
		{``, `for range []int{1} {}`, nil},
		{``, `go func() {}()`, []string{"go statement"}},
		{``, `select {}`, []string{"select statement"}},
		{``, `for range map[int]int{} {}`, []string{"range over a map"}},
		{``, `type m map[int]int; for range (m{}) {}`, []string{"range over a map"}},
		{`"maps"`, `for range maps.Keys(map[int]int{}) {}`, []string{"use of maps.Keys"}},
		{`"time"`, `_ = time.Now()`, []string{"use of time.Now"}},
		{`"time"`, `now := time.Now; _ = now`, []string{"use of time.Now"}},
		{`. "time"`, `_ = Since(Time{})`, []string{"use of time.Since"}},
		{`clock "time"`, `clock.Sleep(1)`, []string{"use of time.Sleep"}},
		{`"time"`, `<-time.After(1)`, []string{"use of time.After"}},
		{`"time"`, `<-time.Tick(1)`, []string{"use of time.Tick"}},
		{`"time"`, `time.NewTimer(1)`, []string{"use of time.NewTimer"}},
		{`"math/rand"`, `rand.Int()`, []string{"import of math/rand"}},
		{`"math/rand/v2"`, `rand.Int()`, []string{"import of math/rand/v2"}},
		{`"crypto/rand"`, `rand.Text()`, []string{"import of crypto/rand"}},
		{`"os"`, `os.Getpid()`, []string{"import of os"}},
	}
	fset := token.NewFileSet()
	imp := importer.ForCompiler(fset, "source", nil)
	for _, test := range tests {
		source := "package p\n"
		if test.imports != "" {
			source += "import " + test.imports + "\n"
		}
		source += "func f() { " + test.body + " }\n"
		file, err := parser.ParseFile(fset, "p.go", source, 0)
		if err != nil {
			t.Fatal(err)
		}
		files := []*ast.File{file}
		info, err := check(fset, imp, files)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, place := range ambient(fset, files, info) {
			_, what, _ := strings.Cut(place, ": ")
			got = append(got, what)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s\nfound %q, want %q", source, got, test.want)
		}
	}
}
