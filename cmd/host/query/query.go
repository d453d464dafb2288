// Package query asks a host to describe itself without joining it, and makes the description that a host answers with
// (docs/transport.md, Queries).
//
//	d := query.Description{Name: "Friday", Level: "arena", Players: 3, Max: 64}
//	link.SetInfo(d.Encode(kcplink.MaxInfo))
//
//	answer, err := query.Ask(ctx, addr)
//
// It deliberately does not: know worlds or print. Texts of an answer are a stranger's: the caller cleans them.
//
// Guarantees: An answer is never longer than the question, and goes only where the asker receives.
package query

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/tidelock/tidelock/netcode/kcplink"
)

const (
	// repeatEvery is how often a packet is repeated while no answer comes.
	repeatEvery = 300 * time.Millisecond
	// maxText bounds each text of a description, in bytes; longer ones are cut.
	maxText = 64
)

// Description is what a host says of itself.
type Description struct {
	// Name is the operator's name for the host, Level that of the level and Game the class of its game.
	Name  string `json:"name"`
	Level string `json:"level"`
	Game  string `json:"game"`
	// Players are in, Max may be.
	Players int `json:"players"`
	Max     int `json:"max"`
	// Password and Token say what a player needs to join.
	Password bool `json:"password"`
	Token    bool `json:"token"`
	// Draining says that the host takes no new players and ends soon.
	Draining bool `json:"draining,omitempty"`
	// Rules are options of the match by name.
	Rules map[string]string `json:"rules,omitempty"`
}

// Encode returns the description as JSON of at most so many bytes: long texts are cut, and rules are left out, the last
// ones by name first, until the rest fits.
func (d Description) Encode(most int) ([]byte, error) {
	d.Name, d.Level, d.Game = cut(d.Name), cut(d.Level), cut(d.Game)
	rules := map[string]string{}
	for name, value := range d.Rules { // any order: into a map
		rules[cut(name)] = cut(value)
	}
	d.Rules = rules
	names := slices.Sorted(maps.Keys(rules))
	for {
		b, err := json.Marshal(d)
		if err != nil || len(b) <= most {
			return b, err
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("query: the description has %d bytes, at most %d fit", len(b), most)
		}
		delete(rules, names[len(names)-1])
		names = names[:len(names)-1]
	}
}

// cut shortens a text to maxText bytes of valid UTF-8.
func cut(s string) string {
	if len(s) > maxText {
		s = s[:maxText]
		for len(s) > 0 && !utf8.ValidString(s) {
			s = s[:len(s)-1]
		}
	}
	return s
}

// Answer is a host's description, and how long the answer took.
type Answer struct {
	Description
	Ping time.Duration
}

// ErrSilent says that nothing answered: there is no host, it answers no queries, or packets were lost.
var ErrSilent = errors.New("no answer")

// Ask asks the host at an address, until ctx ends: then the error is ErrSilent.
func Ask(ctx context.Context, addr netip.AddrPort) (Answer, error) {
	conn, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(addr)) // connected: packets of others do not arrive
	if err != nil {
		return Answer{}, err
	}
	defer conn.Close()                                                          //nolint:errcheck // nothing was written that could be lost
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })() // it only ends the read below
	var nonce [8]byte
	if _, err := rand.Read(nonce[:]); err != nil {
		return Answer{}, err
	}
	q := kcplink.Query{Nonce: binary.BigEndian.Uint64(nonce[:])}
	send, b := q.Hello(), make([]byte, 2048)
	for ctx.Err() == nil {
		sent := time.Now()
		if _, err := conn.Write(send); err != nil && !errors.Is(err, net.ErrClosed) && ctx.Err() == nil && !refused(err) {
			return Answer{}, err
		}
		if err := conn.SetReadDeadline(sent.Add(repeatEvery)); err != nil {
			return Answer{}, err
		}
		for ctx.Err() == nil {
			n, err := conn.Read(b)
			if err != nil {
				if refused(err) { // nobody listens there, yet
					select {
					case <-ctx.Done():
					case <-time.After(time.Until(sent.Add(repeatEvery))):
					}
				}
				break
			}
			if next := q.Receive(b[:n]); next != nil {
				send = next
				break // sends it
			}
			if text := q.Info(); text != nil {
				a := Answer{Ping: time.Since(sent)}
				if err := json.Unmarshal(text, &a.Description); err != nil {
					return a, fmt.Errorf("the answer is no description of a host: %w", err)
				}
				return a, nil
			}
		}
	}
	return Answer{}, ErrSilent
}

// refused reports an error by which the system says that a machine refused an earlier packet.
func refused(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && !op.Timeout() && !errors.Is(err, net.ErrClosed)
}
