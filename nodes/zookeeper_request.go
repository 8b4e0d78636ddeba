package nodes

import (
	"fmt"
	"strings"
	"time"
)

// What ZooKeeper's client throws (org.apache.zookeeper.KeeperException).
const (
	ErrSessionExpired Error = "KeeperErrorCode = Session expired"
	ErrConnectionLoss Error = "KeeperErrorCode = ConnectionLoss"
	ErrUnimplemented  Error = "KeeperErrorCode = Unimplemented"
)

func noNode(path string) Error { return Error("KeeperErrorCode = NoNode for " + path) }

// A ZooRequest is a request of a session.
type ZooRequest struct {
	Verb    ZooVerb
	Session int64         // 0 in a connect that asks for a new session
	Path    string        // of the node, or of the parent whose children are asked for
	Timeout time.Duration // that a new session is to have
}

// A ZooVerb says what a request asks for.
type ZooVerb uint8

// The verbs of requests.
const (
	ZooConnect     ZooVerb = iota // a new session, or the old one on a new connection
	ZooPing                       // nothing, but to be heard
	ZooCreate                     // an ephemeral sequential node whose name begins with Path
	ZooChildren                   // the names of a node's children
	ZooExists                     // a node's data about itself
	ZooExistsWatch                // to be told when a node is deleted; an error if there is none
	ZooDelete                     // a node's end
	ZooClose                      // the session's end
)

// String returns the request as zkCli would take it, more or less.
func (r ZooRequest) String() string {
	switch r.Verb {
	case ZooConnect:
		if r.Session == 0 {
			return "connect with timeout " + r.Timeout.String()
		}
		return fmt.Sprintf("reconnect session 0x%x", r.Session)
	case ZooPing:
		return fmt.Sprintf("ping of session 0x%x", r.Session)
	case ZooCreate:
		return "create -s -e " + r.Path
	case ZooChildren:
		return "ls " + r.Path
	case ZooExists:
		return "stat " + r.Path
	case ZooExistsWatch:
		return "stat -w " + r.Path
	case ZooDelete:
		return "delete " + r.Path
	default:
		return fmt.Sprintf("close session 0x%x", r.Session)
	}
}

// The replies of ZooKeeper.
type (
	// ZooConnected tells a session's id and timeout.
	ZooConnected struct {
		Session int64
		Timeout time.Duration
	}
	// ZooCreated is the path of a new node.
	ZooCreated string
	// ZooNames are the names of a node's children, in no order that a client may rely on.
	ZooNames []string
	// ZooStat tells the zxid of the change that created a node.
	ZooStat struct{ Czxid int64 }
	// ZooDeleted tells who watched a node that it is gone.
	ZooDeleted string
)

func (c ZooConnected) String() string {
	return fmt.Sprintf("session 0x%x with timeout %v", c.Session, c.Timeout)
}
func (c ZooCreated) String() string { return "Created " + string(c) }
func (n ZooNames) String() string   { return "[" + strings.Join(n, ", ") + "]" }
func (s ZooStat) String() string    { return fmt.Sprintf("cZxid = 0x%x", s.Czxid) }
func (d ZooDeleted) String() string { return "NodeDeleted " + string(d) }
