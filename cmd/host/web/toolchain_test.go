package web

import (
	"strings"
	"testing"
)

// TestClientSource: a go command builds the client of a checkout; without a source there is none.
func TestClientSource(t *testing.T) {
	if files, err := embedded(); files != nil || err != nil {
		t.Skip("a client is compiled in")
	}
	if _, err := ClientSource(t.Context(), Source{}); err == nil || !strings.Contains(err.Error(), "no client is compiled in") {
		t.Errorf("no checkout: %v", err)
	}
	from, err := ClientSource(t.Context(), Source{Checkout: "."})
	if err != nil || !strings.HasPrefix(from, "built by ") || !strings.Contains(from, ", go1.") {
		t.Errorf("%q, %v", from, err)
	}
}
