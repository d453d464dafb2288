package engine

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/level"
)

// parseKey reads the text of a level's key as a variable's type says: numbers as they are; a vector as three
// numbers in map units (a unit normal is not scaled); a rotator as pitch, yaw, roll in degrees; a boolean as
// 1, 0, true, false, yes, no, on or off; an enum by its name or number; a class by its name. The engine's own
// numbered constants (PHYS_Falling) may be written by name.
func parseKey(p *Property, text string, scale float64) (Value, error) {
	s := strings.TrimSpace(text)
	t := p.Type
	switch t.Kind {
	case KindBool:
		switch strings.ToLower(s) {
		case "1", "true", "yes", "on":
			return Bool(true), nil
		case "0", "false", "no", "off", "":
			return Bool(false), nil
		}
		return Value{}, fmt.Errorf("expected 1 or 0")
	case KindInt, KindFloat:
		if n, ok := constant(p, s); ok {
			return Int(n), nil
		}
		n, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return Value{}, fmt.Errorf("expected %s", t)
		}
		if t.Kind == KindInt && n == math.Trunc(n) && math.Abs(n) < 1<<31 {
			return Int(int(n)), nil
		}
		return Float(n), nil
	case KindString:
		return String(text), nil
	case KindEnum:
		if i, err := strconv.Atoi(s); err == nil && i >= 0 && i < len(t.Enum) && t.EnumIndex(s) < 0 {
			return Enum(t.Enum[i]), nil
		}
		return Enum(s), nil
	case KindVector:
		v, ok := level.ParseVector(s)
		if !ok {
			return Value{}, fmt.Errorf("expected three numbers")
		}
		if t.Unit {
			return Vec(v), nil
		}
		return Vec(v.Mul(scale)), nil
	case KindRotator:
		v, ok := level.ParseVector(s)
		if !ok {
			return Value{}, fmt.Errorf("expected pitch, yaw and roll in degrees")
		}
		u := func(d float64) uint16 { return geom.FromRadians(math.Mod(d, 360) * math.Pi / 180) }
		return Rotation(geom.Rotator{Pitch: u(v.X), Yaw: u(v.Y), Roll: u(v.Z)}), nil
	case KindClass:
		return ClassName(CanonicalClass(s)), nil
	default:
	}
	return Value{}, fmt.Errorf("a %s cannot be given in a level", t.Kind)
}

// constant is the number of a constant that scripts know by name, for the native variables that hold them.
func constant(p *Property, s string) (int, bool) {
	if p.Native == nil {
		return 0, false
	}
	var names []string
	switch p.Name {
	case "Physics":
		names = physicsNames[:]
	case "RemoteRole":
		names = roleNames[:]
	case "NetDormancy":
		names = dormancyNames[:]
	}
	for i, n := range names {
		if n == s {
			return i, true
		}
	}
	return 0, false
}
