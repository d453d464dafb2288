package kcplink

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/netcode/kcplink/impair"
)

var update = flag.Bool("update", false, "write the test vectors")

// document is docs/transport.md.
const document = "../../docs/transport.md"

// counted is randomness for vectors: SHA-256 of a name and a counter, and what was taken of it.
type counted struct {
	name  string
	n     uint64
	taken [][]byte
}

func (r *counted) Read(b []byte) (int, error) {
	for i := 0; i < len(b); i += sha256.Size {
		sum := sha256.Sum256(binary.BigEndian.AppendUint64([]byte(r.name), r.n))
		r.n++
		copy(b[i:], sum[:])
	}
	r.taken = append(r.taken, bytes.Clone(b))
	return len(b), nil
}

// vectors is one session in token mode, byte for byte, and a data packet and a token by themselves.
func vectors(t *testing.T) string {
	var out strings.Builder
	line := func(name string, b []byte) {
		n := len(bytes.TrimRight(b, "\x00"))
		tail := ""
		if len(b)-n < 8 {
			n = len(b)
		} else {
			tail = fmt.Sprintf(" and zeros to %d bytes", len(b))
		}
		fmt.Fprintf(&out, "%-28s %s%s\n", name, hex.EncodeToString(b[:n]), tail)
	}
	names := map[byte]string{typeData: "data", typeHello: "hello", typeCookie: "cookie", typeConnect: "connect", typeResponse: "response", typeConfirm: "confirm"}
	issued := time.Unix(1_800_000_000, 0)
	tok, err := issueToken(&counted{name: "token"}, operatorKey, TokenClaims{Name: "Ann", Server: "eu-1", Issued: issued, Expires: issued.Add(time.Minute)})
	must(t, err)
	inOne(t, impair.Rule{}, false, func(w *world) {
		packets := 0
		sr, cr := &counted{name: "server"}, &counted{name: "client"}
		s := w.add(serverAddr, Config{Key: testKey(1), Random: sr, Server: &Server{TokenKey: &operatorKey, Name: "eu-1", Wall: func() time.Time { return issued }}})
		c := w.add(clientAddr, Config{Key: testKey(2), Random: cr})
		w.tap = func(from, _ netip.AddrPort, b []byte) bool {
			side := "server's "
			if from == clientAddr {
				side = "client's "
			}
			if packets++; packets <= 7 { // later ones carry the time of KCP, which is the process's
				line(side+names[b[0]], b)
			}
			return true
		}
		line("operator's token key", operatorKey[:])
		fmt.Fprintf(&out, "%-28s %s\n", "token", tok)
		line("server's private key", s.l.key.Private[:])
		line("client's private key", c.l.key.Private[:])
		line("server's cookie secret", sr.taken[0])
		fmt.Fprintf(&out, "%-28s %s to %s, slot %d\n", "addresses", clientAddr, serverAddr, slotOf(w.now))
		cc := c.dial(Dial{Token: tok, Options: "name=Ann"})
		w.until("open", time.Second, func() bool { return len(c.opened) == 1 && len(s.opened) == 1 })
		must(t, cc.Send([]byte("reliable")), cc.SendDatagram([]byte("unreliable")))
		w.run(50 * time.Millisecond)
		fmt.Fprintf(&out, "%-28s %x\n%-28s %x\n", "client's ephemeral key", cr.taken[len(cr.taken)-1], "server's ephemeral key", sr.taken[1])
	})
	out.WriteString("\n")
	var key [32]byte
	copy(key[:], bytes.Repeat([]byte{7}, 32))
	plain := appendDatagram(appendTime(nil, 1000, 900, 5), []byte("abc"))
	var buf [maxPacket]byte
	copy(buf[headerSize:], plain)
	n := sealPacket(newAEAD(key), new(nonce), &buf, len(plain), 0xabcd0001, 1<<32+5)
	line("a data packet's key", key[:])
	line("its frames", plain)
	fmt.Fprintf(&out, "%-28s session abcd0001, number 4294967301\n", "its header")
	line("it", buf[:n])
	return out.String()
}

var vectorBlock = regexp.MustCompile("(?s)```vectors\n(.*?)```")

// The vectors in the document are what the code does, with a second implementation's eyes: bytes.
func TestVectors(t *testing.T) {
	got := vectors(t)
	doc, err := os.ReadFile(document)
	must(t, err)
	m := vectorBlock.FindSubmatchIndex(doc)
	if m == nil {
		t.Fatal("the document has no vectors")
	}
	if *update {
		doc = slices.Concat(doc[:m[2]], []byte(got), doc[m[3]:])
		must(t, os.WriteFile(document, doc, 0o644))
		return
	}
	if want := string(doc[m[2]:m[3]]); got != want {
		t.Errorf("the vectors changed; if that is meant, run go test ./netcode/kcplink -run Vectors -update\n%s", got)
	}
}

// What the document draws is what the code says: layouts, states, limits, reasons.
func TestDocumentIsTrue(t *testing.T) {
	raw, err := os.ReadFile(document)
	must(t, err)
	doc := string(raw)
	var source strings.Builder
	files, _ := filepath.Glob("*.go")
	for _, f := range files {
		b, err := os.ReadFile(f)
		must(t, err)
		source.Write(b)
	}
	drawn := 0
	for _, block := range regexp.MustCompile("(?s)```bytes\n(.*?)```").FindAllStringSubmatch(doc, -1) {
		for line := range strings.Lines(block[1]) {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			drawn++
			if !strings.Contains(source.String(), "//\t"+line+"\n") {
				t.Errorf("drawn in the document and not above the code: %s", line)
			}
		}
	}
	if drawn < 18 {
		t.Errorf("only %d lines are drawn", drawn)
	}
	for s := range states {
		for _, n := range after[s] {
			if row := fmt.Sprintf("| %v | %v |", s, n); !strings.Contains(doc, row) {
				t.Errorf("the document has no transition %q", row)
			}
		}
	}
	defaults, err := Limits{}.withDefaults()
	must(t, err)
	v := reflect.ValueOf(defaults)
	for i := range v.NumField() {
		if row := fmt.Sprintf("| `%s` | %v |", v.Type().Field(i).Name, v.Field(i).Interface()); !strings.Contains(doc, row) {
			t.Errorf("the document has no limit %q", row)
		}
	}
	for d := denial(1); d < denials; d++ {
		if row := fmt.Sprintf("| %d | `%s` |", d, d.reason(0).Code); !strings.Contains(doc, row) {
			t.Errorf("the document has no denial %q", row)
		}
	}
}
