package checker_test

import (
	"fmt"
	"testing"

	"simrun/checker"
)

// failing holds, for each check and each model, a history that breaks it.
var failing = map[string][]string{
	"mutual-exclusion": {"A#1 acquires", "A#1 holds", "B#1 acquires", "B#1 holds"},
	"own-release":      {"n1 took B#1", "n1 removed B#1 by A#1"},
	"token-order":      {"A#1 acquires", "A#1 holds token 2", "A#1 ends released", "B#1 acquires", "B#1 holds token 1"},
	"no-stale-write": {"A#1 acquires", "A#1 holds", "A#1 ends released", "B#1 acquires", "B#1 holds",
		"db applies B#1", "db applies A#1"},
	"no-lost-update": {"A#1 reads", "A#1 sees nobody", "B#1 reads", "B#1 sees nobody",
		"A#1 writes", "db applies A#1", "A#1 is accepted", "B#1 writes", "db applies B#1", "B#1 is accepted"},
	"effect-once":  {"A#1 mails for nobody", "B#1 mails for nobody"},
	"progress":     {"world heals", "1s world ends"},
	"owner-mutex":  {"A#1 acquires", "A#1 holds", "B#1 acquires", "B#1 holds"},
	"fenced-mutex": {"A#1 acquires", "A#1 holds token 2", "A#1 ends released", "B#1 acquires", "B#1 holds token 2"},
}

func TestEveryCheckCanFail(t *testing.T) {
	for _, name := range checker.Names() {
		if failing[name] == nil {
			t.Errorf("no history breaks %s", name)
		} else if v := judge(t, name, failing[name]...); v.State != checker.Violated || v.Why == "" {
			t.Errorf("%s: %+v, want it violated, and why", name, v)
		}
	}
}

func TestEveryCheckHoldsWhereOneClientGetsTheLock(t *testing.T) {
	for _, name := range checker.Names() {
		t.Run(name, func(t *testing.T) {
			wantHeld(t, judge(t, name, "world heals", "A#1 acquires", "A#1 holds token 1",
				"A#1 reads", "A#1 sees nobody", "A#1 mails for nobody", "A#1 writes", "db applies A#1", "A#1 is accepted"))
		})
	}
}

// Where a history says nothing of what a check speaks about, that it held must
// not pass for evidence.
func TestVerdictOnNothingIsMarkedEmpty(t *testing.T) {
	for _, name := range []string{"token-order", "no-stale-write", "effect-once"} {
		if v := judge(t, name, "A#1 acquires", "A#1 holds"); v.State != checker.Held || !v.Empty {
			t.Errorf("%s without tokens, writes or effects: %+v, want it held and empty", name, v)
		}
	}
}

func TestNamedKnowsChecksAndModelsAlone(t *testing.T) {
	for _, c := range append(checker.All, checker.Models...) {
		if checker.Named(c.Name) != c {
			t.Errorf("Named(%q) is another check", c.Name)
		}
	}
	if c := checker.Named("mutual exclusion"); c != nil {
		t.Errorf(`Named("mutual exclusion") = %q, want nil`, c.Name)
	}
}

// A frozen client still believes: nothing in the history ends its belief until
// its own code does.
func TestFrozenHolderStillBelievesWhileAnotherEnters(t *testing.T) {
	got := judge(t, "mutual-exclusion",
		"A#1 acquires",
		"1ms A#1 holds",
		"300ms n1 expired A#1",
		"B#1 acquires",
		"310ms B#1 holds",
		"340ms B#1 ends released",
		"900ms A#1 ends told",
	)
	want(t, got, checker.Verdict{
		State: checker.Violated, At: at(5, 310*ms), Events: []int32{2, 5, 6}, Length: 30 * ms,
		Why: "A still believes that it holds the lock when B is granted it",
	})
}

