package admin

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tidelock/tidelock/cmd/host/access"
)

// codeLasts is how long a code of Claim is valid.
const codeLasts = 5 * time.Minute

// claims are the code that is valid now. The handler's lock guards it.
type claims struct {
	code  [sha256.Size]byte
	until time.Time // of code; zero for none
}

// browserMark begins the secrets of browsers.
const browserMark = "browser."

// secretOf makes the secret of a browser from a random number: who has the admin token can tell it from others, also after a restart
// of the host, and nothing is stored. Another admin token makes all of them void.
func (h *Handler) secretOf(id string) string {
	m := hmac.New(sha256.New, h.browserKey[:])
	_, _ = m.Write([]byte(browserMark + id)) // never fails (hash.Hash)
	return browserMark + id + "." + base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

// isBrowser reports whether a secret is one that a browser got for a code.
func (h *Handler) isBrowser(secret string) bool {
	id, ok := strings.CutPrefix(secret, browserMark)
	id, _, cut := strings.Cut(id, ".")
	return ok && cut && subtle.ConstantTimeCompare([]byte(h.secretOf(id)), []byte(secret)) == 1
}

// browserKeyOf is what browsers' secrets are made with: from the admin token, or random where there is none.
func browserKeyOf(token string) (key [sha256.Size]byte) {
	if token == "" {
		_, _ = rand.Read(key[:]) // never fails (crypto/rand)
		return key
	}
	return sha256.Sum256([]byte("tidelock browsers\n" + token))
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

// claim exchanges a code for a secret of the browser's own, and makes the key that the browser plays with the owner. It needs a local request: neither a page of another site nor
// one behind a proxy can use a code that it saw.
func (h *Handler) claim(w http.ResponseWriter, r *http.Request, v Visitor) {
	var body struct {
		Code string `json:"code"`
		// Player is the key of the browser's player, as logs show it, "" for none.
		Player string `json:"player"`
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
	if body.Player != "" && h.opt.Grant != nil {
		if err := h.opt.Grant(body.Player); err != nil { // the code is still good
			fail(w, http.StatusBadRequest, err.Error())
			return
		}
	}
	c.until = time.Time{}
	secret := h.secretOf(random())
	h.opt.Log.Info("a browser at this machine is the owner now", "event", "admin_claim", "addr", v.Addr.String(), "key", body.Player)
	reply(w, http.StatusOK, struct {
		Token string `json:"token"`
		Role  string `json:"role"`
	}{secret, access.Owner.String()})
}
