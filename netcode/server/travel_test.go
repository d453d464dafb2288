package server_test

import (
	"strings"
	"testing"

	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/server"
)

// TestUniqueID: a player is who the handshake proved, and nobody can be another by what they are called (R8.8).
func TestUniqueID(t *testing.T) {
	key := func(b ...byte) (k [32]byte) { copy(k[:], b); return k }
	ids := []link.Identity{
		{Key: key(1, 2, 3)},
		{Key: key(1, 2, 4)},
		{Name: "Ann"},
		{Name: "Ann\n"},
		{Name: "Ann?"},
		{Name: "key-01020300000000000000000000000000"},
		{Name: strings.Repeat("n", 58)},
		{Name: strings.Repeat("n", 59)},
		{Name: strings.Repeat("n", 60)},
		{Name: strings.Repeat("n", 59) + "m"},
	}
	seen := map[string]int{}
	for i, id := range ids {
		u := server.UniqueID(id)
		if u == "" || len(u) > 64 || strings.HasPrefix(u, "guest-") || strings.HasPrefix(u, "bot-") {
			t.Errorf("%+v is %q", id, u)
		}
		if j, twice := seen[u]; twice {
			t.Errorf("%+v and %+v are both %q", id, ids[j], u)
		}
		seen[u] = i
		id.Addr, id.Options = "192.0.2.1:7", "?name=Bob?uniqueid=key-9"
		if id.Name == "" {
			id.Options = "?name=Ann"
		}
		if got := server.UniqueID(id); got != u {
			t.Errorf("%+v: what it says of itself makes it %q, and not %q", id, got, u)
		}
	}
	if got := server.UniqueID(link.Identity{Addr: "192.0.2.1:7", Options: "?name=Ann"}); got != "" {
		t.Errorf("one who proved nothing is %q", got)
	}
	token := link.Identity{Name: "Ann", Key: key(9)}
	if got, want := server.UniqueID(token), server.UniqueID(link.Identity{Name: "Ann", Key: key(8)}); got != want {
		t.Errorf("a token's name counts, whatever the key: %q, %q", got, want)
	}
}
