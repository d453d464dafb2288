package engine

import "fmt"

// SpawnCopy spawns a client's copy of a server's actor, with its static components, and calls PreBeginPlay,
// BeginPlay and PostBeginPlay as far as its role runs them (R5.1, R7.1). [Actor.FinishCopy] must follow.
func (w *World) SpawnCopy(c *Class, sp CopyParams) (*Actor, error) {
	switch {
	case c == nil:
		return nil, fmt.Errorf("copy: no class")
	case c.IsComponent():
		return nil, fmt.Errorf("copy: %s is a component; use AddCopyComponent", c.Name)
	case w.live >= MaxCopies:
		return nil, fmt.Errorf("copy of %s: the world has %d actors, at most %d", c.Name, w.live, MaxCopies)
	case !sp.Location.IsFinite():
		return nil, fmt.Errorf("copy of %s at %s: expected a finite place", c.Name, sp.Location)
	case sp.Role == RoleNone || sp.Role >= numRoles || sp.RemoteRole >= numRoles:
		return nil, fmt.Errorf("copy of %s: roles %s and %s: expected a Role above ROLE_None", c.Name, sp.Role, sp.RemoteRole)
	}
	a := w.alloc(c)
	w.live++
	a.copy, a.postNet = copyServers, true
	w.noteGameState(a)
	a.Location = sp.Location
	if sp.HasRotation {
		a.Rotation = sp.Rotation
	}
	if a.Name = sp.Name; a.Name == "" {
		a.Name = w.makeName(c)
	}
	a.Role, a.RemoteRole = sp.Role, sp.RemoteRole
	if a.lifeSpan > 0 {
		a.SetLifeSpan(a.lifeSpan)
	}
	w.Script.Attach(a)
	for _, cs := range c.Components {
		k, err := w.addComponent(a, w.Classes.Find(cs.Class), cs.Name)
		if err != nil {
			w.discard(a)
			return nil, err
		}
		k.copy, k.postNet = copyServers, true
	}
	w.enterSpace(a)
	w.fitCopy(a)
	for _, ev := range beginEvents {
		a.eventWhole(ev)
	}
	return a, nil
}

// fitCopy corrects a copy whose position was rounded into brushes on the wire; see ReceiveLocation.
func (w *World) fitCopy(a *Actor) {
	if a.body.brushes || !w.space.overlapsSolid(a, a.Location, a.half()) {
		return
	}
	way, ok := w.space.depenetrate(a, a.Location, a.half(), copyRounding)
	if a.BSimGravityDisabled = !ok; ok {
		w.place(a, a.Location.Add(way))
	}
}

// AddCopyComponent adds a component that the server's actor has and the class does not declare. It calls
// PreBeginPlay, BeginPlay and PostBeginPlay; PostNetBeginPlay is called by the actor's FinishCopy, or by the
// component's own if the actor's was before. If the actor has such a component already (its own script made it
// on both sides), that one is used; another class under the name is an error.
func (a *Actor) AddCopyComponent(c *Class, name string) (*Actor, error) {
	if k := a.ComponentNamed(name); k != nil {
		if k.Class != c {
			return nil, fmt.Errorf("copy: component %s of %s is a %s here and a %s on the server", name, a, k.Class, c)
		}
		if k.copy == copyNone {
			k.copy, k.postNet = copyServers, !k.initialized
		}
		return k, nil
	}
	if a.deleted || a.destroying {
		return nil, fmt.Errorf("copy: component %s: %s was destroyed", name, a)
	}
	k, err := a.world.addComponent(a, c, name)
	if err != nil {
		return nil, err
	}
	k.copy, k.postNet = copyServers, true
	for _, ev := range beginEvents {
		if !k.deleted {
			k.Event(ev)
		}
	}
	return k, nil
}

// FinishCopy completes a copy whose initial variables have arrived: PostNetBeginPlay runs, components first,
// then it enters its class's auto state if its role may (R7.3), touches what is there, and ticks from the next
// tick on. Further calls do nothing. For a component it finishes that component, if its actor is finished.
func (a *Actor) FinishCopy() {
	if a.deleted || a.destroying || a.Outer != nil && !a.Outer.initialized {
		return
	}
	for i := 0; i < len(a.Components) && !a.deleted; i++ {
		a.Components[i].postNetBegin()
	}
	a.postNetBegin()
	if !a.deleted {
		a.world.enterPlay(a)
	}
}

// AdoptCopy makes an actor of the client's own level the copy of the server's (R1.4). Its variables stay.
// FinishCopy must follow when the initial ones have arrived.
func (w *World) AdoptCopy(a *Actor, role, remote Role) {
	if a.deleted || a.destroying {
		return
	}
	a.own(copyServers)
	a.SetRoles(role, remote)
}
