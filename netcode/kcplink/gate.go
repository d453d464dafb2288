package kcplink

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"hash"
	"io"
	"net/netip"
	"time"
	"unicode/utf8"

	"github.com/flynn/noise"

	"github.com/tidelock/tidelock/netcode/link"
)

// The packets of the handshake. Numbers are big-endian; the first byte is the type.
//
//	hello     2 | "TIDE" | version 1 | zeros to 1000
//	cookie    3 | slot 4 | mac 16
//	connect   4 | version 1 | mode 1 | client's session 4 | cookie 20 | length 2 | token | noise 1 | zeros to 200
//	response  5 | client's session 4 | server's session 4 | noise 2
//	confirm   6 | server's session 4 | noise 3
//	deny      7 | client's session 4 | first half of the cookie's mac 8 | version 1 | code 1
//
// Noise is Noise_XX_25519_AESGCM_SHA256, with a token Noise_XXpsk0_25519_AESGCM_SHA256 and the token's secret.
// Its prologue is "tidelock kcplink" and connect up to and with the token.
//
//	noise 1   e 32, and with a token tag 16
//	noise 2   e 32 | sealed s 48 | sealed (flags 1) 17
//	noise 3   sealed s 48 | sealed (proof 32 | length 2 | options)
const (
	typeData = 1 + iota
	typeHello
	typeCookie
	typeConnect
	typeResponse
	typeConfirm
	typeDeny
	typeUnknown
	typeQuery
	typeInfo
)

const (
	magic         = "TIDE"
	prologue      = "tidelock kcplink"
	cookieSize    = 1 + rawCookie
	rawCookie     = 4 + 16
	connectHeader = 7 + rawCookie + 2
	noise1Size    = 32
	noise1PSK     = noise1Size + tagSize
	noise2Size    = 32 + 32 + tagSize + 1 + tagSize
	responseSize  = 9 + noise2Size
	confirmHeader = 5
	confirmLeast  = confirmHeader + 32 + tagSize + 34 + tagSize
	confirmMost   = confirmLeast + MaxOptions
	denySize      = 15
	proofSize     = 32
	// flagPassword in noise 2 means that the server requires a password.
	flagPassword = 1
)

// Modes of connect.
const (
	modeOpen = iota
	modeToken
)

// cookies creates and checks cookies: a keyed hash of time slot and address, so that the server need not remember
// any.
type cookies struct {
	mac hash.Hash
	in  [4 + 16 + 2]byte
	out [sha256.Size]byte
}

func newCookies(secret [32]byte) *cookies { return &cookies{mac: hmac.New(sha256.New, secret[:])} }

func (c *cookies) sum(slot uint32, a netip.AddrPort) []byte {
	binary.BigEndian.PutUint32(c.in[:], slot)
	ip := a.Addr().As16()
	copy(c.in[4:], ip[:])
	binary.BigEndian.PutUint16(c.in[20:], a.Port())
	c.mac.Reset()
	c.mac.Write(c.in[:])
	return c.mac.Sum(c.out[:0])[:16]
}

func slotOf(now time.Duration) uint32 { return uint32(now / cookieSlot) }

// valid reports whether raw is a cookie of this address and of this slot or the one before.
func (c *cookies) valid(raw []byte, a netip.AddrPort, now time.Duration) bool {
	slot := binary.BigEndian.Uint32(raw)
	if age := slotOf(now) - slot; age > 1 {
		return false
	}
	return subtle.ConstantTimeCompare(raw[4:rawCookie], c.sum(slot, a)) == 1
}

// connect is a decoded CONNECT. Slices point into the packet.
type connect struct {
	version, mode byte
	session       uint32
	cookie        []byte
	token         []byte
	// head is the part of the packet that is in the prologue; noise is the first message.
	head, noise []byte
}

