package relevancy

import "github.com/tidelock/tidelock/engine"

// Names that scripts may define or declare to affect relevancy.
const (
	overrideName = "IsNetRelevantFor" // function (R3.11)
	noSightName  = "bNetNoSight"      // boolean variable (R3.9)
)

// classInfo is the relevancy data of a class, so that no name is looked up per actor.
type classInfo struct {
	class    *engine.Class
	scripted bool // it, or a state of it, defines IsNetRelevantFor
	game     bool // GameInfo: never replicated (R1.4)
	// noSight is the class's bNetNoSight: declared in a script, or the engine's own.
	noSight       *engine.Property
	noSightNative *engine.NativeProperty

	pawn, viewTarget, viewRotation, eyeHeight, viewPitch *engine.Property
}

// info returns the record of a class, made on first use; a reload creates other classes, each with its own.
func (x *Index) info(c *engine.Class) *classInfo {
	for c.Index >= len(x.infos) {
		x.infos = append(x.infos, nil)
	}
	k := x.infos[c.Index]
	if k == nil || k.class != c {
		k = newClassInfo(c)
		x.infos[c.Index] = k
	}
	return k
}

func newClassInfo(c *engine.Class) *classInfo {
	k := &classInfo{class: c, scripted: c.Functions[overrideName] != nil, game: c.IsA("GameInfo")}
	for _, s := range c.States { // any order: one state is enough
		k.scripted = k.scripted || s.Dispatch != nil && s.Dispatch.Functions[overrideName] != nil
	}
	declared := func(name string, kind engine.Kind) *engine.Property {
		if p := c.Property(name); p != nil && p.Native == nil && p.Type.Kind == kind {
			return p
		}
		return nil
	}
	k.noSight = declared(noSightName, engine.KindBool)
	if p := c.Property(noSightName); p != nil && p.Native != nil {
		k.noSightNative = p.Native
	}
	k.pawn = declared("Pawn", engine.KindRef)
	k.viewTarget = declared("ViewTarget", engine.KindRef)
	k.viewRotation = declared("ViewRotation", engine.KindRotator)
	k.eyeHeight = declared("EyeHeight", engine.KindFloat)
	k.viewPitch = declared("ViewPitch", engine.KindInt)
	return k
}

// blind reports whether the class is exempt from lines of sight (R3.9).
func (k *classInfo) blind(a *engine.Actor) bool {
	return k.noSight != nil && a.Word(k.noSight) != 0 || k.noSightNative != nil && k.noSightNative.Read(a).Num != 0
}

// replicates implements R3.1.
func (k *classInfo) replicates(a *engine.Actor) bool {
	return a.BReplicates && a.RemoteRole != engine.RoleNone && !k.game && !a.Deleted()
}
