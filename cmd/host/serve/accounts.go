package serve

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidelock/tidelock/cmd/host/match"
)

// The accounts of a running host, as SIGUSR2 and the command `stat accounts` print them: the most expensive functions and classes, and the
// sum of the others.

const (
	// dearest is how many functions and how many classes are printed; the others are added up.
	dearest = 20
	// maxCell bounds a name in the table, in characters.
	maxCell = 48
	// memoryWait is how long the table waits for the memory to be counted, some values a tick, and memoryLook how often it looks.
	memoryWait, memoryLook = 2 * time.Second, 20 * time.Millisecond
)

// printAccounts prints the accounts to Out.
func (s *server) printAccounts(ctx context.Context) {
	lines, err := s.accounts(ctx)
	if err != nil {
		return // the host ends
	}
	for _, l := range lines { // one a write, as a view takes them
		_, _ = fmt.Fprintln(s.Out, l) // an operator who asked and whose terminal is gone is not told
	}
}

// accounts has the memory counted and adds them up between two ticks; what they look like is made here, while the world goes on.
func (s *server) accounts(ctx context.Context) ([]string, error) {
	if err := s.do(ctx, func() error { s.Game.MeasureMemory(); return nil }); err != nil {
		return nil, err
	}
	known := false
	for end := time.Now().Add(memoryWait); !known && time.Now().Before(end); { // a host at rest has no ticks: then it is as it was counted last
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

// table is how accounts are printed. Shares are of the length of a tick.
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
	out := []string{fmt.Sprintf("accounts: %s, %.0f s, scripts take %s of a tick, %d actors, %d classes, %d functions, %.0f MB heap",
		level, a.Time, share(a.Seconds), a.Actors, len(a.Classes), len(a.Functions), float64(a.Heap)/1e6)}

	rows := [][]string{{"function", "layer", "tick", "units"}}
	var rest struct {
		seconds       float64
		units         int64
		bytes, memory uint64
		actors        int
	}
	for i, f := range a.Functions {
		if i >= dearest {
			rest.seconds += f.Milliseconds / 1e3
			rest.units += f.Units
			continue
		}
		rows = append(rows, []string{cell(f.Class + ":" + f.Function), cell(layer(f.Trust.String())), share(f.Milliseconds / 1e3), fmt.Sprint(f.Units)})
	}
	if n := len(a.Functions) - dearest; n > 0 {
		rows = append(rows, []string{fmt.Sprintf("%d others", n), "", share(rest.seconds), fmt.Sprint(rest.units)})
	}
	out = append(out, aligned(rows, 2)...)

	rest.seconds = 0
	rows = [][]string{{"class", "layer", "actors", "tick", "bytes sent", "memory", "called"}}
	for i := range a.Classes {
		c := &a.Classes[i]
		if i >= dearest {
			rest.seconds += c.Seconds
			rest.bytes += c.Bytes
			rest.memory += c.Memory
			rest.actors += c.Actors
			continue
		}
		called := "every tick"
		if c.Every > 1 {
			called = fmt.Sprintf("every %d ticks", c.Every)
		}
		rows = append(rows, []string{
			cell(c.Class), cell(layer(c.Trust.String())), fmt.Sprint(c.Actors), share(c.Seconds), fmt.Sprint(c.Bytes), bytesOf(c.Memory), called,
		})
	}
	if n := len(a.Classes) - dearest; n > 0 {
		rows = append(rows, []string{fmt.Sprintf("%d others", n), "", fmt.Sprint(rest.actors), share(rest.seconds), fmt.Sprint(rest.bytes), bytesOf(rest.memory), ""})
	}
	out = append(out, aligned(rows, 2)...)

	out = append(out, modTable(a, share)...)

	if q := a.Quarantined; len(q) > 0 {
		more := ""
		if n := len(q) - dearest; n > 0 {
			q, more = q[:dearest], fmt.Sprintf(" and %d more", n)
		}
		var names []string
		for _, name := range q {
			names = append(names, cell(name))
		}
		out = append(out, "quarantined: "+strings.Join(names, ", ")+more)
	}
	return out
}

// modTable adds up what the classes of each mod cost; there is none without mods.
func modTable(a *match.Accounts, share func(float64) string) []string {
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
		m := &mods[n]
		m.Actors += c.Actors
		m.Seconds += c.Seconds
		m.Bytes += c.Bytes
		m.Memory += c.Memory
	}
	if mods == nil {
		return nil
	}
	slices.SortStableFunc(mods, func(x, y match.ClassAccount) int { return cmp.Compare(y.Seconds, x.Seconds) })
	rows := [][]string{{"mod", "actors", "tick", "bytes sent", "memory"}}
	row := func(name string, m *match.ClassAccount) {
		rows = append(rows, []string{name, fmt.Sprint(m.Actors), share(m.Seconds), fmt.Sprint(m.Bytes), bytesOf(m.Memory)})
	}
	var rest match.ClassAccount
	for i := range mods {
		m := &mods[i]
		if i < dearest {
			row(cell(m.Mod), m)
			continue
		}
		rest.Actors += m.Actors
		rest.Seconds += m.Seconds
		rest.Bytes += m.Bytes
		rest.Memory += m.Memory
	}
	if n := len(mods) - dearest; n > 0 {
		row(fmt.Sprintf("%d others", n), &rest)
	}
	return aligned(rows, 1)
}

// layer is a layer as the table calls it.
func layer(trust string) string {
	if trust == "" {
		return "game"
	}
	return trust
}

// bytesOf is a number of bytes, "-" where none were measured.
func bytesOf(n uint64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

// cell is a name in the table.
func cell(name string) string {
	if utf8.RuneCountInString(name) <= maxCell {
		return name
	}
	return string([]rune(name)[:maxCell-1]) + "…"
}

// aligned are rows as lines: so many columns from the left begin below each other, the others end there.
func aligned(rows [][]string, left int) []string {
	width := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, c := range r {
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	var out []string
	for _, r := range rows {
		var b strings.Builder
		for i, c := range r {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(c))
			if i < left {
				b.WriteString(c + pad)
			} else {
				b.WriteString(pad + c)
			}
			if i < len(r)-1 {
				b.WriteString("  ")
			}
		}
		out = append(out, strings.TrimRight(b.String(), " "))
	}
	return out
}