func parseConnect(b []byte) (c connect, ok bool) {
	if len(b) < connectSize || len(b) > maxPacket || b[0] != typeConnect {
		return c, false
	}
	c.version, c.mode, c.session = b[1], b[2], binary.BigEndian.Uint32(b[3:])
	c.cookie = b[7 : 7+rawCookie]
	if c.version != Version {
		return c, true // other versions may have another layout
	}
	n := int(binary.BigEndian.Uint16(b[connectHeader-2:]))
	size := noise1Size
	if c.mode == modeToken {
		size = noise1PSK
	}
	if c.mode > modeToken || c.mode == modeOpen && n != 0 || n > maxToken || connectHeader+n+size > len(b) {
		return c, false
	}
	c.head, c.token = b[:connectHeader+n], b[connectHeader:connectHeader+n]
	c.noise = b[connectHeader+n:][:size]
	return c, true
}

// appendConnectHead appends a CONNECT up to and including the token.
func appendConnectHead(dst []byte, mode byte, session uint32, cookie, token []byte) []byte {
	dst = append(dst, typeConnect, Version, mode)
	dst = binary.BigEndian.AppendUint32(dst, session)
	dst = append(dst, cookie...)
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(token)))
	return append(dst, token...)
}

// confirmPayload is what noise 3 seals.
type confirmPayload struct {
	proof   []byte
	options []byte
}

func parseConfirm(b []byte) (p confirmPayload, ok bool) {
	if len(b) < proofSize+2 {
		return p, false
	}
	p.proof = b[:proofSize]
	n := int(binary.BigEndian.Uint16(b[proofSize:]))
	p.options = b[proofSize+2:]
	return p, n == len(p.options) && n <= MaxOptions && utf8.Valid(p.options)
}

// passwordProof proves knowledge of the password to the peer of this key exchange, and is useless to a man in the
// middle, who takes part in two other ones.
func passwordProof(password string, binding []byte) []byte {
	m := hmac.New(sha256.New, []byte(password))
	m.Write([]byte("tidelock password"))
	m.Write(binding)
	return m.Sum(nil)
}

// denial is a refusal before keys are agreed.
type denial byte

const (
	denyVersion denial = 1 + iota
	denyBusy
	denyFull
	denyAddress
	denyNeedsToken
	denyNoTokens
	denyToken
	denyExpired
	denyUsed
	denyServer
	denyGuesses
	denials // the number of them
)

// denied maps denials to the reasons that the denied peer is given.
var denied = [denials]link.Reason{
	denyBusy:       {Code: "busy", Text: "the server is busy with other players connecting"},
	denyFull:       {Code: "full", Text: "the server is full"},
	denyAddress:    {Code: "address", Text: "too many connections from this address"},
	denyNeedsToken: {Code: "token_needed", Text: "the server wants a connect token"},
	denyNoTokens:   {Code: "no_tokens", Text: "the server takes no connect tokens"},
	denyToken:      {Code: "token", Text: "the connect token is not of this server's operator"},
	denyExpired:    {Code: "token_expired", Text: "the connect token has expired"},
	denyUsed:       {Code: "token_used", Text: "the connect token has been used"},
	denyServer:     {Code: "token_server", Text: "the connect token is for another server"},
	denyGuesses:    {Code: "password_wait", Text: "too many wrong passwords from this address; wait some minutes and try again"},
}

// reason returns the reason for a denial. server is the version in the packet.
func (d denial) reason(server byte) link.Reason {
	switch {
	case d == denyVersion:
		return link.Reason{Code: "version", Text: "the server speaks version " + itoa(int(server)) + " of the transport, this program " + itoa(Version)}
	case d > 0 && d < denials:
		return denied[d]
	}
	return link.Reason{Code: "denied", Text: "the server refuses without a known reason"}
}

// code returns the reason's code without making its text.
func (d denial) code() string {
	if d == denyVersion {
		return "version"
	}
	return d.reason(0).Code
}

