package engine

import "slices"

const (
	// MaxActions bounds the actions of content, MaxClassActions those of a class with its parents, and
	// MaxActiveActions those that a player has at a time; further ones are dropped with a warning.
	MaxActions, MaxClassActions, MaxActiveActions = 64, 16, 96
	// actionDown is the magnitude from which an axis counts as a button that is down.
	actionDown = 0.5
)

// builtin returns the field of the input that an action sets by its name: an axis, a key, or the number of a
// weapon.
func (in *Input) builtin(name string) (axis *float64, key *bool, weapon int) {
	switch name {
	case "MoveForward":
		return &in.Forward, nil, 0
	case "MoveRight":
		return &in.Strafe, nil, 0
	case "MoveUp":
		return &in.Up, nil, 0
	case "Jump":
		return nil, &in.Jump, 0
	case "Fire":
		return nil, &in.Fire, 0
	case "AltFire":
		return nil, &in.AltFire, 0
	case "Crouch":
		return nil, &in.Crouch, 0
	case "Run":
		return nil, &in.Run, 0
	case "Aim":
		return nil, &in.Aim, 0
	case "Reload":
		return nil, &in.Reload, 0
	case "Use":
		return nil, &in.Use, 0
	}
	if len(name) == len("Weapon1") && name[:6] == "Weapon" && name[6] >= '1' && name[6] <= '9' {
		return nil, nil, int(name[6] - '0')
	}
	return nil, nil, 0
}

// SetAction sets the value of an action, from -1 to 1; NaN counts as 0. Some actions have a field of their own,
// see SetField. The others are stored in Actions, which is copied before it is changed.
func (in *Input) SetAction(name string, v float64) {
	v = Unit(v)
	if in.SetField(name, v) {
		return
	}
	in.Actions = slices.Clone(in.Actions)
	for i := range in.Actions {
		if in.Actions[i].Name == name {
			in.Actions[i].Value = v
			return
		}
	}
	in.Actions = append(in.Actions, ActionValue{name, v})
}

// Unit limits the value of an action to -1 to 1; NaN becomes 0.
func Unit(v float64) float64 {
	if v != v {
		return 0
	}
	return max(-1, min(1, v))
}

// SetField sets the value of an action that has a field of its own, and reports whether it has: MoveForward, MoveRight and MoveUp,
// Jump, Fire, AltFire, Crouch, Run, Aim, Reload, Use, and Weapon1 to Weapon9, of which the one pressed last counts.
func (in *Input) SetField(name string, v float64) bool {
	axis, key, weapon := in.builtin(name)
	switch {
	case axis != nil:
		*axis = v
	case key != nil:
		*key = isDown(v)
	case weapon > 0 && isDown(v):
		in.Weapon = weapon
	case weapon > 0:
		if in.Weapon == weapon {
			in.Weapon = 0
		}
	default:
		return false
	}
	return true
}

// Action is the value of an action, 0 where it was never set.
func (in *Input) Action(name string) float64 {
	axis, key, weapon := in.builtin(name)
	is := false
	switch {
	case axis != nil:
		return *axis
	case key != nil:
		is = *key
	case weapon > 0:
		is = in.Weapon == weapon
	default:
		for i := range in.Actions {
			if in.Actions[i].Name == name {
				return in.Actions[i].Value
			}
		}
	}
	if is {
		return 1
	}
	return 0
}

// SetActions replaces the actions that content declares, between two ticks. list must not change.
func (w *World) SetActions(list []Action) {
	w.actions = list
	w.actionsEpoch++
}

// Actions returns the actions that the local player of a PlayerController has now, nil if it has no input.
func (w *World) Actions(pc *Actor) *ActionSet {
	held := w.inputs[pc.id]
	if held == nil || pc.deleted {
		return nil
	}
	held.gather(w, pc)
	return held.set
}

// KnowsAction reports whether content or any class declares an action.
func (w *World) KnowsAction(name string) bool {
	is := func(a Action) bool { return a.Name == name }
	if slices.ContainsFunc(w.actions, is) {
		return true
	}
	for _, c := range w.Classes.sorted {
		if slices.ContainsFunc(c.Actions, is) {
			return true
		}
	}
	return false
}

