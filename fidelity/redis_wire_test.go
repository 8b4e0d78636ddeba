package fidelity

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"

	"simrun/nodes"
	"simrun/sim"
)

// A wire is a connection to a real Redis. Its replies are those of package nodes,
// so that the two can be compared as values, errors to the last letter.
type wire struct {
	net.Conn
	in *bufio.Reader
}

func dial(network, address string) (*wire, error) {
	c, err := net.Dial(network, address)
	if err != nil {
		return nil, err
	}
	return &wire{c, bufio.NewReader(c)}, nil
}

// send sends a command without waiting for its reply.
func (w *wire) send(words ...string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(words))
	for _, word := range words {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(word), word)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// receive reads the next reply.
func (w *wire) receive() (sim.Reply, error) {
	line, err := w.in.ReadString('\n')
	if err != nil {
		return nil, err
	}
	line = strings.TrimSuffix(line, "\r\n")
	kind, text := line[0], line[1:]
	switch kind {
	case '+':
		return nodes.Status(text), nil
	case '-':
		return nodes.Error(text), nil
	case ':':
		n, err := strconv.ParseInt(text, 10, 64)
		return nodes.Int(n), err
	case '$':
		return w.bulk(text)
	}
	return nil, fmt.Errorf("reply %q: want a status, an error, a number or a string", line)
}

func (w *wire) bulk(length string) (sim.Reply, error) {
	n, err := strconv.Atoi(length)
	if err != nil {
		return nil, err
	}
	if n < 0 {
		return nodes.Nil{}, nil
	}
	text := make([]byte, n+len("\r\n"))
	if _, err := io.ReadFull(w.in, text); err != nil {
		return nil, err
	}
	return nodes.Bulk(text[:n]), nil
}