// half is the state of a half-open connection between CONNECT and CONFIRM.
type half struct {
	noise *noise.HandshakeState
	from  halfKey
	// head and first are those of CONNECT, as received: an identical packet gets the identical answer, not another
	// exchange.
	head, first []byte
	reply       []byte
	token       *openedToken
	// ephemeral is our private key of this exchange. The library's state does not survive a failed message, so it
	// is rebuilt from this; failed counts how often.
	ephemeral [32]byte
	failed    int
}

// halfKey identifies a repeated CONNECT.
type halfKey struct {
	path    path
	session uint32
}

func (l *Link) onHello(p *packet) {
	if !serves || l.server == nil || p.n < helloSize || string(p.b[1:5]) != magic {
		l.count.Malformed++
		return
	}
	if !l.hellos.take(p.from.Addr(), l.now, l.limits.HellosPerAddress, l.limits.Hellos) {
		l.count.HellosThrottled++
		return
	}
	slot := slotOf(l.now)
	o := l.newOut(p.from)
	b := append(o.b[:0], typeCookie)
	b = binary.BigEndian.AppendUint32(b, slot)
	b = append(b, l.cookies.sum(slot, p.from.AddrPort)...)
	l.queueOut(o, len(b))
	l.count.Cookies++
}

func (l *Link) deny(p *packet, c *connect, d denial) {
	l.count.Denied[d]++
	o := l.newOut(p.from)
	b := append(o.b[:0], typeDeny)
	b = binary.BigEndian.AppendUint32(b, c.session)
	b = append(b, c.cookie[4:12]...)
	b = append(b, Version, byte(d))
	l.queueOut(o, len(b))
}

// onConnect starts a key exchange; cheap checks come first.
func (l *Link) onConnect(p *packet) {
	c, ok := parseConnect(p.b[:p.n])
	if !serves || l.server == nil || !ok {
		l.count.Malformed++
		return
	}
	if !l.cookies.valid(c.cookie, p.from.AddrPort, l.now) {
		l.count.BadCookies++
		return
	}
	if c.version != Version {
		l.deny(p, &c, denyVersion)
		return
	}
	key := halfKey{path: p.from, session: c.session}
	if old := l.halves[key]; old != nil {
		if old.half != nil && bytes.Equal(old.half.first, c.noise) {
			l.repeat(p.from, old.half.reply)
			return
		}
		old.becomeDead() // a new attempt with the same number: the client started over
	}
	if l.exchanges >= maxHandshakesAPoll && len(l.backlog) < maxBacklog {
		l.backlog = append(l.backlog, *p) // it is processed in the next Poll
		return
	}
	if d := l.admit(p, &c); d != 0 {
		l.deny(p, &c, d)
		return
	}
	var tok *openedToken
	if c.mode == modeToken {
		t, d := l.openToken(c.token)
		if d != 0 {
			l.deny(p, &c, d)
			return
		}
		tok = t
	}
	h := &half{from: key, token: tok, head: bytes.Clone(c.head), first: bytes.Clone(c.noise)}
	if !l.randomly(h.ephemeral[:]) || !l.answer(h, 0) {
		// Another player's token: its secret is not in the packet.
		l.count.BadHandshakes++
		return
	}
	conn := l.newConn(p.from)
	if conn == nil {
		l.deny(p, &c, denyBusy)
		return
	}
	conn.peer = c.session
	binary.BigEndian.PutUint32(h.reply[5:], conn.id)
	conn.becomeHalfOpen(h)
	l.repeat(p.from, h.reply)
}

// answer reads noise 1 and writes RESPONSE, whose session is filled in later. Repeated calls produce the same
// state.
func (l *Link) answer(h *half, tries int) bool {
	var psk []byte
	if h.token != nil {
		psk = h.token.secret[:]
	}
	hs, err := newNoise(&l.key, false, h.head, psk, h.ephemeral)
	if err != nil {
		return false
	}
	if _, _, _, err = hs.ReadMessage(nil, h.first); err != nil {
		return false
	}
	l.exchanges++
	var flags [1]byte
	if l.server.Password != "" && h.token == nil {
		flags[0] = flagPassword
	}
	reply := append(make([]byte, 0, responseSize), typeResponse)
	reply = binary.BigEndian.AppendUint32(reply, h.from.session)
	reply = append(reply, 0, 0, 0, 0)
	if reply, _, _, err = hs.WriteMessage(reply, flags[:]); err != nil {
		return false
	}
	h.noise, h.failed = hs, tries
	if h.reply == nil {
		h.reply = reply
	}
	return true
}

