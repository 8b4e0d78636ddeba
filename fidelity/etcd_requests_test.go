//go:build !386

package fidelity

import (
	"fmt"
	"strings"
	"time"

	"pgregory.net/rapid"

	"simrun/nodes"
	"simrun/sim"
)

// etcdKeys are few, so that requests meet.
var etcdKeys = []string{"k", "q/a", "q/b"}

// The TTLs of leases: one that is over after an etcdWait, even if it begins
// anew in a restart just before, and one that outlasts the sequence. A TTL of a
// second is less than the server grants.
const (
	etcdShort = 2 * time.Second
	etcdLong  = time.Hour
	etcdWait  = 5 * time.Second
)

// etcdClosing ends a sequence: every key is deleted after all else, at revision
// 5 at least, so that every watch has something to tell.
func etcdClosing() []sim.Request {
	var all nodes.EtcdTxn
	for _, key := range etcdKeys {
		all.Then = append(all.Then, nodes.EtcdPut(key, "", 0))
	}
	none := nodes.EtcdOp{Verb: nodes.EtcdDelVerb, Prefix: true}
	return []sim.Request{nodes.EtcdOp{Prefix: true}, all, none, all, none}
}

// etcdRequests generates what a client may ask for, but watches.
func etcdRequests(ttls ...time.Duration) *rapid.Generator[sim.Request] {
	op := etcdOps()
	lease := rapid.Int64Range(1, 4)
	return rapid.OneOf(
		rapid.Map(op, func(op nodes.EtcdOp) sim.Request { return op }),
		rapid.Map(etcdTxns(op), func(txn nodes.EtcdTxn) sim.Request { return txn }),
		rapid.Map(rapid.SampledFrom(ttls), func(ttl time.Duration) sim.Request { return nodes.LeaseGrant{TTL: ttl} }),
		rapid.Map(lease, func(id int64) sim.Request { return nodes.LeaseKeepAlive{ID: id} }),
		rapid.Map(lease, func(id int64) sim.Request { return nodes.LeaseRevoke{ID: id} }),
	)
}

func etcdWatches() *rapid.Generator[sim.Request] {
	return rapid.Custom(func(t *rapid.T) sim.Request {
		return nodes.EtcdWatch{Key: rapid.SampledFrom(etcdKeys).Draw(t, "key"), From: rapid.Int64Range(0, 5).Draw(t, "from")}
	})
}

// etcdOps generates operations. Two out of three puts are bound to a lease,
// which may not exist.
func etcdOps() *rapid.Generator[nodes.EtcdOp] {
	return rapid.Custom(func(t *rapid.T) nodes.EtcdOp {
		key := rapid.SampledFrom(etcdKeys).Draw(t, "key")
		prefix := rapid.SampledFrom([]string{"", "q/", key}).Draw(t, "prefix")
		switch rapid.SampledFrom([]string{"put", "put", "get", "range", "sorted", "del", "del range"}).Draw(t, "op") {
		case "put":
			return nodes.EtcdPut(key, rapid.SampledFrom([]string{"1", "2"}).Draw(t, "value"), rapid.Int64Range(0, 3).Draw(t, "lease"))
		case "get":
			return nodes.EtcdGet(key)
		case "range":
			return nodes.EtcdOp{Key: prefix, Prefix: true, MaxCreate: rapid.Int64Range(0, 15).Draw(t, "max")}
		case "sorted":
			sort := rapid.SampledFrom([]nodes.EtcdSort{nodes.FirstCreate, nodes.LastCreate}).Draw(t, "sort")
			return nodes.EtcdOp{Key: prefix, Sort: sort, MaxCreate: rapid.Int64Range(0, 15).Draw(t, "max")}
		case "del":
			return nodes.EtcdDel(key)
		}
		return nodes.EtcdOp{Verb: nodes.EtcdDelVerb, Key: prefix, Prefix: true}
	})
}

func etcdTxns(op *rapid.Generator[nodes.EtcdOp]) *rapid.Generator[nodes.EtcdTxn] {
	compares, ops := rapid.SliceOfN(etcdCompares(), 0, 2), rapid.SliceOfN(op, 0, 3)
	return rapid.Custom(func(t *rapid.T) nodes.EtcdTxn {
		return nodes.EtcdTxn{If: compares.Draw(t, "if"), Then: ops.Draw(t, "then"), Else: ops.Draw(t, "else")}
	})
}

func etcdCompares() *rapid.Generator[nodes.EtcdCompare] {
	return rapid.Custom(func(t *rapid.T) nodes.EtcdCompare {
		c := nodes.EtcdCompare{
			Target: rapid.SampledFrom([]nodes.EtcdTarget{nodes.CreateRevision, nodes.ModRevision, nodes.EtcdValue}).Draw(t, "target"),
			Key:    rapid.SampledFrom(etcdKeys).Draw(t, "key"),
		}
		if c.Target == nodes.EtcdValue {
			c.Value = rapid.SampledFrom([]string{"", "1", "2"}).Draw(t, "value")
		} else {
			c.Revision = rapid.Int64Range(0, 15).Draw(t, "revision")
		}
		return c
	})
}

// etcdText returns all that a reply says. A TTL is told in the seconds in which
// etcd counts: it rounds up the least that it grants.
func etcdText(r sim.Reply) string {
	switch r := r.(type) {
	case nodes.EtcdDone:
		return fmt.Sprintf("%s (at %d)", r, r.Revision)
	case nodes.EtcdRange:
		var kvs []string
		for _, kv := range r.KVs {
			kvs = append(kvs, fmt.Sprintf("%s=%q create %d mod %d lease %d", kv.Key, kv.Value, kv.Create, kv.Mod, kv.Lease))
		}
		return fmt.Sprintf("[%s] (at %d)", strings.Join(kvs, ", "), r.Revision)
	case nodes.EtcdTxnReply:
		var parts []string
		for _, one := range r.Replies {
			parts = append(parts, etcdText(one))
		}
		return fmt.Sprintf("succeeded: %v; %s (at %d)", r.Succeeded, strings.Join(parts, "; "), r.Revision)
	case nodes.LeaseGranted:
		return nodes.LeaseGranted{ID: r.ID, TTL: seconds(r.TTL)}.String()
	case nodes.LeaseAlive:
		return nodes.LeaseAlive{ID: r.ID, TTL: seconds(r.TTL)}.String()
	}
	return r.String()
}

func seconds(d time.Duration) time.Duration { return (d + time.Second - 1).Truncate(time.Second) }

func etcdRestarts() *rapid.Generator[sim.Request] { return rapid.Just[sim.Request](restart{}) }

// etcdRow returns the row of a request in the table of what is compared.
func etcdRow(r sim.Request) string {
	switch r := r.(type) {
	case wait:
		return etcdExpiry
	case restart:
		return etcdRestart
	case nodes.EtcdOp:
		return [...]string{"get", "put", "del"}[r.Verb]
	case nodes.EtcdTxn:
		return "txn"
	case nodes.EtcdWatch:
		return etcdWatching
	case nodes.LeaseGrant:
		return "lease grant"
	case nodes.LeaseKeepAlive:
		return "lease keep-alive"
	}
	return "lease revoke"
}
