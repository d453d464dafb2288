package view

import (
	"slices"
	"strings"
	"sync"

	"github.com/tidelock/tidelock/engine"
)

// keptLines is how many of the latest lines of the log and of messages a view keeps.
const keptLines = 200

// logLine is a line of the log.
type logLine struct {
	text  string
	fault bool
}

// log holds the log lines of a view. Any goroutine may add to it.
type log struct {
	mu    sync.Mutex
	lines []logLine
}

func (l *log) add(text string, fault bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if len(l.lines) == keptLines {
			l.lines = append(l.lines[:0], l.lines[1:]...)
		}
		l.lines = append(l.lines, logLine{Clean(t), fault})
	}
}

// latest returns the last lines, at most so many, without those that are also messages of the feed.
func (l *log) latest(most int, feed []engine.Message) []logLine {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []logLine
	for i := len(l.lines) - 1; i >= 0 && len(out) < most; i-- {
		if !l.lines[i].fault && repeats(l.lines[i].text, feed) {
			continue
		}
		out = append(out, l.lines[i])
	}
	slices.Reverse(out)
	return out
}

// repeats reports whether a line of the log repeats a message: a game that tells its players also logs it.
func repeats(line string, feed []engine.Message) bool {
	for i := range feed {
		if feed[i].Text != "" && strings.HasSuffix(line, feed[i].Text) {
			return true
		}
	}
	return false
}

// kindStyles are the styles of messages by their kind; others have none.
var kindStyles = map[string]string{"event": strong, "chat": chatted, "team": useful}

// messageLine formats a message for the feed. me is the player's own name as in a sentence.
func messageLine(m *engine.Message, me string) string {
	style := kindStyles[m.Kind]
	if m.Kind == "kill" && me != "" && strings.Contains(m.Text, me) {
		style = own
	}
	text := m.Text
	if m.From != "" {
		text = m.From + ": " + text
	}
	return styled(style, Clean(text))
}

// quoted returns a name for use in a sentence; see PlayerReplicationInfo.GetQuotedName.
func quoted(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool {
		return r < 0x80 && r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) {
		return `"` + strings.ReplaceAll(name, `"`, "'") + `"`
	}
	return name
}
