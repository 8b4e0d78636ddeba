package explore_test

import (
	"testing"

	"simrun/checker"
	"simrun/explore"
	"simrun/nodes"
	"simrun/protocols"
	"simrun/sim"
)

const everyClock = "clock-step,clock-rate,drift"

var claimsOfDatabases = []claim{
	// What must happen once happens once where the data itself sees to it, ...
	{"conditional-update", "", "all", "effect-once", keeps},
	{"unique-constraint", "", "all", "effect-once", keeps},
	{"idempotency-key", "", "all", "effect-once", keeps},

	// A lock for efficiency fails now and then, and an idempotent job does not
	// care.
	{"efficiency-lock", "", "pause", "mutual-exclusion", one},
	{"efficiency-lock", "", "all", "effect-once", keeps},

	// ... and where nothing but a lock or an owner does, it does not.
	{"mail-under-lock", "", "pause", "effect-once", one},
	{"mail-under-lock", "", "death", "effect-once", one},
	{"mail-under-lock", "", "death", "mutual-exclusion", keeps},
	{"partition-owner", "", "pause", "effect-once", one},
	{"partition-owner", "", "death", "effect-once", one},
	{"partition-owner", "", "clock-step,drift,wake-order", "effect-once", keeps},
	{"row-lock", "", "loss", "effect-once", one},

	// A session's lock has no lease: no clock, delay or loss ends it, and a job
	// takes as long as it takes. It ends with the connection, and whoever is
	// frozen or cut off for longer than the keepalive does not hear of it. Who
	// is gone for good does not believe any more.
	{"advisory-lock", "", "delay,loss,death,vanish,overrun,node-pause," + everyClock, "mutual-exclusion", keeps},
	{"advisory-lock", "", "pause", "mutual-exclusion", one},
	{"advisory-lock", "", "partition", "mutual-exclusion", one},
	{"advisory-lock", "", "crash", "mutual-exclusion", one},
	{"advisory-lock", "", "death,vanish", "progress", keeps},
	{"advisory-lock", "", "all", "no-lost-update", keeps},
	{"advisory-lock", "", "all", "own-release", keeps},
	{"advisory-lock-pooled", "", "overrun", "mutual-exclusion", one},

	// A lock of the transaction that writes cannot come apart from the write.
	{"row-lock", "", "all", "no-lost-update", keeps},
	{"row-lock", "", "all", "no-stale-write", keeps},
	{"row-lock", "", "pause", "mutual-exclusion", one},
	{"row-lock", "", "death,vanish", "progress", keeps},

	// A random token keeps updates from getting lost, but gives them no order.
	{"random-token", "", "all", "no-lost-update", keeps},
	{"random-token", "", "pause", "no-stale-write", one},

	// A deadline stops a job that runs, not a client that stands still.
	{"deadline", "", "overrun", "mutual-exclusion", keeps},
	{"deadline", "", "delay,loss,partition,node-pause,crash,drift", "mutual-exclusion", keeps},
	{"deadline", "", "pause", "mutual-exclusion", one},
	{"release-alert", "", "overrun", "mutual-exclusion", one},
}

func TestWhatIsKnownOfDatabasesComesOut(t *testing.T) { prove(t, claimsOfDatabases) }

// What holds under every fault must not hold for want of any effect.
func TestEffectsHappenAndHappenTwiceWithoutTheirProtection(t *testing.T) {
	tests := []struct {
		of     string
		mutate func(p *protocols.Protocol)
	}{
		{"conditional-update", func(p *protocols.Protocol) { // without AND status = 'PENDING'
			p.Job = func(t *sim.Thread, e *protocols.Env, l protocols.Lease) sim.End {
				t.Call(e.Locks[0], nodes.SendInvoice{By: l.Value}, e.QueryTimeout())
				return sim.Released
			}
		}},
		{"unique-constraint", func(p *protocols.Protocol) { // the insert is of another transaction
			p.Job = func(t *sim.Thread, e *protocols.Env, l protocols.Lease) sim.End {
				reply := t.Call(e.Locks[0], nodes.ReadSent{}, e.QueryTimeout()).Reply
				t.Work()
				if reply == nodes.Int(0) {
					t.Call(e.Locks[0], nodes.SendInvoice{By: l.Value}, e.QueryTimeout())
					t.Call(e.Locks[0], nodes.RecordSent{By: l.Value}, e.QueryTimeout())
				}
				return sim.Released
			}
		}},
		{"idempotency-key", func(p *protocols.Protocol) { // the gateway does not look at the key
			p.Service = func(protocols.Params) []sim.ServerSpec {
				return []sim.ServerSpec{{Name: "gateway", Server: new(nodes.Gateway), Durable: true}}
			}
		}},
	}
	check := checker.Named("effect-once")
	for _, tt := range tests {
		t.Run(tt.of, func(t *testing.T) {
			t.Parallel()
			healthy := *protocols.Named(tt.of)
			mutant := healthy
			tt.mutate(&mutant)
			if n := campaign(explore.NewSpace(&mutant, mutant.Defaults(), nil), check, 200).Checks[0].Violated; n == 0 {
				t.Error("without its protection, the effect never happens twice")
			}
			space := explore.NewSpace(&healthy, healthy.Defaults(), nil)
			judge := space.NewJudge(nil)
			defer judge.Close()
			for seed := range 200 {
				out, err := judge.Run(space.Schedule(seed))
				if err != nil {
					t.Fatal(err)
				}
				if n := len(out.History.Effects); n != 1 {
					t.Fatalf("seed %d: the effect happens %d times without faults", seed, n)
				}
			}
		})
	}
}
