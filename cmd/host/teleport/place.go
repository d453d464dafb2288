package teleport

import (
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
)

// URL returns a place as the message travel tells it to a player's machine: a host with options (docs/protocol.md).
func (p *Place) URL() string {
	var b strings.Builder
	b.WriteString(p.Address)
	for _, o := range [][2]string{
		{"id", p.Host}, {"name", p.Name}, {"key", hex.EncodeToString(p.ServerKey[:])}, {"token", p.Token}, {"web", p.Web}, {"hashes", strings.Join(p.Hashes, " ")},
	} {
		if o[1] != "" {
			b.WriteString("?" + o[0] + "=" + url.QueryEscape(o[1]))
		}
	}
	return b.String()
}

// ParseURL reads what URL returned. It is from a host, so nothing of it is trusted.
func ParseURL(text string) (Place, error) {
	parts := strings.Split(text, "?")
	p := Place{Address: parts[0]}
	for _, o := range parts[1:] {
		k, v, _ := strings.Cut(o, "=")
		v, err := url.QueryUnescape(v)
		if err != nil {
			return Place{}, fmt.Errorf("the place %q is not complete", clip(text))
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
			p.Hashes = strings.Fields(v)
		case "key":
			if n, err := hex.Decode(p.ServerKey[:], []byte(v[:min(len(v), 64)])); err != nil || n != 32 || len(v) != 64 {
				return Place{}, fmt.Errorf("the place %q has no valid key", clip(text))
			}
		}
	}
	if p.check() != nil || p.ServerKey == [32]byte{} || p.Token == "" {
		return Place{}, fmt.Errorf("the place %q is not complete", clip(text))
	}
	return p, nil
}

func clip(s string) string { return s[:min(len(s), 64)] }
