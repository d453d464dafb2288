package engine

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of texts for players.
const (
	// MaxMessage is the length of a message, in bytes; a longer one is cut. It is what a string crosses with by default.
	MaxMessage = 255
	// MaxMessageKind is the maximum length of a message's kind, in bytes.
	MaxMessageKind = 16
	// MaxMessages is how many messages a world remembers; the oldest are dropped first.
	MaxMessages = 64
	// maxMarks is how many combining marks may follow a character: more would cover the lines above and below.
	maxMarks = 3
	// maxName is the length of a player's name, in bytes.
	maxName = 64
)

// OneLine returns text as one line that may be shown to anybody, with at most most bytes. It removes control
// and formatting characters, which could move a terminal's cursor, change the direction of writing or hide in a
// name, and everything else that no font shows; white space becomes single spaces, none at either end. Invalid
// UTF-8 becomes U+FFFD. A character is never split.
func OneLine(text string, most int) string {
	var b strings.Builder
	marks, space := 0, false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			space = true
			continue
		case !unicode.IsPrint(r):
			continue
		case unicode.Is(unicode.M, r):
			if marks++; marks > maxMarks {
				continue
			}
		default:
			marks = 0
		}
		n := utf8.RuneLen(r)
		space = space && b.Len() > 0
		if space {
			n++
		}
		if b.Len()+n > most {
			break
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// ShowMessage stores a message for the player at this machine, for viewers and scripts. from is the name of the
// player who sent it, "" for the game.
func (w *World) ShowMessage(text, kind, from string) {
	if len(w.messages) >= MaxMessages {
		w.messages = w.messages[:copy(w.messages, w.messages[1:])]
	}
	w.messageNumber++
	w.messages = append(w.messages, Message{w.messageNumber, OneLine(text, MaxMessage), OneLine(kind, MaxMessageKind), OneLine(from, maxName), w.Time})
}

// Messages appends the remembered messages with numbers above after to buf, oldest first.
func (w *World) Messages(after uint64, buf []Message) []Message {
	for _, m := range w.messages {
		if m.Number > after {
			buf = append(buf, m)
		}
	}
	return buf
}
