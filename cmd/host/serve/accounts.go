package serve

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidelock/tidelock/cmd/host/console"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm"
)

// The accounts of a running host, as SIGUSR2 and the command `stat accounts` print them: the most expensive functions and classes, and the
// sum of the others.

const (
	// costliest is how many functions and how many classes are printed; the others are added up.
	costliest = 20
	// maxCell bounds a name in the table, in characters.
	maxCell = 48
	// memoryWait is how long the table waits for the memory to be counted, some values a tick, and memoryLook
	// how often it checks.
	memoryWait, memoryLook = 2 * time.Second, 20 * time.Millisecond
)

// printAccounts prints the accounts to Out.
func (s *server) printAccounts(ctx context.Context) {
	lines, err := s.accounts(ctx)
	if err != nil {
		return // the host ends
	}
	for _, l := range lines { // one per write, as a view reads them
		_, _ = fmt.Fprintln(s.Out, l) // the operator's terminal is closed
	}
}

// accounts has the memory counted and sums up the accounts between two ticks; they are formatted here, while
// the world goes on.
func (s *server) accounts(ctx context.Context) ([]string, error) {
	if err := s.do(ctx, func() error { s.Game.MeasureMemory(); return nil }); err != nil {
		return nil, err
	}
	known := false
	for end := time.Now().Add(memoryWait); !known && time.Now().Before(end); { // a paused host has no ticks: then the last count is used
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(memoryLook):
		}
		if err := s.do(ctx, func() error { known = s.Game.MemoryKnown(); return nil }); err != nil {
			return nil, err
		}
	}
	var a match.Accounts
	if err := s.do(ctx, func() error { a = s.Game.Accounts(); return nil }); err != nil {
		return nil, err
	}
	return table(&a), nil
}

// table formats accounts. Shares are of the length of a tick.
func table(a *match.Accounts) []string {
	share := func(seconds float64) string {
		if a.Tick <= 0 {
			return "-"
		}
		return fmt.Sprintf("%.1f %%", 100*seconds/a.Tick)
	}
	level := a.Level
	if level == "" {
		level = "no level"
	}
	out := []string{fmt.Sprintf("accounts: %s, %.0f s, scripts take %s of a tick, %s, %d classes, %d functions, %.0f MB heap",
		level, a.Time, share(a.Seconds), engine.Counted(a.Actors, "actor"), len(a.Classes), len(a.Functions), float64(a.Heap)/1e6)}

	out = append(out, top(2, []string{"function", "layer", "tick", "units"}, a.Functions,
		func(f *scriptvm.Cost) (name, in string) { return f.Class + ":" + f.Function, layer(f.Trust.String()) },
		func(sum, f *scriptvm.Cost) { sum.Milliseconds += f.Milliseconds; sum.Units += f.Units },
		func(f *scriptvm.Cost) []string { return []string{share(f.Milliseconds / 1e3), fmt.Sprint(f.Units)} })...)

	cells := func(c *match.ClassAccount) []string {
		return []string{fmt.Sprint(c.Actors), share(c.Seconds), fmt.Sprint(c.Bytes), bytesOf(c.Memory)}
	}
	out = append(out, top(2, []string{"class", "layer", "actors", "tick", "bytes sent", "memory", "called"}, a.Classes,
		func(c *match.ClassAccount) (name, in string) { return c.Class, layer(c.Trust.String()) }, addUp,
		func(c *match.ClassAccount) []string {
			called := ""
			switch {
			case c.Every > 1:
				called = fmt.Sprintf("every %d ticks", c.Every)
			case c.Every == 1: // not a sum
				called = "every tick"
			}
			return append(cells(c), called)
		})...)

	if mods := byMod(a); mods != nil {
		out = append(out, top(1, []string{"mod", "actors", "tick", "bytes sent", "memory"}, mods,
			func(m *match.ClassAccount) (name, in string) { return m.Mod, "" }, addUp, cells)...)
	}

	if q := a.Quarantined; len(q) > 0 {
		more := ""
		if n := len(q) - costliest; n > 0 {
			q, more = q[:costliest], fmt.Sprintf(" and %d more", n)
		}
		var names []string
		for _, name := range q {
			names = append(names, cell(name))
		}
		out = append(out, "quarantined: "+strings.Join(names, ", ")+more)
	}
	return out
}

// top returns a table of the first elements of a list; the others are summed up in one more row. The first
// named columns are texts: the name, and with 2 its layer.
func top[T any](named int, head []string, list []T, name func(*T) (name, in string), add func(sum, x *T), cells func(*T) []string) []string {
	rows := [][]string{head}
	row := func(x *T, name, in string) {
		rows = append(rows, append([]string{name, in}[:named:named], cells(x)...))
	}
	var rest T
	for i := range list {
		if i >= costliest {
			add(&rest, &list[i])
			continue
		}
		n, in := name(&list[i])
		row(&list[i], cell(n), cell(in))
	}
	if n := len(list) - costliest; n > 0 {
		row(&rest, engine.Counted(n, "other"), "")
	}
	return console.Table(rows, named)
}

// addUp adds the costs of a class to a sum.
func addUp(sum, c *match.ClassAccount) {
	sum.Actors += c.Actors
	sum.Seconds += c.Seconds
	sum.Bytes += c.Bytes
	sum.Memory += c.Memory
}

// byMod sums up the costs of the classes of each mod, the most expensive first; nil without mods.
func byMod(a *match.Accounts) []match.ClassAccount {
	var mods []match.ClassAccount // in the order of their most expensive classes
	for i := range a.Classes {
		c := &a.Classes[i]
		if c.Mod == "" {
			continue
		}
		n := slices.IndexFunc(mods, func(m match.ClassAccount) bool { return m.Mod == c.Mod })
		if n < 0 {
			n = len(mods)
			mods = append(mods, match.ClassAccount{Mod: c.Mod})
		}
		addUp(&mods[n], c)
	}
	slices.SortStableFunc(mods, func(x, y match.ClassAccount) int { return cmp.Compare(y.Seconds, x.Seconds) })
	return mods
}

// layer returns the table's name of a layer.
func layer(trust string) string {
	if trust == "" {
		return "game"
	}
	return trust
}

// bytesOf formats a number of bytes, "-" if it was not measured.
func bytesOf(n uint64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

// cell formats a name for the table.
func cell(name string) string {
	if utf8.RuneCountInString(name) <= maxCell {
		return name
	}
	return string([]rune(name)[:maxCell-1]) + "…"
}