func TestHolderThatStopsInTimeIsNoTrouble(t *testing.T) {
	wantHeld(t, judge(t, "mutual-exclusion",
		"A#1 acquires",
		"1ms A#1 holds",
		"299ms A#1 ends deadline",
		"300ms n1 expired A#1",
		"B#1 acquires",
		"310ms B#1 holds",
	))
}

// Of what happens within one instant, the order decides.
func TestBeliefsThatTouchDoNotOverlap(t *testing.T) {
	wantHeld(t, judge(t, "mutual-exclusion",
		"A#1 acquires", "A#1 holds", "B#1 acquires", "7ms A#1 ends released", "B#1 holds"))
}

func TestBeliefsThatOverlapWithinOneInstantBreakMutualExclusion(t *testing.T) {
	got := judge(t, "mutual-exclusion",
		"A#1 acquires", "A#1 holds", "B#1 acquires", "7ms B#1 holds", "A#1 ends released")
	want(t, got, checker.Verdict{
		State: checker.Violated, At: at(4, 7*ms), Events: []int32{2, 4, 5},
		Why: "A still believes that it holds the lock when B is granted it",
	})
}

func TestBeliefNeverEndedLastsToTheEndOfTheRun(t *testing.T) {
	got := judge(t, "mutual-exclusion",
		"A#1 acquires", "A#1 holds", "5ms B#1 acquires", "B#1 holds", "50ms world ends")
	want(t, got, checker.Verdict{
		State: checker.Violated, At: at(4, 5*ms), Events: []int32{2, 4, 5}, Length: 45 * ms,
		Why: "A still believes that it holds the lock when B is granted it",
	})
}

// The verdict tells of the first overlap, and of the longest how long it was,
// also where the one who overlaps is not the latest to have entered.
func TestOverlapLengthIsTheLongest(t *testing.T) {
	got := judge(t, "mutual-exclusion",
		"A#1 acquires", "A#1 holds",
		"10ms B#1 acquires", "B#1 holds", "15ms B#1 ends released",
		"20ms C#1 acquires", "C#1 holds", "60ms A#1 ends released", "70ms C#1 ends released",
	)
	want(t, got, checker.Verdict{
		State: checker.Violated, At: at(4, 10*ms), Events: []int32{2, 4, 5}, Length: 40 * ms,
		Why: "A still believes that it holds the lock when B is granted it",
	})
}

func TestReleaseOfAnothersLockIsForeign(t *testing.T) {
	got := judge(t, "own-release", "n1 took A#1", "n1 expired A#1", "n1 took B#1", "3ms n1 removed B#1 by A#1")
	want(t, got, checker.Verdict{
		State: checker.Violated, At: at(4, 3*ms), Events: []int32{4},
		Why: "B#1's lock on n1 was removed by A#1",
	})
}

func TestRenewalOfAnothersLockIsForeign(t *testing.T) {
	got := judge(t, "own-release", "n1 took B#1", "n1 prolonged B#1 by A#1")
	want(t, got, checker.Verdict{State: checker.Violated, At: at(2, 0), Events: []int32{2}, Why: "B#1's lock on n1 was prolonged by A#1"})
}

func TestTakeoverOfAnothersLockIsForeign(t *testing.T) {
	got := judge(t, "own-release", "n1 took B#1", "n1 overwritten B#1 by A#1", "n1 took A#1")
	want(t, got, checker.Verdict{State: checker.Violated, At: at(2, 0), Events: []int32{2}, Why: "B#1's lock on n1 was overwritten by A#1"})
}

// An attempt owns what it took itself, not what an earlier or later attempt of
// the same client took.
func TestReleaseOfTheClientsOwnNextLockIsForeign(t *testing.T) {
	got := judge(t, "own-release", "n1 took A#1", "n1 expired A#1", "n1 took A#2", "n1 removed A#2 by A#1")
	want(t, got, checker.Verdict{State: checker.Violated, At: at(4, 0), Events: []int32{4}, Why: "A#2's lock on n1 was removed by A#1"})
}

