//go:build linux

package fidelity

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"simrun/scenarios"
)

// timelineLength is how long a timeline takes for real, however long it took when
// the articles recorded it.
const timelineLength = 2 * time.Second

// The articles' timelines are played once more for real: workers that are
// processes, which sleep and are stopped, against a Redis and a PostgreSQL. The
// slower all is, the less do the delays of the machine matter; so a timeline that
// comes out otherwise is played again at half the speed, and once more at a
// quarter of it.
func TestTimelinesComeOutAsTheyDoForReal(t *testing.T) {
	redis, postgres := startRealTimeRedis(t), startPostgres(t)
	for i, name := range []string{
		"demo-2-plain-del", "demo-3-lua-release", "demo-4-frozen-watchdog", "demo-5-fencing",
		"invoices-1-plain-del", "invoices-2-lua-release", "invoices-3-stale-write", "invoices-4-fencing", "fencing-overlap",
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, redis, postgres, i)
			t.Parallel()
			run, err := scenarios.Named(name).Run()
			if err != nil {
				t.Fatal(err)
			}
			simulated := timelineOf(run.Outcomes(), run.Final())
			stretch := float64(timelineLength) / float64(run.Trace.History.HealedAt.At)
			diff := ""
			for range 3 {
				diff = cmp.Diff(timelineOf(s.play(run.Script, stretch)), simulated)
				if diff == "" {
					return
				}
				t.Logf("%.1f times as long as in the article (-real +simulated):\n%s", stretch, diff)
				stretch *= 2
			}
			t.Error("the simulated timeline is not the real one")
		})
	}
}

func timelineOf(outcomes []string, final string) []string {
	return append(outcomes, final+" wrote what remains")
}
