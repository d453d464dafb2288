package directory

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidelock/tidelock/engine/bus"
)

// Entry is what a host says of itself to other hosts and to players. It has no secrets.
type Entry struct {
	// Host is the host's id, unique among those that run ([bus.CheckHost]).
	Host string `json:"host"`
	// Name is the operator's name for the host, Level that of the level, Game the class of its game, Version the program's. Each
	// has up to MaxText bytes.
	Name    string `json:"name"`
	Level   string `json:"level"`
	Game    string `json:"game"`
	Version string `json:"version"`
	// Players are in; Room more may join.
	Players int `json:"players"`
	Room    int `json:"room"`
	// Address is HOST:PORT of the UDP socket, as players reach it; "" for none. Key is its public key in hex, by which a client
	// recognizes it.
	Address string `json:"address"`
	Key     string `json:"key"`
	// Web is the base URL of the host's page for players, http or https, without a / at the end; "" for none.
	Web string `json:"web"`
	// Carriers are what the host accepts: "udp", "webtransport", "websocket". Others may come with later versions.
	Carriers []string `json:"carriers"`
	// Hashes are the SHA-256 hashes in hex of the certificates of WebTransport; none if an authority signed the certificate.
	Hashes []string `json:"hashes"`
	// Labels are the operator's. A label without a value has "".
	Labels map[string]string `json:"labels"`
	// Load is the share of a tick's time that ticks take: 1 is all of it.
	Load float64 `json:"load"`
	// Draining says that the host admits nobody because it will end; Private that joining takes a password or a token.
	Draining bool `json:"draining"`
	Private  bool `json:"private"`
}

// Check returns an error for an entry that a host may not announce.
func (e *Entry) Check() error {
	if err := bus.CheckHost(e.Host); err != nil {
		return err
	}
	for _, t := range [...]struct{ what, text string }{{"name", e.Name}, {"level", e.Level}, {"game", e.Game}, {"version", e.Version}} {
		if err := checkText(t.text, MaxText); err != nil {
			return fmt.Errorf("%s: %w", t.what, err)
		}
	}
	if e.Players < 0 || e.Players > maxPlayers || e.Room < 0 || e.Room > maxPlayers {
		return fmt.Errorf("%d players and room for %d: each is 0 to %d", e.Players, e.Room, maxPlayers)
	}
	if !(e.Load >= 0 && e.Load <= maxLoad) { // NaN, too
		return fmt.Errorf("load %v: it is 0 to %d", e.Load, maxLoad)
	}
	if e.Address != "" {
		if err := CheckAddress(e.Address); err != nil {
			return err
		}
	}
	if e.Key != "" {
		if err := checkHex(e.Key); err != nil {
			return fmt.Errorf("key: %w", err)
		}
	}
	if e.Web != "" {
		if err := CheckWeb(e.Web); err != nil {
			return err
		}
	}
	if len(e.Carriers) > maxCarriers || len(e.Hashes) > maxHashes {
		return fmt.Errorf("%d carriers and %d hashes: at most %d and %d", len(e.Carriers), len(e.Hashes), maxCarriers, maxHashes)
	}
	for _, c := range e.Carriers {
		if c == "" || len(c) > maxCarrier || strings.Trim(c, "abcdefghijklmnopqrstuvwxyz") != "" {
			return fmt.Errorf("carrier %q: it has 1 to %d lower-case letters", short(c), maxCarrier)
		}
	}
	for _, h := range e.Hashes {
		if err := checkHex(h); err != nil {
			return fmt.Errorf("hash of a certificate: %w", err)
		}
	}
	return CheckLabels(e.Labels)
}

// CheckLabels returns an error for labels that a host may not have: up to [MaxLabels], whose keys have 1 to 32 letters, digits and
// - _ . and whose values have up to [MaxText] bytes.
func CheckLabels(labels map[string]string) error {
	if len(labels) > MaxLabels {
		return fmt.Errorf("%d labels; at most %d", len(labels), MaxLabels)
	}
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		ok := k != "" && len(k) <= maxLabelKey
		for i := range len(k) {
			c := k[i]
			ok = ok && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.')
		}
		if !ok {
			return fmt.Errorf("label %q: a key has 1 to %d letters, digits and any of - _ . in it", short(k), maxLabelKey)
		}
		if err := checkText(labels[k], MaxText); err != nil {
			return fmt.Errorf("label %s: %w", k, err)
		}
	}
	return nil
}

