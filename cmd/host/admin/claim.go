package admin

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/tidelock/tidelock/cmd/host/access"
)

const (
	// codeLasts is how long a code of Claim is valid.
	codeLasts = 5 * time.Minute
	// maxBrowsers bounds the browsers that proved a role by a code; the first are forgotten beyond it.
	maxBrowsers = 64
)

// claims are the code that is valid now, and the browsers that had one. The handler's lock guards them.
type claims struct {
	code     [sha256.Size]byte
	until    time.Time // of code; zero for none
	browsers []browser
}

// browser is one that had a code.
type browser struct {
	secret [sha256.Size]byte
	name   string
	role   access.Role
}

// of returns the role of a browser's secret.
func (c *claims) of(sum [sha256.Size]byte) (name string, role access.Role, ok bool) {
	for i := range c.browsers {
		b := &c.browsers[i]
		if subtle.ConstantTimeCompare(b.secret[:], sum[:]) == 1 {
			return b.name, b.role, true
		}
	}
	return "", access.None, false
}

// random returns 256 bits as text.
func random() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// NewToken returns a random token, 43 characters long.
func NewToken() string { return random() }

// NewCode returns a code that makes one browser at this machine the owner, once, within five minutes. An earlier code is
// void. It is meant for the fragment of a link, which browsers keep out of requests and logs.
func (h *Handler) NewCode() string {
	code := random()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.claims.code, h.claims.until = sha256.Sum256([]byte(code)), h.opt.Now().Add(codeLasts)
	return code
}

// claim exchanges a code for a secret of the browser's own. It needs a local request: neither a page of another site nor
// one behind a proxy can use a code that it saw.
func (h *Handler) claim(w http.ResponseWriter, r *http.Request, v Visitor) {
	var body struct {
		Code string `json:"code"`
	}
	if !h.readBody(w, r, &body) {
		return
	}
	if !v.Local {
		fail(w, http.StatusForbidden, "a code is valid only at the machine that the host runs on; use the admin token here")
		return
	}
	sum := sha256.Sum256([]byte(body.Code))
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.opt.Now().Sub(h.start)
	if wait := h.guesses.Wait(v.Addr, now); wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)+1))
		fail(w, http.StatusTooManyRequests, fmt.Sprintf("too many wrong codes; wait %.0f s", wait.Seconds()+1))
		return
	}
	c := &h.claims
	if c.until.IsZero() || !h.opt.Now().Before(c.until) || subtle.ConstantTimeCompare(sum[:], c.code[:]) != 1 {
		h.guesses.Wrong(v.Addr, now)
		h.opt.Log.Warn("wrong or used code for the inspector", "event", "admin_code", "addr", v.Addr.String())
		fail(w, http.StatusUnauthorized, "this code was used, is older than five minutes, or is wrong; the command `link` prints another")
		return
	}
	secret := random()
	c.until = time.Time{}
	if len(c.browsers) == maxBrowsers {
		c.browsers = c.browsers[1:]
	}
	c.browsers = append(c.browsers, browser{secret: sha256.Sum256([]byte(secret)), name: "inspector", role: access.Owner})
	h.opt.Log.Info("a browser at this machine is the owner now", "event", "admin_claim", "addr", v.Addr.String())
	reply(w, http.StatusOK, struct {
		Token string `json:"token"`
		Role  string `json:"role"`
	}{secret, access.Owner.String()})
}