func TestReleaseOfTheOwnLockAndWhatServersDoAloneAreFine(t *testing.T) {
	wantHeld(t, judge(t, "own-release",
		"n1 took A#1", "n1 prolonged A#1 by A#1", "n1 removed A#1 by A#1",
		"n1 took B#1", "n1 expired B#1",
		"n1 took C#1", "n1 forgotten C#1",
		"n1 took D#1", "n1 removed D#1",
		"db applies A#1", "db applies B#1",
	))
}

func TestTokenGivenTwiceBreaksTokenOrder(t *testing.T) {
	got := judge(t, "token-order",
		"A#1 acquires", "A#1 holds token 1", "A#1 ends released",
		"n1 forgotten A#1",
		"B#1 acquires", "5ms B#1 holds token 1",
	)
	want(t, got, checker.Verdict{
		State: checker.Violated, At: at(6, 5*ms), Events: []int32{2, 6},
		Why: "B#1 was granted the lock with token 1 after A#1 had been granted it with token 1",
	})
}

func TestTokenThatFallsBreaksTokenOrder(t *testing.T) {
	got := judge(t, "token-order",
		"A#1 acquires", "A#1 holds token 33", "A#1 ends released",
		"B#1 acquires", "B#1 holds token 34", "B#1 ends released",
		"C#1 acquires", "C#1 holds token 33",
	)
	want(t, got, checker.Verdict{
		State: checker.Violated, At: at(8, 0), Events: []int32{5, 8},
		Why: "C#1 was granted the lock with token 33 after B#1 had been granted it with token 34",
	})
}

func TestTokensMayHaveGapsAndGrantsMayHaveNone(t *testing.T) {
	wantHeld(t, judge(t, "token-order",
		"A#1 acquires", "A#1 holds token 1", "A#1 ends released",
		"B#1 acquires", "B#1 holds", "B#1 ends released",
		"C#1 acquires", "C#1 holds token 7",
	))
}

func TestStaleWriteComesAfterOneOfANewerGrant(t *testing.T) {
	got := judge(t, "no-stale-write",
		"A#1 acquires", "A#1 holds", "300ms n1 expired A#1",
		"B#1 acquires", "B#1 holds",
		"310ms db applies B#1",
		"900ms db applies A#1",
	)
	want(t, got, checker.Verdict{
		State: checker.Violated, At: at(7, 900*ms), Events: []int32{6, 7},
		Why: "the write of A#1 was accepted after that of B#1, which was granted the lock later",
	})
}

func TestWritesInTheOrderOfTheGrantsAreFresh(t *testing.T) {
	wantHeld(t, judge(t, "no-stale-write",
		"A#1 acquires", "A#1 holds", "B#1 acquires", "B#1 holds", "db applies A#1", "db applies B#1"))
}

func TestRefusedWriteIsNotStale(t *testing.T) {
	wantHeld(t, judge(t, "no-stale-write",
		"A#1 acquires", "A#1 holds", "B#1 acquires", "B#1 holds", "db applies B#1", "db rejects A#1"))
}

// A grant whose acquire overlapped the other's is not older, whichever of the
// two returned first.
func TestStaleWriteNeedsAnOlderGrant(t *testing.T) {
	wantHeld(t, judge(t, "no-stale-write",
		"B#1 acquires", "A#1 acquires", "A#1 holds", "B#1 holds", "db applies B#1", "db applies A#1"))
}

// The newest grant counts, which need not be that of the write just before.
func TestStaleWriteIsOlderThanAnyWriteBeforeIt(t *testing.T) {
	got := judge(t, "no-stale-write",
		"A#1 acquires", "A#1 holds",
		"B#1 acquires", "C#1 acquires", "C#1 holds", "B#1 holds",
		"db applies C#1", "db applies B#1", "db applies A#1",
	)
	want(t, got, checker.Verdict{
		State: checker.Violated, At: at(9, 0), Events: []int32{7, 9},
		Why: "the write of A#1 was accepted after that of C#1, which was granted the lock later",
	})
}

