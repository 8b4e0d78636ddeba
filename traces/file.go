package traces

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Save writes the trace to a file, by way of [Replace].
func (t *Trace) Save(name string) error {
	err := Replace(name, func(w io.Writer) error {
		_, err := t.WriteTo(w)
		return err
	})
	if err != nil {
		return fmt.Errorf("saving trace %s: %w", name, Cause(err))
	}
	return nil
}

// Replace gives a file new content, if all of it can be written: by way of a
// file beside it, so that what was there before is replaced whole or not at all.
func Replace(name string, write func(io.Writer) error) error {
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(name); err == nil {
		if info.IsDir() {
			return errors.New("is a directory")
		}
		mode = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails once it is renamed
	if err := cmp.Or(write(f), f.Chmod(mode), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// Cause returns what went wrong with a file without the name of it, which may
// be that of a temporary one.
func Cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// Load reads a trace from a file. Its error names the file and the place in it.
func Load(name string) (*Trace, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("reading trace %s: %w", name, Cause(err))
	}
	defer f.Close()
	t, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("reading trace %s: %w", name, Cause(err))
	}
	return t, nil
}

// WriteTo writes the trace as JSON.
func (t *Trace) WriteTo(w io.Writer) (int64, error) {
	var compact bytes.Buffer
	e := json.NewEncoder(&compact)
	e.SetEscapeHTML(false) // leave -> readable
	if err := e.Encode(t.form()); err != nil {
		return 0, err
	}
	return layOut(compact.Bytes()).WriteTo(w)
}

// maxSize bounds the size of a trace file, in bytes.
const maxSize = 1 << 28

// Read reads a trace that WriteTo wrote. Its error is one line that names the
// place and what would be right there.
func Read(r io.Reader) (*Trace, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxSize+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxSize {
		return nil, fmt.Errorf("not a trace: larger than %d MB", maxSize>>20)
	}
	if err := checkVersion(data); err != nil {
		return nil, err
	}
	form, err := decode(data)
	if err != nil {
		return nil, err
	}
	return form.trace()
}

// checkVersion comes first, since a file of another version may have other
// fields.
func checkVersion(data []byte) error {
	var form struct {
		Version *int `json:"simrun"`
	}
	if err := json.Unmarshal(data, &form); err != nil {
		return explain(data, err)
	}
	if form.Version == nil {
		return fmt.Errorf(`not a trace: the field "simrun" with the version of the format is missing, want %d`, Version)
	}
	if *form.Version != Version {
		return fmt.Errorf(`"simrun" says format %d: this simrun reads format %d alone`, *form.Version, Version)
	}
	return nil
}
