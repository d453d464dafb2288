package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tidelock/tidelock/cmd/host/join"
	"github.com/tidelock/tidelock/cmd/host/query"
	"github.com/tidelock/tidelock/cmd/host/view"
)

type queryCmd struct {
	Addr    string        `arg:"" optional:"" default:"localhost" help:"Address of the host: HOST, HOST:PORT or [IPv6]:PORT. Default: this machine."`
	Timeout time.Duration `only:"cli" default:"3s" range:"100ms,10m" help:"How long to wait for an answer."`
	JSON    bool          `only:"cli" name:"json" help:"Print the answer as JSON, with the ping in milliseconds."`
}

// Run asks a host and prints its answer, whose texts are a stranger's.
func (c *queryCmd) Run(sys *system) error {
	target, err := join.Resolve(c.Addr)
	if err != nil {
		return usageError{err}
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.Timeout)
	defer cancel()
	a, err := query.Ask(ctx, target.Addr)
	if errors.Is(err, query.ErrSilent) {
		return join.Unanswered(target.Shown, target.Addr.Addr(), c.Timeout)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", target.Shown, err)
	}
	ping := float64(a.Ping.Microseconds()) / 1e3
	if c.JSON {
		e := json.NewEncoder(sys.stdout)
		e.SetEscapeHTML(false)
		return e.Encode(struct {
			query.Description
			Ping float64 `json:"ping"`
		}{a.Description, ping})
	}
	needs := "nothing"
	switch {
	case a.Token:
		needs = "a connect token"
	case a.Password:
		needs = "a password"
	}
	lines := []string{
		"name     " + a.Name,
		"level    " + a.Level + " (" + a.Game + ")",
		fmt.Sprintf("players  %d of %d", a.Players, a.Max),
		fmt.Sprintf("ping     %.0f ms", ping),
		"needs    " + needs,
	}
	if a.Draining {
		lines = append(lines, "state    draining: it takes no new players and ends soon")
	}
	if len(a.Rules) > 0 {
		rules := "rules   "
		for _, name := range slices.Sorted(maps.Keys(a.Rules)) {
			rules += " " + name + "=" + a.Rules[name]
		}
		lines = append(lines, rules)
	}
	for i := range lines {
		lines[i] = view.Clean(lines[i])
	}
	_, err = fmt.Fprintln(sys.stdout, strings.Join(lines, "\n"))
	return err
}