func TestUpdatesOneAfterTheOtherAreKept(t *testing.T) {
	wantHeld(t, judge(t, "no-lost-update",
		"A#1 reads", "A#1 sees nobody", "A#1 writes", "db applies A#1", "A#1 is accepted",
		"B#1 reads", "B#1 sees A#1", "B#1 writes", "db applies B#1", "B#1 is accepted",
	))
}

// The older holder's token is fresh when it writes, since the newer one has
// only read so far; what it wrote is lost all the same.
func TestLateWriteAfterNewerReadIsALostUpdateThoughItsTokenIsFresh(t *testing.T) {
	lines := []string{
		"A#1 acquires", "A#1 holds token 1", "A#1 reads", "A#1 sees nobody", "A#1 writes",
		"300ms n1 expired A#1",
		"B#1 acquires", "B#1 holds token 2", "B#1 reads", "B#1 sees nobody",
		"310ms db applies A#1", "A#1 is accepted",
		"B#1 writes", "320ms db applies B#1", "B#1 is accepted",
	}
	wantHeld(t, judge(t, "no-stale-write", lines...))
	wantHeld(t, judge(t, "token-order", lines...))
	want(t, judge(t, "no-lost-update", lines...), checker.Verdict{
		State: checker.Violated, At: at(14, 320*ms), Events: []int32{10, 14},
		Why: "B#1, which had read the first value, replaced the value of A#1",
	})
}

func TestLateWriteRefusedForANewerReadLosesNothing(t *testing.T) {
	wantHeld(t, judge(t, "no-lost-update",
		"A#1 reads", "A#1 sees nobody", "A#1 writes",
		"B#1 reads", "B#1 sees nobody",
		"db rejects A#1", "A#1 is refused",
		"B#1 writes", "db applies B#1", "B#1 is accepted",
	))
}

// The resource applied A's write before B's, but A was never told, so that for
// all that clients know it never happened.
func TestUnknownWriteMayNeverHaveHappened(t *testing.T) {
	lines := []string{
		"A#1 reads", "A#1 sees nobody", "B#1 reads", "B#1 sees nobody",
		"A#1 writes", "db applies A#1", "B#1 writes", "db applies B#1", "B#1 is accepted",
	}
	wantHeld(t, judge(t, "no-lost-update", lines...))
	want(t, judge(t, "no-lost-update", append(lines, "A#1 is accepted")...), checker.Verdict{
		State: checker.Violated, At: at(8, 0), Events: []int32{4, 8},
		Why: "B#1, which had read the first value, replaced the value of A#1",
	})
}

// It must have happened once another update is based on it.
func TestUnknownWriteSeenByAReaderIsLostWithWhatWasBasedOnIt(t *testing.T) {
	got := judge(t, "no-lost-update",
		"A#1 reads", "A#1 sees nobody", "B#1 reads", "B#1 sees nobody",
		"A#1 writes", "db applies A#1",
		"C#1 reads", "C#1 sees A#1", "C#1 writes", "db applies C#1", "C#1 is accepted",
		"B#1 writes", "db applies B#1", "B#1 is accepted",
	)
	want(t, got, checker.Verdict{
		State: checker.Violated, At: at(13, 0), Events: []int32{4, 13},
		Why: "B#1, which had read the first value, replaced the value of C#1",
	})
}

func TestUnknownWriteThatIsNeverAppliedLosesNothing(t *testing.T) {
	wantHeld(t, judge(t, "no-lost-update",
		"A#1 reads", "A#1 sees nobody", "A#1 writes", "A#1 is unknown",
		"B#1 reads", "B#1 sees nobody", "B#1 writes", "db applies B#1", "B#1 is accepted",
	))
}

