// Simrun runs a distributed lock under thousands of schedules of faults,
// checks what the lock promises, and tells the smallest story of each promise
// that breaks.
//
//	simrun [run] -protocol NAME [flags]   run many schedules
//	simrun merge [flags] FILE...          put the shards of a run together
//	simrun replay [flags] FILE            run the schedule of a trace again
//	simrun view [-o PAGE] FILE [FILE]     draw a trace as a page, or two beside each other
//	simrun matrix [flags]                 compare locks by what they keep
//	simrun frontier [flags]               find how much of a fault a lock stands
//	simrun scenario [flags] [NAME]        list the recorded scenarios, or run one
//	simrun list                           name the protocols, faults and checks
//	simrun explain NAME                   tell about one of them
//	simrun help                           tell about the flags
//
// It exits with 0 if nothing was violated, 1 if something was, 2 for a wrong
// use or a bad file, and 130 if it was interrupted.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"

	"simrun/protocols"
)

// The exit codes. Every error is a wrong use or a bad file.
const (
	exitHeld        = 0
	exitViolated    = 1
	exitWrong       = 2
	exitInterrupted = 130
)

func main() {
	debug.SetGCPercent(1600) // the heap is a few megabytes, and mostly what one schedule leaves behind
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run carries out a command line and returns the exit code. An error becomes
// one line on stderr.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c := newConsole(stdout, stderr)
	code, err := c.dispatch(ctx, args)
	if flushed := c.out.Flush(); err == nil {
		err = flushed
	}
	if err != nil {
		fmt.Fprintf(stderr, "simrun: %v\n", err)
		return exitWrong
	}
	return code
}

// A console is where a command's output goes.
type console struct {
	out    *bufio.Writer // to stdout
	stderr io.Writer
	paint  paint
	width  int  // of tables
	live   bool // somebody watches stderr
}

func newConsole(stdout, stderr io.Writer) *console {
	width, colours := columns(stdout)
	_, live := columns(stderr)
	return &console{
		out:    bufio.NewWriter(stdout),
		stderr: stderr,
		paint:  newPaint(colours && os.Getenv("NO_COLOR") == ""),
		width:  width,
		live:   live,
	}
}

func (c *console) printf(format string, args ...any) { fmt.Fprintf(c.out, format, args...) }

var commands = []string{"run", "merge", "replay", "view", "scenario", "matrix", "frontier", "list", "explain", "help"}

func (c *console) dispatch(ctx context.Context, args []string) (int, error) {
	name, rest := "run", args
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, rest = args[0], args[1:]
	}
	code, err := exitHeld, error(nil)
	switch name {
	case "run":
		code, err = c.run(ctx, rest)
	case "merge":
		code, err = c.merge(ctx, rest)
	case "replay":
		code, err = c.replay(rest)
	case "view":
		err = c.view(rest)
	case "matrix":
		code, err = c.matrix(ctx, rest)
	case "frontier":
		code, err = c.frontier(ctx, rest)
	case "scenario":
		code, err = c.scenario(rest)
	case "list":
		err = c.list(rest)
	case "explain":
		err = c.explain(rest)
	case "help":
		err = flag.ErrHelp
	default:
		return 0, unknownCommand(name)
	}
	if errors.Is(err, flag.ErrHelp) {
		c.printf("%s", usage)
		return exitHeld, nil
	}
	return code, err
}

func unknownCommand(name string) error {
	if protocols.Named(name) != nil {
		return fmt.Errorf("unknown command %q: to run that protocol, say -protocol %s", name, name)
	}
	return fmt.Errorf("unknown command %q%s", name, suggestion(name, commands, `"simrun help" shows all`))
}

const usage = `Simrun runs a distributed lock under thousands of schedules of faults, checks
what the lock promises, and tells the smallest story of each promise that breaks.

  simrun [run] -protocol NAME [flags]   run many schedules
  simrun merge [flags] FILE...          put the shards of a run together
  simrun replay [flags] FILE            run the schedule of a trace again
  simrun view [-o PAGE] FILE [FILE]     draw a trace as an HTML page, or two runs of
                                        one schedule under each other
  simrun matrix [flags]                 compare locks by what they keep
  simrun frontier [flags]               find how much of a fault a lock stands
  simrun scenario [flags] [NAME]        list the recorded scenarios, or run one
  simrun list                           name the protocols, faults and checks
  simrun explain NAME                   tell about one of them

Flags of run:
  -protocol NAME   the lock to run
  -seeds N         how many schedules; each seed stands for one (10000)
  -seed N          the first seed (1)
  -faults LIST     what may strike: all, none, or kinds with or without a place,
                   such as pause,loss@reply,pause@write (all)
  -check LIST      what is checked: all, or names (all)
  -clients N       how many clients compete for the lock
  -rounds N        how often each runs its job
  -nodes N         how many independent lock servers, where there are several
  -ttl DURATION    for how long a lock is granted, such as 300ms
  -work DURATION   the longest that a job plans to work (half of -ttl)
  -token SOURCE    where fencing tokens come from: incr or sequence
  -exhaustive K    instead of random schedules, all those of a finite alphabet with
                   0, 1, … K faults; small -clients, -rounds and -nodes by default
  -noisy N         start an exhaustive search from N noisy runs too (0)
  -for DURATION    end an exhaustive search after so long, such as 60s
  -shard I/N       run the I-th of N parts alone, and write its report for merge
  -workers N       how many schedules run at once (one for each core)
  -out DIR         where traces are written, with an index.html (simrun-out)
  -json            print one JSON object, and nothing else
  -quiet           print no stories and show no progress

Flags of merge, which takes the reports of all shards of one run:
  -workers, -out, -json, -quiet as for run

Flags of replay:
  -json            print one JSON object, and nothing else
  -quiet           do not tell what happened, only the verdict
  -update          where the run differs from the file, write it to the file
  -html FILE       draw the run as a page, too
  -mermaid FILE    draw it as a sequence diagram for Markdown
  -svg FILE        draw it as a timeline, a picture for a slide
  -porcupine FILE  draw the lock's history as a page of porcupine; for all four,
                   - for FILE prints the picture, and nothing else

Flags of scenario, which takes a file such as ./mine.txt for a name, too:
  -json            print one JSON object or list, and nothing else
  -update          record what this run has in the file
  -html, -mermaid, -svg, -porcupine as for replay

Flags of view:
  -o PAGE          where the page is written (beside the trace, as .html)

Flags of matrix:
  -protocols LIST  which locks to compare (all)
  -seeds, -seed, -faults, -workers, -json, -quiet as for run (-seeds 2000)
  -exhaustive K    compare by all schedules with at most K faults instead, with
                   -noisy as for run
  -markdown        print a table for a document, with the faults that suffice
  -html DIR        write a page with the table into a folder, and a trace of the story
                   behind each cell
  -schedule FILE   run the schedule of a trace with every lock that can take it

Flags of frontier:
  -protocol NAME   the lock
  -check NAME      the check that it is to keep (mutual-exclusion)
  -over WORD       what there is more and more of: pause, delay, step or rate, or two of
                   them such as pause,step: one fault of each, in every pair of amounts
  -steps N         how many amounts of each of the two, up to six fifths of the TTL (12)
  -svg FILE        draw the frontier of the two as a picture
  -clients, -rounds, -nodes, -ttl, -work, -token, -workers, -out, -json as for run

"At most 0.03 % at 95 %" means: if more than 0.03 % of all schedules drawn in
this way broke the check, 95 % of runs like this one would have met one of them.

Exit status: 0 nothing was violated, 1 something was, 2 wrong use or bad file,
130 interrupted.
`
