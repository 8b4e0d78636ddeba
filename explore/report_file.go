package explore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"simrun/traces"
)

// ReportVersion is the version of the format of reports that this package
// writes. It reads this one alone.
const ReportVersion = 1

// maxReport bounds the size of a report, in bytes.
const maxReport = 1 << 24

// Save writes the part to a file, by way of [traces.Replace].
func (p *Part) Save(name string) error {
	if err := traces.Replace(name, p.Write); err != nil {
		return fmt.Errorf("saving report %s: %w", name, traces.Cause(err))
	}
	return nil
}

// Write writes the part as JSON.
func (p *Part) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false) // leave -> readable
	e.SetIndent("", "  ")
	return e.Encode(p.form())
}

// LoadPart reads a part from a file. Its error names the file and the place in
// it.
func LoadPart(name string) (*Part, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("reading report %s: %w", name, traces.Cause(err))
	}
	defer f.Close()
	p, err := ReadPart(f)
	if err != nil {
		return nil, fmt.Errorf("reading report %s: %w", name, traces.Cause(err))
	}
	p.File = name
	return p, nil
}

// ReadPart reads a part that Write wrote. Its error is one line that names the
// place and what would be right there. Whether what the part says comes out here
// is for [Merge] to see.
func ReadPart(r io.Reader) (*Part, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxReport+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxReport {
		return nil, fmt.Errorf("not a report: larger than %d MB", maxReport>>20)
	}
	var head struct {
		Version *int `json:"simrun_report"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, explain(data, err)
	}
	if head.Version == nil {
		return nil, fmt.Errorf(`not the report of a shard: the field "simrun_report" with the version of the format is missing, want %d`, ReportVersion)
	}
	if *head.Version != ReportVersion {
		return nil, fmt.Errorf(`"simrun_report" says format %d: this simrun reads format %d alone`, *head.Version, ReportVersion)
	}
	form := new(partForm)
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(form); err != nil {
		return nil, explain(data, err)
	}
	return form.part()
}

// explain says what is wrong with JSON that could not be decoded, and if that is
// known in which line.
func explain(data []byte, err error) error {
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	line := func(offset int64) int { return 1 + bytes.Count(data[:min(int(offset), len(data))], []byte("\n")) }
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		return errors.New("the file is empty, want the report of a shard")
	case errors.As(err, &wrong):
		return fmt.Errorf("line %d: found %s in %q, want a value of the type %v", line(wrong.Offset), wrong.Value, wrong.Field, wrong.Type)
	case !errors.As(err, &syntax):
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	case strings.HasPrefix(err.Error(), "unexpected end"):
		return errors.New("truncated: the file ends in the middle of the report")
	}
	return fmt.Errorf("line %d: not JSON: %w", line(syntax.Offset), err)
}
