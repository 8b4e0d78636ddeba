package sim

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// A defect is a protocol that cannot go on: it panicked, or it took more steps
// than a run allows. It travels as a panic from the protocol's coroutine to
// [World.Run], which reports it.
type defect string

// newDefect describes a panic with the place where it arose. The place names
// the file without its folder, so that it reads the same on every machine.
func newDefect(value any) defect {
	return defect(fmt.Sprintf("panic: %v (%s)", value, panicSite()))
}

// panicSite finds the innermost frame below the panic that is not the
// runtime's.
func panicSite() string {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	panicking := false
	for {
		f, more := frames.Next()
		if f.Function == "runtime.gopanic" {
			panicking = true
		} else if panicking && !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		if !more {
			return "unknown place"
		}
	}
}
