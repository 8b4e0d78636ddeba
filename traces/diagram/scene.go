package diagram

import (
	"slices"
	"strings"

	"simrun/checker"
	"simrun/sim"
	"simrun/traces"
)

// A scene is the part of a trace that a picture shows: who takes part, what is
// sent, and what is told.
type scene struct {
	*traces.Narration
	trace    *traces.Trace
	lanes    []lane // threads of clients, then servers
	messages []message
	breaches []traces.Judgement // of checks that are broken within the scene, in order
}

// A lane is a thread of a client, or a server.
type lane struct {
	name   string // as events name it, such as A/watchdog
	server bool
}

// title returns the lane's name as a narration has it.
func (l lane) title() string { return strings.Replace(l.name, "/", " ", 1) }

// client returns the name of the client whose thread the lane is.
func (l lane) client() string {
	name, _, _ := strings.Cut(l.name, "/")
	return name
}

// A message is a request of a client or the reply to it.
type message struct {
	from, to string
	text     string
	reply    bool
	sent     int // an event
	end      int // the event of its arrival or loss, -1 if it is under way when the scene ends
	fate     fate
}

// A fate is what became of a message.
type fate uint8

const (
	underWay fate = iota
	arrived
	late // its receiver no longer waited for it
	lost
)

// sceneOf finds what there is to draw of a trace.
func sceneOf(t *traces.Trace) *scene {
	s := &scene{Narration: traces.Narrate(t), trace: t}
	s.messages = messagesOf(s.Events, s.Repeated)
	s.lanes = s.participants()
	for _, j := range t.Verdict {
		if j.State == checker.Violated && int(j.At.Index) < len(s.Events) {
			s.breaches = append(s.breaches, j)
		}
	}
	slices.SortStableFunc(s.breaches, func(a, b traces.Judgement) int { return int(a.At.Index - b.At.Index) })
	s.Steps = slices.DeleteFunc(s.Steps, s.isShown)
	return s
}

// isShown reports whether what a step tells is shown by something else: by a
// message that it says is lost, or by the check that two beliefs break.
func (s *scene) isShown(step traces.Line) bool {
	i, e := step.Event, &s.Events[step.Event]
	if e.Kind == sim.EventFault && i+1 < len(s.Events) && s.Events[i+1].Kind == sim.EventDrop {
		from, to := lane{name: s.Events[i+1].Actor}, lane{name: s.Events[i+1].Peer}
		return e.Actor == from.client()+"->"+to.client()
	}
	broken := func(j traces.Judgement) bool { return int(j.At.Index) == i }
	return step.Who == "" && e.Kind == sim.EventGrant && slices.ContainsFunc(s.breaches, broken)
}

// messagesOf returns the messages between clients and servers, in the order in
// which they were sent. Those between servers are told by what comes of them.
func messagesOf(events []sim.Event, repeated map[int32]bool) []message {
	var list []message
	requests, replies := make(map[int32]int), make(map[int32]int) // places in the list, by number
	settle := func(of map[int32]int, msg int32, i int, f fate) {
		if k, ok := of[msg]; ok {
			list[k].end, list[k].fate = i, f
		}
	}
	for i, e := range events {
		if repeated[e.Msg] {
			continue
		}
		switch e.Kind {
		case sim.EventSend:
			requests[e.Msg] = len(list)
			list = append(list, message{from: e.Actor, to: e.Peer, text: e.Text, sent: i, end: -1})
		case sim.EventServe:
			settle(requests, e.Msg, i, arrived)
		case sim.EventAnswer:
			if k, ok := requests[e.Msg]; ok {
				replies[e.Msg] = len(list)
				text := strings.TrimPrefix(e.Text, list[k].text+" -> ")
				list = append(list, message{from: e.Actor, to: e.Peer, text: text, reply: true, sent: i, end: -1})
			}
		case sim.EventReceive:
			settle(replies, e.Msg, i, arrived)
		case sim.EventLate:
			settle(replies, e.Msg, i, late)
		case sim.EventDrop:
			if _, answered := replies[e.Msg]; answered {
				settle(replies, e.Msg, i, lost)
			} else {
				settle(requests, e.Msg, i, lost)
			}
		}
	}
	return list
}

// participants lists who has something to show, clients in the order in which
// they start and servers in that in which they are first heard of.
func (s *scene) participants() []lane {
	busy := make(map[string]bool) // by title
	for _, m := range s.messages {
		busy[lane{name: m.from}.title()], busy[lane{name: m.to}.title()] = true, true
	}
	for _, step := range s.Steps {
		busy[step.Who] = true
		for _, word := range strings.Fields(step.Who) {
			busy[word] = true
		}
	}
	var clients, servers []lane
	add := func(to *[]lane, l lane) {
		if busy[l.title()] && !slices.Contains(clients, l) && !slices.Contains(servers, l) {
			*to = append(*to, l)
		}
	}
	for _, e := range s.Events {
		switch e.Kind {
		case sim.EventStart:
			add(&clients, lane{name: e.Actor})
		case sim.EventSend:
			add(&clients, lane{name: e.Actor})
			add(&servers, lane{name: e.Peer, server: true})
		case sim.EventServe, sim.EventChange, sim.EventNote, sim.EventTell, sim.EventHear:
			add(&servers, lane{name: e.Actor, server: true})
		}
	}
	return append(clients, servers...)
}

// laneOf returns the place of the lane with a name, or -1.
func (s *scene) laneOf(name string) int {
	return slices.IndexFunc(s.lanes, func(l lane) bool { return l.name == name })
}

// told returns the lanes that a step is about, and its text, which names who
// they are where the lanes do not.
func (s *scene) told(step *traces.Line) (lanes []int, text string) {
	lanes, text = s.whom(step.Who), strings.TrimPrefix(step.Text, "=> ")
	if len(lanes) != 1 && step.Who != "" {
		text = step.Who + ": " + text
	}
	return lanes, text
}

// whom returns the lanes that a step is about: none where it concerns the whole
// world.
func (s *scene) whom(who string) []int {
	var places []int
	words := strings.Fields(strings.NewReplacer("<->", " ", "->", " ").Replace(who))
	for i, l := range s.lanes {
		if l.title() == who {
			return []int{i}
		}
		if slices.Contains(words, l.title()) {
			places = append(places, i)
		}
	}
	return places
}
