package view

import (
	"unicode"
	"unicode/utf8"
)

// longestLine bounds what can be typed at the prompt, in bytes.
const longestLine = 400

// listener is the recipient of a typed line.
type listener uint8

const (
	toHost listener = iota // a command
	toAll
	toTeam
)

// prompt is the line in which host commands and the player's chat are typed.
type prompt struct {
	open bool
	to   listener
	line []byte
}

// press handles a key while the prompt is open. It returns the line when that is entered; done reports that the
// prompt has closed.
func (p *prompt) press(k key) (line string, done bool) {
	switch {
	case k == enter || k == lineFeed:
		line, done = string(p.line), true
	case k == escape:
		done = true
	case k == backspace || k == erase:
		_, n := utf8.DecodeLastRune(p.line)
		p.line = p.line[:len(p.line)-n]
	case k == ctrlU:
		p.line = p.line[:0]
	case k >= ' ' && k <= 0xff && len(p.line) < longestLine: // bytes of a character come one by one
		p.line = append(p.line, byte(k))
	}
	if done {
		*p = prompt{line: p.line[:0]}
	}
	return line, done
}

// text returns the line as shown in so many columns: the end of a long one.
func (p *prompt) text(width int) string {
	runes := []rune([...]string{toHost: ": ", toAll: "say: ", toTeam: "to the team: "}[p.to])
	for line := p.line; len(line) > 0; {
		r, n := utf8.DecodeRune(line)
		line = line[n:]
		if unicode.IsPrint(r) && r != utf8.RuneError {
			runes = append(runes, r)
		}
	}
	runes = append(runes, '_')
	room := 0
	for i := len(runes) - 1; i >= 0; i-- {
		if room += columns(runes[i]); room > width {
			return string(runes[i+1:])
		}
	}
	return string(runes)
}
