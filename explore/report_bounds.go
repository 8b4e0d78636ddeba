package explore

import (
	"fmt"
	"math"
	"time"
)

// The bounds of what a shard counts, so that no sum over shards overflows.
const (
	maxCount   = math.MaxInt / MaxShards
	maxEvents  = math.MaxInt64 / MaxShards
	maxElapsed = math.MaxInt64 / MaxShards
)

// within returns an error unless the number of a field has its bounds.
func within(field string, n, least, most int) error {
	if n < least || n > most {
		return fmt.Errorf("%q is %d: want a number from %d to %d", field, n, least, most)
	}
	return nil
}

// length reads a duration that is not negative.
func length(field, text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > maxElapsed {
		return 0, fmt.Errorf("%q is %q: want a duration from 0s to %v, such as 300ms", field, text, time.Duration(maxElapsed))
	}
	return d, nil
}
