package nodes

import (
	"fmt"

	"simrun/sim"
)

// The replies of etcd about keys. Each tells the store's revision.
type (
	// EtcdDone answers a put or a delete.
	EtcdDone struct {
		Deletes  bool
		Deleted  int
		Revision int64
	}
	// EtcdRange answers a get.
	EtcdRange struct {
		KVs      []EtcdKV
		Revision int64
	}
	// EtcdTxnReply answers a transaction.
	EtcdTxnReply struct {
		Succeeded bool
		Replies   []sim.Reply // of the operations that were applied
		Revision  int64
	}
	// EtcdDeleted answers a watch.
	EtcdDeleted struct {
		Key      string
		Revision int64 // at which the key was deleted
	}
)

// An EtcdKV is a key as a get returns it.
type EtcdKV struct {
	Key, Value  string
	Create, Mod int64
	Lease       int64
}

func (d EtcdDone) String() string {
	if d.Deletes {
		return fmt.Sprintf("%d deleted", d.Deleted)
	}
	return "OK"
}

func (kv EtcdKV) String() string { return fmt.Sprintf("%s (rev %d)", kv.Key, kv.Create) }

func (r EtcdRange) String() string { return joined(r.KVs, ", ") }

func (r EtcdTxnReply) String() string {
	word := "SUCCESS"
	if !r.Succeeded {
		word = "FAILURE"
	}
	return fmt.Sprintf("%s: %s", word, joined(r.Replies, "; "))
}

func (d EtcdDeleted) String() string { return fmt.Sprintf("DELETE %s (rev %d)", d.Key, d.Revision) }
