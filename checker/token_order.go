package checker

import (
	"fmt"

	"simrun/sim"
)

var tokenOrder = &Check{
	Name:   "token-order",
	Breaks: "fencing tokens are not strictly increasing in the order of the grants, or one is given twice",
	Judge:  judgeTokenOrder,
}

func judgeTokenOrder(h *sim.History) Verdict {
	var highest *sim.Grant
	for i := range h.Grants {
		g := &h.Grants[i]
		if g.Fence == 0 {
			continue
		}
		if highest != nil && g.Fence <= highest.Fence {
			why := fmt.Sprintf("%s was granted the lock with token %d after %s had been granted it with token %d", g.Holder, g.Fence, highest.Holder, highest.Fence)
			return violated(g.From, why, highest.From.Index, g.From.Index)
		}
		highest = g
	}
	return Verdict{State: Held, Empty: highest == nil}
}
