package console

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// maxText bounds the message and each text among the fields of a line, in bytes; the rest is cut and marked.
// Texts of scripts and peers are bounded earlier; this bounds everything else.
const maxText = 4096

// clean is a handler in front of another: it keeps every text on one line, without control sequences and marks
// of writing direction (G19), and writes durations as seconds.
type clean struct{ next slog.Handler }

func (c clean) Enabled(ctx context.Context, l slog.Level) bool { return c.next.Enabled(ctx, l) }
func (c clean) WithGroup(name string) slog.Handler             { return clean{c.next.WithGroup(name)} }

func (c clean) WithAttrs(as []slog.Attr) slog.Handler {
	out := make([]slog.Attr, len(as))
	for i, a := range as {
		out[i] = cleanAttr(a)
	}
	return clean{c.next.WithAttrs(out)}
}

func (c clean) Handle(ctx context.Context, r slog.Record) error {
	out := slog.NewRecord(r.Time, r.Level, cleanText(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(cleanAttr(a))
		return true
	})
	return c.next.Handle(ctx, out)
}

func cleanAttr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindString:
		return slog.String(a.Key, cleanText(v.String()))
	case slog.KindDuration:
		return slog.Float64(a.Key, v.Duration().Round(time.Millisecond).Seconds())
	case slog.KindGroup:
		var as []slog.Attr
		for _, x := range v.Group() {
			as = append(as, cleanAttr(x))
		}
		return slog.Attr{Key: a.Key, Value: slog.GroupValue(as...)}
	case slog.KindAny:
		switch x := v.Any().(type) {
		case []string:
			out := make([]string, len(x))
			for i, s := range x {
				out[i] = cleanText(s)
			}
			return slog.Any(a.Key, out)
		case error, fmt.Stringer:
			return slog.String(a.Key, cleanText(fmt.Sprint(x)))
		}
	case slog.KindBool, slog.KindFloat64, slog.KindInt64, slog.KindUint64, slog.KindTime, slog.KindLogValuer:
	}
	return slog.Attr{Key: a.Key, Value: v}
}

// cleanText returns a text with non-printing characters escaped as in Go: line ends, control sequences, marks
// of writing direction. Multi-line texts of the host itself, such as the output of a build, have their line
// ends escaped, too.
func cleanText(s string) string {
	if len(s) > maxText {
		s = strings.ToValidUTF8(s[:maxText], "") + "…"
	}
	if !strings.ContainsFunc(s, odd) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		_, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case odd(r):
			q := strconv.QuoteRune(r)
			b.WriteString(q[1 : len(q)-1])
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func odd(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }
