package media

import (
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/action"
	"github.com/tidelock/tidelock/netcode/bundle"
)

// InputFile is the file of content that declares the actions of players (W4.3, docs/input.md).
const InputFile = "input.toml"

// inputFile is content/input.toml.
type inputFile struct {
	Action []actionTable `toml:"action"`
}

type actionTable struct {
	Name             string   `toml:"name"`
	Label            string   `toml:"label"`
	NegativeLabel    string   `toml:"negative_label"`
	Kind             string   `toml:"kind"`
	Keys             []string `toml:"keys"`
	Negative         []string `toml:"negative"`
	Buttons          []string `toml:"buttons"`
	Touch            string   `toml:"touch"`
	Terminal         string   `toml:"terminal"`
	TerminalNegative string   `toml:"terminal_negative"`
}

// readInput reads content/input.toml.
func readInput(f *bundle.File) ([]engine.Action, error) {
	var d inputFile
	if err := decode(f, &d); err != nil {
		return nil, err
	}
	c := checker{f: f}
	c.many("action", len(d.Action), engine.MaxActions)
	out := make([]engine.Action, 0, len(d.Action))
	for i := range d.Action {
		t := &d.Action[i]
		c.in("action", i)
		kind, err := action.Kind(t.Kind)
		if err != nil {
			c.fail("kind", "%v", err)
		}
		a := engine.Action{
			Name: t.Name, Label: t.Label, NegativeLabel: t.NegativeLabel, Kind: kind, Keys: t.Keys, Negative: t.Negative, Buttons: t.Buttons, Touch: t.Touch,
			Terminal: t.Terminal, TerminalNegative: t.TerminalNegative,
		}
		if field, err := action.Check(&a); err != nil {
			c.fail(field, "%v", err)
		}
		for k := range out {
			if out[k].Name == a.Name {
				c.fail("name", "%s stands twice; the first is at line %d", a.Name, placeOf(f.Data, "action", k, "name"))
			}
		}
		out = append(out, a)
	}
	if c.err != nil {
		return nil, c.err
	}
	return out, nil
}
