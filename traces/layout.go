package traces

import (
	"bytes"
	"encoding/json"
)

// layOut breaks compact JSON into lines so that it reads well: a line for each
// field of the two outermost objects and for each element of their lists.
func layOut(compact []byte) *bytes.Buffer {
	var out bytes.Buffer
	writeObject(&out, compact, "", 2)
	out.WriteByte('\n')
	return &out
}

func writeObject(out *bytes.Buffer, object json.RawMessage, indent string, depth int) {
	d := json.NewDecoder(bytes.NewReader(object))
	d.Token() // {
	out.WriteString("{\n")
	for first := true; d.More(); first = false {
		if !first {
			out.WriteString(",\n")
		}
		key, _ := d.Token()
		name, _ := json.Marshal(key)
		var value json.RawMessage
		d.Decode(&value)
		out.WriteString(indent + "  ")
		out.Write(name)
		out.WriteString(": ")
		switch {
		case value[0] == '{' && depth > 1:
			writeObject(out, value, indent+"  ", depth-1)
		case value[0] == '[' && len(value) > 2:
			writeList(out, value, indent+"  ")
		default:
			out.Write(value)
		}
	}
	out.WriteString("\n" + indent + "}")
}

func writeList(out *bytes.Buffer, list json.RawMessage, indent string) {
	var elements []json.RawMessage
	json.Unmarshal(list, &elements)
	out.WriteString("[\n")
	for i, e := range elements {
		if i > 0 {
			out.WriteString(",\n")
		}
		out.WriteString(indent + "  ")
		out.Write(e)
	}
	out.WriteString("\n" + indent + "]")
}
