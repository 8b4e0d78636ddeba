package traces

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"simrun/checker"
	"simrun/clock"
	"simrun/sim"
)

// The form of a trace file. Lists of small things take a line for each.
type (
	fileForm struct {
		Version    int            `json:"simrun"`
		Protocol   string         `json:"protocol"`
		Parameters parametersForm `json:"parameters"`
		Schedule   []string       `json:"schedule"`
		Found      *foundForm     `json:"found,omitempty"`
		Verdict    []verdictForm  `json:"verdict"`
		Defect     string         `json:"defect,omitempty"`
		Hash       string         `json:"hash"`
		Events     []eventForm    `json:"events"`
		History    historyForm    `json:"history"`
	}
	parametersForm struct {
		Nodes int    `json:"nodes"`
		TTL   string `json:"ttl"`
		Work  string `json:"work"`
		Token string `json:"token,omitempty"`
	}
	foundForm struct {
		Check     string   `json:"check"`
		Seed      int      `json:"seed"`
		NotNeeded []string `json:"faults_not_needed"`
	}
	verdictForm struct {
		Check  string        `json:"check"`
		State  checker.State `json:"state"`
		At     *sim.Stamp    `json:"at,omitempty"`
		Why    string        `json:"why,omitempty"`
		Events []int32       `json:"events,omitempty"`
	}
	eventForm struct {
		At    clock.Instant `json:"at"`
		Actor string        `json:"actor"`
		Kind  sim.EventKind `json:"kind"`
		Peer  string        `json:"peer,omitempty"`
		Msg   int32         `json:"msg,omitempty"`
		Sent  clock.Instant `json:"sent,omitempty"`
		Step  string        `json:"step,omitempty"`
		Text  string        `json:"text,omitempty"`
	}
	historyForm struct {
		Quorum   int           `json:"quorum"`
		HealedAt sim.Stamp     `json:"healed_at"`
		Patience clock.Instant `json:"patience"`
		Ended    sim.Stamp     `json:"ended"`
		Final    sim.Holder    `json:"final"`
		Grants   []sim.Grant   `json:"grants"`
		Accesses []sim.Access  `json:"accesses"`
		Effects  []sim.Effect  `json:"effects"`
		Changes  []sim.Change  `json:"changes"`
	}
)

// Save writes the trace to a file, by way of a file beside it, so that what
// was there before is replaced whole or not at all.
func (t *Trace) Save(name string) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.tmp")
	if err != nil {
		return fmt.Errorf("saving a trace: %w", err)
	}
	defer os.Remove(f.Name()) // without effect once renamed
	_, err = t.WriteTo(f)
	if err := errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return fmt.Errorf("saving trace %s: %w", name, err)
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return fmt.Errorf("saving a trace: %w", err)
	}
	return nil
}

// Load reads a trace from a file. Its error names the file and the place in it.
func Load(name string) (*Trace, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("reading a trace: %w", err)
	}
	defer f.Close()
	t, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// WriteTo writes the trace as JSON.
func (t *Trace) WriteTo(w io.Writer) (int64, error) {
	var compact bytes.Buffer
	e := json.NewEncoder(&compact)
	e.SetEscapeHTML(false) // leave -> readable
	if err := e.Encode(t.form()); err != nil {
		return 0, fmt.Errorf("writing a trace: %w", err)
	}
	return layOut(compact.Bytes()).WriteTo(w)
}

// maxSize bounds what is read of a trace file, in bytes.
const maxSize = 1 << 28

// Read reads a trace that WriteTo wrote.
func Read(r io.Reader) (*Trace, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxSize))
	if err != nil {
		return nil, fmt.Errorf("reading a trace: %w", err)
	}
	var version struct {
		Version *int `json:"simrun"`
	}
	// A file of another version may have other fields, so that its version
	// must be looked at first.
	if err := json.Unmarshal(data, &version); err != nil {
		return nil, placed(data, err)
	}
	if version.Version == nil {
		return nil, errors.New(`not a trace: the field "simrun" with the format's version is missing`)
	}
	if *version.Version != Version {
		return nil, fmt.Errorf("trace format %d: this simrun reads format %d", *version.Version, Version)
	}
	var form fileForm
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&form); err != nil {
		return nil, placed(data, err)
	}
	return form.trace()
}

