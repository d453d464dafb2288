package classfile

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/api"
)

// kinds is a set of kinds that a value may have when a script runs. The checker only reports what holds for every
// member.
type kinds uint32

const (
	isNil kinds = 1 << iota
	isBool
	isNumber
	isString
	isVector
	isRotator
	isTable // a plain one
	isFunc
	isActor // an actor or a component
	isClass
	isWorld
	isStore
	isCluster
	isProfile
	isPart // an array or a struct of an actor
	isFast
	isMove
	isCanvas
	isOther
	isAny = 1<<iota - 1
)

var kindWords = []string{"nil", "a boolean", "a number", "a string", "a vector", "a rotator", "a table", "a function", "an actor", "a class", "world", "store", "cluster", "Profile", "an array or a struct", "a fastarray", "a movestate", "a canvas", "a value"}

// known is what the checker knows of a value.
type known struct {
	kinds kinds
	class *engine.Class // of an actor or a class: it or a child of it; nil for any
	exact bool          // exactly this class, no child
	typ   *engine.Type  // of isPart and isFast
	rec   *api.Record   // of a table with fixed members
	elem  *known        // of a list
	enum  *engine.Type  // of a string that is one of an enum's
	text  string        // of a constant, as it is written, "" for others
	value engine.Value  // of a constant
}

var anything = known{kinds: isAny}

func (k known) unknown() bool { return k.kinds == isAny }

// join returns the union of two values.
func join(a, b known) known {
	out := known{kinds: a.kinds | b.kinds}
	if a.enum == b.enum {
		out.enum = a.enum
	}
	const classes = isActor | isClass
	switch {
	case a.kinds&classes == 0:
		out.class, out.exact = b.class, b.exact
	case b.kinds&classes == 0:
		out.class, out.exact = a.class, a.exact
	case a.class != nil && b.class != nil:
		out.exact = a.exact && b.exact && a.class == b.class
		for out.class = a.class; out.class != nil && !b.class.Descends(out.class); {
			out.class = out.class.Parent
		}
	}
	if a.kinds&isTable == 0 {
		out.rec, out.elem = b.rec, b.elem
	} else if b.kinds&isTable == 0 {
		out.rec, out.elem = a.rec, a.elem
	}
	if a.kinds&(isPart|isFast) == 0 {
		out.typ = b.typ
	} else if b.kinds&(isPart|isFast) == 0 {
		out.typ = a.typ
	}
	return out
}

// describe returns the text of a value in a message, "the number 5", "a vector".
func (k known) describe() string {
	if k.text != "" {
		return k.text
	}
	var out []string
	for i, w := range kindWords {
		if k.kinds&(1<<i) == 0 {
			continue
		}
		if k.class != nil && 1<<i == isActor {
			w = "an actor of class " + k.class.Name
		}
		out = append(out, w)
	}
	return strings.Join(out, " or ")
}

// ofType returns what a variable of a type holds.
func (c *checker) ofType(t *engine.Type) known {
	switch t.Kind {
	case engine.KindBool:
		return known{kinds: isBool}
	case engine.KindInt, engine.KindFloat:
		return known{kinds: isNumber}
	case engine.KindString:
		return known{kinds: isString}
	case engine.KindEnum:
		return known{kinds: isString, enum: t}
	case engine.KindVector:
		return known{kinds: isVector}
	case engine.KindRotator:
		return known{kinds: isRotator}
	case engine.KindRef:
		return known{kinds: isActor | isNil, class: c.built.Find(t.Class)}
	case engine.KindClass:
		return known{kinds: isClass | isNil, class: c.built.Find(t.Class)}
	case engine.KindStruct, engine.KindArray:
		return known{kinds: isPart, typ: t}
	case engine.KindFastArray:
		return known{kinds: isFast, typ: t}
	default:
	}
	return anything
}

