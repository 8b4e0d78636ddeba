package nodes_test

import (
	"testing"

	"pgregory.net/rapid"

	"simrun/nodes"
	"simrun/sim"
)

func fetch(g nodes.Generation) sim.Request { return nodes.Fetch{Generation: g} }
func commit(partition int, offset int64, g nodes.Generation) sim.Request {
	return nodes.CommitOffset{Partition: partition, Offset: offset, Generation: g}
}

func TestQueue(t *testing.T) {
	const unknown, illegal, rebalance = "UNKNOWN_MEMBER_ID", "ILLEGAL_GENERATION", "REBALANCE_IN_PROGRESS"
	tests := []struct {
		name   string
		lines  []scriptLine
		faults []string
	}{
		{"the only member owns every partition", []scriptLine{
			{'A', nodes.Join, "generation 1"}, {'A', fetch(1), "partition 0 offset 0"}, {'A', commit(0, 1, 1), "NONE"}, {'A', fetch(1), "partition 0 offset 1"},
			{'A', commit(0, 2, 1), "NONE"}, {'A', fetch(1), "partition 1 offset 0"}, {'A', commit(1, 2, 1), "NONE"}, {'A', fetch(1), "nil"}}, nil},
		{"what is not committed comes again", []scriptLine{
			{'A', nodes.Join, "generation 1"}, {'A', fetch(1), "partition 0 offset 0"}, {'A', nodes.Leave, "NONE"}, {'B', nodes.Join, "generation 2"}, {'B', fetch(2), "partition 0 offset 0"}}, nil},
		{"who joins waits for all to join again, and every partition has one owner", []scriptLine{
			{'A', nodes.Join, "generation 1"}, {'B', nodes.Join, "3: generation 2"}, {'A', fetch(1), rebalance}, {'A', nodes.Join, "generation 2"},
			{'A', fetch(2), "partition 0 offset 0"}, {'B', fetch(2), "partition 1 offset 0"}}, nil},
		{"until then the present owner may commit", []scriptLine{
			{'A', nodes.Join, "generation 1"}, {'B', nodes.Join, "3: generation 2"}, {'A', commit(0, 1, 1), "NONE"}, {'A', nodes.Leave, "NONE"}, {'B', fetch(2), "partition 0 offset 1"}}, nil},
		{"afterwards it may not", []scriptLine{
			{'A', nodes.Join, "generation 1"}, {'B', nodes.Join, "2: generation 2"}, {'A', nodes.Join, "generation 2"}, {'A', commit(0, 1, 1), illegal}, {'B', fetch(1), illegal}}, nil},
		{"who waits is not silent", []scriptLine{
			{'A', nodes.Join, "generation 1"}, {'B', nodes.Join, "7: generation 2"}, {'A', fetch(1), rebalance}, {'A', fetch(1), rebalance}, {'A', fetch(1), rebalance},
			{'A', fetch(1), rebalance}, {'A', fetch(1), rebalance}, {'A', nodes.Leave, "NONE"}, {'B', fetch(2), "partition 0 offset 0"}}, nil},
		{"who is left joins again", []scriptLine{
			{'A', nodes.Join, "generation 1"}, {'B', nodes.Join, "2: generation 2"}, {'A', nodes.Join, "generation 2"}, {'A', nodes.Leave, "NONE"},
			{'B', fetch(2), rebalance}, {'B', nodes.Join, "generation 3"}, {'B', fetch(3), "partition 0 offset 0"}}, nil},
		{"a stranger may nothing", []scriptLine{
			{'A', fetch(0), unknown}, {'A', commit(0, 1, 0), unknown}, {'A', nodes.Leave, "NONE"}, {'A', nodes.Get("x"), "UNSUPPORTED_VERSION"}}, nil},
		{"a partition must exist", []scriptLine{
			{'A', nodes.Join, "generation 1"}, {'A', commit(2, 1, 1), "UNKNOWN_TOPIC_OR_PARTITION"}, {'A', commit(-1, 1, 1), "UNKNOWN_TOPIC_OR_PARTITION"}}, nil},
		{"a silent member is thought dead, and its commit is refused", []scriptLine{
			{'A', nodes.Join, "generation 1"}, {'B', nodes.Join, "3: generation 2"}, {'C', fetch(1), unknown}, {'C', fetch(1), unknown}, {'B', fetch(2), "partition 0 offset 0"}, {'A', commit(0, 1, 1), unknown}, {'A', nodes.Join, "7: generation 3"}, {'B', nodes.Leave, "NONE"}}, nil},
		{"one that is heard of is not", []scriptLine{
			{'A', nodes.Join, "generation 1"}, {'A', fetch(1), "partition 0 offset 0"}, {'A', fetch(1), "partition 0 offset 0"}, {'A', fetch(1), "partition 0 offset 0"}, {'A', fetch(1), "partition 0 offset 0"}, {'A', commit(0, 1, 1), "NONE"}}, nil},
		{"a crash forgets who waits, and nothing else", []scriptLine{
			{'A', nodes.Join, "generation 1"}, {'A', commit(0, 1, 1), "NONE"}, {'B', nodes.Join, "no reply"}, {'A', commit(0, 2, 1), "NONE"}, {'A', fetch(1), rebalance}, {'A', nodes.Join, "generation 2"}, {'C', fetch(1), unknown}, {'A', fetch(2), "partition 1 offset 0"}},
			[]string{"crash n1 at 50ms for 0s"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := play(t, &nodes.Queue{Partitions: 2, Messages: 2, SessionTimeout: 3 * beat}, tt.lines, tt.faults...)
			compare(t, tt.lines, got)
		})
	}
}

// Of all members that are let fetch in one generation, no two get the same
// message.
func TestPartitionHasOneOwnerInAGeneration(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var lines []scriptLine
		for range rapid.IntRange(1, 25).Draw(rt, "lines") {
			g := nodes.Generation(rapid.IntRange(1, 5).Draw(rt, "generation"))
			request := rapid.SampledFrom([]sim.Request{nodes.Join, nodes.Leave, fetch(g), fetch(g)}).Draw(rt, "request")
			lines = append(lines, scriptLine{client: rapid.SampledFrom([]byte("ABC")).Draw(rt, "client"), request: request})
		}
		answers, _ := play(t, &nodes.Queue{Partitions: 3, Messages: 1, SessionTimeout: 4 * beat}, lines)
		owners := make(map[string]byte)
		for i, l := range lines {
			f, ok := l.request.(nodes.Fetch)
			if !ok || len(answers[i]) < 9 || answers[i][:9] != "partition" {
				continue
			}
			key := f.String() + " " + answers[i]
			if owner, had := owners[key]; had && owner != l.client {
				rt.Fatalf("%s goes to %c and %c", key, owner, l.client)
			}
			owners[key] = l.client
		}
	})
}