// placed adds to an error of the JSON decoder where in the file it arose.
func placed(data []byte, err error) error {
	offset := int64(-1)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax) && int(syntax.Offset) >= len(bytes.TrimSpace(data)):
		return errors.New("truncated: the file ends in the middle of the trace")
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
		err = fmt.Errorf("field %q is a %s, want a %s", kind.Field, kind.Value, kind.Type)
	}
	text := strings.TrimPrefix(err.Error(), "json: ")
	if offset < 0 {
		return errors.New(text)
	}
	line := 1 + bytes.Count(data[:min(int(offset), len(data))], []byte("\n"))
	return fmt.Errorf("line %d: %s", line, text)
}

func (t *Trace) form() fileForm {
	form := fileForm{
		Version:  Version,
		Protocol: t.Protocol,
		Parameters: parametersForm{
			Nodes: t.Parameters.Nodes, TTL: t.Parameters.TTL.String(), Work: t.Parameters.Work.String(), Token: t.Parameters.Token,
		},
		Schedule: t.Schedule.Lines(),
		Defect:   t.Defect,
		Hash:     t.Hash,
		Events:   make([]eventForm, len(t.Events)),
	}
	if t.Found != nil {
		form.Found = &foundForm{Check: t.Found.Check, Seed: t.Found.Seed, NotNeeded: []string{}}
		for _, f := range t.Found.NotNeeded {
			form.Found.NotNeeded = append(form.Found.NotNeeded, f.String())
		}
	}
	for _, j := range t.Verdict {
		v := verdictForm{Check: j.Check, State: j.State, Why: j.Why, Events: j.Events}
		if j.State == checker.Violated {
			v.At = &j.At
		}
		form.Verdict = append(form.Verdict, v)
	}
	for i, e := range t.Events {
		form.Events[i] = eventForm(e)
	}
	h := &t.History
	form.History = historyForm{
		Quorum: h.Quorum, HealedAt: h.HealedAt, Patience: clock.Instant(h.Patience), Ended: h.Ended, Final: h.Final,
		Grants: h.Grants, Accesses: h.Accesses, Effects: h.Effects, Changes: h.Changes,
	}
	return form
}

// trace checks what JSON cannot, and returns the trace.
func (form *fileForm) trace() (*Trace, error) {
	t := &Trace{
		Protocol:   form.Protocol,
		Parameters: Parameters{Nodes: form.Parameters.Nodes, Token: form.Parameters.Token},
		Defect:     form.Defect,
		Hash:       form.Hash,
	}
	var err error
	if t.Parameters.TTL, err = time.ParseDuration(form.Parameters.TTL); err != nil {
		return nil, fmt.Errorf(`parameter "ttl" is %q: want a duration such as 300ms`, form.Parameters.TTL)
	}
	if t.Parameters.Work, err = time.ParseDuration(form.Parameters.Work); err != nil {
		return nil, fmt.Errorf(`parameter "work" is %q: want a duration such as 150ms`, form.Parameters.Work)
	}
	if t.Schedule, err = sim.ParseSchedule(form.Schedule); err != nil {
		return nil, fmt.Errorf(`"schedule": %w`, err)
	}
	if form.Found != nil {
		if t.Found, err = form.Found.found(); err != nil {
			return nil, err
		}
	}
	for i, v := range form.Verdict {
		if v.State != checker.Held && v.State != checker.Violated && v.State != checker.Unknown {
			return nil, fmt.Errorf(`"verdict" %d of %q is %q: want held, violated or unknown`, i+1, v.Check, v.State)
		}
		j := Judgement{Check: v.Check, State: v.State, Why: v.Why, Events: v.Events}
		if v.At != nil {
			j.At = *v.At
		}
		t.Verdict = append(t.Verdict, j)
	}
	for _, e := range form.Events {
		t.Events = append(t.Events, sim.Event(e))
	}
	if hash := sim.Hash(t.Events); hash != t.Hash {
		return nil, fmt.Errorf(`"events" were changed after the trace was written: their hash is %s, "hash" says %s`, hash, t.Hash)
	}
	h := &form.History
	t.History = sim.History{
		Quorum: h.Quorum, HealedAt: h.HealedAt, Patience: time.Duration(h.Patience), Ended: h.Ended, Final: h.Final,
		Grants: h.Grants, Accesses: h.Accesses, Effects: h.Effects, Changes: h.Changes,
	}
	return t, nil
}

func (form *foundForm) found() (*Found, error) {
	f := &Found{Check: form.Check, Seed: form.Seed}
	for i, text := range form.NotNeeded {
		fault, err := sim.ParseFault(text)
		if err != nil {
			return nil, fmt.Errorf(`"faults_not_needed" %d: %w`, i+1, err)
		}
		f.NotNeeded = append(f.NotNeeded, fault)
	}
	return f, nil
}
