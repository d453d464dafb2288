package tests

import (
	"net"
	"regexp"
	"strings"
	"testing"
)

// docPorts lets a document show fixed ports while its commands use what the system gives them, so that no document depends on who else
// listens on the machine. A host in the background gets port 0, and its line `ready: ` says what it became. A port of which no host is
// known becomes that of a socket that never answers.
type docPorts struct {
	listen, web string            // as shown, of the host that was started last
	known       map[string]string // actual ports by those shown
}

var (
	listenFlag = regexp.MustCompile(`(--(?:listen|web) [0-9.]*:)([0-9]+)`)
	shownPort  = regexp.MustCompile(`(localhost|127\.0\.0\.1):([0-9]+)\b`)
	udpReady   = regexp.MustCompile(`^ready: .* players on UDP [0-9.]+:([0-9]+)`)
	webReady   = regexp.MustCompile(`^ready: .* browsers on http://localhost:([0-9]+)`)
)

// listening is a command that goes to the background, with port 0 where the document shows a port to listen on.
func (p *docPorts) listening(command string) string {
	p.listen, p.web, p.known = "", "", map[string]string{}
	return listenFlag.ReplaceAllStringFunc(command, func(s string) string {
		m := listenFlag.FindStringSubmatch(s)
		if strings.HasPrefix(s, "--web") {
			p.web = m[2]
		} else {
			p.listen = m[2]
		}
		return m[1] + "0"
	})
}

// learn looks for the line that says which ports the host has.
func (p *docPorts) learn(lines []string) {
	for _, l := range lines {
		if m := udpReady.FindStringSubmatch(l); m != nil && p.listen != "" {
			p.known[p.listen] = m[1]
		}
		if m := webReady.FindStringSubmatch(l); m != nil && p.web != "" {
			p.known[p.web] = m[1]
		}
	}
}

// actual is a command with the ports that there are.
func (p *docPorts) actual(t *testing.T, command string) string {
	t.Helper()
	command = listenFlag.ReplaceAllString(command, "${1}0") // where nothing stays, as with `doctor`
	return shownPort.ReplaceAllStringFunc(command, func(s string) string {
		m := shownPort.FindStringSubmatch(s)
		port, ok := p.known[m[2]]
		if !ok && m[2] != "0" {
			mute, err := net.ListenPacket("udp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = mute.Close() }) // nobody used it
			_, port, _ = net.SplitHostPort(mute.LocalAddr().String())
			if p.known == nil {
				p.known = map[string]string{}
			}
			p.known[m[2]] = port
		}
		return m[1] + ":" + port
	})
}

// shown is output with the ports that the document shows.
func (p *docPorts) shown(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		for shown, actual := range p.known { // any order: no actual port is a shown one
			l = regexp.MustCompile(":"+actual+`\b`).ReplaceAllString(l, ":"+shown)
		}
		out[i] = l
	}
	return out
}
