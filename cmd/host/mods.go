package main

import (
	"cmp"
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/console"
	"github.com/tidelock/tidelock/cmd/host/settings"
	"github.com/tidelock/tidelock/engine"
)

type modsCmd struct {
	assetFlags
}

// Run lists the mods that a host would run, in their order, and what is wrong with the others; it exits with 1
// if something is.
func (c *modsCmd) Run(sys *system, p *parsed) error {
	guard := p.settings.Guard()
	a, err := assets.Open(assets.Options{Scripts: c.Scripts, Content: c.Content, Off: guard.Off, KeepGoing: true})
	if err != nil {
		return usageError{err}
	}
	rows := [][]string{{"name", "version", "layer", "enabled", "folder", "files", "requires", "share", "memory", "actors"}}
	row := func(l settings.Limits, cells ...string) {
		rows = append(rows, append(cells, strconv.FormatFloat(l.Share, 'f', -1, 64), fmt.Sprintf("%d MB", l.Memory), strconv.Itoa(l.Actors)))
	}
	core, game := a.OwnFiles()
	folder, _ := a.Origin()
	d := settings.DefaultLimits()
	row(d, "core", "-", "core", "yes", folder, strconv.Itoa(core), "-")
	row(d, "game", "-", "game", "yes", folder, strconv.Itoa(game), "-")
	used := map[string]int{}
	for i, m := range a.Used() {
		used[m.Dir] = i + 1
	}
	var names []string
	for _, m := range a.Mods() {
		names = append(names, m.Name)
		layer, enabled := "-", "broken"
		switch n := used[m.Dir]; {
		case n > 0:
			layer, enabled = fmt.Sprintf("mod %d", n), "yes"
		case m.Off:
			enabled = "no"
		}
		var requires []string
		for _, r := range m.Requires {
			requires = append(requires, r.String())
		}
		row(guard.OfMod(m.Name), m.Name, cmp.Or(m.Version, "-"), layer, enabled, m.Show, strconv.Itoa(m.Files), cmp.Or(strings.Join(requires, ", "), "-"))
	}
	for _, l := range console.Table(rows, len(rows[0])) {
		if _, err := fmt.Fprintln(sys.stdout, l); err != nil {
			return err
		}
	}
	var lines []string
	for _, n := range a.Notes() {
		lines = append(lines, "warning: "+n.Error())
	}
	for _, w := range p.settings.Unknown("mods", names) {
		lines = append(lines, "warning: "+w)
	}
	for _, e := range a.Problems() {
		lines = append(lines, "error: "+e.Error())
	}
	for _, l := range lines {
		if _, err := fmt.Fprintln(sys.stderr, l); err != nil {
			return err
		}
	}
	if len(a.Problems()) > 0 {
		return exitError(1)
	}
	return nil
}

// modTitles returns the titles of the used mods, in their order.
func modTitles(a *assets.Assets) string {
	used := a.Used()
	titles := make([]string, len(used))
	for i := range used {
		titles[i] = used[i].Title()
	}
	return strings.Join(titles, ", ")
}

// tellMods logs the mods of a host, and tables of host.toml that have no effect.
func tellMods(log *slog.Logger, a *assets.Assets, s *settings.Settings, classes *engine.Classes) {
	if titles := modTitles(a); titles != "" {
		log.Info("mods: " + titles)
	}
	for _, n := range a.Notes() {
		log.Warn(n.Error())
	}
	var names []string
	for _, m := range a.Mods() {
		names = append(names, m.Name)
	}
	for _, w := range s.Unknown("mods", names) {
		log.Warn(w)
	}
	names = names[:0]
	for _, c := range classes.All() {
		names = append(names, c.Name)
	}
	for _, w := range s.Unknown("classes", names) {
		log.Warn(w)
	}
}
