package main

import (
	"bufio"
	"strings"
	"testing"
)

// TestTyped: lines come out as they went in, however small the pieces that are read; what does not fit is refused, and the
// end ends a read that waits.
func TestTyped(t *testing.T) {
	l := newTyped()
	n := 0
	for l.add(strings.Repeat("x", 100)) {
		n++
	}
	if n != typedLines {
		t.Errorf("%d lines wait, want %d", n, typedLines)
	}
	r := bufio.NewReaderSize(l, 16)
	for range n {
		if got, err := r.ReadString('\n'); err != nil || got != strings.Repeat("x", 100)+"\n" {
			t.Errorf("%q, %v", got, err)
		}
	}
	l.close()
	l.close()
	if got, err := r.ReadString('\n'); err == nil {
		t.Errorf("%q after the end", got)
	}
}
