package nodes_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"simrun/clock"
	"simrun/nodes"
	"simrun/sim"
)

// The timings for leases of 300 ms: the loop that looks for expired ones comes
// every 15 ms, and an election takes 30 ms.
func newEtcd() *nodes.Etcd { return nodes.NewEtcd(ttl) }

// grant asks for a lease and returns its ID.
func grant(t *sim.Thread) int64 {
	return t.Call(0, nodes.LeaseGrant{TTL: ttl}, time.Second).Reply.(nodes.LeaseGranted).ID
}

// texts returns what a person would read of replies.
func texts(replies []sim.Reply) []string {
	var s []string
	for _, r := range replies {
		if r == nil {
			s = append(s, "no reply")
		} else {
			s = append(s, r.String())
		}
	}
	return s
}

func TestEtcdKeysAndTransactions(t *testing.T) {
	put := func(key, value string) nodes.EtcdOp { return nodes.EtcdPut(key, value, 0) }
	under := func(sort nodes.EtcdSort, max int64) nodes.EtcdOp {
		return nodes.EtcdOp{Key: "q/", Prefix: true, Sort: sort, MaxCreate: max}
	}
	txn := func(then nodes.EtcdOp, compares ...nodes.EtcdCompare) nodes.EtcdTxn {
		return nodes.EtcdTxn{If: compares, Then: []nodes.EtcdOp{then}, Else: []nodes.EtcdOp{nodes.EtcdGet("k")}}
	}
	create := func(n int64) nodes.EtcdCompare {
		return nodes.EtcdCompare{Target: nodes.CreateRevision, Key: "k", Revision: n}
	}
	mod := func(n int64) nodes.EtcdCompare {
		return nodes.EtcdCompare{Target: nodes.ModRevision, Key: "k", Revision: n}
	}
	value := func(v string) nodes.EtcdCompare {
		return nodes.EtcdCompare{Target: nodes.EtcdValue, Key: "k", Value: v}
	}
	one := nodes.EtcdKV{Key: "k", Value: "1", Create: 2, Mod: 2}
	two := nodes.EtcdKV{Key: "k", Value: "2", Create: 2, Mod: 3}
	done := func(rev int64) nodes.EtcdDone { return nodes.EtcdDone{Revision: rev} }
	found := func(rev int64, kvs ...nodes.EtcdKV) nodes.EtcdRange { return nodes.EtcdRange{KVs: kvs, Revision: rev} }
	qa, qb := nodes.EtcdKV{Key: "q/a", Value: "1", Create: 3, Mod: 4}, nodes.EtcdKV{Key: "q/b", Value: "1", Create: 2, Mod: 2}
	tests := []struct {
		name     string
		requests []sim.Request
		want     []sim.Reply
	}{
		{"a fresh store is at revision 1, and reading leaves it there",
			[]sim.Request{nodes.EtcdGet("k"), nodes.EtcdGet("k")},
			[]sim.Reply{found(1), found(1)}},
		{"a put is a revision; the key remembers its first and its latest",
			[]sim.Request{put("k", "1"), put("k", "2"), nodes.EtcdGet("k")},
			[]sim.Reply{done(2), done(3), found(3, two)}},
		{"a key that is put again after its deletion is a new one",
			[]sim.Request{put("k", "0"), nodes.EtcdDel("k"), put("k", "1"), nodes.EtcdGet("k")},
			[]sim.Reply{done(2), nodes.EtcdDone{Deletes: true, Deleted: 1, Revision: 3}, done(4), found(4, nodes.EtcdKV{Key: "k", Value: "1", Create: 4, Mod: 4})}},
		{"deleting nothing is no revision",
			[]sim.Request{nodes.EtcdDel("k")},
			[]sim.Reply{nodes.EtcdDone{Deletes: true, Revision: 1}}},
		{"a prefix names all keys under it, in the order of their names",
			[]sim.Request{put("q/b", "1"), put("q/a", "0"), put("q/a", "1"), put("r", "1"), under(nodes.ByKey, 0)},
			[]sim.Reply{done(2), done(3), done(4), done(5), found(5, qa, qb)}},
		{"the first and the last by creation, whatever was put since",
			[]sim.Request{put("q/b", "1"), put("q/a", "0"), put("q/a", "1"), under(nodes.FirstCreate, 0), under(nodes.LastCreate, 0), under(nodes.LastCreate, 2), under(nodes.LastCreate, 1)},
			[]sim.Reply{done(2), done(3), done(4), found(4, qb), found(4, qa), found(4, qb), found(4)}},
		{"the first by name of those that one transaction creates, whichever end is asked for",
			[]sim.Request{
				nodes.EtcdTxn{Then: []nodes.EtcdOp{put("q/c", "1"), put("q/b", "1"), put("q/d", "1")}},
				under(nodes.FirstCreate, 0), under(nodes.LastCreate, 0)},
			[]sim.Reply{
				nodes.EtcdTxnReply{Succeeded: true, Replies: []sim.Reply{done(2), done(2), done(2)}, Revision: 2},
				found(2, qb), found(2, qb)}},
		{"deleting a prefix is one revision",
			[]sim.Request{put("q/b", "1"), put("r", "1"), put("q/a", "1"), nodes.EtcdOp{Verb: nodes.EtcdDelVerb, Key: "q/", Prefix: true}},
			[]sim.Reply{done(2), done(3), done(4), nodes.EtcdDone{Deletes: true, Deleted: 2, Revision: 5}}},
		{"a key that does not exist has revisions of 0 and no value",
			[]sim.Request{txn(put("a", "1"), create(0), mod(0)), txn(put("b", "1"), value(""))},
			[]sim.Reply{
				nodes.EtcdTxnReply{Succeeded: true, Replies: []sim.Reply{done(2)}, Revision: 2},
				nodes.EtcdTxnReply{Replies: []sim.Reply{found(2)}, Revision: 2}}},
		{"all comparisons must hold",
			[]sim.Request{put("k", "1"), txn(put("k", "2"), create(2), mod(2), value("1")), txn(put("k", "3"), create(2), mod(2)), txn(put("k", "3"), value("1"), create(2))},
			[]sim.Reply{
				done(2),
				nodes.EtcdTxnReply{Succeeded: true, Replies: []sim.Reply{done(3)}, Revision: 3},
				nodes.EtcdTxnReply{Replies: []sim.Reply{found(3, two)}, Revision: 3},
				nodes.EtcdTxnReply{Replies: []sim.Reply{found(3, two)}, Revision: 3}}},
		{"a transaction is one revision",
			[]sim.Request{nodes.EtcdTxn{Then: []nodes.EtcdOp{put("k", "1"), put("l", "1"), nodes.EtcdGet("k")}}, put("m", "1")},
			[]sim.Reply{nodes.EtcdTxnReply{Succeeded: true, Replies: []sim.Reply{done(2), done(2), found(2, one)}, Revision: 2}, done(3)}},
		{"a transaction with a lease that does not exist changes nothing",
			[]sim.Request{nodes.EtcdTxn{Then: []nodes.EtcdOp{put("k", "1"), nodes.EtcdPut("l", "1", 9)}}, nodes.EtcdPut("l", "1", 9), nodes.EtcdGet("k")},
			[]sim.Reply{nodes.ErrLeaseNotFound, nodes.ErrLeaseNotFound, found(1)}},
		{"a transaction may not put a key twice, in the list that is not applied either",
			[]sim.Request{
				nodes.EtcdTxn{Then: []nodes.EtcdOp{put("k", "1"), put("k", "2")}},
				nodes.EtcdTxn{Else: []nodes.EtcdOp{put("k", "1"), nodes.EtcdGet("k"), put("k", "1")}},
				nodes.EtcdTxn{Then: []nodes.EtcdOp{put("k", "1")}, Else: []nodes.EtcdOp{put("k", "2")}}},
			[]sim.Reply{nodes.ErrDuplicateKey, nodes.ErrDuplicateKey, nodes.EtcdTxnReply{Succeeded: true, Replies: []sim.Reply{done(2)}, Revision: 2}}},
		{"nor put it and delete it, except with all keys there are",
			[]sim.Request{
				nodes.EtcdTxn{Then: []nodes.EtcdOp{put("k", "1"), nodes.EtcdDel("k")}},
				nodes.EtcdTxn{Then: []nodes.EtcdOp{{Verb: nodes.EtcdDelVerb, Key: "q/", Prefix: true}, put("q/a", "1")}},
				nodes.EtcdTxn{Then: []nodes.EtcdOp{nodes.EtcdDel("k"), nodes.EtcdDel("k"), put("q/a", "1")}},
				nodes.EtcdTxn{Then: []nodes.EtcdOp{put("k", "1"), {Verb: nodes.EtcdDelVerb, Prefix: true}}}},
			[]sim.Reply{
				nodes.ErrDuplicateKey, nodes.ErrDuplicateKey,
				nodes.EtcdTxnReply{Succeeded: true, Replies: []sim.Reply{nodes.EtcdDone{Deletes: true, Revision: 1}, nodes.EtcdDone{Deletes: true, Revision: 1}, done(2)}, Revision: 2},
				nodes.EtcdTxnReply{Succeeded: true, Replies: []sim.Reply{done(3), nodes.EtcdDone{Deletes: true, Deleted: 2, Revision: 3}}, Revision: 3}}},
		{"it speaks no Redis",
			[]sim.Request{nodes.Get("lock")},
			[]sim.Reply{nodes.Error("unknown method GET lock for service etcdserverpb.KV")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []sim.Reply
			run(t, newEtcd(), func(t *sim.Thread) { got = ask(t, tt.requests...) })
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("replies (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEtcdLeases(t *testing.T) {
	var got []string
	run(t, newEtcd(), func(t *sim.Thread) {
		got = texts(ask(t,
			nodes.LeaseGrant{TTL: ttl}, nodes.LeaseGrant{TTL: time.Millisecond},
			nodes.EtcdPut("q/1", "", 1), nodes.EtcdPut("r", "", 1), nodes.EtcdPut("q/2", "", 2), nodes.EtcdPut("s", "", 0),
			nodes.LeaseKeepAlive{ID: 1}, nodes.LeaseKeepAlive{ID: 3},
			nodes.LeaseRevoke{ID: 1}, nodes.LeaseRevoke{ID: 1}, nodes.LeaseKeepAlive{ID: 1},
			nodes.EtcdOp{Prefix: true}, nodes.EtcdPut("t", "", 0),
		))
		t.Sleep(100 * time.Millisecond)
		got = append(got, texts(ask(t, nodes.LeaseKeepAlive{ID: 2}, nodes.EtcdOp{Prefix: true}))...)
	})
	want := []string{
		"lease 1 granted with TTL(300ms)", "lease 2 granted with TTL(45ms)", // one and a half elections at least
		"OK", "OK", "OK", "OK",
		"lease 1 keepalived with TTL(300ms)", "lease 3 expired or revoked",
		"lease 1 revoked", "etcdserver: requested lease not found", "lease 1 expired or revoked",
		"q/2 (rev 4), s (rev 5)", "OK",
		"lease 2 expired or revoked", "s (rev 5), t (rev 7)", // each end of a lease was a revision
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("replies (-want +got):\n%s", diff)
	}
}

// A put binds the key to the lease that it names, or to none, whatever the key
// was bound to.
func TestEtcdPutBindsAKeyAnew(t *testing.T) {
	var got []string
	run(t, newEtcd(), func(t *sim.Thread) {
		one, two := grant(t), grant(t)
		got = texts(ask(t,
			nodes.EtcdPut("a", "", one), nodes.EtcdPut("b", "", one), nodes.EtcdPut("c", "", 0),
			nodes.EtcdPut("a", "", 0), nodes.EtcdPut("b", "", two), nodes.EtcdPut("c", "", one),
			nodes.LeaseRevoke{ID: one}, nodes.EtcdOp{Prefix: true},
		))
	})
	if diff := cmp.Diff([]string{"lease 1 revoked", "a (rev 2), b (rev 3)"}, got[6:]); diff != "" {
		t.Errorf("replies (-want +got):\n%s", diff)
	}
}

// A lease ends at the first look at it when its TTL is over, by the leader's
// monotonic clock, and starts anew under a new leader. It is granted at 0.5 ms.
func TestEtcdLeasesEndOnTheLeadersMonotonicClock(t *testing.T) {
	tests := []struct {
		name   string
		faults []string
		want   time.Duration
	}{
		{"undisturbed", nil, 315 * time.Millisecond},
		{"clock stepped forward", []string{"clock-step n1 at 100ms by +1h"}, 315 * time.Millisecond},
		{"clock stepped backward", []string{"clock-step n1 at 100ms by -1h"}, 315 * time.Millisecond},
		{"clock a quarter fast", []string{"clock-rate n1 at 0s by +250000ppm"}, 252 * time.Millisecond},
		{"clock a quarter slow", []string{"clock-rate n1 at 0s by -250000ppm"}, 420 * time.Millisecond},
		{"frozen over the end", []string{"node-pause n1 at 300ms for 100ms"}, 400 * time.Millisecond},
		{"frozen before the end", []string{"node-pause n1 at 100ms for 100ms"}, 315 * time.Millisecond},
		{"new leader at 150 ms", []string{"election n1 at 100ms for 50ms"}, 495 * time.Millisecond}, // 30 ms on top
		{"new leader at 400 ms", []string{"election n1 at 310ms for 90ms"}, 735 * time.Millisecond},
		{"an election interrupted by another", []string{"election n1 at 100ms for 50ms", "election n1 at 140ms for 60ms"}, 540 * time.Millisecond},
		{"restarted at 150 ms", []string{"crash n1 at 100ms for 50ms"}, 525 * time.Millisecond}, // and an election of 30 ms
		{"restarted during an election", []string{"election n1 at 90ms for 300ms", "crash n1 at 100ms for 50ms"}, 525 * time.Millisecond},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			changes := run(t, newEtcd(), func(t *sim.Thread) {
				t.BeginAcquire()
				ask(t, nodes.EtcdPut("q/1", "", grant(t)))
				t.Sleep(time.Second)
			}, tt.faults...)
			if diff := cmp.Diff([]string{"took A#1 by A#1", "expired A#1 by nobody"}, kinds(changes)); diff != "" {
				t.Fatalf("changes (-want +got):\n%s", diff)
			}
			if at := changes[1].At.At; at != clock.Instant(tt.want) {
				t.Errorf("the lease ends at %v, want %v", time.Duration(at), tt.want)
			}
		})
	}
}

func TestEtcdKeepAliveGivesALeaseItsWholeTTL(t *testing.T) {
	changes := run(t, newEtcd(), func(t *sim.Thread) {
		t.BeginAcquire()
		id := grant(t)
		ask(t, nodes.EtcdPut("q/1", "", id))
		for range 5 {
			t.Sleep(250 * time.Millisecond)
			ask(t, nodes.LeaseKeepAlive{ID: id})
		}
		t.Sleep(time.Second)
	})
	want := []string{"took A#1 by A#1", "prolonged A#1 by A#1", "prolonged A#1 by A#1", "prolonged A#1 by A#1", "prolonged A#1 by A#1", "prolonged A#1 by A#1", "expired A#1 by nobody"}
	if diff := cmp.Diff(want, kinds(changes)); diff != "" {
		t.Fatalf("changes (-want +got):\n%s", diff)
	}
	if kept, ended := changes[5].At.At, changes[6].At.At; ended.Sub(kept) < ttl || ended.Sub(kept) > ttl+15*time.Millisecond {
		t.Errorf("the lease ends %v after it was renewed, want 300ms to 315ms", ended.Sub(kept))
	}
}

// The leased key that was created first is the lock. The others queue for it.
func TestEtcdLockIsTheFirstLeasedKeyOfItsDirectory(t *testing.T) {
	changes := run(t, newEtcd(), func(t *sim.Thread) {
		t.BeginAcquire()
		ask(t, nodes.EtcdPut("q/0", "", 0)) // never a lock
		first := grant(t)
		ask(t, nodes.EtcdPut("q/1", "", first))
		t.BeginAcquire()
		ask(t, nodes.EtcdPut("q/2", "", grant(t)), nodes.EtcdPut("r/1", "", 2))
		t.BeginAcquire()
		ask(t, nodes.EtcdPut("q/3", "", grant(t)))
		ask(t, nodes.EtcdDel("q/2"))         // left the queue
		ask(t, nodes.LeaseRevoke{ID: first}) // A#1's lock, by A#3
		ask(t, nodes.LeaseKeepAlive{ID: 3})  // A#3's own
		ask(t, nodes.EtcdDel("q/3"))
	})
	want := []string{
		"took A#1 by A#1", "took A#2 by A#2", "removed A#1 by A#3", "took A#3 by A#3", "prolonged A#3 by A#3", "removed A#3 by A#3",
	}
	if diff := cmp.Diff(want, kinds(changes)); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

func TestEtcdWithoutALeaderAppliesNothing(t *testing.T) {
	var during, after []string
	run(t, newEtcd(), func(t *sim.Thread) {
		t.BeginAcquire()
		id := grant(t)
		t.Sleep(10 * time.Millisecond)
		for _, r := range []sim.Request{nodes.EtcdPut("k", "1", 0), nodes.LeaseKeepAlive{ID: id}, nodes.EtcdGet("k"), nodes.LeaseGrant{TTL: ttl}} {
			during = append(during, texts([]sim.Reply{t.Call(0, r, 20*time.Millisecond).Reply})...)
		}
		t.Sleep(100 * time.Millisecond)
		after = texts(ask(t, nodes.EtcdGet("k"), nodes.LeaseGrant{TTL: ttl}))
	}, "election n1 at 5ms for 100ms")
	if diff := cmp.Diff([]string{"no reply", "etcdserver: no leader", "no reply", "no reply"}, during); diff != "" {
		t.Errorf("without a leader (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"nothing", "lease 2 granted with TTL(300ms)"}, after); diff != "" {
		t.Errorf("with a new leader (-want +got):\n%s", diff)
	}
}

func TestEtcdWatchAnswersWhenTheKeyIsDeleted(t *testing.T) {
	watch := func(from int64) nodes.EtcdWatch { return nodes.EtcdWatch{Key: "q/1", From: from} }
	tests := []struct {
		name   string
		from   int64
		before []sim.Request // what happens before the watch begins, 10 ms after the key was put under a lease
		faults []string
		want   string
		at     time.Duration
	}{
		{"when its lease expires", 2, nil, nil, "DELETE q/1 (rev 3)", 315500 * time.Microsecond},
		{"at once if it was before", 2, []sim.Request{nodes.EtcdDel("q/1")}, nil, "DELETE q/1 (rev 3)", 14 * time.Millisecond},
		{"at once even if it is there again", 2, []sim.Request{nodes.EtcdDel("q/1"), nodes.EtcdPut("q/1", "", 0)}, nil, "DELETE q/1 (rev 3)", 15 * time.Millisecond},
		{"at once if it was at the revision", 3, []sim.Request{nodes.EtcdDel("q/1")}, nil, "DELETE q/1 (rev 3)", 14 * time.Millisecond},
		{"not for a deletion before the revision", 4, []sim.Request{nodes.EtcdDel("q/1"), nodes.EtcdPut("q/1", "", 1)}, nil, "DELETE q/1 (rev 5)", 315500 * time.Microsecond},
		{"not for a deletion of the past if it is from now on", 0, []sim.Request{nodes.EtcdDel("q/1"), nodes.EtcdPut("q/1", "", 1)}, nil, "DELETE q/1 (rev 5)", 315500 * time.Microsecond},
		{"not before its revision comes", 4, nil, nil, "no reply", 513 * time.Millisecond},
		{"never if the cluster crashes", 2, nil, []string{"crash n1 at 50ms for 0s"}, "no reply", 513 * time.Millisecond},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got string
			var at time.Duration
			run(t, newEtcd(), func(t *sim.Thread) {
				ask(t, nodes.EtcdPut("q/1", "", grant(t)))
				t.Sleep(10 * time.Millisecond)
				ask(t, tt.before...)
				if len(tt.before) == 0 {
					ask(t, nodes.EtcdGet("q/1"))
				}
				got = texts([]sim.Reply{t.Call(0, watch(tt.from), 500*time.Millisecond).Reply})[0]
				at = time.Duration(t.Monotonic())
			}, tt.faults...)
			if got != tt.want || at != tt.at {
				t.Errorf("%s at %v, want %s at %v", got, at, tt.want, tt.at)
			}
		})
	}
}

// Revisions only grow, by one with every request that writes, and a key's
// create revision is at most its latest.
func TestEtcdRevisionsGrow(t *testing.T) {
	keys := rapid.SampledFrom([]string{"a", "b", "q/1"})
	rapid.Check(t, func(rt *rapid.T) {
		var requests []sim.Request
		for range rapid.IntRange(1, 20).Draw(rt, "requests") {
			key := keys.Draw(rt, "key")
			requests = append(requests, rapid.SampledFrom([]sim.Request{
				nodes.EtcdPut(key, "v", 0), nodes.EtcdDel(key), nodes.EtcdGet(key),
				nodes.EtcdTxn{If: []nodes.EtcdCompare{{Key: key}}, Then: []nodes.EtcdOp{nodes.EtcdPut(key, "w", 0)}},
			}).Draw(rt, "request"), nodes.EtcdOp{Prefix: true})
		}
		var got []sim.Reply
		run(t, newEtcd(), func(t *sim.Thread) { got = ask(t, requests...) })
		last := int64(1)
		for i, r := range got {
			all, ok := r.(nodes.EtcdRange)
			if !ok || i%2 == 0 {
				continue
			}
			if all.Revision != last && all.Revision != last+1 {
				rt.Fatalf("revision %d after %d", all.Revision, last)
			}
			last = all.Revision
			for _, kv := range all.KVs {
				if kv.Create > kv.Mod || kv.Mod > last {
					rt.Fatalf("%+v at revision %d", kv, last)
				}
			}
		}
	})
}

func TestEtcdRequestsReadAsOneTypesThem(t *testing.T) {
	tests := []struct {
		request sim.Request
		want    string
	}{
		{nodes.LeaseGrant{TTL: ttl}, "lease grant 300ms"},
		{nodes.LeaseKeepAlive{ID: 10}, "lease keep-alive a"},
		{nodes.LeaseRevoke{ID: 1}, "lease revoke 1"},
		{nodes.EtcdPut("q/1", "A#1", 1), "put q/1 A#1 --lease=1"},
		{nodes.EtcdGet("q/1"), "get q/1"},
		{nodes.EtcdOp{Verb: nodes.EtcdDelVerb, Key: "q/", Prefix: true}, "del q/ --prefix"},
		{nodes.EtcdOp{Key: "q/", Sort: nodes.LastCreate, MaxCreate: 4}, "get q/ --last-create --max-create-rev=4"},
		{nodes.EtcdWatch{Key: "q/1", From: 3}, "watch q/1 --rev=3"},
		{nodes.EtcdTxn{
			If:   []nodes.EtcdCompare{{Target: nodes.ModRevision, Key: "k", Revision: 7}, {Target: nodes.EtcdValue, Key: "k", Value: "v"}},
			Then: []nodes.EtcdOp{nodes.EtcdDel("k"), nodes.EtcdGet("l")},
		}, `txn if mod(k) = 7 and value(k) = "v" then del k; get l else nothing`},
	}
	for _, tt := range tests {
		if got := tt.request.String(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

// Of an ensemble that does not persist, nothing is left after a crash, and it
// says whose locks are forgotten: of those that queue, nobody's.
func TestEnsembleThatDoesNotPersistForgets(t *testing.T) {
	tests := map[string]struct {
		server  sim.Server
		enqueue func(*sim.Thread)
		look    func(*sim.Thread) sim.Request
	}{
		"etcd": {newEtcd(),
			func(t *sim.Thread) { ask(t, nodes.EtcdPut("q/"+t.BeginAcquire(), "", grant(t))) },
			func(*sim.Thread) sim.Request { return nodes.EtcdOp{Prefix: true} }},
		"zookeeper": {newZooKeeper(),
			func(t *sim.Thread) { t.BeginAcquire(); ask(t, zoo(nodes.ZooCreate, connect(t), "/q/")) },
			func(t *sim.Thread) sim.Request { return zoo(nodes.ZooChildren, connect(t), "/q") }},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var left string
			changes := run(t, tt.server, func(t *sim.Thread) {
				tt.enqueue(t)
				tt.enqueue(t)
				t.Sleep(100 * time.Millisecond)
				left = texts(ask(t, tt.look(t)))[0]
			}, "amnesia n1 at 20ms for 10ms")
			if diff := cmp.Diff([]string{"took A#1 by A#1", "forgotten A#1 by nobody"}, kinds(changes)); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
			if left != "nothing" && left != "[]" {
				t.Errorf("after the crash there is %s", left)
			}
		})
	}
}
