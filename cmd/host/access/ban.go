package access

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/tidelock/tidelock/netcode/throttle"
)

// Ban keeps a player or the players of an address out. Exactly one of Key and Addr is set.
type Ban struct {
	// Key is the player's, as logs show it.
	Key string
	// Addr is an address or a network in CIDR form. An IPv6 address stands for its /64, as in other limits (package
	// throttle).
	Addr string
	// Name is the name that the player had, for the operator to remember; it decides nothing. Unprintable
	// characters are replaced, and it is cut after 64 bytes. By is who banned them, with the same bounds.
	Name, By string
	// Reason is one line that the player sees, at most MaxReason bytes; "" for none.
	Reason string
	// Since is when the ban began, Until when it ends, to the second. A zero Until means that it never ends; for
	// Since, List.Ban sets the present time.
	Since, Until time.Time
}

// What returns the key or the address that the ban is about.
func (b *Ban) What() string {
	if b.Key != "" {
		return b.Key
	}
	return b.Addr
}

// over reports whether the ban has ended.
func (b *Ban) over(now time.Time) bool { return !b.Until.IsZero() && !b.Until.After(now) }

// text returns the line that the player sees.
func (b *Ban) text() string {
	s := "you are banned from this server"
	if b.Key == "" {
		s = "your address is banned from this server"
	}
	if !b.Until.IsZero() {
		s += " until " + b.Until.UTC().Format("2006-01-02 15:04 UTC")
	}
	if b.Reason != "" {
		s += ": " + b.Reason
	}
	return s
}

// Whom returns a ban of what an operator names: a player's key, an address or a network; a port behind an address is
// ignored, since logs show one. The error says what was expected.
func Whom(what string) (Ban, error) {
	if looksLikeKey(what) {
		key, err := CheckKey(what)
		return Ban{Key: key}, err
	}
	p, err := parseAddr(what)
	if err != nil {
		return Ban{}, err
	}
	return Ban{Addr: addrText(p)}, nil
}

func looksLikeKey(s string) bool { return strings.HasPrefix(s, "key") || strings.HasPrefix(s, "token") }

var keyForm = regexp.MustCompile(`^(key|tokenhash)-[0-9a-f]{32}$`)

// CheckKey returns a player's key as logs show it, with small digits. The error says what was expected.
func CheckKey(key string) (string, error) {
	if low := strings.ToLower(key); keyForm.MatchString(low) {
		return low, nil
	}
	if name, ok := strings.CutPrefix(key, "token-"); ok && name != "" && len(key) <= maxKey && oneLine(key) == key {
		return key, nil
	}
	return "", fmt.Errorf("%s is not a player's key; expected one as the log shows it: key- and 32 hexadecimal digits, or token- and a name", quote(key))
}

// parseAddr returns the network of a text.
func parseAddr(text string) (netip.Prefix, error) {
	if strings.Contains(text, "/") {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			return p, fmt.Errorf("%s is not a network; expected an address and its bits: 192.0.2.0/24", quote(text))
		}
		a, bits := p.Addr(), p.Bits()
		if a.Is4In6() {
			if bits < 96 {
				return p, fmt.Errorf("%s is not a network; write IPv4 networks as 192.0.2.0/24", quote(text))
			}
			a, bits = a.Unmap(), bits-96
		}
		if a.Is6() {
			bits = min(bits, v6Bits)
		}
		return network(text, a, bits)
	}
	a := throttle.AddressOf(text)
	if !a.IsValid() {
		var err error
		if a, err = netip.ParseAddr(text); err != nil {
			return netip.Prefix{}, fmt.Errorf("%s is neither a player's key nor an address; expected key-…, token-…, 192.0.2.7 or 192.0.2.0/24, as the log shows them", quote(text))
		}
	}
	return single(text, a)
}

// v6Bits are the bits of an IPv6 address that count (throttle.Network).
const v6Bits = 64

// single returns the network that limits count an address as.
func single(text string, a netip.Addr) (netip.Prefix, error) {
	a = a.Unmap().WithZone("")
	bits := a.BitLen()
	if a.Is6() {
		bits = v6Bits
	}
	return network(text, a, bits)
}

// network refuses networks of this machine: Check would ignore their bans, as behind a proxy everybody comes from there.
func network(text string, a netip.Addr, bits int) (netip.Prefix, error) {
	if a.IsLoopback() {
		return netip.Prefix{}, fmt.Errorf("%s is this machine itself, and everybody who comes by a proxy on it; such addresses are never banned: ban the player's key", quote(text))
	}
	return netip.PrefixFrom(a, bits).Masked(), nil
}

// addrText returns a network as bans show it: a single IPv4 address without its bits.
func addrText(p netip.Prefix) string {
	if p.Addr().Is4() && p.IsSingleIP() {
		return p.Addr().String()
	}
	return p.String()
}

// sound checks a ban and brings it into the form in which it is kept. The network is that of a ban of an address.
func sound(b Ban) (Ban, netip.Prefix, error) {
	var p netip.Prefix
	var err error
	switch {
	case b.Key != "" && b.Addr != "":
		return b, p, errors.New("a ban has both a key and an address; make two of them")
	case b.Key != "":
		b.Key, err = CheckKey(b.Key)
	case b.Addr != "":
		if p, err = parseAddr(b.Addr); err == nil {
			b.Addr = addrText(p)
		}
	default:
		return b, p, errors.New("a ban has neither a key nor an address; give one of them")
	}
	if err != nil {
		return b, p, err
	}
	if len(b.Reason) > MaxReason {
		return b, p, fmt.Errorf("the reason has %d bytes; give at most %d", len(b.Reason), MaxReason)
	}
	b.Reason, b.Name, b.By = oneLine(b.Reason), clip(oneLine(b.Name), maxName), clip(oneLine(b.By), maxName)
	b.Since, b.Until = second(b.Since), second(b.Until)
	return b, p, nil
}

// second returns a time as the file keeps it; the zero time stays.
func second(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Second)
}

// oneLine replaces what does not belong in a line for people.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			return '?'
		}
		return r
	}, s)
}

// clip cuts a text between two characters.
func clip(s string, bytes int) string {
	if len(s) <= bytes {
		return s
	}
	return strings.ToValidUTF8(s[:bytes], "")
}

// quote formats a text of a file or an operator within a message.
func quote(s string) string { return fmt.Sprintf("%q", clip(s, 80)) }