// admit makes the counted checks of onConnect. Zero means admitted.
func (l *Link) admit(p *packet, c *connect) denial {
	switch {
	case l.guesses.Wait(p.from.Addr(), l.now) > 0:
		return denyGuesses
	case c.mode == modeToken && l.server.TokenKey == nil && l.server.OwnKey == nil:
		return denyNoTokens
	case c.mode == modeOpen && p.from.needsToken(l) && len(l.returning.by) == 0:
		return denyNeedsToken // nobody can come back either: their key need not be known
	case l.accepted >= l.limits.Conns:
		return denyFull
	case l.exchanges >= maxHandshakesAPoll || len(l.halves) >= l.limits.HalfOpen:
		return denyBusy
	}
	a := l.address(p.from)
	switch {
	case a == nil:
		return denyBusy
	case a.conns >= l.limits.ConnsPerAddress:
		return denyAddress
	case a.halves >= l.limits.HalfOpenPerAddress:
		return denyBusy
	}
	per, all := float64(l.limits.HandshakesPerAddress), float64(l.limits.Handshakes)
	if !a.handshakes.Take(l.now, per, 2*per) || !l.handshakes.Take(l.now, all, 2*all) {
		return denyBusy
	}
	return 0
}

// onConfirm completes the exchange: from here on the other side's identity is known.
func (l *Link) onConfirm(p *packet) {
	if !serves || p.n < confirmLeast || p.n > confirmMost {
		l.count.Malformed++
		return
	}
	c := l.find(binary.BigEndian.Uint32(p.b[1:]))
	if c == nil || c.dialled || c.path != p.from {
		l.count.UnknownSession++
		return
	}
	if c.state == stateOpen || c.state == stateRefused {
		// Our answer was lost. Both answers are sealed packets of the session.
		if c.state == stateRefused {
			c.sendGoodbye()
		} else if c.stats.PacketsIn == 0 {
			c.heartbeat()
		}
		return
	}
	if c.state != stateHalfOpen {
		return
	}
	hs := c.half.noise
	binding := append([]byte(nil), hs.ChannelBinding()...)
	plain, up, down, err := hs.ReadMessage(nil, p.b[confirmHeader:p.n])
	if err != nil {
		// Damaged, or not from the client. The true one may still arrive, and a few tries are worth an exchange
		// each.
		l.count.BadHandshakes++
		if c.half.failed++; c.half.failed > maxFailed || l.exchanges >= maxHandshakesAPoll || !l.answer(c.half, c.half.failed) {
			c.becomeDead()
		}
		return
	}
	tok := c.half.token
	copy(c.ident.Key[:], hs.PeerStatic())
	c.recv, c.send = newAEAD(up.UnsafeKey()), newAEAD(down.UnsafeKey())
	payload, ok := parseConfirm(plain)
	if !ok {
		c.becomeRefused(link.Reason{Code: "protocol", Text: "the connect payload is malformed"})
		return
	}
	c.ident.Options = string(payload.options)
	back := tok == nil && l.returning.take(c)
	if tok == nil && !back && c.path.needsToken(l) {
		c.deny(denyNeedsToken)
		return
	}
	if tok != nil {
		c.ident.Name = tok.name
		if tok.key != [32]byte{} && tok.key != c.ident.Key {
			c.becomeRefused(link.Reason{Code: "token", Text: "the connect token is for another player's key"})
			return
		}
	}
	if l.server.Password != "" && tok == nil && !back {
		if l.guesses.Wait(c.path.Addr(), l.now) > 0 { // others of its exchanges were wrong meanwhile: this one is not checked
			c.deny(denyGuesses)
			return
		}
		if subtle.ConstantTimeCompare(payload.proof, passwordProof(l.server.Password, binding)) != 1 {
			l.guessed(c.path.AddrPort)
			c.becomeRefused(link.Reason{Code: "password", Text: "the password is wrong or missing"})
			return
		}
	}
	d := l.room(c)
	if d == 0 && tok != nil {
		d = l.spendToken(tok)
	}
	if d != 0 {
		c.deny(d)
		return
	}
	if l.server.Accept != nil {
		if why, ok := l.server.Accept(c.ident); !ok {
			if tok != nil {
				delete(l.used.until, tok.id) // it was not used for anything
			}
			c.becomeRefused(why)
			return
		}
	}
	if tok != nil && tok.own {
		l.returning.add(c.ident, l.now)
	}
	c.becomeOpen()
	c.heartbeat() // tells the client that it is connected
	l.handler.Opened(c)
}

