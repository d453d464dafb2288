package join

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tidelock/tidelock/cmd/host/view"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/client"
)

// follower reports changes of the actors of a class.
type follower struct {
	class string
	say   func(text string)
}

// hear handles an event of the client; it is the client's Trace. Notifies follow from the variables and are
// left out.
func (f *follower) hear(e client.Event) {
	if e.Actor == nil || !e.Actor.IsA(f.class) {
		return
	}
	a, what := e.Actor, ""
	switch e.Kind {
	case client.Opened:
		what = fmt.Sprintf("+ %s at %s", a.Name, view.Place(a.Location))
	case client.ClosedChannel:
		what = fmt.Sprintf("- %s: %s", a.Name, e.Why)
	case client.TornOff:
		what = fmt.Sprintf("- %s: torn off, lives on here", a.Name)
	case client.Set:
		what = fmt.Sprintf("  %s.%s = %s", a.Name, e.Name, valueText(a.World(), e.Value))
	case client.Called:
		args := make([]string, len(e.Args))
		for i, v := range e.Args {
			args[i] = valueText(a.World(), v)
		}
		what = fmt.Sprintf("  %s:%s(%s)", a.Name, e.Name, strings.Join(args, ", "))
	case client.Notified:
		return
	default:
		return
	}
	f.say(fmt.Sprintf("%.3f %s", e.Time, view.Clean(what)))
}

// valueText formats a value for people.
func valueText(w *engine.World, v engine.Value) string {
	switch v.Kind {
	case engine.KindNone:
		return "nil"
	case engine.KindBool:
		return strconv.FormatBool(v.Num != 0)
	case engine.KindInt, engine.KindFloat:
		return strconv.FormatFloat(v.Num, 'g', 6, 64)
	case engine.KindString:
		return strconv.Quote(v.Str)
	case engine.KindVector:
		return view.Place(v.Vec)
	case engine.KindRotator:
		return fmt.Sprintf("rotator(%d, %d, %d)", v.Rot.Pitch, v.Rot.Yaw, v.Rot.Roll)
	case engine.KindRef:
		if a := w.Actor(v.Ref); a != nil {
			return a.Name
		}
		return "nil"
	case engine.KindStruct, engine.KindArray:
		parts := make([]string, len(v.List))
		for i, e := range v.List {
			parts[i] = valueText(w, e)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	default:
		return v.Str // a class, the name of an enum
	}
}
