package join

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/tidelock/tidelock/cmd/host/view"
)

// Exit codes of a player's program besides 0 (ended as requested), 1 (anything else) and 2 (a wrong flag).
const (
	// ExitNoAnswer: nobody answered at that address.
	ExitNoAnswer = 3
	// ExitRefused: the host or its game did not let the player in.
	ExitRefused = 4
	// ExitMismatch: the two programs, or their files, do not fit together.
	ExitMismatch = 5
	// ExitLost: the player was in and was sent away, or the connection broke.
	ExitLost = 6
)

// Ended is an unintended end of a connection. Its text is one line.
type Ended struct {
	// Exit is the exit code, Code the reason's word for programs.
	Exit int
	Code string
	text string
}

func (e *Ended) Error() string { return e.text }

// With returns the same with another text.
func (e *Ended) With(text string) *Ended { return &Ended{e.Exit, e.Code, text} }

// Unanswered returns the end of an attempt that nobody answered, with the exit code of join; shown is the address as the user
// wrote it.
func Unanswered(shown string, addr netip.Addr, within time.Duration) *Ended {
	return &Ended{ExitNoAnswer, "unreachable", fmt.Sprintf("no answer from %s within %v; %s", shown, within, unanswered(addr))}
}

// mismatches are reasons that another address, name or password does not solve.
var mismatches = map[string]bool{"version": true, "table": true, "files": true, "scripts": true, "protocol": true, "server_key": true}

// Outcome returns why the player's connection ended, nil if it has not.
func (p *Player) Outcome() *Ended {
	if !p.Over() {
		return nil
	}
	why := p.why
	e := &Ended{Code: view.Clean(why.Code)}
	text := view.Clean(why.Text)
	if text == "" {
		text = "no reason was given"
	}
	switch {
	case p.joined && p.back.Line() != "": // it gave up
		e.Exit = ExitLost
		e.text = fmt.Sprintf("%s: the connection ended: %s; %s", p.opt.Shown, text, p.back.Line())
	case (why.Code == "unreachable" || why.Code == "carrier" && !p.joined) && p.opt.Carry != nil: // the carrier knows more than a missing answer
		e.Exit = ExitNoAnswer
		e.text = fmt.Sprintf("no route to %s: %s", p.opt.Shown, text)
		return e
	case why.Code == "unreachable":
		return Unanswered(p.opt.Shown, p.opt.Addr.Addr(), p.timeout())
	case mismatches[why.Code]:
		e.Exit = ExitMismatch
		e.text = fmt.Sprintf("%s: %s", p.opt.Shown, text)
	case p.joined:
		e.Exit = ExitLost
		e.text = fmt.Sprintf("%s: the connection ended: %s", p.opt.Shown, text)
	default:
		e.Exit = ExitRefused
		e.text = fmt.Sprintf("%s refused: %s", p.opt.Shown, text)
	}
	if e.Code != "" {
		e.text += " (" + e.Code + ")"
	}
	return e
}

// unanswered returns a question about likely causes when nobody answers at an address.
func unanswered(at netip.Addr) string {
	if at.IsLoopback() {
		return "is a host running on this machine, on that port?"
	}
	return "is a host running there, open to other machines (--listen :7777), and does its firewall let UDP through?"
}

// dialTimeout is package kcplink's default.
const dialTimeout = 10 * time.Second

func (p *Player) timeout() time.Duration {
	if p.opt.Timeout > 0 {
		return p.opt.Timeout
	}
	return dialTimeout
}
