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

// Log lines that scripts cause are bounded (G12): by class and by mod the lines that scripts log and those about
// their faults, by player those about faults in calls from that player. Dropped lines are counted, and the count is
// logged. Time is the world's, so a repeated match logs the same lines.

const (
	// LineRate lines per second and class are logged, LineBurst at once. The same bounds apply to a mod, all of its
	// classes together, and to a player. Further lines are dropped and counted.
	LineRate, LineBurst = 20, 100
	// droppedSeconds is how long dropped lines are counted before the count is logged, in seconds of world time.
	droppedSeconds = 5
	// maxPeerFlows bounds the players whose lines are counted separately; the others share one bound.
	maxPeerFlows = 256
)

// leak reduces the burst by the time since the last line. A clock that went back, as in a new world, has no effect.
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

// now returns the world's time, 0 before there is a world.
func (v *VM) now() float64 {
	if v.world == nil {
		return 0
	}
	return v.world.Time
}

// allowLine charges a line to a class and its mod, and reports whether it may be logged.
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

// modFlow returns the flow of a mod; there are as many as the script set ever had mods.
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

// allowPeerLine charges a line to the player who caused it, and reports whether it may be logged. The class is not
// charged: otherwise players could silence it.
func (v *VM) allowPeerLine(peer string) bool {
	l, now := &v.lines, v.now()
	f := l.peers[peer]
	if f == nil && len(l.peers) >= maxPeerFlows {
		for name, old := range l.peers { // any order: those that have nothing left to remember are dropped
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

// logger returns the function that a line is charged to, by the same rule as for faults; nil outside of classes.
func (v *VM) logger() *classfile.Def {
	if v.program == nil || v.staging != nil {
		return nil
	}
	return v.spender()
}

// tellDropped reports dropped lines after each tick, of those that have dropped for long enough, with all of
// everybody. These lines are not bounded: there is one per droppedSeconds.
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

// seconds formats a duration for lines: "5", "0.4".
func seconds(s float64) string {
	return strconv.FormatFloat(math.Round(s*10)/10, 'f', -1, 64)
}

// grouped formats a count with its digits in groups of three: "12 340".
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
