package nodes_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"simrun/clock"
	"simrun/nodes"
	"simrun/sim"
)

// The tick is 30 ms long for sessions of 300 ms.
func newZooKeeper() *nodes.ZooKeeper { return nodes.NewZooKeeper(ttl) }

func zoo(verb nodes.ZooVerb, session int64, path string) nodes.ZooRequest {
	return nodes.ZooRequest{Verb: verb, Session: session, Path: path}
}

// connect opens a session and returns its id.
func connect(t *sim.Thread) int64 {
	r := nodes.ZooRequest{Verb: nodes.ZooConnect, Timeout: ttl}
	return t.Call(0, r, time.Second).Reply.(nodes.ZooConnected).Session
}

func TestZooKeeperNodes(t *testing.T) {
	var got []string
	run(t, newZooKeeper(), func(t *sim.Thread) {
		one := connect(t)
		got = texts(ask(t,
			zoo(nodes.ZooCreate, one, "/lock/a-"), zoo(nodes.ZooCreate, one, "/other/b-"),
			zoo(nodes.ZooExists, one, "/lock/a-0000000000"), zoo(nodes.ZooExists, one, "/lock/a-0000000001"),
		))
		two := connect(t)
		got = append(got, texts(ask(t,
			zoo(nodes.ZooCreate, two, "/lock/a-"), zoo(nodes.ZooDelete, two, "/lock/a-0000000001"),
			zoo(nodes.ZooCreate, two, "/lock/c-"), zoo(nodes.ZooChildren, two, "/lock"),
			zoo(nodes.ZooExists, two, "/lock/c-0000000002"), zoo(nodes.ZooDelete, two, "/lock/a-0000000001"),
			zoo(nodes.ZooPing, two, ""), zoo(nodes.ZooClose, one, ""),
			zoo(nodes.ZooChildren, two, "/lock"), zoo(nodes.ZooChildren, two, "/other"), nodes.Get("lock"),
			zoo(nodes.ZooCreate, two, "/lock/under/d-"), zoo(nodes.ZooChildren, two, "/lock"), zoo(nodes.ZooChildren, two, "/lock/under"),
		))...)
	})
	want := []string{
		"Created /lock/a-0000000000", "Created /other/b-0000000000",
		"cZxid = 0x2", "KeeperErrorCode = NoNode for /lock/a-0000000001",
		"Created /lock/a-0000000001", "deleted", // numbers are not given twice
		"Created /lock/c-0000000002", "[a-0000000000, c-0000000002]",
		"cZxid = 0x7", "KeeperErrorCode = NoNode for /lock/a-0000000001",
		"alive", "closed",
		"[c-0000000002]", "[]", "KeeperErrorCode = Unimplemented",
		"Created /lock/under/d-0000000000", "[c-0000000002]", "[d-0000000000]", // not the children's children
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("replies (-want +got):\n%s", diff)
	}
}

