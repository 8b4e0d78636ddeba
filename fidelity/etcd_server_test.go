//go:build !386

package fidelity

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3client"

	"simrun/nodes"
	"simrun/sim"
)

// etcdPatience is how long the real server may take for an answer.
const etcdPatience = 20 * time.Second

// A realEtcd is a server of the etcd module in this process, with an election
// timeout of a second, asked without a network in between.
//
// It serves one sequence of requests after another. Each begins with an empty
// store, at what is revision 1 to the simulated server and to whoever reads the
// accounts.
type realEtcd struct {
	t      testing.TB
	dir    string
	server *embed.Etcd
	client *clientv3.Client

	before int64              // the revisions of earlier sequences
	leases []clientv3.LeaseID // of this sequence, in the order of their grants
}

func startEtcd(t testing.TB) *realEtcd {
	e := &realEtcd{t: t, dir: t.TempDir()}
	e.start()
	t.Cleanup(e.stop)
	return e
}

func (e *realEtcd) start() {
	c := embed.NewConfig()
	c.Dir = e.dir
	c.LogLevel = "fatal"
	// A crash of this process would lose what a crash of a machine may not. There
	// is none.
	c.UnsafeNoFsync = true
	// The server listens where nobody calls.
	listen := func(name string) []url.URL { return []url.URL{{Scheme: "unix", Path: filepath.Join(e.dir, name)}} }
	c.ListenClientUrls, c.AdvertiseClientUrls = listen("client"), listen("client")
	c.ListenPeerUrls, c.AdvertisePeerUrls = listen("peer"), listen("peer")
	c.InitialCluster = c.InitialClusterFromName(c.Name)
	server, err := embed.StartEtcd(c)
	if err != nil {
		e.t.Fatal(err)
	}
	select {
	case <-server.Server.ReadyNotify():
	case <-time.After(etcdPatience):
		e.t.Fatal("etcd does not start")
	}
	e.server, e.client = server, v3client.New(server.Server)
}

func (e *realEtcd) stop() {
	e.client.Close()
	e.server.Close()
}

// reconnect takes another client, without what the last one watches.
func (e *realEtcd) reconnect() {
	e.client.Close()
	e.client = v3client.New(e.server.Server)
}

// answers returns what the server answers to a sequence of requests.
func (e *realEtcd) answers(requests []sim.Request) []sim.Reply {
	e.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), etcdPatience)
	defer cancel()
	e.begin(ctx)
	replies := make([]sim.Reply, len(requests))
	watches := map[int]clientv3.WatchChan{}
	for i, r := range requests {
		switch r := r.(type) {
		case wait:
			time.Sleep(time.Duration(r))
		case restart:
			e.stop()
			e.start()
		case nodes.EtcdWatch:
			watches[i] = e.client.Watch(ctx, r.Key, clientv3.WithRev(e.real(r.From)), clientv3.WithFilterPut())
		default:
			replies[i] = e.ask(ctx, r)
		}
	}
	for i, events := range watches {
		if e := e.deleted(events); e != nil {
			replies[i] = e
		}
	}
	return replies
}

// begin leaves nothing of the sequence before. What is revision 1 from then on
// deleted a key that no sequence knows, so that no watch tells of it.
func (e *realEtcd) begin(ctx context.Context) {
	e.t.Helper()
	e.reconnect()
	for _, id := range e.leases {
		e.client.Revoke(ctx, id) // it may be over already
	}
	e.leases = nil
	_, err := e.client.Put(ctx, "unknown", "")
	if err != nil {
		e.t.Fatal(err)
	}
	r, err := e.client.Delete(ctx, "", clientv3.WithPrefix())
	if err != nil {
		e.t.Fatal(err)
	}
	e.before = r.Header.Revision - 1
}

func (e *realEtcd) ask(ctx context.Context, r sim.Request) sim.Reply {
	reply, err := e.try(ctx, r)
	switch known := err.(type) {
	case nil:
		return reply
	case rpctypes.EtcdError:
		return nodes.Error(known.Error())
	}
	e.t.Fatalf("%s: %v", r, err)
	return nil
}

func (e *realEtcd) try(ctx context.Context, r sim.Request) (sim.Reply, error) {
	switch r := r.(type) {
	case nodes.LeaseGrant:
		l, err := e.client.Grant(ctx, int64(r.TTL/time.Second))
		if err != nil {
			return nil, err
		}
		e.leases = append(e.leases, l.ID)
		return nodes.LeaseGranted{ID: int64(len(e.leases)), TTL: time.Duration(l.TTL) * time.Second}, nil
	case nodes.LeaseKeepAlive:
		l, err := e.client.KeepAliveOnce(ctx, e.lease(r.ID))
		if err == rpctypes.ErrLeaseNotFound {
			return nodes.LeaseAlive{ID: r.ID}, nil // so says the server, in a field of the reply
		}
		if err != nil {
			return nil, err
		}
		return nodes.LeaseAlive{ID: r.ID, TTL: time.Duration(l.TTL) * time.Second}, nil
	case nodes.LeaseRevoke:
		_, err := e.client.Revoke(ctx, e.lease(r.ID))
		return nodes.LeaseRevoked(r), err
	case nodes.EtcdOp:
		reply, err := e.client.Do(ctx, e.op(r))
		if err != nil {
			return nil, err
		}
		return e.single(reply), nil
	case nodes.EtcdTxn:
		reply, err := e.client.Txn(ctx).If(e.compares(r.If)...).Then(e.ops(r.Then)...).Else(e.ops(r.Else)...).Commit()
		if err != nil {
			return nil, err
		}
		return e.txn(reply), nil
	}
	return nil, fmt.Errorf("a request that etcd has no method for")
}
