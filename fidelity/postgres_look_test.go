//go:build linux

package fidelity

import (
	"bufio"
	"io"
	"strconv"
	"strings"
)

// follow reads the server's log to its end.
func (c *pgCluster) follow(log io.Reader) {
	for lines := bufio.NewScanner(log); lines.Scan(); {
		c.mu.Lock()
		c.log = append(c.log[max(0, len(c.log)-20):], lines.Text())
		if word := strings.Fields(lines.Text()); strings.Contains(lines.Text(), " still waiting for ") {
			millis, _ := strconv.ParseInt(strings.Replace(word[0], ".", "", 1), 10, 64) // of seconds with three decimals
			c.looked[pgNumber(word[1])] = millis
		}
		c.mu.Unlock()
		if strings.HasSuffix(lines.Text(), "database system is ready to accept connections") {
			c.ready <- struct{}{}
		}
	}
}

// backends returns the processes that serve clients.
func (c *pgCluster) backends() map[uint32]bool {
	serving := make(map[uint32]bool)
	for _, row := range c.do("SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'") {
		serving[pgNumber(string(row[0]))] = true
	}
	return serving
}

// stuck returns the processes that wait for a lock and have looked in vain for a
// deadlock that they are in. Nothing but an act of somebody else moves them.
func (c *pgCluster) stuck() map[uint32]bool {
	rows := c.do("SELECT pid, floor(extract(epoch FROM waitstart) * 1000)::bigint FROM pg_locks WHERE NOT granted AND waitstart IS NOT NULL")
	c.mu.Lock()
	defer c.mu.Unlock()
	waits := make(map[uint32]bool)
	for _, row := range rows {
		since, _ := strconv.ParseInt(string(row[1]), 10, 64)
		// To the millisecond, as the log has it: what a backend logged of an
		// earlier wait is not later than the start of this one.
		if pid := pgNumber(string(row[0])); c.looked[pid] > since {
			waits[pid] = true
		}
	}
	return waits
}

func pgNumber(text string) uint32 {
	n, _ := strconv.ParseUint(text, 10, 32)
	return uint32(n)
}
