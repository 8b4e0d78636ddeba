//go:build !386

package fidelity

import (
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"simrun/nodes"
	"simrun/sim"
)

// This file translates requests and replies between the simulation and the real
// etcd.

// real translates a revision of this sequence for the server.
func (e *realEtcd) real(revision int64) int64 {
	if revision == 0 {
		return 0
	}
	return revision + e.before
}

// lease translates the number of a lease. One that is not granted in this
// sequence is none that the server knows.
func (e *realEtcd) lease(number int64) clientv3.LeaseID {
	if number == 0 || number > int64(len(e.leases)) {
		return clientv3.LeaseID(number)
	}
	return e.leases[number-1]
}

// number is the inverse of lease.
func (e *realEtcd) number(id int64) int64 {
	for i, known := range e.leases {
		if known == clientv3.LeaseID(id) {
			return int64(i) + 1
		}
	}
	return id
}

// deleted returns the first deletion that a watch tells, nil if the watch ends
// without one.
func (e *realEtcd) deleted(events clientv3.WatchChan) sim.Reply {
	for r := range events {
		for _, event := range r.Events {
			return nodes.EtcdDeleted{Key: string(event.Kv.Key), Revision: event.Kv.ModRevision - e.before}
		}
	}
	return nil
}

// op translates an operation.
func (e *realEtcd) op(op nodes.EtcdOp) clientv3.Op {
	var options []clientv3.OpOption
	if op.Prefix {
		options = append(options, clientv3.WithPrefix())
	}
	switch op.Verb {
	case nodes.EtcdPutVerb:
		return clientv3.OpPut(op.Key, op.Value, clientv3.WithLease(e.lease(op.Lease)))
	case nodes.EtcdDelVerb:
		return clientv3.OpDelete(op.Key, options...)
	}
	switch op.Sort {
	case nodes.FirstCreate:
		options = append(options, clientv3.WithFirstCreate()...)
	case nodes.LastCreate:
		options = append(options, clientv3.WithLastCreate()...)
	}
	if op.MaxCreate != 0 {
		options = append(options, clientv3.WithMaxCreateRev(e.real(op.MaxCreate)))
	}
	return clientv3.OpGet(op.Key, options...)
}

func (e *realEtcd) ops(ops []nodes.EtcdOp) []clientv3.Op {
	var translated []clientv3.Op
	for _, op := range ops {
		translated = append(translated, e.op(op))
	}
	return translated
}

func (e *realEtcd) compares(compares []nodes.EtcdCompare) []clientv3.Cmp {
	var translated []clientv3.Cmp
	for _, c := range compares {
		translated = append(translated, e.compare(c))
	}
	return translated
}

func (e *realEtcd) compare(c nodes.EtcdCompare) clientv3.Cmp {
	switch c.Target {
	case nodes.CreateRevision:
		return clientv3.Compare(clientv3.CreateRevision(c.Key), "=", e.real(c.Revision))
	case nodes.ModRevision:
		return clientv3.Compare(clientv3.ModRevision(c.Key), "=", e.real(c.Revision))
	}
	return clientv3.Compare(clientv3.Value(c.Key), "=", c.Value)
}

// single translates the reply to an operation.
func (e *realEtcd) single(r clientv3.OpResponse) sim.Reply {
	switch {
	case r.Put() != nil:
		return e.done((*pb.PutResponse)(r.Put()))
	case r.Del() != nil:
		return e.gone((*pb.DeleteRangeResponse)(r.Del()))
	}
	return e.found((*pb.RangeResponse)(r.Get()))
}

func (e *realEtcd) txn(r *clientv3.TxnResponse) sim.Reply {
	translated := nodes.EtcdTxnReply{Succeeded: r.Succeeded, Revision: r.Header.Revision - e.before}
	for _, one := range r.Responses {
		var reply sim.Reply
		switch one := one.Response.(type) {
		case *pb.ResponseOp_ResponsePut:
			reply = e.done(one.ResponsePut)
		case *pb.ResponseOp_ResponseDeleteRange:
			reply = e.gone(one.ResponseDeleteRange)
		case *pb.ResponseOp_ResponseRange:
			reply = e.found(one.ResponseRange)
		}
		translated.Replies = append(translated.Replies, reply)
	}
	return translated
}

func (e *realEtcd) done(r *pb.PutResponse) sim.Reply {
	return nodes.EtcdDone{Revision: r.Header.Revision - e.before}
}

func (e *realEtcd) gone(r *pb.DeleteRangeResponse) sim.Reply {
	return nodes.EtcdDone{Deletes: true, Deleted: int(r.Deleted), Revision: r.Header.Revision - e.before}
}

func (e *realEtcd) found(r *pb.RangeResponse) sim.Reply {
	found := nodes.EtcdRange{Revision: r.Header.Revision - e.before}
	for _, kv := range r.Kvs {
		found.KVs = append(found.KVs, nodes.EtcdKV{
			Key: string(kv.Key), Value: string(kv.Value),
			Create: kv.CreateRevision - e.before, Mod: kv.ModRevision - e.before,
			Lease: e.number(kv.Lease),
		})
	}
	return found
}