// ofName returns the meaning of a type of the registry: number, Actor?, PathStep[], string|table.
func (c *checker) ofName(name string) known {
	if before, after, ok := strings.Cut(name, "|"); ok {
		return join(c.ofName(before), c.ofName(after))
	}
	if base, ok := strings.CutSuffix(name, "?"); ok {
		return join(c.ofName(base), known{kinds: isNil})
	}
	if base, ok := strings.CutSuffix(name, "[]"); ok {
		elem := c.ofName(base)
		return known{kinds: isTable, elem: &elem}
	}
	if strings.HasPrefix(name, "fun(") {
		return known{kinds: isFunc}
	}
	switch name {
	case "number", "integer":
		return known{kinds: isNumber}
	case "string":
		return known{kinds: isString}
	case "boolean":
		return known{kinds: isBool}
	case "vector":
		return known{kinds: isVector}
	case "rotator":
		return known{kinds: isRotator}
	case "table":
		return known{kinds: isTable}
	case "function":
		return known{kinds: isFunc}
	case "world":
		return known{kinds: isWorld}
	case "store":
		return known{kinds: isStore}
	case "cluster":
		return known{kinds: isCluster}
	case "Profile":
		return known{kinds: isProfile}
	case "movestate":
		return known{kinds: isMove}
	case "canvas":
		return known{kinds: isCanvas}
	case api.ClassName:
		return known{kinds: isClass | isString}
	}
	for _, a := range api.Aliases() {
		if a.Name == name {
			return c.ofName(a.Of)
		}
	}
	for _, r := range api.Records() {
		if r.Name == name {
			return known{kinds: isTable, rec: r}
		}
	}
	if k := c.built.Find(name); k != nil {
		return known{kinds: isActor, class: k}
	}
	return anything
}

// related reports whether an actor described by k can have a class.
func (k known) related(to *engine.Class) bool {
	return k.class == nil || to == nil || k.class.Descends(to) || !k.exact && to.Descends(k.class)
}

// fits returns why a value can never be accepted where another is expected, "" if it may be.
func (k known) fits(want known) string {
	got := k.kinds
	if got != isNil {
		got &^= isNil
	}
	switch {
	case got == 0 || k.unknown() || want.unknown():
		return ""
	case got&want.kinds == 0:
		return fmt.Sprintf("expected %s, got %s", want.described(), k.described())
	case got == isActor && !k.related(want.class):
		return fmt.Sprintf("expected %s, got %s", want.described(), k.described())
	}
	return ""
}

// fitsType is fits for a variable of a type.
func (c *checker) fitsType(k known, t *engine.Type) string {
	if k.text != "" && t.Kind != engine.KindFastArray {
		if k.kinds == isNil && t.Kind != engine.KindRef && t.Kind != engine.KindClass {
			return fmt.Sprintf("expected %s, got nil", t)
		}
		if _, err := t.Check(nil, k.value); err != nil {
			return err.Error()
		}
	}
	if t.Kind == engine.KindClass && k.kinds == isString && k.text != "" {
		return c.fitsClass(k.value.Str, t)
	}
	want := c.ofType(t)
	switch t.Kind {
	case engine.KindStruct, engine.KindArray:
		want.kinds |= isTable
	case engine.KindClass:
		want.kinds |= isString
	default:
	}
	if k.fits(want) == "" {
		return ""
	}
	return fmt.Sprintf("expected %s, got %s", t, k.described())
}

// fitsClass returns why the name of a class cannot be the value of a variable of that type, "" if it can.
func (c *checker) fitsClass(name string, t *engine.Type) string {
	class := c.built.Find(name)
	if class == nil {
		return fmt.Sprintf("expected %s, got %q, which is no class%s", t, clip(name), engine.Nearest(name, c.classNames()))
	}
	if to := c.built.Find(t.Class); to != nil && !class.Descends(to) {
		return fmt.Sprintf("expected %s, got %s, which is no child of %s", t, name, to.Name)
	}
	return ""
}

func numberText(n float64) string { return "the number " + strconv.FormatFloat(n, 'g', -1, 64) }
