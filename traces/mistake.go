package traces

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// decode reads JSON that has no fields but those of a trace file, and each
// once.
func decode(data []byte) (*fileForm, error) {
	form, err := strictly(data)
	if err != nil {
		return nil, explain(data, err)
	}
	if key, at := repeated(data); key != "" {
		return nil, placed(data, at, fmt.Errorf("field %s stands there twice, want it once", key))
	}
	return form, nil
}

func strictly(data []byte) (*fileForm, error) {
	form := new(fileForm)
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return form, d.Decode(form)
}

// explain says what is wrong with JSON that could not be decoded, and in which
// line.
func explain(data []byte, err error) error {
	var syntax *json.SyntaxError
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		return errors.New("the file is empty, want a trace")
	case !errors.As(err, &syntax):
		at, err := blame(nil, data, nil, 0)
		return placed(data, at, reword(err))
	case strings.HasPrefix(err.Error(), "unexpected end"):
		return errors.New("truncated: the file ends in the middle of the trace")
	case strings.HasSuffix(err.Error(), "after top-level value"):
		err = errors.New("found more after the trace, want nothing after its closing brace")
	default:
		err = fmt.Errorf("not JSON: %w", err)
	}
	return placed(data, int(syntax.Offset)-1, err)
}

func placed(data []byte, at int, err error) error {
	return fmt.Errorf("line %d: %w", 1+bytes.Count(data[:at], []byte("\n")), err)
}

// reword says in a reader's words what the decoder found of the wrong type.
func reword(err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	what := "the file"
	if wrong.Field != "" {
		what = strconv.Quote(wrong.Field)
	}
	return fmt.Errorf("%s is %s, want %s", what, found(wrong.Value), wanted(wrong.Type, wrong.Value))
}

// found names a value as the decoder describes it: array, number 1.5 and so on.
func found(value string) string {
	kind, number, exact := strings.Cut(value, " ")
	switch {
	case exact:
		return "the number " + number
	case kind == "array":
		return "a list"
	case kind == "object":
		return "an object"
	}
	return "a " + kind
}

// wanted names what a Go type is read from, instead of a value.
func wanted(t reflect.Type, value string) string {
	text := reflect.TypeFor[encoding.TextUnmarshaler]()
	switch {
	case t.Kind() == reflect.String || t.Implements(text) || reflect.PointerTo(t).Implements(text):
		return "a string"
	case t.Kind() == reflect.Slice:
		return "a list"
	case t.Kind() == reflect.Struct:
		return "an object"
	case strings.HasPrefix(value, "number ") && !strings.ContainsAny(value[len("number "):], ".eE"):
		return "a smaller one"
	}
	return "a whole number"
}

// blame finds the smallest part of a value that cannot be decoded in its
// place, that is between before and after, and returns the part's offset and
// error. Not every error of the decoder tells where it arose.
func blame(before, value, after []byte, offset int) (int, error) {
	_, err := strictly(slices.Concat(before, value, after))
	if err == nil {
		return 0, nil
	}
	for _, m := range members(value) {
		before, after := slices.Concat(before, m.open), slices.Concat(m.close, after)
		// Where not even null can stand, what is in the member is not to blame
		// but its name, or the value around it.
		if _, err := strictly(slices.Concat(before, []byte("null"), after)); err != nil {
			if _, wrong := errors.AsType[*json.UnmarshalTypeError](err); wrong {
				return offset, err
			}
			return offset + m.offset, err
		}
		if at, err := blame(before, m.value, after, offset+m.offset); err != nil {
			return at, err
		}
	}
	return offset, err
}

// A member is an element of a list or a field of an object.
type member struct {
	open, close []byte // what makes the value the only member
	value       []byte
	offset      int // of the value
}

// members takes a list or an object apart; it returns nil for other values.
func members(value []byte) []member {
	if first := bytes.TrimSpace(value)[0]; first != '{' && first != '[' {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(value))
	kind, _ := d.Token()
	var list []member
	for d.More() {
		m := member{open: []byte("["), close: []byte("]")}
		if kind == json.Delim('{') {
			key, _ := d.Token()
			quoted, _ := json.Marshal(key)
			m.open, m.close = fmt.Appendf(nil, "{%s:", quoted), []byte("}")
		}
		var raw json.RawMessage
		d.Decode(&raw)
		m.value, m.offset = raw, int(d.InputOffset())-len(raw)
		list = append(list, m)
	}
	return list
}

// repeated returns the first field that stands twice in one object, quoted, and
// where, or an empty string. The decoder takes fields whatever their case.
func repeated(data []byte) (key string, offset int) {
	d := json.NewDecoder(bytes.NewReader(data))
	var open []map[string]bool // the fields of every object around, nil for a list
	name := false              // a field's name comes next
	for {
		token, err := d.Token()
		if err != nil {
			return "", 0
		}
		if field, ok := token.(string); ok && name {
			fields, field := open[len(open)-1], strings.ToLower(field)
			if fields[field] {
				return strconv.Quote(token.(string)), int(d.InputOffset())
			}
			fields[field] = true
			name = false
			continue
		}
		switch token {
		case json.Delim('{'):
			open = append(open, make(map[string]bool))
		case json.Delim('['):
			open = append(open, nil)
		case json.Delim('}'), json.Delim(']'):
			open = open[:len(open)-1]
		}
		name = len(open) > 0 && open[len(open)-1] != nil
	}
}
