package relevancy

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tidelock/tidelock/engine"
)

// Rule is the rule that decided.
type Rule uint8

// The rules by their numbers. R3.10 is returned only with a yes; a no of R3.7 to R3.9 keeps its own number.
// R3.11 is the script's IsNetRelevantFor. R3.12 decides nothing here: it says how the results are used.
const (
	RuleNone Rule = iota
	Rule3_1
	Rule3_2
	Rule3_3
	Rule3_4
	Rule3_5
	Rule3_6
	Rule3_7
	Rule3_8
	Rule3_9
	Rule3_10
	Rule3_11
	Rule3_12
	numRules
)

// String returns the rule's number as in the documents: "R3.1". RuleNone is "no rule".
func (r Rule) String() string {
	if r == RuleNone || r >= numRules {
		return "no rule"
	}
	return "R3." + strconv.Itoa(int(r))
}

// rule describes one rule for explanations.
type rule struct {
	name Rule
	// sense marks a rule that uses distance and a Sight.
	sense bool
	// why writes why the rule decided; nil if it passes the question to another actor. hands is the text
	// between the names of the two.
	why   func(x *Index, b *strings.Builder, v *Viewer, f *finding, now float64)
	hands string
}

// ruleTable lists the rules in the order in which own and senses evaluate them; the first that decides wins.
// docs/rules.md gives the same order, and a test compares them. A new rule needs a number above, an entry here,
// its position in own or senses and in placement, and a section in docs/rules.md. The rules are evaluated by
// code and not through the table: calls of function values made a decision two to four times slower
// (BenchmarkDecide).
func ruleTable() []rule {
	return []rule{
		{name: Rule3_1, why: whyNotReplicated},
		{name: Rule3_11, why: func(_ *Index, b *strings.Builder, _ *Viewer, f *finding, _ float64) {
			fmt.Fprintf(b, "%s of class %s says %t", overrideName, f.at.Class, f.relevant)
		}},
		{name: Rule3_2, why: func(_ *Index, b *strings.Builder, _ *Viewer, f *finding, _ float64) {
			fmt.Fprintf(b, "%s has bAlwaysRelevant", f.at)
		}},
		{name: Rule3_3, hands: "uses the relevancy of its owner"},
		{name: Rule3_4, why: func(_ *Index, b *strings.Builder, _ *Viewer, f *finding, _ float64) {
			t := f.at
			fmt.Fprintf(b, "%s has bOnlyRelevantToOwner and ", t)
			if o := t.TopOwner(); o == t && !f.relevant {
				b.WriteString("no owner")
			} else {
				fmt.Fprintf(b, "its top owner is %s", o)
			}
		}},
		{name: Rule3_5, why: whyOwn},
		{name: Rule3_6, hands: "is attached to"},
		{name: Rule3_7, sense: true, why: func(_ *Index, b *strings.Builder, _ *Viewer, f *finding, _ float64) {
			fmt.Fprintf(b, "%s has bHidden, no bBlockPlayers and no AmbientSound", f.at)
		}},
		{name: Rule3_8, sense: true, why: func(_ *Index, b *strings.Builder, _ *Viewer, f *finding, _ float64) {
			fmt.Fprintf(b, "%s is %.0f uu from the view, beyond its NetCullDistance of %g", f.at, math.Sqrt(f.distance), f.at.NetCullDistance)
		}},
		{name: Rule3_9, sense: true, why: whySight},
		{name: Rule3_10, sense: true, why: func(x *Index, b *strings.Builder, v *Viewer, f *finding, now float64) {
			seen, _ := f.sight.LastSeen()
			fmt.Fprintf(b, "%s was last in sight or heard %.2f s ago and stays relevant for %g s, although by %s ", f.at, now-seen, x.cfg.Timeout, f.over)
			ruleNamed(f.over).why(x, b, v, f, now)
		}},
	}
}

// ruleNamed returns the entry of a rule that decides.
func ruleNamed(name Rule) rule {
	list := ruleTable()
	return list[slices.IndexFunc(list, func(r rule) bool { return r.name == name })]
}

