package engine

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestOneLine(t *testing.T) {
	for _, c := range []struct {
		in   string
		most int
		want string
	}{
		{"plain ümlaut ✓", 100, "plain ümlaut ✓"},
		{"\x1b]0;title\x07\x1b[2Jtext", 100, "]0;title[2Jtext"},
		{" two\r\n\tlines ", 100, "two lines"},
		{"\u009b31m\u202eback\u2066\u200b\ufeff", 100, "31mback"},
		{"bad \xff utf8", 100, "bad \ufffd utf8"},
		{"a\u0301\u0301\u0301\u0301\u0301b\u0301", 100, "a\u0301\u0301\u0301b\u0301"},
		{"éé", 3, "é"},
		{"a b", 2, "a"},
		{"anything", 0, ""},
		{"\u2028\u00a0", 10, ""},
	} {
		if got := OneLine(c.in, c.most); got != c.want {
			t.Errorf("%q, %d: %q, want %q", c.in, c.most, got, c.want)
		}
	}
}

func FuzzOneLine(f *testing.F) {
	f.Add("A\x1b[2Jn\u202e", 5)
	f.Add(" é\xff\u0301\u0301\u0301\u0301", 40)
	f.Fuzz(func(t *testing.T, text string, most int) {
		got := OneLine(text, most)
		if len(got) > max(0, most) || !utf8.ValidString(got) || strings.TrimSpace(got) != got {
			t.Errorf("%q, %d: %q", text, most, got)
		}
		for _, r := range got {
			if !unicode.IsPrint(r) {
				t.Errorf("%q: %q is left", text, r)
			}
		}
		if again := OneLine(got, most); again != got {
			t.Errorf("%q: %q, again %q", text, got, again)
		}
	})
}

func TestMessages(t *testing.T) {
	w := NewWorld(Config{})
	for i := range MaxMessages + 10 {
		w.ShowMessage(strings.Repeat("x", i+200), "kind\x07"+strings.Repeat("y", 20), strings.Repeat("z", 80))
	}
	all := w.Messages(0, nil)
	if len(all) != MaxMessages || all[0].Number != 11 || all[MaxMessages-1].Number != MaxMessages+10 {
		t.Errorf("%d messages, from %d", len(all), all[0].Number)
	}
	for _, m := range all {
		if len(m.Text) > MaxMessage || m.Kind != "kindyyyyyyyyyyyy" {
			t.Errorf("%d bytes of kind %q", len(m.Text), m.Kind)
		}
	}
	if got := w.Messages(MaxMessages+8, nil); len(got) != 2 || got[0].Number != MaxMessages+9 {
		t.Errorf("%v", got)
	}
}