// Without an answer A may have failed, but what the resource holds at the end
// is there for everybody to read.
func TestUnknownWriteThatStaysIsLost(t *testing.T) {
	got := judge(t, "no-lost-update",
		"A#1 reads", "A#1 sees nobody",
		"B#1 reads", "B#1 sees nobody", "B#1 writes", "db applies B#1", "B#1 is accepted",
		"A#1 writes", "db applies A#1",
	)
	want(t, got, checker.Verdict{
		State: checker.Violated, At: at(9, 0), Events: []int32{2, 9},
		Why: "A#1, which had read the first value, replaced the value of B#1",
	})
}

// The verdict passes over a loss that nobody can know of, and blames the one
// after it.
func TestBlameFallsOnTheLossThatCannotBeExplained(t *testing.T) {
	got := judge(t, "no-lost-update",
		"A#1 reads", "A#1 sees nobody", "B#1 reads", "B#1 sees nobody",
		"A#1 writes", "db applies A#1", "B#1 writes", "db applies B#1", "B#1 is accepted",
		"C#1 reads", "C#1 sees B#1", "D#1 reads", "D#1 sees B#1",
		"C#1 writes", "db applies C#1", "C#1 is accepted",
		"D#1 writes", "db applies D#1", "D#1 is accepted",
	)
	want(t, got, checker.Verdict{
		State: checker.Violated, At: at(18, 0), Events: []int32{13, 18},
		Why: "D#1, which had read the value of B#1, replaced the value of C#1",
	})
}

func TestWriteThatReadNothingIsALostUpdate(t *testing.T) {
	got := judge(t, "no-lost-update",
		"A#1 reads", "A#1 sees nobody", "A#1 writes", "db applies A#1", "A#1 is accepted",
		"B#1 reads", "B#1 is unknown", "B#1 writes", "db applies B#1", "B#1 is accepted",
	)
	want(t, got, checker.Verdict{
		State: checker.Violated, At: at(9, 0), Events: []int32{9},
		Why: "B#1 replaced the value of A#1 without having read it",
	})
}

func TestTooManyUnknownUpdatesAreNotSearched(t *testing.T) {
	var lines []string
	for i := range 14 {
		lines = append(lines, fmt.Sprintf("%c#1 reads", 'A'+i), fmt.Sprintf("%c#1 sees nobody", 'A'+i))
	}
	for i := range 13 {
		lines = append(lines, fmt.Sprintf("%c#1 writes", 'A'+i), fmt.Sprintf("db applies %c#1", 'A'+i))
	}
	lines = append(lines, "N#1 writes", "db applies N#1", "N#1 is accepted")
	want(t, judge(t, "no-lost-update", lines...), checker.Verdict{
		State: checker.Unknown, Why: "13 updates have an unknown outcome, too many to search",
	})
	// With one answer fewer to guess the search is made.
	want(t, judge(t, "no-lost-update", append(lines, "A#1 is accepted")...), checker.Verdict{
		State: checker.Violated, At: at(32, 0), Events: []int32{4, 32},
		Why: "B#1, which had read the first value, replaced the value of A#1",
	})
}

func TestEffectTwiceForOneValue(t *testing.T) {
	got := judge(t, "effect-once", "A#1 mails for nobody", "B#1 mails for A#1", "9ms C#1 mails for A#1")
	want(t, got, checker.Verdict{
		State: checker.Violated, At: at(3, 9*ms), Events: []int32{2, 3},
		Why: "B#1 and then C#1 did the outside effect for the value of A#1",
	})
}

func TestEffectOnceForEachValue(t *testing.T) {
	wantHeld(t, judge(t, "effect-once", "A#1 mails for nobody", "B#1 mails for A#1", "C#1 mails for B#1"))
}

