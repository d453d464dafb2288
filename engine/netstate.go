package engine

import "fmt"

// Replication settings that scripts make for an actor besides its variables; package netcode reads them.

func (a *Actor) netStateMade() *netState {
	if a.net == nil {
		a.net = &netState{}
	}
	return a.net
}

// ForceNetUpdate makes the next net update consider the actor (R4.5).
func (a *Actor) ForceNetUpdate() {
	a.netStateMade().force = true
	a.mark(0)
}

// TakeForceNetUpdate reports whether ForceNetUpdate was called since the last call.
func (a *Actor) TakeForceNetUpdate() bool {
	if a.net == nil || !a.net.force {
		return false
	}
	a.net.force = false
	return true
}

// FlushNetDormancy requests that a dormant actor's changes are sent (R4.7).
func (a *Actor) FlushNetDormancy() {
	a.netStateMade().flush = true
	a.mark(0)
}

// TakeFlushNetDormancy reports whether FlushNetDormancy was called since the last call.
func (a *Actor) TakeFlushNetDormancy() bool {
	if a.net == nil || !a.net.flush {
		return false
	}
	a.net.flush = false
	return true
}

// SetCustomIsActive switches a COND_Custom variable (R5.7).
func (a *Actor) SetCustomIsActive(name string, on bool) error {
	p, err := a.ruled(name, CondCustom)
	if err != nil {
		return err
	}
	if on == a.CustomIsActive(p) {
		return nil
	}
	a.mark(markCond)
	n := a.netStateMade()
	if on {
		delete(n.inactive, p)
		return nil
	}
	if n.inactive == nil {
		n.inactive = map[*Property]bool{}
	}
	n.inactive[p] = true
	return nil
}

// CustomIsActive reports whether a COND_Custom variable is switched on, which is the default.
func (a *Actor) CustomIsActive(p *Property) bool { return a.net == nil || !a.net.inactive[p] }

// SetDynamicCondition changes the condition of a COND_Dynamic variable (R5.7).
func (a *Actor) SetDynamicCondition(name string, c NetCondition) error {
	p, err := a.ruled(name, CondDynamic)
	if err != nil {
		return err
	}
	if c >= numNetConditions || c == CondDynamic {
		return fmt.Errorf("SetDynamicCondition: %s: expected one of COND_*, got %d", name, c)
	}
	if a.DynamicCondition(p) == c {
		return nil
	}
	a.mark(markCond)
	n := a.netStateMade()
	if n.dynamic == nil {
		n.dynamic = map[*Property]NetCondition{}
	}
	n.dynamic[p] = c
	return nil
}

// DynamicCondition returns the present condition of a COND_Dynamic variable; COND_None until it is set.
func (a *Actor) DynamicCondition(p *Property) NetCondition {
	if a.net == nil {
		return CondNone
	}
	return a.net.dynamic[p]
}

func (a *Actor) ruled(name string, want NetCondition) (*Property, error) {
	p := a.Class.byName[name]
	if p == nil {
		return nil, fmt.Errorf("%s has no variable %s%s", a.Class.Name, name, Nearest(name, a.Class.PropertyNames()))
	}
	if p.Rule == nil || p.Rule.Named != want {
		return nil, fmt.Errorf("%s.%s has no %s in its replication rule", a.Class.Name, name, want)
	}
	return p, nil
}

// SetNetGroup adds a PlayerController's connection to a group of COND_NetGroup, or removes it (R5.7).
func (a *Actor) SetNetGroup(group string, in bool) {
	w := a.world
	list := w.groups[a.id]
	for i, g := range list {
		if g == group {
			if !in {
				a.mark(markCond)
				w.groups[a.id] = append(list[:i:i], list[i+1:]...)
			}
			return
		}
	}
	if in {
		a.mark(markCond)
		w.groups[a.id] = append(list, group)
	}
}

// NetGroups returns the groups of a PlayerController's connection.
func (a *Actor) NetGroups() []string { return a.world.groups[a.id] }
