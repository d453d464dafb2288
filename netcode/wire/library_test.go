package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"

	"github.com/vmihailenco/msgpack/v5"
)

// library decodes a sequence of values with the library, knowing nothing of the layout.
func library(t interface {
	Helper()
	Fatalf(string, ...any)
}, b []byte,
) []any {
	t.Helper()
	dec := msgpack.NewDecoder(bytes.NewReader(b))
	dec.SetMapDecoder(func(d *msgpack.Decoder) (any, error) { return d.DecodeUntypedMap() })
	var out []any
	for {
		v, err := dec.DecodeInterface()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatalf("the library cannot read % x: %v", b, err)
		}
		out = append(out, v)
	}
}

// shown writes values as docs/protocol.md does: bin as h'…', the rest as JSON would.
func shown(values ...any) string {
	var sb strings.Builder
	for i, v := range values {
		if i > 0 {
			sb.WriteString(" ")
		}
		show(&sb, v)
	}
	return sb.String()
}

func show(sb *strings.Builder, v any) {
	switch v := v.(type) {
	case nil:
		sb.WriteString("nil")
	case []byte:
		if len(v) > 8 && bytes.Count(v, v[:1]) == len(v) {
			fmt.Fprintf(sb, "h'%02x'×%d", v[0], len(v))
			return
		}
		fmt.Fprintf(sb, "h'%x'", v)
	case string:
		fmt.Fprintf(sb, "%q", v)
	case []any:
		sb.WriteString("[")
		for i, e := range v {
			if i > 0 {
				sb.WriteString(", ")
			}
			show(sb, e)
		}
		sb.WriteString("]")
	case map[any]any:
		var parts []string
		for k, e := range v {
			parts = append(parts, shown(k)+": "+shown(e))
		}
		sort.Strings(parts)
		sb.WriteString("{" + strings.Join(parts, ", ") + "}")
	default:
		fmt.Fprint(sb, v)
	}
}
