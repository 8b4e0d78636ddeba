package diagram

import (
	"cmp"
	"io"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"

	"simrun/checker"
	"simrun/traces"
)

// patience bounds porcupine's search. The grants of a story are far from
// needing it.
const patience = 10 * time.Second

// Porcupine writes the page on which porcupine shows a lock's history: the
// acquires of each client and the ends of its beliefs, with every order of them
// that is legal for a while. Below them stand what the clients believe, what the
// servers have down, and the faults.
//
// A page's times are events. Porcupine lists partial orders of one length as
// they come, so that pages of one trace can differ in that.
func Porcupine(w io.Writer, t *traces.Trace) error {
	model, operations := checker.LockOperations(&t.History)
	operations = slices.DeleteFunc(operations, backward)
	_, info := porcupine.CheckOperationsVerbose(model, operations, patience)
	info.AddAnnotations(annotations(sceneOf(t)))
	return porcupine.Visualize(model, info, w)
}

// backward reports whether an operation of an edited history ends before it
// begins, which porcupine does not take.
func backward(o porcupine.Operation) bool { return o.Return < o.Call }

// annotations puts what each lane tells, believes or has on lines of their own,
// and faults and broken checks on two more. The page sorts the lines by tag.
func annotations(s *scene) []porcupine.Annotation {
	var list []porcupine.Annotation
	for _, p := range s.spans() {
		list = append(list, porcupine.Annotation{
			Tag: p.tag(), Description: p.label(), Details: s.during(p), BackgroundColor: s.colour(&p),
			Start: int64(p.from.event), End: int64(p.until.event),
		})
	}
	for _, step := range s.Steps {
		list = append(list, porcupine.Annotation{
			Tag: cmp.Or(step.Who, "all"), Description: step.Text, Details: instant(step.At), Start: int64(step.Event),
		})
	}
	for _, b := range s.breaches {
		list = append(list, porcupine.Annotation{
			Tag: "broken", Description: b.Check, Details: instant(b.At.At) + ": " + b.Why, BackgroundColor: vermilion,
			Start: int64(b.At.Index),
		})
	}
	return list
}

func (p *span) tag() string {
	who := lane{name: p.lane}.title()
	switch p.kind {
	case belief:
		return who + " believes"
	case truth:
		return who + " has"
	}
	return "faults"
}
