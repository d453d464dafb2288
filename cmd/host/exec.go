package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// execCmd gives a running host a command over its API.
type execCmd struct {
	Line       []string      `arg:"" passthrough:"" help:"The command and its arguments, as they would be typed at the host."`
	At         string        `only:"cli" default:"http://localhost:7780" placeholder:"URL" help:"The host's address for browsers."`
	TokenFile  string        `only:"cli" placeholder:"FILE" help:"The file of the host's --admin-token. Default: the one of that port in your cache folder; without one, only commands that change nothing are possible."`
	ExecWithin time.Duration `only:"cli" name:"within" default:"30s" range:"1s,10m" help:"How long to wait for the answer."`
}

// maxAnswer bounds an answer that is read, in bytes.
const maxAnswer = 16 << 20

// Run prints the answer.
func (c *execCmd) Run(sys *system) error {
	u, err := url.Parse(c.At)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return usageError{fmt.Errorf("--at: %q is no address of a host for browsers; write http://localhost:7780", c.At)}
	}
	token, err := adminToken(c.TokenFile, u.Port())
	if err != nil {
		return usageError{fmt.Errorf("--token-file: %w", err)}
	}
	body, err := json.Marshal(map[string]string{"line": commandLine(c.Line)})
	if err != nil {
		return err
	}
	r, err := http.NewRequest(http.MethodPost, strings.TrimSuffix(c.At, "/")+"/api/v1/exec", bytes.NewReader(body))
	if err != nil {
		return usageError{err}
	}
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	// A host that redirects is none, and must not be handed the token.
	client := &http.Client{Timeout: c.ExecWithin, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	a, err := client.Do(r)
	if err != nil {
		return fmt.Errorf("no answer from %s: %w; is a host running there with a web listener?", c.At, errors.Unwrap(err))
	}
	defer a.Body.Close() //nolint:errcheck // it was only read
	var got struct {
		Answer []string
		Error  string
	}
	b, err := io.ReadAll(io.LimitReader(a.Body, maxAnswer))
	if err == nil {
		err = json.Unmarshal(b, &got)
	}
	switch {
	case err != nil:
		return fmt.Errorf("%s did not answer as a host does (%s)", c.At, a.Status)
	case a.StatusCode != http.StatusOK && a.StatusCode != http.StatusBadRequest:
		return errors.New(got.Error)
	case a.StatusCode == http.StatusBadRequest:
		return usageError{errors.New(got.Error)}
	}
	for _, l := range got.Answer {
		if _, err := fmt.Fprintln(sys.stdout, l); err != nil {
			return err
		}
	}
	return nil
}

// adminToken returns the token to send to the host with a port for browsers, "" for none. name is the file that was given, "" for the
// default one.
func adminToken(name, port string) (string, error) {
	if name != "" {
		return readToken(name)
	}
	file := tokenFile(port)
	if file == "" {
		return "", nil
	}
	token, err := readToken(file)
	if err != nil {
		return "", nil //nolint:nilerr // then the host says what the command needs
	}
	return token, nil
}

// commandLine joins words as the shell divided them: one with spaces among several was quoted, and stays one argument.
func commandLine(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		if strings.ContainsAny(w, " \t") && !strings.Contains(w, `"`) && i < len(words)-1 {
			w = `"` + w + `"`
		}
		b.WriteString(w)
	}
	return b.String()
}
