package inspect

import (
	"github.com/tidelock/tidelock/engine"
)

// Class is a class with the defaults that can be tuned.
type Class struct {
	Name   string `json:"name"`
	Parent string `json:"parent,omitempty"`
	File   string `json:"file"`
	Mod    string `json:"mod,omitempty"`
	// Actors is how many live now, children's not included.
	Actors   int       `json:"actors"`
	Defaults []Default `json:"defaults"`
}

// Default is the default of a variable that one value can be written for.
type Default struct {
	Name string `json:"name"`
	// Kind is "bool", "int", "float", "string", "vector" or "rotator", Class the class that declares the variable.
	Kind  string `json:"kind"`
	Class string `json:"class"`
	// Value is Lua.
	Value string `json:"value"`
	// Min and Max are the bounds of the declaration, if Ranged.
	Ranged bool    `json:"ranged,omitempty"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// tunable are the kinds of variables whose default is one value in the file.
var tunable = map[engine.Kind]string{
	engine.KindBool: "bool", engine.KindInt: "int", engine.KindFloat: "float", engine.KindString: "string", engine.KindVector: "vector", engine.KindRotator: "rotator",
}

// ClassesOf describes all classes, parents before children.
func ClassesOf(w *engine.World) []Class {
	actors := map[*engine.Class]int{}
	w.EachActor(func(a *engine.Actor) { actors[a.Class]++ })
	out := make([]Class, 0, len(w.Classes.All()))
	for _, c := range w.Classes.All() {
		x := Class{Name: c.Name, File: c.Spec.Pos.File, Mod: c.Mod(), Actors: actors[c], Defaults: []Default{}}
		if c.Parent != nil {
			x.Parent = c.Parent.Name
		}
		for _, p := range c.Properties {
			kind, ok := tunable[p.Type.Kind]
			if !ok || len(p.Type.Enum) > 0 {
				continue
			}
			d := Default{Name: p.Name, Kind: kind, Class: p.Class.Name, Value: c.Default(p).Literal(), Ranged: p.Type.Ranged}
			if d.Ranged {
				d.Min, d.Max = p.Type.Min, p.Type.Max
			}
			x.Defaults = append(x.Defaults, d)
		}
		out = append(out, x)
	}
	return out
}
