package fidelity

import (
	"encoding/binary"
	"net"
	"slices"
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
	events  <-chan zk.Event // closed when the connection is done with
	address string
	granted chan time.Duration // the timeout of the session, 0 if that has expired
	renewed chan struct{}      // a connection has asked for the watches of an earlier one

	mu      sync.Mutex
	changed *sync.Cond
	plugged bool
	closed  bool
	cable   net.Conn // the latest
	watches []<-chan zk.Event
	renews  bool // the latest connection will ask for the watches
}

// connect opens a session.
func (z *realZooKeeper) connect(timeout time.Duration) *zooClient {
	z.t.Helper()
	c := &zooClient{t: z.t, address: z.address, granted: make(chan time.Duration, 100), renewed: make(chan struct{}, 100)}
	c.changed = sync.NewCond(&c.mu)
	conn, events, err := zk.Connect([]string{z.address}, timeout, zk.WithLogger(c), zk.WithLogInfo(true), zk.WithHostProvider(c), zk.WithDialer(c.dial), zk.WithEventCallback(c.hear))
	if err != nil {
		z.t.Fatal(err)
	}
	c.conn, c.events = conn, events
	z.t.Cleanup(c.close)
	return c
}

// plug lets the client have a connection, and returns the timeout of its session,
// 0 if that has expired. What the client asks from now on comes after its watches:
// by itself, it could close the session before it has asked for them.
func (c *zooClient) plug() time.Duration {
	c.t.Helper()
	drain(c.granted)
	drain(c.renewed)
	c.change(func() { c.plugged = true })
	timeout := await(c, c.granted)
	if timeout > 0 && c.renews {
		await(c, c.renewed)
	}
	return timeout
}

// drain takes out what nobody has waited for.
func drain[T any](from <-chan T) {
	for len(from) > 0 {
		<-from
	}
}

// await receives what comes of the server.
func await[T any](c *zooClient, from <-chan T) (what T) {
	c.t.Helper()
	select {
	case what = <-from:
	case <-time.After(zooPatience):
		c.t.Fatal("ZooKeeper does not answer")
	}
	return what
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
	c.conn.Close() // waits for a second at most
	for range c.events {
	}
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
// No connection is served meanwhile, so that what is told is known to be told.
func (c *zooClient) Printf(format string, args ...any) {
	if strings.HasPrefix(format, "authenticated:") {
		c.change(func() {
			c.renews = slices.ContainsFunc(c.watches, func(told <-chan zk.Event) bool { return len(told) == 0 })
		})
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
	return zooCable{cable, c.renewed}, err
}

// A zooCable tells when it has carried the request that sets watches again.
type zooCable struct {
	net.Conn
	renewed chan<- struct{}
}

// zooSetWatches is the request's code in ZooKeeper's protocol, which comes after
// the request's length and number.
const zooSetWatches = 101

func (c zooCable) Write(packet []byte) (int, error) {
	n, err := c.Conn.Write(packet)
	if err == nil && len(packet) >= 12 && binary.BigEndian.Uint32(packet[8:]) == zooSetWatches {
		c.renewed <- struct{}{}
	}
	return n, err
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
