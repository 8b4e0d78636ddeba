package fidelity

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"simrun/nodes"
	"simrun/sim"
)

func TestZooKeeperAnswersAsTheRealOneDoes(t *testing.T) {
	real := startZooKeeper(t, zooTick)
	sequences := zooSequences(flat(zooAnything()))
	compared := tally{}
	for compared.sum() < 1000 {
		rapid.Check(t, func(t *rapid.T) {
			compareZooKeeper(t, newZooKeeper(zooTick), real, sequences.Draw(t, "requests"), compared)
		})
	}
	t.Logf("%d requests compared", compared.sum())
	zookeeperTable.record(t, zooVersion(t), compared)
}

// Sessions end when they must, and take their nodes along.
func TestZooKeeperSessionsExpireAsTheRealOnesDo(t *testing.T) {
	real := startZooKeeper(t, zooShortTick)
	part := rapid.SliceOfN(zooAnything(), 1, -1)
	sequences := zooSequences(rapid.Custom(func(t *rapid.T) []zooStep {
		return slices.Concat(part.Draw(t, "before"), []zooStep{{wait: true}}, part.Draw(t, "after"))
	}))
	checks(t, 4)
	compared := tally{}
	rapid.Check(t, func(t *rapid.T) {
		compareZooKeeper(t, newZooKeeper(zooShortTick), real, sequences.Draw(t, "requests"), compared)
	})
	zookeeperTable.record(t, zooVersion(t), compared.of(zooExpiry))
}

// zooAnything generates all that clients ask for, and what becomes of their
// connections.
func zooAnything() *rapid.Generator[zooStep] {
	requests := zooRequests(zooLong, zooShort)
	return rapid.OneOf(requests, requests, requests, zooCuts())
}

// A hasty ZooKeeper has a defect: it does not let wait who asks for the end of a
// node.
type hastyZooKeeper struct{ *nodes.ZooKeeper }

func (z hastyZooKeeper) Serve(m *sim.Machine, c sim.Call) {
	if r, ok := c.Request.(nodes.ZooRequest); ok && r.Verb == nodes.ZooExistsWatch {
		r.Verb = nodes.ZooExists
		c.Request = r
	}
	z.ZooKeeper.Serve(m, c)
}

func TestAWrongZooKeeperIsCaughtWithAFewRequests(t *testing.T) {
	real := startZooKeeper(t, zooTick)
	server := hastyZooKeeper{nodes.NewZooKeeper(10 * zooTick)}
	mustBeCaught(t, rapid.SliceOfN(zooRequests(zooLong), 1, 20), 6, func(steps []zooStep) (account, account) {
		return zooAccounts(server, real, zooSequence(steps))
	})
}

// newZooKeeper returns the simulated ensemble with the tick of the real one.
func newZooKeeper(tick time.Duration) sim.Server { return nodes.NewZooKeeper(10 * tick) }

// compareZooKeeper fails unless both servers answer alike, and counts what they
// were asked.
func compareZooKeeper(t rapid.TB, server sim.Server, real *realZooKeeper, requests []sim.Request, compared tally) {
	t.Helper()
	simulated, answered := zooAccounts(server, real, requests)
	mustAgree(t, simulated, answered)
	for _, r := range requests {
		compared[zooRow(r)]++
	}
}

// zooAccounts returns what the simulated and the real server answer.
func zooAccounts(server sim.Server, real *realZooKeeper, requests []sim.Request) (account, account) {
	blocks := func(r sim.Request) bool {
		z, ok := r.(nodes.ZooRequest)
		return ok && z.Verb == nodes.ZooExistsWatch
	}
	return transcribe(requests, simulated(real.t, server, requests, blocks), zooText),
		transcribe(requests, real.answers(requests), zooText)
}
