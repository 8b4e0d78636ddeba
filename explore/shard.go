package explore

import (
	"fmt"
	"strconv"
	"strings"
)

// A Shard is one of several parts of a run, which as many machines can share.
// The zero value stands for the whole run.
type Shard struct {
	Index int // from 1 to Of
	Of    int // at most MaxShards
}

// MaxShards is into how many shards a run can be split at most.
const MaxShards = 1000

// ParseShard reads a shard such as 2/8. Its error says what is wanted.
func ParseShard(text string) (Shard, error) {
	index, of, _ := strings.Cut(text, "/")
	i, errIndex := strconv.Atoi(index)
	n, errOf := strconv.Atoi(of)
	if errIndex != nil || errOf != nil || i < 1 || i > n || n > MaxShards {
		return Shard{}, fmt.Errorf("want i/n, such as 2/8, with i from 1 to n and n up to %d", MaxShards)
	}
	return Shard{i, n}, nil
}

// String returns the shard as [ParseShard] reads it.
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Of) }

// Whole reports whether s is no shard but the whole run.
func (s Shard) Whole() bool { return s.Of == 0 }

// Seeds returns the shard's share of a range of seeds: as many neighbours as all
// other shards get, or one more.
func (s Shard) Seeds(first, count int) (from, share int) {
	if s.Whole() {
		return first, count
	}
	cut := func(i int) int { return int(int64(count) * int64(i) / int64(s.Of)) }
	return first + cut(s.Index-1), cut(s.Index) - cut(s.Index-1)
}

// takes reports whether the i-th first fault of a search is the shard's. Faults
// at neighbouring points lead to searches of like size, which go to different
// shards.
func (s Shard) takes(i int) bool { return s.Whole() || i%s.Of == s.Index-1 }
