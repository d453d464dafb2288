package syntax

import (
	"strings"

	"github.com/yuin/gopher-lua/parse"
)

// Span is a token with its place in the text: Source[Start:End].
type Span struct {
	Token
	Start, End int
}

// Spans returns the tokens of a text, without comments, for edits that keep everything else as it stands. The error is an
// *Error. It is not for the hot path: Parse scans again.
func Spans(name, src string) ([]Span, error) {
	skipped := len(src) - len(strings.TrimPrefix(src, "\xef\xbb\xbf"))
	c := &Chunk{Name: name, Source: src[skipped:]}
	if len(src) > MaxSource {
		return nil, c.Errorf(Position{1, 1}, "the file has %d bytes; at most %d", len(src), MaxSource)
	}
	s := scanner{src: c.Source, line: 1}
	var out []Span
	for {
		t := s.next()
		if s.problem != "" {
			return nil, c.Errorf(t.Pos(), "%s", s.problem)
		}
		if t.Type == parse.EOF {
			return out, nil
		}
		out = append(out, Span{Token: t, Start: skipped + s.from, End: skipped + s.at})
	}
}
