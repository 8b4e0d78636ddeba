package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"simrun/checker"
	"simrun/protocols"
	"simrun/sim"
	"simrun/traces"
)

// record runs a schedule with the full record of its events. The error names
// the fault that does not fit.
func record(p *protocols.Protocol, params protocols.Params, s sim.Schedule, checks []*checker.Check) (*traces.Trace, error) {
	w := sim.NewWorld(p.Setup(params))
	defer w.Close()
	result, err := w.Record(s)
	if err != nil {
		return nil, err
	}
	kept := traces.Parameters{
		Clients: params.Clients, Rounds: params.Rounds, Nodes: params.Nodes,
		TTL: params.TTL, Work: params.Work, Token: string(params.Token),
	}
	return traces.New(p.Name, kept, s, result, checks), nil
}

// paramsIn returns the parameters that a trace was made with.
func paramsIn(t *traces.Trace) protocols.Params {
	p := t.Parameters
	return protocols.Params{
		Clients: p.Clients, Rounds: p.Rounds, Nodes: p.Nodes,
		TTL: p.TTL, Work: p.Work, Token: protocols.TokenSource(p.Token),
	}
}

// save writes a trace into a folder and returns the file's name. The trace of
// another schedule or of other parameters that has this name already is left
// alone; a number then tells the two apart.
func save(t *traces.Trace, dir, name string) (string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", fmt.Errorf("-out %s: %w", shellWord(dir), cause(err))
	}
	file := filepath.Join(dir, name+".json")
	for n := 2; taken(file, t); n++ {
		file = filepath.Join(dir, fmt.Sprintf("%s-%d.json", name, n))
	}
	return file, t.Save(file)
}

// taken reports whether a file holds something else than an earlier t.
func taken(file string, t *traces.Trace) bool {
	old, err := traces.Load(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return err != nil || old.Protocol != t.Protocol || old.Parameters != t.Parameters ||
		!slices.Equal(old.Schedule.Lines(), t.Schedule.Lines())
}
