package explore

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"
	"time"

	"pgregory.net/rapid"

	"simrun/clock"
	"simrun/protocols"
	"simrun/sim"
)

// A Space is the set of schedules that are worth trying for a protocol: who
// takes part, and which faults may strike at which points. Points are those
// that a quiet run reaches, so that most faults hit something.
type Space struct {
	Protocol *protocols.Protocol
	Params   protocols.Params
	Faults   Selection

	clients   []string
	servers   []sim.ServerSpec
	alike     []string      // servers that every client treats alike
	connected bool          // a server minds connections
	anytime   bool          // clients are paused at instants too, not before steps alone
	heals     clock.Instant // when all faults heal at the latest
	reach     sim.Reach
	limit     time.Duration // of the instants at which faults strike

	// only holds the amounts that a search tries of the one fault of each kind;
	// nil for the classes of each kind, and any number of faults.
	only  map[*sim.Kind][]int64
	whole bool // a search leaves nothing out, also not what cannot matter
}

// NewSpace returns the space of a protocol with the given parameters, which
// it must accept.
func NewSpace(p *protocols.Protocol, params protocols.Params, faults Selection) *Space {
	setup := p.Setup(params)
	sp := &Space{Protocol: p, Params: params, Faults: faults, servers: setup.Servers, heals: clock.Instant(setup.Limit)}
	quiet := sp.Quiet()
	for _, plan := range quiet.Clients {
		sp.clients = append(sp.clients, sim.ClientName(plan.Client))
	}
	sp.connected = slices.ContainsFunc(setup.Servers, sim.ServerSpec.MindsConnections)
	sp.anytime = slices.ContainsFunc(faults, func(c Choice) bool {
		return c.Kind.Name == "pause" && c.Limited && c.Place == sim.AtInstant
	})
	if setup.Quorum > 1 {
		for _, s := range setup.Servers[:len(setup.Servers)-1] { // all but the resource
			sp.alike = append(sp.alike, s.Name)
		}
	}
	w := sim.NewWorld(setup)
	defer w.Close()
	if _, err := w.Run(quiet); err != nil {
		panic(err) // a schedule without faults fits every setup
	}
	sp.reach = w.Reached()
	sp.limit = time.Duration(sp.reach.End)
	return sp
}

// Quiet returns the space's schedule without faults or noise, in which the
// clients start one after the other.
func (sp *Space) Quiet() sim.Schedule {
	least, _ := sp.Params.Noise()
	s := sim.Schedule{Noise: sim.Noise{Min: least, Max: least}}
	for i := range sp.Params.Clients {
		s.Clients = append(s.Clients, sim.Plan{
			Client: i,
			Start:  time.Duration(i) * sp.Params.TTL / 30,
			Work:   sp.Params.Work / 2,
			Rounds: sp.Params.Rounds,
		})
	}
	return s
}

// Start returns the i-th schedule without faults that a search starts from: the
// quiet one, then noisy ones in which all clients start at once, so that their
// messages overtake each other.
func (sp *Space) Start(i int) sim.Schedule {
	s := sp.Quiet()
	if i == 0 {
		return s
	}
	least, most := sp.Params.Noise()
	s.Noise = sim.Noise{Seed: uint64(i), Min: least, Max: most}
	for k := range s.Clients {
		s.Clients[k].Start = 0
	}
	return s
}

// MaxFaults is the greatest number of faults in a random schedule.
const MaxFaults = 4

// Schedules returns the generator of the space's random schedules. It is
// swarm-like: every schedule first decides which kinds of fault it leaves out,
// since faults of many kinds at once hide each other (Groce et al., Swarm
// Testing, 2012).
func (sp *Space) Schedules() *rapid.Generator[sim.Schedule] {
	least, most := sp.Params.Noise()
	seeds := rapid.Uint64Range(1, math.MaxUint32)
	starts := rapid.IntRange(0, int(sp.Params.TTL/time.Millisecond))
	works := rapid.IntRange(1, workClasses)
	counts := rapid.IntRange(0, MaxFaults)
	faults := sp.faults()
	return rapid.Custom(func(t *rapid.T) sim.Schedule {
		s := sim.Schedule{
			Noise:   sim.Noise{Seed: seeds.Draw(t, "noise"), Min: least, Max: most},
			Clients: make([]sim.Plan, sp.Params.Clients),
		}
		for i := range s.Clients {
			s.Clients[i] = sim.Plan{
				Client: i,
				Start:  time.Duration(starts.Draw(t, "start")) * time.Millisecond,
				Work:   sp.work(works.Draw(t, "work")),
				Rounds: sp.Params.Rounds,
			}
		}
		if len(faults) == 0 {
			return s
		}
		if n := counts.Draw(t, "faults"); n > 0 {
			s.Faults = make([]sim.Fault, 0, n)
			swarm := subset(faults, swarms.Draw(t, "swarm"))
			for range n {
				g := swarm[pick(t, len(swarm))]
				s.Faults = append(s.Faults, g(t))
			}
		}
		return s
	})
}

// workClasses is the number of different durations that jobs plan to work:
// equal parts of the longest.
const workClasses = 5

func (sp *Space) work(class int) time.Duration {
	return sp.Params.Work / workClasses * time.Duration(class)
}

// subset returns the elements whose bits are set in mask, or all if none is.
func subset(faults []draw, mask uint64) []draw {
	var some []draw
	for i, f := range faults {
		if mask>>i&1 == 1 {
			some = append(some, f)
		}
	}
	if len(some) == 0 {
		return faults
	}
	return some
}

// swarms draws which kinds of fault a schedule has. The sets are made by hash,
// so that each kind is in half of them: rapid prefers small numbers, and would
// leave out the last kinds of the table.
var swarms = func() *rapid.Generator[uint64] {
	var masks [256]uint64
	for i := range masks {
		h := sha256.Sum256([]byte{byte(i)})
		masks[i] = binary.LittleEndian.Uint64(h[:])
	}
	return rapid.SampledFrom(masks[:])
}()

// A draw draws one fault.
type draw func(t *rapid.T) sim.Fault

// pickers holds generators for the choice among n things, made once since
// making one costs more than a draw.
var pickers = func() (gens [256]*rapid.Generator[int]) {
	for n := range gens {
		gens[n] = rapid.IntRange(0, max(n-1, 0))
	}
	return gens
}()

// pick chooses one of n things.
func pick(t *rapid.T, n int) int {
	if n < len(pickers) {
		return pickers[n].Draw(t, "pick")
	}
	return rapid.IntRange(0, n-1).Draw(t, "pick")
}

// instant draws a whole millisecond of the quiet run.
func (sp *Space) instant(t *rapid.T, moments *rapid.Generator[int]) clock.Instant {
	return clock.Instant(time.Duration(moments.Draw(t, "instant")) * time.Millisecond)
}
