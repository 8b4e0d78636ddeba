package main

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// grouped returns a number with a space between thousands: 10 000.
func grouped(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + " " + digits[i:]
	}
	return digits
}

// plural returns a number of things.
func plural(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return grouped(n) + " " + thing
}

// percent returns a share with two digits, rounded up since it is a bound.
func percent(share float64) string {
	unit := math.Pow(10, math.Floor(math.Log10(100*share))-1)
	n := math.Ceil(100*share/unit - 1e-9)
	decimals := max(0, -int(math.Round(math.Log10(unit))))
	text, _ := strconv.ParseFloat(strconv.FormatFloat(n*unit, 'f', decimals, 64), 64)
	return strconv.FormatFloat(text, 'f', -1, 64) + " %"
}

// portion returns how much n is of all, in per cent.
func portion(n, all int) string {
	share := 100 * float64(n) / float64(all)
	if share < 10 {
		return fmt.Sprintf("%.2g %%", share)
	}
	return fmt.Sprintf("%.0f %%", share)
}

// pace says what was run, how long it took, and how many schedules that is in a
// second.
func pace(what string, schedules int, took time.Duration) string {
	return fmt.Sprintf("%s in %.2f s (%s a second)", what, took.Seconds(), grouped(rounded(rate(schedules, took))))
}

// rate returns how many schedules were run in a second.
func rate(schedules int, took time.Duration) float64 {
	return float64(schedules) / max(took.Seconds(), 1e-9)
}

// rounded returns the nearest number of three digits and zeros.
func rounded(x float64) int {
	unit := math.Pow(10, max(0, math.Floor(math.Log10(max(x, 1)))-2))
	return int(math.Round(x/unit) * unit)
}

// milliseconds returns a duration with at least two digits.
func milliseconds(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	if ms < 10 {
		return fmt.Sprintf("%.1f ms", ms)
	}
	return grouped(int(math.Round(ms))) + " ms"
}
