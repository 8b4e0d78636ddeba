package nodes

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// What etcd says when it refuses a request (api/v3rpc/rpctypes).
const (
	ErrLeaseNotFound Error = "etcdserver: requested lease not found"
	ErrNoLeader      Error = "etcdserver: no leader"
	ErrDuplicateKey  Error = "etcdserver: duplicate key given in txn request"
)

// The requests about leases. A TTL is a duration here, where etcd counts
// seconds.
type (
	// LeaseGrant asks for a new lease.
	LeaseGrant struct{ TTL time.Duration }
	// LeaseKeepAlive gives a lease its TTL again.
	LeaseKeepAlive struct{ ID int64 }
	// LeaseRevoke ends a lease and deletes its keys.
	LeaseRevoke struct{ ID int64 }
)

func (r LeaseGrant) String() string     { return "lease grant " + r.TTL.String() }
func (r LeaseKeepAlive) String() string { return fmt.Sprintf("lease keep-alive %x", r.ID) }
func (r LeaseRevoke) String() string    { return fmt.Sprintf("lease revoke %x", r.ID) }

// The replies about leases.
type (
	// LeaseGranted tells a new lease and the TTL that it has.
	LeaseGranted struct {
		ID  int64
		TTL time.Duration
	}
	// LeaseAlive tells the time that a lease has left, 0 if there is no such lease.
	LeaseAlive struct {
		ID  int64
		TTL time.Duration
	}
	// LeaseRevoked tells that a lease is over.
	LeaseRevoked struct{ ID int64 }
)

func (r LeaseGranted) String() string {
	return fmt.Sprintf("lease %x granted with TTL(%v)", r.ID, r.TTL)
}
func (r LeaseRevoked) String() string { return fmt.Sprintf("lease %x revoked", r.ID) }

func (r LeaseAlive) String() string {
	if r.TTL == 0 {
		return fmt.Sprintf("lease %x expired or revoked", r.ID)
	}
	return fmt.Sprintf("lease %x keepalived with TTL(%v)", r.ID, r.TTL)
}

// An EtcdOp is one operation on keys, a request by itself or a part of an
// [EtcdTxn].
type EtcdOp struct {
	Verb      EtcdVerb
	Key       string
	Prefix    bool   // all keys that begin with Key; a sort by creation implies it
	Value     string // of a put
	Lease     int64  // of a put, 0 for none
	Sort      EtcdSort
	MaxCreate int64 // of a get: created at this revision or before; 0 for any
}

// An EtcdVerb says what an operation does.
type EtcdVerb uint8

// The verbs of operations.
const (
	EtcdGetVerb EtcdVerb = iota
	EtcdPutVerb
	EtcdDelVerb
)

// An EtcdSort says which of several keys a get returns.
type EtcdSort uint8

// The sorts of a get.
const (
	ByKey       EtcdSort = iota // all, by their names
	FirstCreate                 // the one that was created first
	LastCreate                  // the one that was created last
)

// EtcdPut returns the operation that sets a key, bound to a lease unless that
// is 0.
func EtcdPut(key, value string, lease int64) EtcdOp {
	return EtcdOp{Verb: EtcdPutVerb, Key: key, Value: value, Lease: lease}
}

// EtcdGet returns the operation that reads a key.
func EtcdGet(key string) EtcdOp { return EtcdOp{Key: key} }

// EtcdDel returns the operation that deletes a key.
func EtcdDel(key string) EtcdOp { return EtcdOp{Verb: EtcdDelVerb, Key: key} }

func (op EtcdOp) names(key string) bool {
	return key == op.Key || (op.Prefix || op.Sort != ByKey) && strings.HasPrefix(key, op.Key)
}

func (op EtcdOp) String() string {
	s := [...]string{"get ", "put ", "del "}[op.Verb] + op.Key
	if op.Value != "" {
		s += " " + op.Value
	}
	if op.Lease != 0 {
		s += fmt.Sprintf(" --lease=%x", op.Lease)
	}
	if op.Prefix {
		s += " --prefix"
	}
	s += [...]string{"", " --first-create", " --last-create"}[op.Sort]
	if op.MaxCreate != 0 {
		s += " --max-create-rev=" + strconv.FormatInt(op.MaxCreate, 10)
	}
	return s
}

// An EtcdTxn applies Then if all comparisons hold, else Else. Neither may put a
// key twice, or both put and delete it.
type EtcdTxn struct {
	If   []EtcdCompare
	Then []EtcdOp
	Else []EtcdOp
}

// An EtcdCompare holds if the target of a key equals what is given.
type EtcdCompare struct {
	Target   EtcdTarget
	Key      string
	Revision int64  // unless the target is the value
	Value    string // if it is
}

// An EtcdTarget is what a comparison looks at.
type EtcdTarget uint8

// The targets of comparisons.
const (
	CreateRevision EtcdTarget = iota // 0 if there is no such key
	ModRevision                      // 0 if there is no such key
	EtcdValue
)

func (c EtcdCompare) String() string {
	want := strconv.FormatInt(c.Revision, 10)
	if c.Target == EtcdValue {
		want = strconv.Quote(c.Value)
	}
	return fmt.Sprintf("%s(%s) = %s", [...]string{"create", "mod", "value"}[c.Target], c.Key, want)
}

func (t EtcdTxn) String() string {
	return fmt.Sprintf("txn if %s then %s else %s", joined(t.If, " and "), joined(t.Then, "; "), joined(t.Else, "; "))
}

func joined[T fmt.Stringer](list []T, separator string) string {
	if len(list) == 0 {
		return "nothing"
	}
	var words []string
	for _, s := range list {
		words = append(words, s.String())
	}
	return strings.Join(words, separator)
}

// An EtcdWatch waits until a key is deleted, at the revision From or after. A
// deletion of the past counts, unless From is 0, which is from now on.
type EtcdWatch struct {
	Key  string
	From int64
}

func (w EtcdWatch) String() string { return fmt.Sprintf("watch %s --rev=%d", w.Key, w.From) }
