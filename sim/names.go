package sim

import (
	"fmt"
	"strconv"
	"strings"
)

// ProbeName is the name of the client that enters in the calm phase, to see
// whether the lock can still be had.
const ProbeName = "probe"

// WorldName is the actor of events that concern the whole world.
const WorldName = "world"

// ClientName returns the name of the i-th client: A to Z, then C27, C28, ….
func ClientName(i int) string {
	if i < 26 {
		return "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i : i+1]
	}
	return "C" + strconv.Itoa(i+1)
}

// A Holder names one attempt of one client to take a lock. Every attempt has a
// holder of its own, as every acquisition has a random value of its own in the
// locks that simrun models. The zero Holder is nobody.
type Holder struct {
	Client  int32 // one more than the index of the client
	Attempt int32 // counted from 1 for each client
}

// Nobody is the holder of what has not been taken.
var Nobody Holder

// String returns the holder as it appears as a value in a server, such as A#2.
func (h Holder) String() string {
	if h == Nobody {
		return "nobody"
	}
	return h.Name() + "#" + strconv.Itoa(int(h.Attempt))
}

// Name returns the name of the holder's client.
func (h Holder) Name() string {
	switch {
	case h == Nobody:
		return "nobody"
	case h.Client == probeClient:
		return ProbeName
	}
	return ClientName(int(h.Client) - 1)
}

// Value names the value of the resource that the holder wrote, for a story.
func (h Holder) Value() string {
	if h == Nobody {
		return "the first value"
	}
	return "the value of " + h.String()
}

// probeClient is the Client of the probe's holders.
const probeClient = 1 << 20

// MarshalText implements [encoding.TextMarshaler].
func (h Holder) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (h *Holder) UnmarshalText(text []byte) error {
	s := string(text)
	if s == "nobody" {
		*h = Nobody
		return nil
	}
	name, count, ok := strings.Cut(s, "#")
	attempt, err := strconv.ParseInt(count, 10, 32)
	client, known := clientNumber(name)
	if !ok || err != nil || attempt < 1 || !known {
		return fmt.Errorf("holder %q: want a client and its attempt, such as A#2, or nobody", s)
	}
	*h = Holder{Client: client, Attempt: int32(attempt)}
	return nil
}

func clientNumber(name string) (int32, bool) {
	if name == ProbeName {
		return probeClient, true
	}
	if len(name) == 1 && name[0] >= 'A' && name[0] <= 'Z' {
		return int32(name[0]-'A') + 1, true
	}
	if digits, ok := strings.CutPrefix(name, "C"); ok {
		n, err := strconv.ParseInt(digits, 10, 32)
		return int32(n), err == nil && n > 26 && n < probeClient
	}
	return 0, false
}
