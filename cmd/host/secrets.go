package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/tidelock/tidelock/cmd/host/secret"
	"github.com/tidelock/tidelock/cmd/host/settings"
)

// checkSecrets rejects secrets that are set but empty (G16): the operator meant to exclude somebody, and a
// variable that a deployment left empty must not open the host to everybody. url is the start URL.
func (c *serveCmd) checkSecrets(p *parsed, url string) error {
	for _, s := range [...]struct{ flag, value string }{
		{"password", c.Password}, {"token-key", c.TokenKey}, {"tls-cert", c.TLSCert}, {"tls-key", c.TLSKey},
	} {
		if from := p.settings.From(p.ctx, s.flag); from != settings.FromDefault && strings.TrimSpace(s.value) == "" {
			return usageError{fmt.Errorf("%s: %s is empty, which would keep nobody out; give one, or remove the setting", from, s.flag)}
		}
	}
	for _, o := range strings.Split(url, "?")[1:] {
		if name, value, _ := strings.Cut(o, "="); strings.EqualFold(name, "password") && strings.TrimSpace(value) == "" {
			return usageError{errors.New("the option password of the level is empty, which would keep nobody out; give one, or leave it out")}
		}
	}
	return nil
}

// doubtSecrets warns about a password in a file that others may read. That is not an error: the file has other
// settings, too, and many operators keep it in a folder that only they can enter.
func (c *serveCmd) doubtSecrets(p *parsed, log *slog.Logger) {
	if c.Password == "" {
		return
	}
	from := p.settings.From(p.ctx, "password")
	i := strings.LastIndexByte(from, ':')
	if i < 0 {
		return // no file's
	}
	f, err := os.Open(from[:i])
	if err != nil {
		return // it was read a moment ago
	}
	defer f.Close() //nolint:errcheck // it was only looked at
	if err := secret.Check(f); err != nil {
		log.Warn("password stands in "+from[:i]+": "+err.Error(), "event", "secret")
	}
}
