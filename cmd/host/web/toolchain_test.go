package web

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestClientSource: in a checkout the toolchain that built this program builds the client; elsewhere there is none.
func TestClientSource(t *testing.T) {
	if files, err := embedded(); files != nil || err != nil {
		t.Skip("a client is compiled in")
	}
	if _, err := ClientSource(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "no client is compiled in") {
		t.Errorf("no checkout: %v", err)
	}
	from, err := ClientSource(t.Context(), filepath.Join("..", "..", ".."))
	if err != nil || !strings.HasPrefix(from, "built by ") || !strings.HasSuffix(from, goVersion()) {
		t.Errorf("%q, %v", from, err)
	}
}