// needsToken reports whether players over this path need a connect token.
func (w path) needsToken(l *Link) bool {
	return l.server.TokenKey != nil || w.pipe != nil && w.pipe.foreign.Load()
}

// deny refuses at the end of the exchange.
func (c *Conn) deny(d denial) {
	c.l.count.Denied[d]++
	c.becomeRefused(d.reason(Version))
}

// Guess is a wrong password (G16).
type Guess struct {
	// Addr is where it came from.
	Addr netip.AddrPort
	// Count is how many came from its network, as package throttle defines it: an IPv4 address or an IPv6 /64.
	Count int
	// Wait is how long every attempt of that network is refused; 0 for the first few.
	Wait time.Duration
}

// guessed counts a wrong password.
func (l *Link) guessed(from netip.AddrPort) {
	l.count.WrongPasswords++
	count, wait := l.guesses.Wrong(from.Addr(), l.now)
	if len(l.wrong) < maxGuesses {
		l.wrong = append(l.wrong, Guess{Addr: from, Count: count, Wait: wait})
	}
}

// Guesses passes the wrong passwords since the last call to f, at most maxGuesses; Counters.WrongPasswords counts
// all.
func (l *Link) Guesses(f func(Guess)) {
	for _, g := range l.wrong {
		f(g)
	}
	l.wrong = l.wrong[:0]
}

// room repeats the checks of admit, because other clients may have connected meanwhile.
func (l *Link) room(c *Conn) denial {
	if l.accepted >= l.limits.Conns {
		return denyFull
	}
	if a := l.address(c.path); a == nil || a.conns >= l.limits.ConnsPerAddress {
		return denyAddress
	}
	return 0
}

func (l *Link) address(a path) *address {
	return l.addresses.at(a.Addr(), l.now, float64(l.limits.HandshakesPerAddress))
}

// randomly fills b with random bytes. It returns false if there is no randomness.
func (l *Link) randomly(b []byte) bool {
	_, err := io.ReadFull(l.random, b)
	return err == nil
}

// newNoise returns one side of a key exchange whose CONNECT begins with head, with the identity key.
func newNoise(key *Key, initiator bool, head, psk []byte, ephemeral [32]byte) (*noise.HandshakeState, error) {
	return noise.NewHandshakeState(noise.Config{
		CipherSuite:   noise.NewCipherSuite(noise.DH25519, noise.CipherAESGCM, noise.HashSHA256),
		Random:        bytes.NewReader(ephemeral[:]),
		Pattern:       noise.HandshakeXX,
		Initiator:     initiator,
		Prologue:      append([]byte(prologue), head...),
		PresharedKey:  psk,
		StaticKeypair: noise.DHKey{Private: key.Private[:], Public: key.Public[:]},
	})
}

// repeat sends b unchanged.
func (l *Link) repeat(to path, b []byte) {
	o := l.newOut(to)
	l.queueOut(o, copy(o.b[:], b))
}
