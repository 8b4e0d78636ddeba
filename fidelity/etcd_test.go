//go:build !386

package fidelity

import (
	"slices"
	"testing"
	"time"

	etcdversion "go.etcd.io/etcd/api/v3/version"
	"pgregory.net/rapid"

	"simrun/nodes"
	"simrun/sim"
)

func TestEtcdAnswersAsTheRealOneDoes(t *testing.T) {
	real := startEtcd(t)
	sequences := flat(etcdRequests(time.Second, etcdLong))
	compared := tally{}
	for compared.sum() < 10_000 {
		rapid.Check(t, func(t *rapid.T) {
			compareEtcd(t, newEtcd(), real, sequences.Draw(t, "requests"), compared)
		})
	}
	t.Logf("%d requests compared", compared.sum())
	etcdTable.record(t, etcdversion.Version, compared)
}

// The real server looks every 100 ms for watches that ask for the past, so that
// there are fewer of these.
func TestEtcdWatchesAsTheRealOneDoes(t *testing.T) {
	real := startEtcd(t)
	sequences := flat(rapid.OneOf(etcdWatches(), etcdRequests(etcdLong)))
	checks(t, 40)
	compared := tally{}
	rapid.Check(t, func(t *rapid.T) {
		compareEtcd(t, newEtcd(), real, sequences.Draw(t, "requests"), compared)
	})
	etcdTable.record(t, etcdversion.Version, compared.of(etcdWatching))
}

// Leases end when they must, over a restart too, which gives each its whole TTL
// again.
func TestEtcdLeasesEndAsTheRealOnesDo(t *testing.T) {
	real := startEtcd(t)
	requests := rapid.SliceOfN(rapid.OneOf(etcdRequests(etcdShort, etcdLong), etcdRequests(etcdShort), etcdRestarts()), 1, 12)
	checks(t, 3)
	compared := tally{}
	rapid.Check(t, func(t *rapid.T) {
		before, after := requests.Draw(t, "before"), requests.Draw(t, "after")
		compareEtcd(t, newEtcd(), real, slices.Concat(before, []sim.Request{wait(etcdWait), nodes.EtcdOp{Prefix: true}}, after), compared)
	})
	etcdTable.record(t, etcdversion.Version, compared.of(etcdExpiry, etcdRestart))
}

// A forgetful etcd has a defect: a key that has been bound to a lease stays so
// when it is put again without one.
type forgetfulEtcd struct {
	*nodes.Etcd
	bound map[string]int64
}

func (e forgetfulEtcd) Reset() {
	e.Etcd.Reset()
	clear(e.bound)
}

func (e forgetfulEtcd) Serve(m *sim.Machine, c sim.Call) {
	if op, ok := c.Request.(nodes.EtcdOp); ok && op.Verb == nodes.EtcdPutVerb {
		if op.Lease == 0 {
			op.Lease = e.bound[op.Key]
		}
		e.bound[op.Key] = op.Lease
		c.Request = op
	}
	e.Etcd.Serve(m, c)
}

func TestAWrongEtcdIsCaughtWithAFewRequests(t *testing.T) {
	real := startEtcd(t)
	server := forgetfulEtcd{nodes.NewEtcd(10 * time.Second), map[string]int64{}}
	few := 4 + len(etcdClosing())
	mustBeCaught(t, flat(etcdRequests(etcdLong)), few, func(requests []sim.Request) (account, account) {
		return etcdAccounts(server, real, requests)
	})
}

// A restart gives a lease its whole TTL again: it is there when it would have
// ended without, and gone later.
func TestEtcdLeaseBeginsAnewInARestartAsTheRealOneDoes(t *testing.T) {
	compareEtcd(t, newEtcd(), startEtcd(t), []sim.Request{
		nodes.LeaseGrant{TTL: etcdShort}, nodes.EtcdPut("k", "", 1), wait(etcdShort * 3 / 4),
		restart{}, wait(etcdShort * 3 / 4), nodes.EtcdGet("k"), wait(etcdWait), nodes.EtcdGet("k"),
	}, tally{})
}

// newEtcd returns the simulated cluster with the election timeout of the real
// one.
func newEtcd() sim.Server { return nodes.NewEtcd(10 * time.Second) }

// compareEtcd fails unless both servers answer alike, and counts what they were
// asked.
func compareEtcd(t rapid.TB, server sim.Server, real *realEtcd, requests []sim.Request, compared tally) {
	t.Helper()
	simulated, answered := etcdAccounts(server, real, requests)
	mustAgree(t, simulated, answered)
	for _, r := range requests {
		compared[etcdRow(r)]++
	}
}

// etcdAccounts returns what the simulated and the real server answer.
func etcdAccounts(server sim.Server, real *realEtcd, requests []sim.Request) (account, account) {
	asked := slices.Concat(requests, etcdClosing())
	blocks := func(r sim.Request) bool { _, ok := r.(nodes.EtcdWatch); return ok }
	return transcribe(asked, simulated(real.t, server, asked, blocks), etcdText),
		transcribe(asked, real.answers(asked), etcdText)
}
