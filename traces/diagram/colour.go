package diagram

import "slices"

// The colours of Okabe and Ito, which people with every kind of colour vision
// can tell apart (jfly.uni-koeln.de/color).
const (
	vermilion = "#d55e00"
	grey      = "#bbbbbb"
)

// ofClients are the colours of clients, in the order of their lanes. They come
// round again after the last.
var ofClients = []string{"#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#0072b2", "#f0e442"}

// colour is that of the client whose belief or lock a span is, or grey.
func (s *scene) colour(p *span) string {
	if p.kind == struck {
		return grey
	}
	return s.clientColour(p.holder.Name())
}

func (s *scene) clientColour(client string) string {
	var clients []string
	for _, l := range s.lanes {
		if name := l.client(); !l.server && !slices.Contains(clients, name) {
			clients = append(clients, name)
		}
	}
	if i := slices.Index(clients, client); i >= 0 {
		return ofClients[i%len(ofClients)]
	}
	return grey
}