// The node that was created first under its parent is the lock, and whatever
// its session asks for prolongs it. The others queue.
func TestZooKeeperLockIsTheFirstNodeUnderItsParent(t *testing.T) {
	changes := run(t, newZooKeeper(), func(t *sim.Thread) {
		t.BeginAcquire()
		one := connect(t)
		ask(t, zoo(nodes.ZooCreate, one, "/lock/"))
		t.BeginAcquire()
		two := connect(t)
		ask(t, zoo(nodes.ZooCreate, two, "/lock/"), zoo(nodes.ZooCreate, two, "/other/"))
		t.BeginAcquire()
		ask(t, zoo(nodes.ZooCreate, connect(t), "/lock/"))
		ask(t, zoo(nodes.ZooDelete, two, "/lock/0000000001")) // leaves the queue; the other lock lives on
		ask(t, zoo(nodes.ZooClose, one, ""))                  // A#1's lock, by A#3
		ask(t, zoo(nodes.ZooPing, 3, ""), zoo(nodes.ZooDelete, 3, "/lock/0000000002"))
	})
	want := []string{
		"took A#1 by A#1", "took A#2 by A#2", "prolonged A#2 by A#3",
		"prolonged A#1 by A#3", "removed A#1 by A#3", "took A#3 by A#3",
		"prolonged A#3 by A#3", "prolonged A#3 by A#3", "removed A#3 by A#3",
	}
	if diff := cmp.Diff(want, kinds(changes)); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

func TestZooKeeperBoundsTimeoutsByTicks(t *testing.T) {
	for asked, want := range map[time.Duration]time.Duration{
		time.Millisecond: 60 * time.Millisecond, ttl: ttl, time.Hour: 600 * time.Millisecond,
	} {
		run(t, newZooKeeper(), func(th *sim.Thread) {
			got := ask(th, nodes.ZooRequest{Verb: nodes.ZooConnect, Timeout: asked})[0]
			if got != (nodes.ZooConnected{Session: 1, Timeout: want}) {
				t.Errorf("a session of %v: %v, want a timeout of %v", asked, got, want)
			}
		})
	}
}

// A session ends at the tick after its timeout, by the leader's monotonic
// clock. The last word from it comes at 1.5 ms.
func TestZooKeeperSessionsEndOnTheLeadersMonotonicClock(t *testing.T) {
	tests := []struct {
		name   string
		faults []string
		want   time.Duration
	}{
		{"undisturbed", nil, 330 * time.Millisecond},
		{"clock stepped forward", []string{"clock-step n1 at 100ms by +1h"}, 330 * time.Millisecond},
		{"clock stepped backward", []string{"clock-step n1 at 100ms by -1h"}, 330 * time.Millisecond},
		{"clock a quarter fast", []string{"clock-rate n1 at 0s by +250000ppm"}, 264 * time.Millisecond},
		{"clock a quarter slow", []string{"clock-rate n1 at 0s by -250000ppm"}, 440 * time.Millisecond},
		{"frozen over the end", []string{"node-pause n1 at 300ms for 100ms"}, 400 * time.Millisecond},
		{"new leader at 150 ms", []string{"election n1 at 100ms for 50ms"}, 480 * time.Millisecond},
		{"new leader at 400 ms", []string{"election n1 at 310ms for 90ms"}, 720 * time.Millisecond},
		{"an election interrupted by another", []string{"election n1 at 100ms for 50ms", "election n1 at 140ms for 60ms"}, 510 * time.Millisecond},
		{"restarted at 150 ms", []string{"crash n1 at 100ms for 50ms"}, 510 * time.Millisecond}, // and an election of a tick
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			changes := run(t, newZooKeeper(), func(t *sim.Thread) {
				t.BeginAcquire()
				ask(t, zoo(nodes.ZooCreate, connect(t), "/lock/"))
				t.Sleep(time.Second)
			}, tt.faults...)
			if diff := cmp.Diff([]string{"took A#1 by A#1", "expired A#1 by nobody"}, kinds(changes)); diff != "" {
				t.Fatalf("changes (-want +got):\n%s", diff)
			}
			if at := changes[1].At.At; at != clock.Instant(tt.want) {
				t.Errorf("the session ends at %v, want %v", time.Duration(at), tt.want)
			}
		})
	}
}

// A session is not its connection: it lives on when that closes, can be taken
// up on another, and ends when the client says so or is silent for too long.
func TestZooKeeperSessionOutlivesItsConnection(t *testing.T) {
	var got []string
	run(t, newZooKeeper(), func(t *sim.Thread) {
		id := connect(t)
		say := func(requests ...sim.Request) { got = append(got, texts(ask(t, requests...))...) }
		say(zoo(nodes.ZooCreate, id, "/lock/"))
		t.Close(0)
		t.Sleep(250 * time.Millisecond)
		say(zoo(nodes.ZooConnect, id, ""))
		t.Sleep(250 * time.Millisecond)
		say(zoo(nodes.ZooChildren, id, "/lock"))
		t.Sleep(400 * time.Millisecond)
		say(zoo(nodes.ZooPing, id, ""), zoo(nodes.ZooChildren, id, "/lock"), zoo(nodes.ZooConnect, id, ""), zoo(nodes.ZooClose, id, ""))
		say(zoo(nodes.ZooChildren, connect(t), "/lock"))
	})
	want := []string{
		"Created /lock/0000000000", "session 0x1 with timeout 300ms", "[0000000000]",
		// Only who reconnects is told why.
		"KeeperErrorCode = ConnectionLoss", "KeeperErrorCode = ConnectionLoss", "KeeperErrorCode = Session expired", "KeeperErrorCode = ConnectionLoss",
		"[]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("replies (-want +got):\n%s", diff)
	}
}

