package diagram

// The colours of Okabe and Ito, which people with every kind of colour vision
// can tell apart (jfly.uni-koeln.de/color).
const (
	vermilion = "#d55e00"
	grey      = "#bbbbbb"
)

// ofClients are the colours of clients, in the order of their lanes. They come
// round again after the sixth.
var ofClients = []string{"#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#0072b2", "#f0e442"}
