package kcplink

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"golang.org/x/crypto/chacha20poly1305"
)

// A token as the player has it, in base64 (URL alphabet, no padding). Everything except the secret is sent to the
// server; the secret is mixed into the key exchange, so that a reader of the packet cannot use the token.
//
//	1 | expires 8 | nonce 24 | sealed claims | secret 32
//
// expires is in Unix seconds. The claims are sealed with XChaCha20-Poly1305 under HMAC-SHA256(key, "tidelock
// token seal"), associated data "tidelock token", version and expires; the secret is HMAC-SHA256(key, "tidelock
// token secret" | nonce).
//
//	id 16 | issued 8 | player's key 32 | length 1 | name | length 1 | server
const (
	tokenVersion = 1
	tokenHeader  = 1 + 8 + chacha20poly1305.NonceSizeX
	claimsLeast  = 16 + 8 + 32 + 1 + 1
	tokenLeast   = tokenHeader + claimsLeast + tagSize
	secretSize   = 32
)

// TokenClaims is the content of a token.
type TokenClaims struct {
	// Name of the player, passed to the game as Identity().Name; at most 64 bytes of UTF-8.
	Name string
	// Server that the token is for: Server.Name of its configuration, at most 64 bytes.
	Server string
	// Issued and Expires bound the validity. Whole seconds.
	Issued, Expires time.Time
	// Key, if not zero, is the only player's key that may use the token.
	Key [32]byte
	// ID makes it single-use; random if zero.
	ID [16]byte
}

// IssueToken creates a token with the operator's key, which the server has as Server.TokenKey.
func IssueToken(key [32]byte, c TokenClaims) (string, error) { return issueToken(rand.Reader, key, c) }

// IssueOwn makes a token that this link accepts ([Server].OwnKey), for its own name. An error for a link that issues none.
func (l *Link) IssueOwn(c TokenClaims) (string, error) {
	if l.server == nil || l.server.OwnKey == nil {
		return "", errors.New("kcplink: token: this link issues none")
	}
	c.Server = l.server.Name
	return IssueToken(*l.server.OwnKey, c)
}

func issueToken(random io.Reader, key [32]byte, c TokenClaims) (string, error) {
	switch {
	case key == [32]byte{}:
		return "", errors.New("kcplink: token: the operator's key is empty")
	case len(c.Name) > maxName || !utf8.ValidString(c.Name):
		return "", fmt.Errorf("kcplink: token: the name is %d bytes, at most %d of UTF-8", len(c.Name), maxName)
	case len(c.Server) > maxName:
		return "", fmt.Errorf("kcplink: token: the server's name is %d bytes, at most %d", len(c.Server), maxName)
	case !c.Expires.After(c.Issued):
		return "", errors.New("kcplink: token: it would expire before it is issued")
	}
	if c.ID == [16]byte{} {
		if _, err := io.ReadFull(random, c.ID[:]); err != nil {
			return "", fmt.Errorf("kcplink: token: %w", err)
		}
	}
	b := append(make([]byte, 0, maxToken+secretSize), tokenVersion)
	b = binary.BigEndian.AppendUint64(b, uint64(c.Expires.Unix()))
	b = b[:tokenHeader]
	nonce := b[9:]
	if _, err := io.ReadFull(random, nonce); err != nil {
		return "", fmt.Errorf("kcplink: token: %w", err)
	}
	claims := append([]byte(nil), c.ID[:]...)
	claims = binary.BigEndian.AppendUint64(claims, uint64(c.Issued.Unix()))
	claims = append(claims, c.Key[:]...)
	claims = append(append(claims, byte(len(c.Name))), c.Name...)
	claims = append(append(claims, byte(len(c.Server))), c.Server...)
	aead, err := chacha20poly1305.NewX(derive(key, "tidelock token seal", nil))
	if err != nil {
		return "", fmt.Errorf("kcplink: token: %w", err)
	}
	b = aead.Seal(b, nonce, claims, tokenData(b))
	b = append(b, derive(key, "tidelock token secret", nonce)...)
	return base64.RawURLEncoding.EncodeToString(b), nil
}

