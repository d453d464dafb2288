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

var update = flag.Bool("update", false, "write the test vectors and the fuzz corpus")

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

// vectors is one session in token mode, byte for byte, and a data packet and a token by themselves. It also
// returns the packets, for the fuzz corpus.
func vectors(t *testing.T) (string, [][]byte) {
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
	if err != nil {
		t.Fatal(err)
	}
	var packets [][]byte
	inOne(t, impair.Rule{}, false, func(w *world) {
		sr, cr := &counted{name: "server"}, &counted{name: "client"}
		s := w.add(serverAddr, Config{Key: testKey(1), Random: sr, Server: &Server{TokenKey: &operatorKey, Name: "eu-1", Wall: func() time.Time { return issued }}})
		c := w.add(clientAddr, Config{Key: testKey(2), Random: cr})
		w.tap = func(from, _ netip.AddrPort, b []byte) bool {
			side := "server's "
			if from == clientAddr {
				side = "client's "
			}
			packets = append(packets, bytes.Clone(b))
			if len(packets) <= 7 { // later ones carry the time of KCP, which is the process's
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
		if err := cc.Send([]byte("reliable")); err != nil {
			t.Fatal(err)
		}
		if err := cc.SendDatagram([]byte("unreliable")); err != nil {
			t.Fatal(err)
		}
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
	return out.String(), packets
}

var vectorBlock = regexp.MustCompile("(?s)```vectors\n(.*?)```")

// The vectors in the document are what the code does, with a second implementation's eyes: bytes.
func TestVectors(t *testing.T) {
	got, packets := vectors(t)
	doc, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	m := vectorBlock.FindSubmatchIndex(doc)
	if m == nil {
		t.Fatal("the document has no vectors")
	}
	if *update {
		doc = slices.Concat(doc[:m[2]], []byte(got), doc[m[3]:])
		if err := os.WriteFile(document, doc, 0o644); err != nil {
			t.Fatal(err)
		}
		writeCorpus(t, packets)
		return
	}
	if want := string(doc[m[2]:m[3]]); got != want {
		t.Errorf("the vectors changed; if that is meant, run go test ./netcode/kcplink -run Vectors -update\n%s", got)
	}
}

// writeCorpus makes seeds for the fuzz targets out of real packets.
func writeCorpus(t *testing.T, packets [][]byte) {
	t.Helper()
	write := func(target, name string, values ...string) {
		dir := filepath.Join("testdata", "fuzz", target)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		text := "go test fuzz v1\n" + strings.Join(values, "\n") + "\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	quoted := func(b []byte) string { return fmt.Sprintf("[]byte(%q)", b) }
	var all []byte
	for i, p := range packets {
		if i >= 12 {
			break
		}
		all = binary.BigEndian.AppendUint16(all, uint16(len(p)))
		all = append(all, p...)
		if p[0] == typeConnect {
			write("FuzzConnect", "token", quoted(p))
			c, _ := parseConnect(p)
			write("FuzzToken", "real", quoted(c.token[:len(c.token)-1]), quoted(make([]byte, claimsLeast)))
		}
		write("FuzzDatagrams", fmt.Sprintf("packet%02d", i), quoted(append(binary.BigEndian.AppendUint16(nil, uint16(len(p))), p...)))
	}
	write("FuzzDatagrams", "session", quoted(all))
	open := append(appendConnectHead(nil, modeOpen, 7, make([]byte, rawCookie), nil), make([]byte, 160)...)
	write("FuzzConnect", "open", quoted(open))
	write("FuzzConfirm", "options", quoted(append(append(make([]byte, proofSize), 0, 3), "abc"...)))
	claims := append(make([]byte, 56), 3, 'A', 'n', 'n', 4, 'e', 'u', '-', '1')
	write("FuzzToken", "claims", quoted(make([]byte, tokenLeast)), quoted(claims))
	push := func(sn byte, data ...byte) []byte {
		return append([]byte{framePush, 0, 64, 0, 0, 0, 9, 0, 0, 0, sn, 0, 0, 0, 0, 0, byte(len(data))}, data...)
	}
	ack := []byte{frameAck, 0, 64, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 1}
	ask, tell := []byte{frameAsk, 0, 0, 0, 0, 0, 0}, []byte{frameTell, 0, 9, 0, 0, 0, 0}
	for name, b := range map[string][]byte{
		"inorder":  slices.Concat(push(0, 3, 'a', 'b', 'c'), push(1, 1, 'x')),
		"reversed": slices.Concat(push(1, 'c', 1, 'x'), push(0, 3, 'a', 'b')),
		"twice":    slices.Concat(push(0, 0), push(0, 0), ack, ack),
		"window":   slices.Concat(ask, tell, ack),
		"other":    slices.Concat(appendDatagram(nil, []byte("d")), appendTime(nil, 5, 4, 3), appendClose(nil, "kick", "text")),
		"far":      push(200, 1, 'x'),
	} {
		write("FuzzFramesOfAPeer", name, quoted(b))
		write("FuzzFrames", name, quoted(b))
	}
	write("FuzzStream", "messages", quoted([]byte{3, 'a', 'b', 'c', 0, 0x80, 1}), "byte('\\x02')")
	write("FuzzStream", "endless", quoted([]byte{0xff, 0xff, 0xff, 0xff}), "byte('\\x00')")
	write("FuzzStream", "large", quoted(append([]byte{0xe0, 0xd4, 3}, make([]byte, 2000)...)), "byte('\\xff')")
}

// What the document draws is what the code says: layouts, states, limits, reasons.
func TestDocumentIsTrue(t *testing.T) {
	raw, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	doc := string(raw)
	var source strings.Builder
	files, _ := filepath.Glob("*.go")
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
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
	if err != nil {
		t.Fatal(err)
	}
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