// how distinguishes the results of one rule.
type how uint8

const (
	howPlain   how = iota
	howLoop        // the chain of owners and bases leads back
	howHeard       // R3.9 by ear
	howTraced      // R3.9 by a new trace
	howKept        // R3.9 by the last trace
	howNoSight     // R3.9 without traces: distance decides
	howPlayer      // R3.5: the PlayerController
	howTarget      // R3.5: the view target
	howPawn        // R3.5: the player's pawn
	howCause       // R3.5: the pawn is its instigator
)

// own evaluates the rules R3.1 to R3.6 of one actor. It returns the rule that decided, or the actor that
// decides instead and the rule for that, or neither.
func (x *Index) own(v *Viewer, t *engine.Actor, f *finding) (next *engine.Actor, rule Rule) {
	k := x.info(t.Class)
	if !k.replicates(t) {
		return nil, Rule3_1
	}
	if k.scripted {
		if yes, asked := x.world.Script.Relevant(t, v.Player); asked {
			f.relevant = yes
			return nil, Rule3_11
		}
	}
	if t.BAlwaysRelevant {
		f.relevant = true
		return nil, Rule3_2
	}
	next, rule = x.hop(t)
	if rule == Rule3_3 {
		return next, rule
	}
	owned := v.Player != nil && (t == v.Player || t.Owner != 0) && t.TopOwner() == v.Player
	if t.BOnlyRelevantToOwner {
		f.relevant = owned
		return nil, Rule3_4
	}
	if owned || t == v.Player || t == v.Target || t == v.Pawn || v.Pawn != nil && t.Instigator == v.Pawn.ID() {
		f.relevant = true
		switch {
		case t == v.Player:
			f.how = howPlayer
		case t == v.Pawn:
			f.how = howPawn
		case t == v.Target:
			f.how = howTarget
		case !owned:
			f.how = howCause
		}
		return nil, Rule3_5
	}
	return next, rule
}

// hop returns the actor that decides for another if no other rule does.
func (x *Index) hop(t *engine.Actor) (*engine.Actor, Rule) {
	if t.BNetUseOwnerRelevancy {
		if o := x.world.Actor(t.Owner); o != nil {
			return o, Rule3_3
		}
	}
	if t.BAttached {
		if b := x.world.Actor(t.Base); b != nil {
			return b, Rule3_6
		}
	}
	return nil, RuleNone
}

// senses evaluates R3.7 to R3.10 of the deciding actor.
func (x *Index) senses(v *Viewer, t *engine.Actor, s *Sight, now float64, f *finding) {
	f.distance = t.Location.Sub(v.Location).SizeSquared()
	switch {
	case hidden(t):
		f.rule = Rule3_7
	case t.NetCullDistance > 0 && !(f.distance <= t.NetCullDistance*t.NetCullDistance):
		f.rule = Rule3_8
	default:
		f.rule = Rule3_9
		f.relevant = x.sensed(v, t, s, now, f)
	}
	if f.relevant {
		s.see(now)
	} else if s.recent(now, x.cfg.Timeout) {
		f.relevant, f.over, f.rule = true, f.rule, Rule3_10
	}
	f.sight = s
}

// hidden implements R3.7.
func hidden(t *engine.Actor) bool {
	return t.BHidden && !t.BBlockPlayers && t.AmbientSound == ""
}

// sensed implements R3.9.
func (x *Index) sensed(v *Viewer, t *engine.Actor, s *Sight, now float64, f *finding) bool {
	if x.cfg.NoSight || x.info(t.Class).blind(t) {
		f.how = howNoSight
		return true
	}
	if heard(t, f.distance) {
		f.how = howHeard
		return true
	}
	free, traced := x.clear(v, t, s, now)
	if f.how = howKept; traced {
		f.how = howTraced
	}
	return free
}

func heard(a *engine.Actor, squared float64) bool {
	return a.AmbientSound != "" && squared <= a.SoundRadius*a.SoundRadius
}

