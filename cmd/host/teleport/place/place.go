// Package place says where a player goes whom a host sends to another one (C6), as the message travel tells it to their machine.
// It is apart from package teleport because players' machines, browsers included, need nothing else of that.
//
// Guarantees: Clients import no other package of teleport. A URL from a peer is checked before any part of it is used.
package place

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Offered is for how long the place is kept.
const Offered = 25 * time.Second

// Bounds of what hosts say.
const (
	maxName   = 64
	maxText   = 256
	maxToken  = 1024
	maxHashes = 4
)

// Place is where a player shall go.
type Place struct {
	// Host is its id, Name its name for people.
	Host string `json:"host"`
	Name string `json:"name"`
	// Address is HOST:PORT for UDP, ServerKey the key that the host has, Token what lets the player in, once.
	Address   string   `json:"address"`
	ServerKey [32]byte `json:"server_key"`
	Token     string   `json:"token"`
	// Web is the address of the host's page, "" without one, Hashes those of its certificates, as the page uses them.
	Web    string   `json:"web,omitempty"`
	Hashes []string `json:"hashes,omitempty"`
}

var errPlace = errors.New("the place is not complete")

func plain(s string, most int) bool {
	return len(s) <= most && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// only reports whether a text has letters, digits and some more characters only.
func only(s, more string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(more, r)
	})
}

// Check returns an error for a place that no host names: it is from another machine, and nothing of it is trusted.
func (p *Place) Check() error {
	switch {
	case p.Host == "" || len(p.Host) > maxName || !only(p.Host, "-_"), !plain(p.Name, maxName), len(p.Token) > maxToken || !only(p.Token, "-_"), len(p.Hashes) > maxHashes:
		return errPlace
	}
	for _, h := range p.Hashes {
		if len(h) != 64 || strings.Trim(h, "0123456789abcdef") != "" {
			return errPlace
		}
	}
	if p.Web != "" {
		scheme, rest, found := strings.Cut(p.Web, "://")
		if !found || scheme != "http" && scheme != "https" || rest == "" || len(p.Web) > maxText || !only(rest, "-_.:/[]~") {
			return errPlace
		}
	}
	if _, err := netip.ParseAddrPort(p.Address); err != nil {
		host, port, found := strings.Cut(p.Address, ":")
		if !found || host == "" || port == "" || len(p.Address) > maxText || !only(host, "-_.") || strings.Trim(port, "0123456789") != "" {
			return errPlace
		}
	}
	return nil
}

// URL returns a place as a host with options (docs/protocol.md).
func (p *Place) URL() string {
	var b strings.Builder
	b.WriteString(p.Address)
	for _, o := range [][2]string{
		{"id", p.Host}, {"name", p.Name}, {"key", hex.EncodeToString(p.ServerKey[:])}, {"token", p.Token}, {"web", p.Web}, {"hashes", strings.Join(p.Hashes, ",")},
	} {
		if o[1] != "" {
			b.WriteString("?" + o[0] + "=")
			escape(&b, o[1])
		}
	}
	return b.String()
}

// escape writes a text with all but plain characters percent-encoded (RFC 3986, 2.1).
func escape(b *strings.Builder, s string) {
	for i := range len(s) {
		if c := s[i]; only(string(rune(c)), "-_.:/,") && c < utf8.RuneSelf {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(b, "%%%02X", c)
		}
	}
}

func unescape(s string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		var c [1]byte
		if i+2 >= len(s) {
			return "", errPlace
		}
		if _, err := hex.Decode(c[:], []byte(s[i+1:i+3])); err != nil {
			return "", errPlace
		}
		b.WriteByte(c[0])
		i += 2
	}
	return b.String(), nil
}

// Parse reads what URL returned.
func Parse(url string) (Place, error) {
	p, err := parse(url)
	if err != nil {
		return Place{}, fmt.Errorf("%q is no place: an address, an id, a key and a token are needed", url[:min(len(url), maxName)])
	}
	return p, nil
}

func parse(url string) (Place, error) {
	parts := strings.Split(url, "?")
	p := Place{Address: parts[0]}
	for _, o := range parts[1:] {
		k, v, _ := strings.Cut(o, "=")
		v, err := unescape(v)
		if err != nil {
			return p, err
		}
		switch k {
		case "id":
			p.Host = v
		case "name":
			p.Name = v
		case "token":
			p.Token = v
		case "web":
			p.Web = v
		case "hashes":
			p.Hashes = strings.Split(v, ",")
		case "key":
			if n, err := hex.Decode(p.ServerKey[:], []byte(v[:min(len(v), 64)])); err != nil || n != 32 || len(v) != 64 {
				return p, errPlace
			}
		}
	}
	if p.ServerKey == [32]byte{} || p.Token == "" {
		return p, errPlace
	}
	return p, p.Check()
}
