//go:build !js

package carrier

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/coder/websocket"
	"github.com/quic-go/webtransport-go"

	"github.com/tidelock/tidelock/netcode/link"
)

// Statuses with which sessions end: WebSocket's close codes, used as WebTransport's session error codes too.
const (
	// statusAway: the process or the link ends.
	statusAway = 1001
	// statusText: a text message, where packets are binary.
	statusText = 1003
	// statusPolicy: a limit of time or number.
	statusPolicy = 1008
	// statusTooBig: a message larger than any packet.
	statusTooBig = 1009
	// statusReason: the link no longer needs the session, for a reason of its own.
	statusReason = 4000
)

// ending is how a session ends.
type ending struct {
	status int
	why    link.Reason
	// gone: the peer has ended it, or is unreachable.
	gone bool
}

// orderly reports whether neither side made an error.
func (e *ending) orderly() bool { return e.gone || e.status == statusReason || e.status == statusAway }

// line returns the text that the peer is sent: "code: text", cut to a close frame's size.
func (e *ending) line() string {
	return cut(strings.ToValidUTF8(e.why.Code+": "+e.why.Text, "?"), maxReason)
}

// violation is an error of the peer: something that it must not send, or does not accept.
type violation struct{ ending }

func (v *violation) Error() string { return v.why.Text }

// timeout returns the ending of a session whose time is up.
func timeout(format string, args ...any) ending {
	return ending{status: statusPolicy, why: link.Reason{Code: "timeout", Text: fmt.Sprintf(format, args...)}}
}

// endingOf returns the ending for an error of a wire: the peer's reason, or "lost" if the peer is gone.
func endingOf(err error) ending {
	var status int
	var said string
	var ws websocket.CloseError
	var wt *webtransport.SessionError
	switch {
	case errors.As(err, &ws):
		status, said = int(ws.Code), ws.Reason
	case errors.As(err, &wt):
		status, said = int(wt.ErrorCode), wt.Message
	default:
		return ending{why: link.Reason{Code: "lost", Text: oneLine("the session is lost: " + err.Error())}, gone: true}
	}
	code, text, ok := strings.Cut(said, ": ")
	if !ok || !isCode(code) {
		code, text = "lost", fmt.Sprintf("the other side ended the session (%d): %s", status, said)
	}
	return ending{status: status, why: link.Reason{Code: code, Text: oneLine(text)}, gone: true}
}

// isCode reports whether a peer's text can be a code: a short word.
func isCode(s string) bool {
	return s != "" && len(s) <= maxCode && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// oneLine makes untrusted text fit for a message: printable, on one line, at most maxText bytes.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == unicode.ReplacementChar || !unicode.IsPrint(r):
			return '?'
		}
		return r
	}, s)
	return cut(strings.Join(strings.Fields(s), " "), maxText)
}

// cut shortens valid UTF-8 to at most n bytes, between characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
