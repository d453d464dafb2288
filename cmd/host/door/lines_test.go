package door

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/server"
)

func newLines() (*lines, *bytes.Buffer) {
	var b bytes.Buffer
	return &lines{log: slog.New(slog.NewJSONHandler(&b, nil))}, &b
}

func event(addr, text string) *server.Event {
	return &server.Event{Kind: server.EventOffence, Severity: engine.SevWarning, Text: text, Player: "Ann", Key: "key-01", Addr: addr}
}

// count is how many lines contain all of some texts.
func count(b *bytes.Buffer, texts ...string) (n int) {
	for line := range strings.Lines(b.String()) {
		if !slices.ContainsFunc(texts, func(t string) bool { return !strings.Contains(line, t) }) {
			n++
		}
	}
	return n
}

// TestLinesOfANetwork (G12): a peer that causes 1 000 lines a second, each with a text and a port of its own, is logged 20 a second
// after a burst of 100; what is dropped is told every five seconds; other peers, and what is about nobody, are logged in full.
func TestLinesOfANetwork(t *testing.T) {
	l, b := newLines()
	const seconds = 11
	for ms := range seconds * 1000 {
		now := time.Duration(ms) * time.Millisecond
		l.event(now, event(fmt.Sprintf("[2001:db8::%x]:%d", ms%500, 1000+ms), fmt.Sprint("bad ", ms)))
		if ms%100 == 0 {
			l.event(now, event("192.0.2.7:7", "good"))
			l.line(now, netip.Addr{}, slog.LevelError, "own")
		}
		l.tell(now, false)
	}
	if n := count(b, `"msg":"bad `); n < lineBurst || n > lineBurst+seconds*lineRate {
		t.Errorf("%d lines in %d s", n, seconds)
	}
	if n := count(b, `"msg":"good"`); n != 10*seconds {
		t.Errorf("%d lines about another peer, want %d", n, 10*seconds)
	}
	if n := count(b, `"msg":"own"`); n != 10*seconds {
		t.Errorf("%d lines about nobody, want %d", n, 10*seconds)
	}
	if n := count(b, `"event":"dropped"`, `"addr":"2001:db8::"`, `"seconds":5`); n != 2 {
		t.Errorf("told %d times of dropped lines\n%s", n, b)
	}
	l.tell(seconds*time.Second, true)
	told := 0
	for line := range strings.Lines(b.String()) {
		var x struct {
			Event string
			Lines int
		}
		if err := json.Unmarshal([]byte(line), &x); err != nil {
			t.Fatal(err)
		}
		if x.Event == eventDropped {
			told += x.Lines
		}
	}
	if n := count(b, `"msg":"bad `); told+n != seconds*1000 {
		t.Errorf("%d lines dropped and %d logged of %d", told, n, seconds*1000)
	}
}

// TestLinesOfManyNetworks (G12): however many networks there are, the table is bounded, and so are the lines in all and those about
// dropped ones.
func TestLinesOfManyNetworks(t *testing.T) {
	l, b := newLines()
	for i := range 60000 {
		now := time.Duration(i) * time.Second / 10000 // 6 s
		l.event(now, event(fmt.Sprintf("10.%d.%d.1:9", i/250%40, i%250), "bad"))
		l.tell(now, false)
		if len(l.by) > maxNetworks {
			t.Fatalf("%d networks are counted apart", len(l.by))
		}
	}
	if n := count(b, `"msg":"bad"`); n > allBurst+6*allRate {
		t.Errorf("%d lines in 6 s", n)
	}
	if n := count(b, `"event":"dropped"`); n == 0 || n > maxDropped+1 {
		t.Errorf("%d lines about dropped ones", n)
	}
	l.line(6*time.Second, netip.Addr{}, slog.LevelError, "own")
	if count(b, `"msg":"own"`) != 1 {
		t.Error("many networks drown what is about nobody")
	}
	l.tell(6*time.Second, true)
	for i := range 20 {
		l.event(time.Hour, event(fmt.Sprintf("192.0.2.%d:1", i), "late"))
	}
	if len(l.by) > 20 {
		t.Errorf("%d networks are remembered after a quiet hour", len(l.by))
	}
}

// TestLinesOfGuesses (G16): wrong passwords are logged with their address, their number and the wait in seconds.
func TestLinesOfGuesses(t *testing.T) {
	l, b := newLines()
	l.guess(0, kcplink.Guess{Addr: netip.MustParseAddrPort("192.0.2.1:99"), Count: 5, Wait: 2 * time.Second})
	if want := `"level":"WARN","msg":"wrong password","event":"password","addr":"192.0.2.1:99","count":5,"seconds":2}`; !strings.Contains(b.String(), want) {
		t.Errorf("logged %s, want %s", b, want)
	}
}

// TestEventFields (G19): an event has who it is about in fields of their own.
func TestEventFields(t *testing.T) {
	l, b := newLines()
	l.event(0, event("192.0.2.1:99", "bad"))
	if want := `"msg":"bad","event":"offence","player":"Ann","key":"key-01","addr":"192.0.2.1:99"}`; !strings.Contains(b.String(), want) {
		t.Errorf("logged %s, want %s", b, want)
	}
}

// TestEventsAreDocumented: docs/hosting.md lists every event, and no other of the door's.
func TestEventsAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../../docs/hosting.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| players \\|").FindAllStringSubmatch(string(doc), -1) {
		listed = append(listed, m[1])
	}
	want := []string{eventGate, eventDropped} // password is one of the server's, too
	for _, k := range server.EventKinds() {
		want = append(want, k.String())
	}
	slices.Sort(want)
	slices.Sort(listed)
	if !slices.Equal(listed, want) {
		t.Errorf("docs/hosting.md lists %q, the door has %q", listed, want)
	}
}
