//go:build linux

package fidelity

import (
	"slices"

	"pgregory.net/rapid"

	"simrun/nodes"
	"simrun/sim"
)

// A pgTopic is what a client can ask for about one part of the server. What comes
// first is what a failure shrinks to.
type pgTopic []func(client int) sim.Request

// The topics. That of blocks is in every script, and a few of the others, so that
// its clients meet.
var (
	pgBlocks = pgTopic{pgAlways(nodes.Begin), pgAlways(nodes.Rollback), pgAlways(nodes.Commit)}

	pgLocks = pgTopic{ // of sessions and of transactions
		pgAdvisory(nodes.TryAdvisoryLock, 1), pgAdvisory(nodes.AdvisoryLock, 1), pgAdvisory(nodes.AdvisoryUnlock, 1),
		pgAdvisory(nodes.TryXactLock, 1), pgAdvisory(nodes.XactLock, 1),
	}
	pgOtherLocks = pgTopic{ // for deadlocks
		pgAdvisory(nodes.AdvisoryLock, 2), pgAdvisory(nodes.AdvisoryUnlock, 2), pgAdvisory(nodes.XactLock, 2),
	}
	pgInvoice = pgTopic{ // to be sent once
		func(client int) sim.Request { return nodes.SendInvoice{By: pgWriter(client), Pending: true} },
		func(client int) sim.Request { return nodes.SendInvoice{By: pgWriter(client)} },
		pgAlways(nodes.ReadInvoice{}),
	}
	pgLockedRow = pgTopic{
		pgAlways(nodes.LockRow{}), pgAlways(nodes.ReadRow{}),
		func(client int) sim.Request { return nodes.WriteRow{Qty: int64(client + 1)} },
	}
	pgGuardedRow = pgTopic{ // by tokens
		pgAlways(nodes.WriteRow{Qty: 5, Guard: nodes.Newer, Token: 1}), pgAlways(nodes.WriteRow{Qty: 6, Guard: nodes.NotOlder, Token: 1}),
		pgAlways(nodes.ReadRow{Guard: nodes.NotOlder, Token: 2}), pgAlways(nodes.ReadRow{Guard: nodes.Newer, Token: 3}),
		func(client int) sim.Request { return nodes.ClaimRow{Token: pgWriter(client)} },
		func(client int) sim.Request { return nodes.WriteClaimed{Qty: 7, Token: pgWriter(client)} },
	}
	pgSequence  = pgTopic{pgAlways(nodes.NextToken{})}
	pgUniqueKey = pgTopic{
		func(client int) sim.Request { return nodes.RecordSent{By: pgWriter(client)} }, pgAlways(nodes.ReadSent{}),
	}

	pgTopics = []pgTopic{pgLocks, pgOtherLocks, pgInvoice, pgLockedRow, pgGuardedRow, pgSequence, pgUniqueKey}
)

// pgWriter names the client in what it writes.
func pgWriter(client int) string { return sim.ClientName(client) + "#1" }

func pgAlways(r sim.Request) func(int) sim.Request { return func(int) sim.Request { return r } }

func pgAdvisory(f nodes.AdvisoryFunction, key int64) func(int) sim.Request {
	return pgAlways(nodes.Advisory{Function: f, Key: key})
}

// pgOneOf draws from a list. By itself, rapid favours its ends; but in a long one
// that repeats itself these are few.
func pgOneOf[T any](list []T) *rapid.Generator[T] {
	return rapid.SampledFrom(slices.Repeat(list, 64))
}

// pgActs are the acts to draw from: most often a client asks for something.
var pgActs = slices.Concat(slices.Repeat([]pgAct{pgAsks}, 20),
	[]pgAct{pgCrashes, pgIsEnded, pgLeaves, pgLeaves, pgHangsUp, pgHangsUp}, slices.Repeat([]pgAct{pgAsks}, 30))

// drawPGStep draws what happens after a script: an act of a client that does not
// wait for an answer, or of the server.
func drawPGStep(t *rapid.T, p pgScript, topics []pgTopic) pgStep {
	s := pgStep{act: pgOneOf(pgActs).Draw(t, "act")}
	if s.act == pgCrashes {
		return s
	}
	s.client = pgOneOf(p.idle()).Draw(t, "client")
	if s.act == pgAsks || s.act == pgLeaves {
		topic := pgOneOf(topics).Draw(t, "topic")
		s.request = pgOneOf(topic).Draw(t, "statement")(s.client)
	}
	if p.crowds(s) {
		s.request = nodes.ReadSent{}
	}
	return s
}