func TestZooKeeperWatchAnswersWhenTheNodeIsDeleted(t *testing.T) {
	const node = "/lock/0000000000"
	tests := []struct {
		name   string
		before []sim.Request
		faults []string
		want   string
		at     time.Duration
	}{
		{"when its session expires", nil, nil, "NodeDeleted " + node, 330500 * time.Microsecond},
		{"at once if there is none", []sim.Request{zoo(nodes.ZooDelete, 1, node)}, nil, "KeeperErrorCode = NoNode for " + node, 5 * time.Millisecond},
		{"never if the ensemble crashes", nil, []string{"crash n1 at 50ms for 0s"}, "no reply", 504 * time.Millisecond},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got string
			var at time.Duration
			run(t, newZooKeeper(), func(t *sim.Thread) {
				ask(t, zoo(nodes.ZooCreate, connect(t), "/lock/"))
				ask(t, tt.before...)
				two := connect(t)
				if len(tt.before) == 0 {
					t.Sleep(time.Millisecond)
				}
				got = texts([]sim.Reply{t.Call(0, zoo(nodes.ZooExistsWatch, two, node), 500*time.Millisecond).Reply})[0]
				at = time.Duration(t.Monotonic())
			}, tt.faults...)
			if got != tt.want || at != tt.at {
				t.Errorf("%s at %v, want %s at %v", got, at, tt.want, tt.at)
			}
		})
	}
}

// A change that fails is a change: it has a zxid.
func TestZooKeeperCountsFailures(t *testing.T) {
	var got []string
	run(t, newZooKeeper(), func(t *sim.Thread) {
		id := connect(t)
		got = texts(ask(t,
			zoo(nodes.ZooDelete, id, "/lock/0000000000"), zoo(nodes.ZooExists, id, "/lock/0000000000"),
			zoo(nodes.ZooCreate, id, "/lock/"), zoo(nodes.ZooExists, id, "/lock/0000000000"),
		))
	})
	want := []string{
		"KeeperErrorCode = NoNode for /lock/0000000000", "KeeperErrorCode = NoNode for /lock/0000000000", // reading is no change
		"Created /lock/0000000000", "cZxid = 0x3",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("replies (-want +got):\n%s", diff)
	}
}

// A session's end ends what it watches, unless that ends with it: the server
// closes the connection.
func TestZooKeeperWatchEndsWithItsSession(t *testing.T) {
	for watched, want := range map[string]string{
		"/lock/0000000000": "KeeperErrorCode = ConnectionLoss",
		"/lock/0000000001": "NodeDeleted /lock/0000000001", // its own
	} {
		var got string
		run(t, newZooKeeper(), func(t *sim.Thread) {
			one, two := connect(t), connect(t)
			ask(t, zoo(nodes.ZooCreate, one, "/lock/"), zoo(nodes.ZooCreate, two, "/lock/"))
			t.Go("watcher", func(t *sim.Thread) { got = texts(ask(t, zoo(nodes.ZooExistsWatch, two, watched)))[0] })
			t.Sleep(10 * time.Millisecond)
			ask(t, zoo(nodes.ZooClose, two, ""), zoo(nodes.ZooClose, one, ""))
		})
		if got != want {
			t.Errorf("who watches %s is told %q, want %q", watched, got, want)
		}
	}
}

