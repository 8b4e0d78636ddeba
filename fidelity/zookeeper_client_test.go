package fidelity

import (
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
)

// A zooClient is a client of the real server, whose cable the test holds: it
// keeps a connection while it is plugged in.
type zooClient struct {
	t       testing.TB
	conn    *zk.Conn
	address string
	granted chan time.Duration // the timeout of the session, 0 if that has expired

	mu      sync.Mutex
	changed *sync.Cond
	plugged bool
	closed  bool
	cable   net.Conn // the latest
}

// connect opens a session.
func (z *realZooKeeper) connect(timeout time.Duration) *zooClient {
	z.t.Helper()
	c := &zooClient{t: z.t, address: z.address, granted: make(chan time.Duration, 100)}
	c.changed = sync.NewCond(&c.mu)
	conn, _, err := zk.Connect([]string{z.address}, timeout, zk.WithLogger(c), zk.WithLogInfo(true), zk.WithHostProvider(c), zk.WithDialer(c.dial), zk.WithEventCallback(c.hear))
	if err != nil {
		z.t.Fatal(err)
	}
	c.conn = conn
	z.t.Cleanup(c.close)
	return c
}

// plug lets the client have a connection, and returns the timeout of its session,
// 0 if that has expired.
func (c *zooClient) plug() time.Duration {
	c.t.Helper()
	for len(c.granted) > 0 {
		<-c.granted
	}
	c.change(func() { c.plugged = true })
	select {
	case timeout := <-c.granted:
		return timeout
	case <-time.After(zooPatience):
		c.t.Fatal("ZooKeeper does not answer")
	}
	return 0
}

// cut breaks the connection, and keeps the client from making another.
func (c *zooClient) cut() {
	c.change(func() {
		c.plugged = false
		c.cable.Close()
	})
}

// close ends the session, unless that is over.
func (c *zooClient) close() {
	c.change(func() { c.closed = true })
	c.conn.Close()
}

func (c *zooClient) change(how func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	how()
	c.changed.Broadcast()
}

// hear is told what becomes of the session. A client whose session has expired is
// closed, or it would open another.
func (c *zooClient) hear(e zk.Event) {
	if e.State == zk.StateExpired {
		c.change(func() { c.closed = true })
		go c.conn.Close()
		c.granted <- 0
	}
}

// Printf is told the timeout of the session: the client says it in its log alone.
func (c *zooClient) Printf(format string, args ...any) {
	if strings.HasPrefix(format, "authenticated:") {
		c.granted <- time.Duration(args[1].(int32)) * time.Millisecond
	}
}

// dial makes a connection as soon as the client is plugged in.
func (c *zooClient) dial(network, address string, timeout time.Duration) (net.Conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.plugged && !c.closed {
		c.changed.Wait()
	}
	if c.closed {
		return nil, net.ErrClosed
	}
	cable, err := net.DialTimeout(network, address, timeout)
	c.cable = cable
	return cable, err
}

// These tell the client of the one server that there is. It pauses before it
// comes back to a server only when it is closed, which it notices in the pause.

func (c *zooClient) Init([]string) error { return nil }
func (c *zooClient) Len() int            { return 1 }
func (c *zooClient) Connected()          {}

func (c *zooClient) Next() (server string, pause bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.address, c.closed
}