// ActionNames are the names of all actions, of content and of every class, sorted.
func (w *World) ActionNames() []string {
	var out []string
	for i := range w.actions {
		out = append(out, w.actions[i].Name)
	}
	for _, c := range w.Classes.sorted {
		for i := range c.Actions {
			out = append(out, c.Actions[i].Name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// ActionState is what an action does in this tick: its value, whether it is down, and whether it went down or up in this tick.
type ActionState struct {
	Value                   float64
	Down, Pressed, Released bool
}

// ActionState returns what an action of the local player of a PlayerController does now. has is false, and
// everything zero, if the player is not at this machine or does not have the action now.
func (w *World) ActionState(pc *Actor, name string) (s ActionState, has bool) {
	held := w.inputs[pc.id]
	if held == nil || held.set == nil {
		return s, false
	}
	i := held.set.Find(name)
	if i < 0 {
		return s, false
	}
	s.Value = held.values[i]
	s.Down = isDown(s.Value)
	was := isDown(held.before[i])
	s.Pressed, s.Released = s.Down && !was, !s.Down && was
	return s, true
}

func isDown(v float64) bool { return v >= actionDown || v <= -actionDown }

// gather rebuilds the set after the classes of what the player plays with have changed. It allocates nothing as
// long as they do not.
func (h *heldInput) gather(w *World, pc *Actor) {
	h.who = appendPlayed(h.who[:0], pc)
	if h.set != nil && h.epoch == w.actionsEpoch && len(h.from) == len(h.who) {
		same := true
		for i, a := range h.who {
			if h.from[i] != a.Class {
				same = false
				break
			}
		}
		if same {
			return
		}
	}
	h.from = h.from[:0]
	for _, a := range h.who {
		h.from = append(h.from, a.Class)
	}
	h.epoch = w.actionsEpoch
	w.actionSets++
	next := &ActionSet{List: slices.Clone(w.actions), Number: w.actionSets}
	for _, c := range h.from {
		for i := range c.Actions {
			if next.Find(c.Actions[i].Name) >= 0 {
				continue
			}
			if len(next.List) >= MaxActiveActions {
				w.Script.Report(SevWarning, pc, "the player has more than "+itoa(MaxActiveActions)+" actions at a time; "+c.Actions[i].Name+" of class "+c.Name+" is left out")
				continue
			}
			next.List = append(next.List, c.Actions[i])
		}
	}
	if h.set != nil && sameActions(h.set.List, next.List) {
		w.actionSets--
		return
	}
	// Held actions stay held; new ones count as up before, and those that the player no longer has are released
	// without an event.
	values, before := make([]float64, len(next.List)), make([]float64, len(next.List))
	if h.set != nil {
		for i := range next.List {
			if k := h.set.Find(next.List[i].Name); k >= 0 {
				values[i], before[i] = h.values[k], h.before[k]
			}
		}
	}
	h.set, h.values, h.before = next, values, before
}

func sameActions(a, b []Action) bool {
	return slices.EqualFunc(a, b, func(a, b Action) bool {
		return a.Name == b.Name && a.Label == b.Label && a.Kind == b.Kind && a.NegativeLabel == b.NegativeLabel && a.Touch == b.Touch && a.Class == b.Class &&
			a.Terminal == b.Terminal && a.TerminalNegative == b.TerminalNegative &&
			slices.Equal(a.Keys, b.Keys) && slices.Equal(a.Negative, b.Negative) && slices.Equal(a.Buttons, b.Buttons)
	})
}

// appendPlayed adds a PlayerController, its pawn and the weapon in that pawn's hand, each with its components.
func appendPlayed(to []*Actor, pc *Actor) []*Actor {
	add := func(a *Actor) {
		to = append(to, a)
		for _, k := range a.Components {
			if !k.deleted {
				to = append(to, k)
			}
		}
	}
	add(pc)
	if pawn := pc.referenced("Pawn"); pawn != nil {
		add(pawn)
		if weapon := pawn.referenced("Weapon"); weapon != nil {
			add(weapon)
		}
	}
	return to
}

// referenced returns the live actor that a variable of that name refers to, or nil.
func (a *Actor) referenced(name string) *Actor {
	p := a.Class.Property(name)
	if p == nil || p.Type.Kind != KindRef {
		return nil
	}
	to := a.world.Actor(a.Get(p).Ref)
	if to == nil || to.deleted {
		return nil
	}
	return to
}

// pressActions stores the values of this tick, and calls InputAction for every action that went down or up, on
// the actors that the player plays with, in the order of appendPlayed. An action of a class is only reported to
// actors that descend from it.
func (w *World) pressActions(pc *Actor, h *heldInput) {
	h.gather(w, pc)
	set := h.set
	copy(h.before, h.values)
	for i := range set.List {
		h.values[i] = h.Action(set.List[i].Name)
	}
	for i := range set.List {
		if i >= len(h.values) || h.set != set {
			return // a script destroyed what the player plays with
		}
		down := isDown(h.values[i])
		if down == isDown(h.before[i]) {
			continue
		}
		name := String(set.List[i].Name)
		for _, a := range h.who {
			if set.List[i].Class != "" && !declares(a.Class, set.List[i].Name) {
				continue
			}
			a.Event(EvInputAction, name, Bool(down))
		}
	}
}

// declares reports whether a class or a parent of it declares an action.
func declares(c *Class, name string) bool {
	return slices.ContainsFunc(c.Actions, func(a Action) bool { return a.Name == name })
}