func derive(key [32]byte, label string, more []byte) []byte {
	m := hmac.New(sha256.New, key[:])
	m.Write([]byte(label))
	m.Write(more)
	return m.Sum(nil)
}

// tokenData returns the associated data of the claims.
func tokenData(token []byte) []byte { return append([]byte("tidelock token"), token[:9]...) }

// openedToken is a token whose seal is valid.
type openedToken struct {
	id      [16]byte
	expires int64
	issued  int64
	key     [32]byte
	name    string
	server  string
	secret  [secretSize]byte
	own     bool // it is one of [Server].OwnKey
}

// unsealToken reads a token without its secret. It returns false for anything that this key did not seal.
func unsealToken(key [32]byte, b []byte) (*openedToken, bool) {
	if len(b) < tokenLeast || len(b) > maxToken || b[0] != tokenVersion {
		return nil, false
	}
	aead, err := chacha20poly1305.NewX(derive(key, "tidelock token seal", nil))
	if err != nil {
		return nil, false
	}
	nonce := b[9:tokenHeader]
	claims, err := aead.Open(nil, nonce, b[tokenHeader:], tokenData(b))
	if err != nil {
		return nil, false
	}
	t, ok := parseClaims(claims)
	if !ok {
		return nil, false
	}
	t.expires = int64(binary.BigEndian.Uint64(b[1:]))
	copy(t.secret[:], derive(key, "tidelock token secret", nonce))
	return t, true
}

func parseClaims(b []byte) (*openedToken, bool) {
	if len(b) < claimsLeast {
		return nil, false
	}
	t := &openedToken{}
	copy(t.id[:], b)
	t.issued = int64(binary.BigEndian.Uint64(b[16:]))
	copy(t.key[:], b[24:])
	n := int(b[56])
	if b = b[57:]; n > maxName || len(b) < n+1 {
		return nil, false
	}
	t.name = string(b[:n])
	m := int(b[n])
	if b = b[n+1:]; m > maxName || len(b) != m || !utf8.ValidString(t.name) {
		return nil, false
	}
	t.server = string(b)
	return t, true
}

// openToken checks a token for the gate before a key exchange.
func (l *Link) openToken(b []byte) (*openedToken, denial) {
	var t *openedToken
	ok := false
	for _, key := range [2]*[32]byte{l.server.TokenKey, l.server.OwnKey} {
		if key != nil && !ok {
			if t, ok = unsealToken(*key, b); ok {
				t.own = key == l.server.OwnKey
			}
		}
	}
	now := l.server.Wall().Unix()
	switch {
	case !ok:
		return nil, denyToken
	case t.server != l.server.Name:
		return nil, denyServer
	case now >= t.expires:
		return nil, denyExpired
	case !l.server.TokensSince.IsZero() && t.issued < l.server.TokensSince.Unix():
		return nil, denyExpired
	case l.used.has(t.id):
		return nil, denyUsed
	}
	return t, 0
}

// spendToken ensures that the token never opens another session.
func (l *Link) spendToken(t *openedToken) denial {
	now := l.server.Wall().Unix()
	switch {
	case now >= t.expires:
		return denyExpired
	case l.used.has(t.id):
		return denyUsed
	case !l.used.add(t.id, t.expires, now, l.limits.UsedTokens):
		return denyBusy
	}
	return 0
}

// usedTokens remembers tokens until they expire.
//
// Invariant: none is forgotten before; when there is no room, no token is accepted.
type usedTokens struct {
	until map[[16]byte]int64
	// swept is when expired ones were last removed, so that a full table is not scanned on every attempt.
	swept int64
}

func (u *usedTokens) has(id [16]byte) bool { _, ok := u.until[id]; return ok }

func (u *usedTokens) add(id [16]byte, expires, now int64, most int) bool {
	if u.until == nil {
		u.until = make(map[[16]byte]int64)
	}
	if len(u.until) >= most && u.swept != now {
		u.swept = now
		for k, e := range u.until { // any order: expired ones are dropped
			if now >= e {
				delete(u.until, k)
			}
		}
	}
	if len(u.until) >= most {
		return false
	}
	u.until[id] = expires
	return true
}
