// Package clock models the clocks of simulated machines.
//
// True time is known to the simulator alone: an [Instant] counts nanoseconds
// since the start of a run. A machine sees two clocks of its own. Its wall
// clock may be off, run fast or slow, and be stepped by an operator or by NTP;
// its monotonic clock shares the rate of the wall clock (both count the same
// crystal) but is never stepped. The difference between the two is where many
// lock bugs live: a lease that a server ends by its wall clock is not the
// lease that a client measures with its monotonic one.
package clock

import (
	"fmt"
	"time"
)

// An Instant is a point of true time, in nanoseconds since the start of a run.
type Instant int64

// Never is later than every instant of a run.
const Never Instant = 1<<63 - 1

// Add returns the instant d after i.
func (i Instant) Add(d time.Duration) Instant { return i + Instant(d) }

// Sub returns the time from j to i.
func (i Instant) Sub(j Instant) time.Duration { return time.Duration(i - j) }

// MarshalText implements [encoding.TextMarshaler]: an instant is written as the
// time since the start of the run, such as 1.5ms.
func (i Instant) MarshalText() ([]byte, error) { return []byte(time.Duration(i).String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (i *Instant) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("instant %q: want a time since the start, such as 1.5ms", text)
	}
	*i = Instant(d)
	return nil
}

// A Wall is a reading of a wall clock, in nanoseconds since the Unix epoch.
type Wall int64

// Millis returns the reading in whole milliseconds, as servers keep expiries.
func (w Wall) Millis() int64 { return int64(w) / int64(time.Millisecond) }

// Add returns the reading d after w.
func (w Wall) Add(d time.Duration) Wall { return w + Wall(d) }

// A Monotonic is a reading of a monotonic clock, in nanoseconds since an
// unspecified start; only differences between two readings have a meaning.
type Monotonic int64

// Sub returns the time that the clock counted from n to m.
func (m Monotonic) Sub(n Monotonic) time.Duration { return time.Duration(m - n) }

// Add returns the reading d after m.
func (m Monotonic) Add(d time.Duration) Monotonic { return m + Monotonic(d) }

// Epoch is what every wall clock that is neither off nor stepped reads when a
// run starts: 2026-01-01T00:00:00Z.
const Epoch Wall = 1767225600 * Wall(time.Second)

// MaxRate bounds the error of a clock's rate, in parts per million. At the
// bound a clock runs at half or at one and a half times the true speed.
const MaxRate = 500_000

// A Clock is one machine's pair of clocks. The zero value is a perfect clock.
type Clock struct {
	since  Instant       // when the rate last changed
	base   Monotonic     // the monotonic reading at since
	rate   int64         // parts per million fast (or, negative, slow)
	offset time.Duration // wall clock minus (Epoch + monotonic clock)
}

// Monotonic returns the reading of the monotonic clock at true time now, which
// must not lie before the last change of rate.
func (c *Clock) Monotonic(now Instant) Monotonic {
	return c.base.Add(scale(now.Sub(c.since), c.rate))
}

// Wall returns the reading of the wall clock at true time now.
func (c *Clock) Wall(now Instant) Wall {
	return Epoch + Wall(c.Monotonic(now)) + Wall(c.offset)
}

// Step moves the wall clock by d, forward or (d negative) backward.
func (c *Clock) Step(d time.Duration) { c.offset += d }

// SetRate makes both clocks run ppm parts per million fast, or slow where ppm
// is negative, from true time now on. Rates beyond ±MaxRate are clamped.
func (c *Clock) SetRate(now Instant, ppm int64) {
	c.base = c.Monotonic(now)
	c.since = now
	c.rate = min(max(ppm, -MaxRate), MaxRate)
}

// Rate returns the error of the clock's rate in parts per million.
func (c *Clock) Rate() int64 { return c.rate }

// Offset returns how far the wall clock has been stepped away from the
// monotonic one.
func (c *Clock) Offset() time.Duration { return c.offset }

// After returns the first true instant at which a timer fires that was set at
// true time now for a local duration d; it fires at once where d <= 0.
func (c *Clock) After(now Instant, d time.Duration) Instant {
	if d <= 0 {
		return now
	}
	return c.When(now, c.Monotonic(now).Add(d))
}

// When returns the first true instant, not before now, at which the monotonic
// clock reads at least m if its rate stays as it is.
func (c *Clock) When(now Instant, m Monotonic) Instant {
	local := m.Sub(c.base)
	if c.rate == 0 {
		return max(now, c.since.Add(local))
	}
	// The inverse of scale is off by at most a nanosecond or two, since both
	// round down; walk to the exact first instant.
	at := c.since.Add(unscale(local, c.rate))
	for c.Monotonic(at) < m {
		at++
	}
	for at > c.since && c.Monotonic(at-1) >= m {
		at--
	}
	return max(now, at)
}

// WhenWall is When for a reading of the wall clock: the first true instant,
// not before now, at which it reads at least w if nobody touches it.
func (c *Clock) WhenWall(now Instant, w Wall) Instant {
	return c.When(now, Monotonic(w-Epoch-Wall(c.offset)))
}

const million = 1_000_000

// scale returns what a clock with the given rate error counts in d of true
// time, rounded down. Splitting d keeps the products within 64 bits for runs
// of up to 290 years.
func scale(d time.Duration, ppm int64) time.Duration {
	if ppm == 0 {
		return d
	}
	whole, rest := int64(d)/million, int64(d)%million
	return d + time.Duration(whole*ppm+floorDiv(rest*ppm, million))
}

// unscale approximates the inverse of scale.
func unscale(d time.Duration, ppm int64) time.Duration {
	speed := million + ppm
	whole, rest := int64(d)/speed, int64(d)%speed
	return time.Duration(whole*million + floorDiv(rest*million, speed))
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
