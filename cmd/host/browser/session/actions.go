package session

import (
	"encoding/json"
	"fmt"

	"github.com/tidelock/tidelock/engine"
)

// actions is what the page knows of the player's actions, and their values from it (W4.3).
type actions struct {
	set    *engine.ActionSet
	number int // of the event with set
	told   bool
	values []float64 // in the order of set
	more   []engine.ActionValue
	warned bool
}

// shownAction is the description of an action for the page.
type shownAction struct {
	Name          string   `json:"name"`
	Label         string   `json:"label"`
	Kind          string   `json:"kind"`
	Keys          []string `json:"keys"`
	Negative      []string `json:"negative,omitempty"`
	NegativeLabel string   `json:"negativeLabel,omitempty"`
	Buttons       []string `json:"buttons"`
	Touch         string   `json:"touch,omitempty"`
	Class         string   `json:"class,omitempty"`
}

// world resets the state of the last world: everything is released until the page has received the new set.
func (a *actions) world() {
	a.set, a.told = nil, false
	a.values = a.values[:0]
}

// tell returns the event for a set that the page does not know, nil if it does. Held actions that still exist
// stay held.
func (a *actions) tell(set *engine.ActionSet) []byte {
	if set == nil || a.told && a.set == set {
		return nil
	}
	values := make([]float64, len(set.List))
	if a.set != nil {
		for i := range set.List {
			if k := a.set.Find(set.List[i].Name); k >= 0 {
				values[i] = a.values[k]
			}
		}
	}
	a.set, a.values, a.told = set, values, true
	a.number++
	list := make([]shownAction, len(set.List))
	for i := range set.List {
		d := &set.List[i]
		list[i] = shownAction{
			Name: d.Name, Label: d.Label, Kind: d.Kind.String(), Keys: some(d.Keys), Negative: d.Negative, NegativeLabel: d.NegativeLabel,
			Buttons: some(d.Buttons), Touch: d.Touch, Class: d.Class,
		}
	}
	b, err := json.Marshal(struct {
		E    string        `json:"e"`
		N    int           `json:"n"`
		List []shownAction `json:"list"`
	}{"actions", a.number, list})
	if err != nil {
		panic("session: actions: " + err.Error()) // strings only
	}
	return b
}

// some returns a list that is never null in JSON.
func some(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// take stores values from a page. It returns what is wrong with them, the first time, else "". Values for
// another set than the present one crossed its event; the page sends others.
func (a *actions) take(number int, values []float64) string {
	if !a.told || number != a.number {
		return ""
	}
	why := ""
	if len(values) != len(a.values) {
		why = fmt.Sprintf("the page sent values for %d actions; it was told of %d", len(values), len(a.values))
	}
	for i, v := range values {
		if why == "" && v-v != 0 {
			why = fmt.Sprintf("the page sent no number for the action %s", a.set.List[i].Name)
		}
	}
	if why != "" {
		if a.warned {
			return ""
		}
		a.warned = true
		return why + "; its input is ignored: reload the page"
	}
	for i, v := range values {
		a.values[i] = engine.Unit(v)
	}
	return ""
}

// fill writes the values to an input.
func (a *actions) fill(in *engine.Input) {
	if !a.told {
		return
	}
	a.more = a.more[:0]
	for i, v := range a.values {
		if name := a.set.List[i].Name; v != 0 && !in.SetField(name, v) {
			a.more = append(a.more, engine.ActionValue{Name: name, Value: v})
		}
	}
	in.Actions = a.more
}
