package nodes

import "strconv"

// The replies of Redis, as its protocol distinguishes them.
type (
	// Status is a simple string, such as OK.
	Status string
	// Nil is the reply for a key that does not exist, or a SET that did nothing.
	Nil struct{}
	// Bulk is a string value.
	Bulk string
	// Int is a number.
	Int int64
	// Error is what the server says when it refuses a command.
	Error string
)

func (s Status) String() string { return string(s) }
func (Nil) String() string      { return "nil" }
func (b Bulk) String() string   { return strconv.Quote(string(b)) }
func (n Int) String() string    { return strconv.FormatInt(int64(n), 10) }
func (e Error) String() string  { return string(e) }
