package page

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"simrun/clock"
	"simrun/sim"
	"simrun/traces"
)

// A tenure is a time in which a server held the lock for somebody.
type tenure struct {
	server      string
	owner       sim.Holder
	from, until sim.Stamp
	end         sim.ChangeKind // how it ended; empty if it did not
}

// tenures lists what servers held, in the order in which they began to.
func tenures(h *sim.History) []tenure {
	var list []tenure
	for _, c := range h.Changes {
		switch c.Kind {
		case sim.Took:
			list = append(list, tenure{server: c.Server, owner: c.Owner, from: c.At, until: h.Ended})
		case sim.Removed, sim.Overwritten, sim.Expired, sim.Forgotten:
			for i := len(list) - 1; i >= 0; i-- {
				if t := &list[i]; t.server == c.Server && t.owner == c.Owner && t.end == "" {
					t.until, t.end = c.At, c.Kind
					break
				}
			}
		}
	}
	return list
}

// holds reports whether the tenure goes on at an instant, after an event.
// Servers notice an expiry late, but it is true at once.
func (t *tenure) holds(at clock.Instant, event int) bool {
	switch {
	case int(t.from.Index) > event:
		return false
	case t.end == sim.Expired && t.until.At <= at:
		return false
	}
	return t.end == "" || int(t.until.Index) > event
}

// A state is what is so at one moment, in words.
type state struct {
	Holds    string `json:"holds"`    // for whom the servers hold the lock
	Believes string `json:"believes"` // who believes to hold it
	Row      string `json:"row"`      // what the resource has
	Apart    bool   `json:"apart"`    // truth and belief have parted
}

// A historian tells the state of a run at any moment.
type historian struct {
	trace   *traces.Trace
	tenures []tenure
	servers int    // how many ever held the lock
	first   string // what the resource has at first
}

func newHistorian(t *traces.Trace) *historian {
	o := &historian{trace: t, tenures: tenures(&t.History), first: firstValue(t)}
	var servers []string
	for _, t := range o.tenures {
		servers = include(servers, t.server)
	}
	o.servers = len(servers)
	return o
}

// stateAt returns the state at an instant, after an event and what servers did
// because of it.
func (o *historian) stateAt(at clock.Instant, event int) state {
	event = settled(o.trace.Events, event)
	holders := o.holders(at, event)
	believers := o.believers(event)
	s := state{Holds: o.truth(at, event, holders), Believes: listed(believers), Row: o.row(event)}
	s.Apart = len(believers) > 1 || slices.ContainsFunc(believers, func(name string) bool { return !slices.Contains(holders, name) })
	return s
}

// settled returns the last of the changes that servers make at one instant.
func settled(events []sim.Event, event int) int {
	for next := event + 1; next < len(events) && events[next].At == events[event].At; next++ {
		switch events[next].Kind {
		case sim.EventChange, sim.EventAnswer, sim.EventNote:
			event = next
		default:
			return event
		}
	}
	return event
}

// holders lists who has the lock on a quorum of servers.
func (o *historian) holders(at clock.Instant, event int) []string {
	var names []string
	for _, owner := range o.owners(at, event) {
		if len(o.serversOf(owner, at, event)) >= o.trace.History.Quorum {
			names = append(names, owner.String())
		}
	}
	return names
}

func (o *historian) owners(at clock.Instant, event int) []sim.Holder {
	var owners []sim.Holder
	for i := range o.tenures {
		if t := &o.tenures[i]; t.holds(at, event) && !slices.Contains(owners, t.owner) {
			owners = append(owners, t.owner)
		}
	}
	return owners
}

func (o *historian) serversOf(owner sim.Holder, at clock.Instant, event int) []string {
	var servers []string
	for i := range o.tenures {
		if t := &o.tenures[i]; t.owner == owner && t.holds(at, event) {
			servers = include(servers, t.server)
		}
	}
	return servers
}

// truth says for whom the servers hold the lock, and which of them do where
// there are several.
func (o *historian) truth(at clock.Instant, event int, holders []string) string {
	if o.servers < 2 {
		return listed(holders)
	}
	var parts []string
	for _, owner := range o.owners(at, event) {
		part := fmt.Sprintf("%v on %s", owner, strings.Join(o.serversOf(owner, at, event), " "))
		if !slices.Contains(holders, owner.String()) {
			part += fmt.Sprintf(", too few (%d are needed)", o.trace.History.Quorum)
		}
		parts = append(parts, part)
	}
	if parts == nil {
		return "nobody"
	}
	return strings.Join(parts, "; ")
}

// believers lists who believes to hold the lock.
func (o *historian) believers(event int) []string {
	var names []string
	for _, g := range o.trace.History.Grants {
		if int(g.From.Index) <= event && event < int(g.Until.Index) {
			names = append(names, g.Holder.String())
		}
	}
	return names
}

// row says what the resource has, and whose write it last refused. Where there
// is no such row, it says who had an outside effect.
func (o *historian) row(event int) string {
	if o.first == "" {
		return o.effects(event)
	}
	text, refused := o.first, ""
	for _, c := range o.trace.History.Changes {
		if int(c.At.Index) > event {
			break
		}
		switch c.Kind {
		case sim.Wrote:
			text, refused = valueOf(o.trace, c), ""
		case sim.Rejected:
			refused = fmt.Sprintf("; the write of %v is refused", c.By)
		}
	}
	return text + refused
}

// effects lists whose requests had an outside effect.
func (o *historian) effects(event int) string {
	var by []string
	for _, e := range o.trace.History.Effects {
		if int(e.At.Index) <= event {
			by = append(by, e.Holder.String())
		}
	}
	if by == nil {
		return "no outside effect"
	}
	return "outside effect of " + strings.Join(by, " and of ")
}

// firstValue returns what the resource has before anybody writes it, as its
// first reader is told. It is empty where nothing is ever written or refused,
// so that there is no such resource.
func firstValue(t *traces.Trace) string {
	written := func(c sim.Change) bool { return c.Kind == sim.Wrote || c.Kind == sim.Rejected }
	if !slices.ContainsFunc(t.History.Changes, written) {
		return ""
	}
	for _, e := range t.Events {
		request, reply, _ := strings.Cut(e.Text, " -> ")
		if e.Kind == sim.EventAnswer && strings.Contains(request, "qty") && strings.HasPrefix(reply, "qty = ") && !strings.Contains(reply, ",") {
			return reply
		}
	}
	return sim.Nobody.Value()
}

// assignment finds what a statement writes.
var assignment = regexp.MustCompile(` SET (.+?)(?: WHERE .*)?$`)

// valueOf tells what a change wrote, as far as its request says so, and whose
// it is.
func valueOf(t *traces.Trace, c sim.Change) string {
	for i := int(c.At.Index); i >= 0; i-- {
		e := &t.Events[i]
		if e.Kind != sim.EventServe || e.Actor != c.Server {
			continue
		}
		if m := assignment.FindStringSubmatch(e.Text); m != nil {
			return m[1] + " by " + c.By.String()
		}
		break
	}
	return c.By.Value()
}

func listed(names []string) string {
	if len(names) == 0 {
		return "nobody"
	}
	return strings.Join(names, " and ")
}