// placement returns how an actor is filed by its variables alone, so that a search finds it for every viewer
// for whom a rule may say yes: by the rules in their order, for any viewer. top, cause and leader are the heads
// of its lists; plain and silent are as in hot, if it is in the grid.
func (x *Index) placement(a *engine.Actor) (to filing, top, cause, leader engine.ActorID, plain, silent bool) {
	k := x.info(a.Class)
	switch {
	case !k.replicates(a):
		return filedNowhere, 0, 0, 0, false, false
	case a.BAlwaysRelevant || k.scripted:
		return filedAlways, 0, 0, 0, false, false
	}
	byOwner := a.BNetUseOwnerRelevancy && x.world.Actor(a.Owner) != nil
	if !byOwner {
		if a.Owner != 0 {
			top = a.TopOwner().ID()
		}
		if a.BOnlyRelevantToOwner {
			return filedNowhere, top, 0, 0, false, false
		}
		if x.world.Actor(a.Instigator) != nil {
			cause = a.Instigator
		}
	}
	if b := x.answerer(a); b != nil {
		return filedNowhere, top, cause, b.ID(), false, false
	}
	plain = a.Owner == 0 && cause == 0 && !hidden(a)
	silent = plain && (x.cfg.NoSight || a.AmbientSound == "" && k.noSight == nil && k.noSightNative == nil && !a.HasBrushes())
	return filedGrid, top, cause, 0, plain, silent
}

// answerer returns the actor that decides for another by R3.3 or R3.6, if no rule before these decides for
// every viewer; nil if it decides itself.
func (x *Index) answerer(t *engine.Actor) *engine.Actor {
	if k := x.info(t.Class); !k.replicates(t) || k.scripted || t.BAlwaysRelevant {
		return nil
	}
	next, rule := x.hop(t)
	if rule == Rule3_6 && t.BOnlyRelevantToOwner {
		return nil
	}
	return next
}

func whyNotReplicated(_ *Index, b *strings.Builder, _ *Viewer, f *finding, _ float64) {
	switch t := f.at; {
	case t.Deleted():
		fmt.Fprintf(b, "%s was destroyed", t)
	case !t.BReplicates:
		fmt.Fprintf(b, "%s has bReplicates false", t)
	case t.RemoteRole == engine.RoleNone:
		fmt.Fprintf(b, "%s has RemoteRole ROLE_None", t)
	default:
		fmt.Fprintf(b, "%s is a %s, which is never replicated", t, t.Class)
	}
}

func whyOwn(_ *Index, b *strings.Builder, v *Viewer, f *finding, _ float64) {
	switch t := f.at; f.how {
	case howPlayer:
		b.WriteString("it is the connection's PlayerController")
	case howPawn:
		fmt.Fprintf(b, "%s is the player's pawn", t)
	case howTarget:
		fmt.Fprintf(b, "%s is the view target", t)
	case howCause:
		fmt.Fprintf(b, "the instigator of %s is the player's pawn %s", t, v.Pawn)
	default:
		fmt.Fprintf(b, "%s is owned by the player", t)
	}
}

func whySight(_ *Index, b *strings.Builder, _ *Viewer, f *finding, _ float64) {
	t := f.at
	cull := "never culled by distance"
	if t.NetCullDistance > 0 {
		cull = fmt.Sprintf("within its NetCullDistance of %g", t.NetCullDistance)
	}
	distance := math.Sqrt(f.distance)
	place := fmt.Sprintf("%.0f uu from the view, %s", distance, cull)
	sees := f.sight.flags&sightClear != 0
	switch {
	case f.how == howNoSight:
		fmt.Fprintf(b, "%s is %s; sight is turned off for its class or the level", t, place)
	case f.how == howHeard:
		fmt.Fprintf(b, "%s is heard (%s): %.0f uu from the view, within its SoundRadius of %g", t, t.AmbientSound, distance, t.SoundRadius)
	case sees:
		fmt.Fprintf(b, "%s is in sight, %s", t, place)
	default:
		fmt.Fprintf(b, "%s is out of sight: its centre, top and sides are hidden, %s", t, place)
	}
	if f.how == howKept {
		fmt.Fprintf(b, " (as of the last look; the next is due at %.2f s)", f.sight.next)
	}
}
