package sim

import "fmt"

// delay makes one message late. What follows it on the same connection waits
// behind it.
var delay = &Kind{
	Name:    "delay",
	Brief:   "one message arrives late",
	Places:  []Place{OnRequest, OnReply},
	Actors:  Connections,
	Unit:    Length,
	Amounts: lengths,
	Tell:    func(f Fault) string { return fmt.Sprintf("%s is %v late", f.Point, f.length()) },
}

// loss makes one message vanish. When it is the reply, the request has been
// applied and its sender does not know.
var loss = &Kind{
	Name:   "loss",
	Brief:  "one request or one reply is lost",
	Places: []Place{OnRequest, OnReply},
	Actors: Connections,
	Tell:   func(f Fault) string { return fmt.Sprintf("%s is lost", f.Point) },
}