func TestProgressNeedsAGrantSoonAfterTheHealing(t *testing.T) {
	stuck := checker.Verdict{State: checker.Violated, Why: "nobody got the lock within 100ms after the last fault had healed"}
	tests := []struct {
		name  string
		lines []string
		ended int32 // the index of the end of the run, 0 where progress is made
	}{
		{"one in time", []string{"world heals", "A#1 acquires", "100ms A#1 holds"}, 0},
		{"one too late", []string{"world heals", "A#1 acquires", "101ms A#1 holds"}, 4},
		{"one before the healing", []string{"A#1 acquires", "A#1 holds", "world heals"}, 4},
		{"one in time, then one too late", []string{"world heals", "A#1 acquires", "A#1 holds", "A#1 ends released", "B#1 acquires", "150ms B#1 holds"}, 0},
		{"one at the instant of the healing, but before it", []string{"A#1 acquires", "7ms A#1 holds", "world heals", "200ms world ends"}, 4},
		{"one at the instant of the healing, after it", []string{"7ms world heals", "A#1 acquires", "A#1 holds", "200ms world ends"}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := history(t, test.lines...)
			got := checker.Named("progress").Judge(h)
			if test.ended == 0 {
				wantHeld(t, got)
				return
			}
			stuck := stuck
			stuck.At, stuck.Events = h.Ended, []int32{h.HealedAt.Index, test.ended}
			want(t, got, stuck)
		})
	}
}

func TestProgressIsUnknownWhereTheFaultsNeverHealed(t *testing.T) {
	want(t, judge(t, "progress", "A#1 acquires", "A#1 holds"), checker.Verdict{
		State: checker.Unknown, Why: "the run ended before the faults had healed",
	})
}

// A model's verdict is that of the check which the order of events broke.
func TestModelsTellWhereTheOrderOfEventsBreaks(t *testing.T) {
	overlap := []string{"A#1 acquires", "A#1 holds token 1", "B#1 acquires", "3ms B#1 holds token 2", "5ms A#1 ends released"}
	both := checker.Verdict{
		State: checker.Violated, At: at(4, 3*ms), Events: []int32{2, 4, 5}, Length: 2 * ms,
		Why: "A still believes that it holds the lock when B is granted it",
	}
	want(t, judge(t, "owner-mutex", overlap...), both)
	want(t, judge(t, "fenced-mutex", overlap...), both)

	repeated := []string{"A#1 acquires", "A#1 holds token 1", "A#1 ends died", "B#1 acquires", "3ms B#1 holds token 1"}
	wantHeld(t, judge(t, "owner-mutex", repeated...))
	want(t, judge(t, "fenced-mutex", repeated...), checker.Verdict{
		State: checker.Violated, At: at(5, 3*ms), Events: []int32{2, 5},
		Why: "B#1 was granted the lock with token 1 after A#1 had been granted it with token 1",
	})
}

func TestFencedMutexRemembersTokensAcrossAGrantWithoutOne(t *testing.T) {
	got := judge(t, "fenced-mutex",
		"A#1 acquires", "A#1 holds token 2", "A#1 ends released",
		"B#1 acquires", "B#1 holds", "B#1 ends released",
		"C#1 acquires", "C#1 holds token 1",
	)
	want(t, got, checker.Verdict{
		State: checker.Violated, At: at(8, 0), Events: []int32{2, 8},
		Why: "C#1 was granted the lock with token 1 after A#1 had been granted it with token 2",
	})
}

// A lease's expiry releases nothing by itself: what counts is the holder's own
// end of belief, however long after.
func TestModelsLetALeaseExpireAfterItsHolderHasStopped(t *testing.T) {
	lines := []string{
		"A#1 acquires", "A#1 holds token 1", "250ms A#1 ends deadline", "300ms n1 expired A#1",
		"B#1 acquires", "B#1 holds token 2",
	}
	wantHeld(t, judge(t, "owner-mutex", lines...))
	wantHeld(t, judge(t, "fenced-mutex", lines...))
}
