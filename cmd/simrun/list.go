package main

import (
	"fmt"
	"strings"

	"simrun/checker"
	"simrun/explore"
	"simrun/protocols"
	"simrun/sim"
)

// list prints the names that a command line can hold.
func (c *console) list(args []string) error {
	a, err := parseArguments(args, nil, nil)
	if err != nil {
		return err
	}
	if len(a.rest) > 0 {
		return fmt.Errorf("unexpected %s: list takes no arguments", shellWord(a.rest[0]))
	}
	c.listProtocols()
	c.printf("\n")
	c.listFaults()
	c.printf("\n")
	c.listChecks()
	c.printf("\n\"simrun explain NAME\" tells about any of them.\n")
	return nil
}

func (c *console) listProtocols() {
	t := c.table("protocol", "what its clients do")
	for _, p := range protocols.All {
		t.AppendRow([]any{c.paint.name(p.Name), p.Brief})
	}
	c.wrap(t, 2, widest(protocols.Names()))
	c.print(t)
}

func (c *console) listFaults() {
	t := c.table("fault", "where", "what happens")
	longest := len("where")
	for _, k := range sim.Kinds {
		where := strings.Join(shortPlaces(k), " ")
		longest = max(longest, len(where))
		t.AppendRow([]any{c.paint.name(k.Name), where, k.Brief})
	}
	c.wrap(t, 3, widest(sim.KindNames()), longest)
	c.print(t)
	c.printf("\nSTEP: %s.\n", strings.Join(purposes(), ", "))
	c.printf("In -faults, a kind may be limited to a place: pause@write,loss@reply.\n")
}

func (c *console) listChecks() {
	t := c.table("check", "is violated when")
	for _, name := range checker.Names() {
		t.AppendRow([]any{c.paint.name(name), checker.Named(name).Breaks})
	}
	c.wrap(t, 2, widest(checker.Names()))
	c.print(t)
	c.printf("\n-check all leaves out %s, which are second opinions.\n", strings.Join(models(), " and "))
}

// shortPlaces returns where a kind of fault can strike, the steps as one.
func shortPlaces(k *sim.Kind) []string {
	var places []string
	for _, p := range k.Places {
		if p == sim.BeforeStep {
			places = append(places, "@STEP")
		} else {
			_, place, _ := strings.Cut(limited(k, p, 0), "@")
			places = append(places, "@"+place)
		}
	}
	return places
}

// limited returns a kind of fault at one place, as -faults takes it.
func limited(k *sim.Kind, p sim.Place, purpose sim.Purpose) string {
	return explore.Selection{{Kind: k, Place: p, Purpose: purpose, Limited: true}}.String()
}

func purposes() []string {
	var names []string
	for p := range sim.Purposes {
		names = append(names, p.String())
	}
	return names
}

func models() []string {
	var names []string
	for _, m := range checker.Models {
		names = append(names, m.Name)
	}
	return names
}
