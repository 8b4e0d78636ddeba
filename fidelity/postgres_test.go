//go:build linux

package fidelity

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"simrun/nodes"
	"simrun/sim"
)

var pgSteps = flag.Int("postgres.steps", 1_000, "how many random steps PostgreSQL is compared in, at least")

// A pgDuel compares a simulated server with a real one.
type pgDuel struct {
	simulated *pgSimulation
	real      *pgCluster
	topics    []pgTopic // of which a script has a few
	played    int
	count     tally
	told      []string // the last script, up to where they differed
}

func newPGDuel(t testing.TB, real *pgCluster, server sim.Server, topics ...pgTopic) *pgDuel {
	return &pgDuel{real: real, topics: topics, simulated: simulatePostgres(t, server), count: tally{}}
}

// check has both servers follow a random script, and fails at the first step
// that they answer differently.
func (d *pgDuel) check(t *rapid.T) {
	topics := append(rapid.SliceOfN(pgOneOf(d.topics), 1, 3).Draw(t, "topics"), pgBlocks)
	p := d.begin()
	defer p.end()
	t.Repeat(map[string]func(*rapid.T){"step": func(t *rapid.T) {
		if err := d.next(p, drawPGStep(t, d.simulated.pgScript, topics)); err != nil {
			t.Fatal(err)
		}
	}})
}

// begin begins a script.
func (d *pgDuel) begin() *pgPlay {
	d.told = nil
	d.simulated.run(nil)
	return d.real.play()
}

// next has both servers take the next step, and compares their answers.
func (d *pgDuel) next(p *pgPlay, step pgStep) error {
	p.next(step)
	d.simulated.run(p.steps)
	want, got := p.last(), d.simulated.last()
	d.played++
	d.tally(p.pgScript)
	d.told = append(d.told, want)
	if got != want {
		return fmt.Errorf("PostgreSQL answers\n%s\nand the simulated one, to the last step,\n%s", strings.Join(d.told, "\n"), got)
	}
	return nil
}

// follow has both servers follow a script as long as every step can be taken.
func (d *pgDuel) follow(steps []pgStep) error {
	p := d.begin()
	defer p.end()
	for _, step := range steps {
		if !d.simulated.allows(step) {
			return nil
		}
		if err := d.next(p, step); err != nil {
			return err
		}
	}
	return nil
}

func TestPostgresAnswersAsTheRealOneDoes(t *testing.T) {
	d := newPGDuel(t, startPostgres(t), &nodes.Postgres{Keepalive: pgSilence}, pgTopics...)
	set(t, "rapid.checks", "20")
	for d.played < *pgSteps && !t.Failed() {
		rapid.Check(t, d.check)
	}
	t.Logf("%d steps: %v", d.played, d.count)
	postgresTable.record(t, d.real.version(), d.count)
}
