package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"simrun/checker"
	"simrun/clock"
	"simrun/nodes"
	"simrun/protocols"
	"simrun/sim"
)

// explain tells about a protocol, a fault or a check.
func (c *console) explain(args []string) error {
	a, err := parseArguments(args, nil, nil)
	switch {
	case err != nil:
		return err
	case len(a.rest) == 0:
		return fmt.Errorf("the name is missing: want simrun explain NAME; %s", listShowsAll)
	case len(a.rest) > 1:
		return fmt.Errorf("unexpected %s: explain takes one name", shellWord(a.rest[1]))
	}
	name := a.rest[0]
	if p := protocols.Named(name); p != nil {
		c.explainProtocol(p)
	} else if k := sim.KindNamed(name); k != nil {
		c.explainFault(k)
	} else if check := checker.Named(name); check != nil {
		c.explainCheck(check)
	} else {
		known := slices.Concat(protocols.Names(), sim.KindNames(), checker.Names())
		return fmt.Errorf("unknown name %q%s", name, suggestion(name, known, listShowsAll))
	}
	return nil
}

// facts prints rows of a name and a value, the values wrapped.
func (c *console) facts(rows [][2]string) {
	t := c.table()
	longest := 0
	for _, r := range rows {
		t.AppendRow([]any{r[0], r[1]})
		longest = max(longest, len(r[0]))
	}
	c.wrap(t, 2, longest)
	c.print(t)
}

func (c *console) title(name, what string) { c.printf("%s, %s\n\n", c.paint.name(name), what) }

func (c *console) explainProtocol(p *protocols.Protocol) {
	c.title(p.Name, "a protocol")
	rows := [][2]string{
		{"does", p.Brief},
		{"source", p.Source},
		{"servers", servers(p)},
		{"tokens", tokens(p)},
	}
	label := "promises"
	for _, promise := range p.Keeps {
		rows = append(rows, [2]string{label, promise.Check + while(promise)})
		label = ""
	}
	c.facts(append(rows, [2]string{"run", "simrun -protocol " + p.Name}))
}

func while(p protocols.Promise) string {
	if p.While == "always" {
		return ", always"
	}
	return ", while " + p.While
}

// servers names the servers of a protocol by default.
func servers(p *protocols.Protocol) string {
	var names []string
	for _, s := range p.Setup(p.Defaults()).Servers {
		names = append(names, s.Name)
	}
	text := strings.Join(names, ", ")
	if p.Nodes > 1 {
		text += fmt.Sprintf("; -nodes says how many there are of n1 to n%d", p.Nodes)
	}
	return text
}

func tokens(p *protocols.Protocol) string {
	if !p.Tokens {
		return "none"
	}
	text := "by INCR on the lock server (-token incr), or from a sequence of the database (-token sequence)"
	for _, use := range []struct {
		guard nodes.Guard
		what  string
	}{{p.Reads, "reads"}, {p.Writes, "writes"}} {
		switch use.guard {
		case nodes.Newer:
			text += "; the row accepts " + use.what + " with a newer token alone"
		case nodes.NotOlder:
			text += "; the row accepts " + use.what + " with a token that is not older"
		}
	}
	return text
}

func (c *console) explainFault(k *sim.Kind) {
	c.title(k.Name, "a fault")
	rows := [][2]string{{"does", k.Brief}, {"strikes", strings.Join(struck(k), ", ")}}
	label := "where"
	for _, p := range k.Places {
		rows = append(rows, [2]string{label, "-faults " + place(k, p)})
		label = ""
	}
	label = "lines"
	for _, f := range samples(k) {
		rows = append(rows, [2]string{label, f.String()})
		label = ""
	}
	c.facts(rows)
	if k.Unit == sim.Length || k.Unit == sim.Shift {
		c.printf("\nThe amounts are those for a TTL of %v.\n", sampleTTL)
	}
}

// struck says whom a kind of fault can strike.
func struck(k *sim.Kind) []string {
	var who []string
	for _, s := range []struct {
		set  sim.Actors
		text string
	}{
		{sim.Clients, "a client (A, B, C)"},
		{sim.Servers, "a server (redis, or n1 to n5; db)"},
		{sim.Forgetful, "a server that can lose its keys (redis, or n1 to n5)"},
		{sim.Connections, "the connection of a client and a server, or of two servers (A->redis, redis->A, n1->n2)"},
		{sim.Electors, "a service that elects its leader (etcd, zk)"},
	} {
		if k.Actors&s.set != 0 {
			who = append(who, s.text)
		}
	}
	return who
}

// place says where a kind of fault strikes, and how to limit it to that.
func place(k *sim.Kind, p sim.Place) string {
	option := limited(k, p, 0)
	switch p {
	case sim.AtInstant:
		return option + ": at an instant"
	case sim.BeforeStep:
		return strings.Replace(option, sim.Purpose(0).String(), "STEP", 1) + ": before a client's step, which is one of " + strings.Join(purposes(), ", ")
	case sim.BeforeRequest:
		return option + ": before a server handles a request"
	case sim.OnRequest:
		return option + ": on a request"
	case sim.OnReply:
		return option + ": on the reply to a request"
	case sim.InRound:
		return option + ": in a round of a client"
	default:
		return option + ": after a pause"
	}
}

// sampleTTL is the TTL by default.
var sampleTTL = protocols.All[0].Defaults().TTL

// samples returns a fault at each place of its kind, and one of each amount.
func samples(k *sim.Kind) []sim.Fault {
	amounts := []int64{0}
	if k.Amounts != nil {
		amounts = k.Amounts(sampleTTL)
	}
	var faults []sim.Fault
	for i := range max(len(k.Places), len(amounts)) {
		p := k.Places[min(i, len(k.Places)-1)]
		faults = append(faults, sim.Fault{
			Kind:   k,
			Actor:  sampleActor(k, p),
			Point:  sim.Point{Place: p, Purpose: sim.Write, N: 1, At: clock.Instant(120 * time.Millisecond)},
			Amount: amounts[min(i, len(amounts)-1)],
		})
	}
	return faults
}

func sampleActor(k *sim.Kind, p sim.Place) sim.Actor {
	switch {
	case p == sim.OnRequest:
		return sim.Actor{From: "A", Link: sim.OneWay, To: "redis"}
	case p == sim.OnReply:
		return sim.Actor{From: "redis", Link: sim.OneWay, To: "A"}
	case k.Actors&sim.Connections != 0:
		return sim.Actor{From: "A", Link: sim.BothWays, To: "redis"}
	case k.Actors&sim.Electors != 0:
		return sim.Actor{From: "etcd"}
	case p == sim.BeforeRequest || k.Actors&sim.Clients == 0:
		return sim.Actor{From: "redis"}
	}
	return sim.Actor{From: "A"}
}

func (c *console) explainCheck(check *checker.Check) {
	what := "a check"
	if slices.Contains(checker.Models, check) {
		what = "a check that is asked for by name"
	}
	c.title(check.Name, what)
	rows := [][2]string{{"violated", "when " + check.Breaks}}
	label := "promised"
	for _, p := range protocols.All {
		for _, promise := range p.Keeps {
			if promise.Check == check.Name {
				rows = append(rows, [2]string{label, "by " + p.Name + while(promise)})
				label = ""
			}
		}
	}
	if label != "" {
		rows = append(rows, [2]string{label, "by no protocol"})
	}
	c.facts(rows)
}
