package agones

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestWish: what a GameServer requests, in both spellings of the gateway; an annotation wins over a label, and values that nobody understands
// are errors.
func TestWish(t *testing.T) {
	for text, want := range map[string]string{
		`{}`: "none",
		`{"status":{"state":"Allocated"},"object_meta":{"deletion_timestamp":"0","annotations":{},"labels":null}}`: "none",
		`{"status":{"state":"Shutdown"}}`:                                                                   "usual",
		`{"object_meta":{"deletion_timestamp":"1531795395"}}`:                                               "usual",
		`{"objectMeta":{"deletionTimestamp":1531795395}}`:                                                   "usual",
		`{"object_meta":{"deletion_timestamp":null}}`:                                                       "none",
		`{"object_meta":{"labels":{"tidelock.dev/drain":"yes"}}}`:                                           "usual",
		`{"objectMeta":{"annotations":{"tidelock.dev/drain":" 90s "}}}`:                                     "1m30s",
		`{"object_meta":{"annotations":{"tidelock.dev/drain":"0s"}}}`:                                       "0s",
		`{"object_meta":{"annotations":{"tidelock.dev/drain":"off"},"labels":{"tidelock.dev/drain":"on"}}}`: "none",
		`{"object_meta":{"annotations":{"tidelock.dev/drain":"-1m"}}}`:                                      "error",
		`{"object_meta":{"labels":{"tidelock.dev/drain":"` + strings.Repeat("x", 1000) + `"}}}`:             "error",
	} {
		var g gameServer
		if err := json.Unmarshal([]byte(text), &g); err != nil {
			t.Fatal(err)
		}
		w, err := g.wish()
		got := "none"
		switch {
		case err != nil:
			got = "error"
			if len(err.Error()) > 150 {
				t.Errorf("%s: the error has %d bytes", text, len(err.Error()))
			}
		case w.usual:
			got = "usual"
		case w.drain:
			got = w.within.String()
		}
		if got != want || w.drain && w.why == "" {
			t.Errorf("%s: %s (%s), want %s", text, got, w.why, want)
		}
	}
}