// What changed under a new leader is newer than what changed under the old one,
// however much that was.
func TestZooKeeperEpochsOrderTheirChanges(t *testing.T) {
	var got []string
	run(t, newZooKeeper(), func(t *sim.Thread) {
		id := connect(t)
		ask(t, zoo(nodes.ZooCreate, id, "/lock/"), zoo(nodes.ZooCreate, id, "/lock/"))
		t.Sleep(10 * time.Millisecond)
		got = texts([]sim.Reply{t.Call(0, zoo(nodes.ZooCreate, id, "/lock/"), 20*time.Millisecond).Reply})
		t.Sleep(100 * time.Millisecond)
		got = append(got, texts(ask(t,
			zoo(nodes.ZooCreate, id, "/lock/"), zoo(nodes.ZooChildren, id, "/lock"),
			zoo(nodes.ZooExists, id, "/lock/0000000001"), zoo(nodes.ZooExists, id, "/lock/0000000002"),
		))...)
	}, "election n1 at 5ms for 50ms")
	want := []string{
		"no reply", "Created /lock/0000000002", "[0000000000, 0000000001, 0000000002]", "cZxid = 0x3", "cZxid = 0x100000001",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("replies (-want +got):\n%s", diff)
	}
}

func TestZooKeeperRequestsReadAsOneTypesThem(t *testing.T) {
	tests := []struct {
		request nodes.ZooRequest
		want    string
	}{
		{nodes.ZooRequest{Verb: nodes.ZooConnect, Timeout: ttl}, "connect with timeout 300ms"},
		{zoo(nodes.ZooConnect, 10, ""), "reconnect session 0xa"},
		{zoo(nodes.ZooPing, 1, ""), "ping of session 0x1"},
		{zoo(nodes.ZooCreate, 1, "/lock/_c_A#1-lock-"), "create -s -e /lock/_c_A#1-lock-"},
		{zoo(nodes.ZooChildren, 1, "/lock"), "ls /lock"},
		{zoo(nodes.ZooExists, 1, "/lock/x"), "stat /lock/x"},
		{zoo(nodes.ZooExistsWatch, 1, "/lock/x"), "stat -w /lock/x"},
		{zoo(nodes.ZooDelete, 1, "/lock/x"), "delete /lock/x"},
		{zoo(nodes.ZooClose, 1, ""), "close session 0x1"},
	}
	for _, tt := range tests {
		if got := tt.request.String(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

// A watch goes with the connection on which it was set: nobody is answered who
// has stopped waiting.
func TestWatchesEndWithTheirConnections(t *testing.T) {
	tests := map[string]struct {
		server              sim.Server
		prepare, watch, end func(t *sim.Thread) sim.Request
	}{
		"etcd": {newEtcd(),
			func(*sim.Thread) sim.Request { return nodes.EtcdPut("k", "", 0) },
			func(*sim.Thread) sim.Request { return nodes.EtcdWatch{Key: "k", From: 2} },
			func(*sim.Thread) sim.Request { return nodes.EtcdDel("k") }},
		"zookeeper": {newZooKeeper(),
			func(t *sim.Thread) sim.Request { return zoo(nodes.ZooCreate, connect(t), "/lock/") },
			func(*sim.Thread) sim.Request { return zoo(nodes.ZooExistsWatch, 1, "/lock/0000000000") },
			func(*sim.Thread) sim.Request { return zoo(nodes.ZooDelete, 1, "/lock/0000000000") }},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := sim.NewWorld(sim.Setup{
				Servers: []sim.ServerSpec{{Name: "n1", Server: tt.server}},
				Program: func(t *sim.Thread) {
					ask(t, tt.prepare(t))
					t.Call(0, tt.watch(t), 50*time.Millisecond)
					t.Sleep(10 * time.Millisecond)
					ask(t, tt.end(t))
				},
				Probe: func(*sim.Thread) {},
				Limit: time.Minute,
			})
			defer w.Close()
			r, err := w.Record(sim.Schedule{Noise: sim.QuietNoise, Clients: []sim.Plan{{}}})
			if err != nil {
				t.Fatal(err)
			}
			asked, answered := 0, 0
			for _, e := range r.Events {
				switch e.Kind {
				case sim.EventServe:
					asked++
				case sim.EventAnswer:
					answered++
				}
			}
			if answered != asked-1 {
				t.Errorf("%d requests, %d answers, want one less", asked, answered)
			}
		})
	}
}
