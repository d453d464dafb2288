package view

import (
	"strings"
	"testing"
)

// Nothing that a host says reaches a terminal as a command.
func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain ümlaut ✓":              "plain ümlaut ✓",
		"\x1b]0;title\x07\x1b[2Jtext": "]0;title[2Jtext",
		"two\nlines\tand\r":           "two lines and",
		"\u009b31m\u202eback":         "31mback",
		"bad \xff utf8":               "bad \ufffd utf8",
	} {
		if got := Clean(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// Columns are what a terminal counts: styles take none, some characters two.
func TestCut(t *testing.T) {
	for _, c := range []struct {
		in   string
		most int
		want string
	}{
		{"", 3, ""},
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"abcd", 0, ""},
		{"日本語", 6, "日本語"},
		{"日本語", 5, "日本…"},
		{"日本語", 4, "日…"},
		{"e\u0301e\u0301", 2, "e\u0301e\u0301"},
		{styled(strong, "abc"), 3, styled(strong, "abc")},
		{styled(strong, "abcd"), 3, strong + "ab" + plain + "…"},
		{"a" + styled(own, "b") + "c", 3, "a" + styled(own, "b") + "c"},
	} {
		if got := cut(c.in, c.most); got != c.want || width(got) > c.most {
			t.Errorf("%q to %d: %q, want %q", c.in, c.most, got, c.want)
		}
	}
	if got := pad(styled(own, "日"), 4); got != styled(own, "日")+"  " {
		t.Errorf("%q", got)
	}
	if got := unstyled("a" + styled(own, "日") + "c\x1b["); got != "a日c" {
		t.Errorf("%q", got)
	}
}

// A name in the feed stands as the game writes it, so that one finds oneself.
func TestQuoted(t *testing.T) {
	for in, want := range map[string]string{"Ann": "Ann", "Ann-2_b": "Ann-2_b", "Öle": "Öle", "Ann of Orkney": `"Ann of Orkney"`, `"`: `"'"`, "a.b": `"a.b"`} {
		if got := quoted(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestLogKeepsTheLatest(t *testing.T) {
	var l log
	for range keptLines {
		l.add("old", false)
	}
	l.add("one\ntwo \x1b[2J\n", true)
	if got := l.latest(3, nil); len(got) != 3 || got[0].text != "old" || got[1].text != "one" || got[2].text != "two [2J" || !got[2].fault {
		t.Errorf("%v", got)
	}
	if n := len(l.latest(2*keptLines, nil)); n != keptLines {
		t.Errorf("%d lines", n)
	}
	if strings.Contains(l.latest(1, nil)[0].text, "\x1b") {
		t.Error("a line moves the cursor")
	}
}
