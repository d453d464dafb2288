package directory

import (
	"math"
	"strings"
	"testing"
)

func valid() Entry {
	return Entry{
		Host: "h", Name: "Ä host", Level: "arena", Game: "G", Version: "v1", Players: 1, Room: 2, Address: "[::1]:7777", Key: strings.Repeat("0f", 32),
		Web: "https://play.example/a", Carriers: []string{"udp"}, Hashes: []string{strings.Repeat("0f", 32)}, Labels: map[string]string{"a.b-c_d": "x y"}, Load: 0.25,
	}
}

func TestCheck(t *testing.T) {
	e := valid()
	if err := e.Check(); err != nil {
		t.Fatal(err)
	}
	if err := (&Entry{Host: "h"}).Check(); err != nil {
		t.Errorf("an entry with an id alone: %v", err)
	}
	many := map[string]string{}
	for i := range MaxLabels + 1 {
		many[string(rune('a'+i))] = ""
	}
	for what, change := range map[string]func(*Entry){ // any order: each by itself
		"id":               func(e *Entry) { e.Host = "a b" },
		"long name":        func(e *Entry) { e.Name = strings.Repeat("x", MaxText+1) },
		"line break":       func(e *Entry) { e.Level = "a\nb" },
		"escape":           func(e *Entry) { e.Game = "\x1b" },
		"right to left":    func(e *Entry) { e.Version = "\u202e" },
		"not UTF-8":        func(e *Entry) { e.Name = "\xff" },
		"players":          func(e *Entry) { e.Players = -1 },
		"room":             func(e *Entry) { e.Room = maxPlayers + 1 },
		"load":             func(e *Entry) { e.Load = -0.1 },
		"NaN":              func(e *Entry) { e.Load = math.NaN() },
		"infinite":         func(e *Entry) { e.Load = math.Inf(1) },
		"no port":          func(e *Entry) { e.Address = "example.org" },
		"port 0":           func(e *Entry) { e.Address = "example.org:0" },
		"no host":          func(e *Entry) { e.Address = ":7777" },
		"odd host":         func(e *Entry) { e.Address = "a b:7777" },
		"key":              func(e *Entry) { e.Key = "0f" },
		"scheme":           func(e *Entry) { e.Web = "javascript:alert(1)" },
		"user":             func(e *Entry) { e.Web = "http://a@b" },
		"query":            func(e *Entry) { e.Web = "http://b?x" },
		"fragment":         func(e *Entry) { e.Web = "http://b#x" },
		"slash":            func(e *Entry) { e.Web = "http://b/" },
		"policy":           func(e *Entry) { e.Web = "http://b/;script-src" },
		"relative":         func(e *Entry) { e.Web = "//b" },
		"web without host": func(e *Entry) { e.Web = "http:" },
		"carrier":          func(e *Entry) { e.Carriers = []string{"UDP"} },
		"carriers":         func(e *Entry) { e.Carriers = strings.Split("a a a a a a a a a", " ") },
		"hash":             func(e *Entry) { e.Hashes = []string{"zz"} },
		"hashes":           func(e *Entry) { e.Hashes = make([]string, maxHashes+1) },
		"label":            func(e *Entry) { e.Labels = map[string]string{"a b": ""} },
		"empty label":      func(e *Entry) { e.Labels = map[string]string{"": ""} },
		"label's value":    func(e *Entry) { e.Labels = map[string]string{"a": "\t"} },
		"labels":           func(e *Entry) { e.Labels = many },
	} {
		e := valid()
		change(&e)
		if e.Check() == nil {
			t.Errorf("%s: accepted", what)
		}
	}
}

// The longest entry that Check accepts can be announced: a host is never silent because of its own settings.
func TestLongestFits(t *testing.T) {
	text := strings.Repeat("<", MaxText) // 6 bytes each in JSON
	e := Entry{
		Host: strings.Repeat("h", 64), Name: text, Level: text, Game: text, Version: text, Players: maxPlayers, Room: maxPlayers, Load: maxLoad,
		Address: strings.Repeat("a", 255) + ":65535", Key: strings.Repeat("0f", 32), Web: "https://" + strings.Repeat("a", maxWeb-len("https://")),
		Labels: map[string]string{},
	}
	for range maxCarriers {
		e.Carriers = append(e.Carriers, strings.Repeat("a", maxCarrier))
	}
	for range maxHashes {
		e.Hashes = append(e.Hashes, e.Key)
	}
	for i := range MaxLabels {
		e.Labels[strings.Repeat("k", maxLabelKey-1)+string(rune('a'+i))] = text
	}
	if err := e.Check(); err != nil {
		t.Fatal(err)
	}
	if b, err := encode(&e); err != nil {
		t.Errorf("%d bytes: %v", len(b), err)
	}
}

func TestText(t *testing.T) {
	for in, want := range map[string]string{ // any order: each by itself
		"plain": "plain", "a\nb\x1b\xff": "ab", strings.Repeat("ä", MaxText): strings.Repeat("ä", MaxText/2), "x" + strings.Repeat("ä", MaxText): "x" + strings.Repeat("ä", MaxText/2-1),
	} {
		if got := Text(in); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	e := valid()
	b, err := encode(&e)
	if err != nil {
		f.Fatal(err)
	}
	f.Add("h", b)
	f.Add("h", []byte(`{"host":"h","load":1e999}`))
	f.Add("h", []byte(`{"Host":"h","labels":{"a":null}}`))
	f.Fuzz(func(t *testing.T, from string, body []byte) {
		e, err := decode(from, body)
		if err != nil {
			return
		}
		if e.Host != from || e.Check() != nil {
			t.Fatalf("accepted %+v from %q", e, from)
		}
		b, err := encode(&e)
		if err != nil {
			t.Fatal(err)
		}
		again, err := decode(from, b)
		if err != nil || !again.equal(&e, true) {
			t.Fatalf("%+v became %+v: %v", e, again, err)
		}
	})
}