// CheckAddress returns an error for what is no HOST:PORT that players can dial: the host is a name or an IP address, the port a
// number from 1.
func CheckAddress(s string) error {
	host, port, err := net.SplitHostPort(s)
	n, perr := strconv.ParseUint(port, 10, 16)
	if err != nil || perr != nil || n == 0 || host == "" || len(s) > maxAddress || !isHost(host) {
		return fmt.Errorf("address %q: expected HOST:PORT with a name or IP address and a port of 1 to 65535", short(s))
	}
	return nil
}

// isHost reports whether a host is a name or an address. Names are not resolved.
func isHost(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' && c != ':' && c != '%' {
			return false
		}
	}
	return s != ""
}

// CheckWeb returns an error for what is no base URL of a host's page: http or https with a host, without user, query, fragment
// or a / at the end. Pages navigate there, so nothing else is permitted.
func CheckWeb(s string) error {
	bad := func() error {
		return fmt.Errorf("web address %q: expected http://HOST:PORT or https://HOST, without a / at the end", short(s))
	}
	if len(s) > maxWeb || checkText(s, maxWeb) != nil || strings.HasSuffix(s, "/") {
		return bad()
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || !isHost(u.Hostname()) || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.String() != s {
		return bad()
	}
	for i := range len(u.Path) { // it becomes a part of a Content-Security-Policy and of a page
		c := u.Path[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' && c != '/' && c != '~' {
			return bad()
		}
	}
	return nil
}

// checkText accepts valid UTF-8 that can be printed in a line.
func checkText(s string, most int) error {
	if len(s) > most {
		return fmt.Errorf("%d bytes; at most %d", len(s), most)
	}
	if !utf8.ValidString(s) {
		return errors.New("the text is not UTF-8")
	}
	for _, r := range s {
		if !unicode.IsPrint(r) {
			return fmt.Errorf("the text has the character %U, which cannot be printed", r)
		}
	}
	return nil
}

// Text returns s as a text of an entry: without what cannot be printed, and cut to [MaxText] bytes.
func Text(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	if len(s) > MaxText {
		s = strings.ToValidUTF8(s[:MaxText], "")
	}
	return s
}

func checkHex(s string) error {
	if b, err := hex.DecodeString(s); err != nil || len(b) != 32 {
		return fmt.Errorf("%q is not 32 bytes in hex", short(s))
	}
	return nil
}

// short cuts what an error quotes.
func short(s string) string {
	if len(s) > MaxText {
		return s[:MaxText] + "…"
	}
	return s
}

// equal compares entries. load says whether Load counts.
func (e *Entry) equal(o *Entry, load bool) bool {
	return e.Host == o.Host && e.Name == o.Name && e.Level == o.Level && e.Game == o.Game && e.Version == o.Version &&
		e.Players == o.Players && e.Room == o.Room && e.Address == o.Address && e.Key == o.Key && e.Web == o.Web &&
		slices.Equal(e.Carriers, o.Carriers) && slices.Equal(e.Hashes, o.Hashes) && maps.Equal(e.Labels, o.Labels) &&
		e.Draining == o.Draining && e.Private == o.Private && (!load || e.Load == o.Load)
}

// encode returns the announcement of an entry.
func encode(e *Entry) ([]byte, error) {
	var b bytes.Buffer
	j := json.NewEncoder(&b)
	j.SetEscapeHTML(false) // which would make six bytes of one
	if err := j.Encode(e); err != nil {
		return nil, err
	}
	if b.Len() > MaxBody {
		return nil, fmt.Errorf("the announcement has %d bytes; at most %d", b.Len(), MaxBody)
	}
	return b.Bytes(), nil
}

// decode reads an announcement that a host sent.
func decode(from string, body []byte) (Entry, error) {
	var e Entry
	if len(body) > MaxBody {
		return e, fmt.Errorf("an announcement of %d bytes; at most %d", len(body), MaxBody)
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return Entry{}, fmt.Errorf("no announcement: %w", err)
	}
	if e.Host != from {
		return Entry{}, fmt.Errorf("it announces the host %q instead of itself", short(e.Host))
	}
	if err := e.Check(); err != nil {
		return Entry{}, err
	}
	return e, nil
}
