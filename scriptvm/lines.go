package scriptvm

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// Lines that scripts cause to be logged are bounded (G12): by class and by mod those that scripts log and those about
// their faults, by player those about faults in what that player called. What is dropped is counted, and the count is told. Time is
// the world's, so a match that is repeated logs the same lines.

const (
	// LineRate lines a second and class are logged, LineBurst at once. It is the same for a mod, all of its classes together, and
	// for a player. More are dropped and counted.
	LineRate, LineBurst = 20, 100
	// droppedSeconds is how long dropped lines are counted before the count is told, in seconds of world time.
	droppedSeconds = 5
	// maxPeerFlows bounds the players whose lines are counted separately; the others share one bound.
	maxPeerFlows = 256
)

// flow is what one class, mod or player causes to be logged. The zero flow may log a whole burst.
type flow struct {
	// name is how the line about dropped ones calls it.
	name  string
	trust classfile.Trust
	class string // of a class; "" for others

	spent   float64 // lines of the burst
	at      float64 // world time of spent
	dropped int
	since   float64 // world time of the first of dropped
}

// lines are the flows of a VM that are not those of its classes.
type lines struct {
	// rest is what no class can be charged with.
	rest flow
	mods map[string]*flow
	// peers are by what calls name a player; others is shared by those beyond maxPeerFlows.
	peers  map[string]*flow
	others flow
	// dropping are those that have dropped something, in the order in which they began.
	dropping []*flow
}

// leak gives back what the time since the last line allows. A clock that went back, as that of a new world, gives nothing back.
func (f *flow) leak(now float64) {
	if passed := now - f.at; passed > 0 {
		f.spent = max(0, f.spent-LineRate*passed)
	}
	f.at = now
}

// room reports whether one more line may be logged.
func (f *flow) room(now float64) bool {
	f.leak(now)
	return f.spent+1 <= LineBurst
}

// drop counts a line that is not logged.
func (l *lines) drop(f *flow, now float64) {
	if f.dropped == 0 {
		f.since = now
		l.dropping = append(l.dropping, f)
	}
	f.dropped++
}

// now is the world's time, 0 before there is a world.
func (v *VM) now() float64 {
	if v.world == nil {
		return 0
	}
	return v.world.Time
}

// allowLine spends a line of a class and its mod, and reports whether it may be logged.
func (v *VM) allowLine(class string, trust classfile.Trust) bool {
	now := v.now()
	f := &v.lines.rest
	if c := v.classes[class]; c != nil {
		f = &c.lines
		f.name, f.class, f.trust = class, class, trust
	} else {
		f.name = "scripts"
	}
	if !f.room(now) {
		v.lines.drop(f, now)
		return false
	}
	if trust.Layer == classfile.LayerMod {
		m := v.modFlow(trust)
		if !m.room(now) {
			v.lines.drop(m, now)
			return false
		}
		m.spent++
	}
	f.spent++
	return true
}

// modFlow is that of a mod; there are as many as the script set ever had mods.
func (v *VM) modFlow(trust classfile.Trust) *flow {
	f := v.lines.mods[trust.Mod]
	if f == nil {
		if v.lines.mods == nil {
			v.lines.mods = map[string]*flow{}
		}
		f = &flow{name: "mod " + trust.Mod, trust: trust}
		v.lines.mods[trust.Mod] = f
	}
	return f
}

// allowPeerLine spends a line that is due to a player, and reports whether it may be logged. It costs the class nothing: else players
// could silence it.
func (v *VM) allowPeerLine(peer string) bool {
	l, now := &v.lines, v.now()
	f := l.peers[peer]
	if f == nil && len(l.peers) >= maxPeerFlows {
		for name, old := range l.peers { // any order: those that have nothing left to remember are dropped, whatever comes first
			if old.leak(now); old.spent == 0 && old.dropped == 0 {
				delete(l.peers, name)
			}
		}
	}
	switch {
	case f != nil:
	case len(l.peers) < maxPeerFlows:
		if l.peers == nil {
			l.peers = map[string]*flow{}
		}
		f = &flow{name: "calls of " + strconv.Quote(peer)}
		l.peers[peer] = f
	default:
		f = &l.others
		f.name = "calls of other players"
	}
	if !f.room(now) {
		l.drop(f, now)
		return false
	}
	f.spent++
	return true
}

// report tells something, within the bound of the player or class that caused it.
func (v *VM) report(r Report) {
	if v.peer != "" {
		if !v.allowPeerLine(v.peer) {
			return
		}
	} else {
		trust := r.Trust
		if c := v.classes[r.Class]; c != nil && trust == (classfile.Trust{}) {
			trust = v.trustOfClass(c.data)
		}
		if !v.allowLine(r.Class, trust) {
			return
		}
	}
	v.opt.Report(r)
}

// logText logs a line of a script from its arguments, within the bound of the class whose function runs; a is nil for the global log.
func (v *VM) logText(L *lua.LState, a *engine.Actor, from int) {
	text := v.text(L, from)
	v.vm.Spend(int64(lineCost + len(text)/8))
	class, trust := "", classfile.Trust{}
	if d := v.logger(); d != nil {
		class = d.Class
		if d.File != nil {
			trust = d.File.Trust
		}
	} else if a != nil {
		class, trust = a.Class.Name, v.trustOfClass(a.Class)
	}
	if v.allowLine(class, trust) {
		v.opt.Log(a, text)
	}
}

// logger is the function that a line is charged to, as a fault would be; nil for none of a class.
func (v *VM) logger() *classfile.Def {
	if v.program == nil || v.staging != nil {
		return nil
	}
	return v.spender()
}

// tellDropped tells what was dropped, after each tick of those that have dropped for long enough, with all of everybody. These lines
// are outside of the bounds: there is one each droppedSeconds.
func (v *VM) tellDropped(all bool) {
	l := &v.lines
	if len(l.dropping) == 0 {
		return
	}
	now := v.now()
	keep := l.dropping[:0]
	for _, f := range l.dropping {
		passed := now - f.since
		if !all && passed >= 0 && passed < droppedSeconds {
			keep = append(keep, f)
			continue
		}
		what := fmt.Sprintf("%s lines dropped in %s s", grouped(f.dropped), seconds(max(passed, 0)))
		f.dropped = 0
		v.opt.Report(Report{
			Kind: ReportWarning, Class: f.class, Count: 1, Trust: f.trust, Message: what,
			Text: fmt.Sprintf("%s: %s (%s)%s", f.name, what, v.peerName(), bracket(f.trust)),
		})
	}
	clear(l.dropping[len(keep):])
	l.dropping = keep
}

// seconds is a duration as lines show it: "5", "0.4".
func seconds(s float64) string {
	return strconv.FormatFloat(math.Round(s*10)/10, 'f', -1, 64)
}

// grouped is a count with its digits in groups of three: "12 340".
func grouped(n int) string {
	s := strconv.Itoa(n)
	var b strings.Builder
	for i, r := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return b.String()
}
