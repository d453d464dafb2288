package engine

import "fmt"

// Bounds on actors (G9). A script's Spawn or AddComponent fails, with an error that names the bound, if its
// class or its mod has too many actors alive or spawned too many in this tick, if all mods together have too
// many, or if the world is full. What the level, the host or the network code spawns is counted but never
// refused: a client's copies follow the server, which enforces its own bounds, so a bound never makes two peers
// differ. A client bounds only what its own scripts spawn.
//
// Each actor is counted for one payer: its class, together with the mod whose script spawned it or that
// declares the class. So a mod that spawns actors of another's class uses only its own share of that class.

// SetActorLimits sets the bounds on actors (G9), also while scripts run: what is alive beyond them stays.
func (w *World) SetActorLimits(l ActorLimits) {
	w.census.limits = l
	for p, c := range w.census.of { // any order: they are independent
		c.most = most(l.Classes, p.class)
	}
	for name, c := range w.census.mods { // any order: they are independent
		c.most = most(l.Mods, name)
	}
}

func most(raised map[string]int, name string) int {
	if n := raised[name]; n > 0 {
		return n
	}
	return MaxClassActors
}

// payerOf returns the census that counts an actor of a class. by is the mod whose script spawns it, "" for
// none.
func (w *World) payerOf(c *Class, by string) *census {
	if by == "" {
		by = c.Mod()
	}
	s := &w.census
	p := payer{c.Name, by}
	x := s.of[p]
	if x != nil {
		return x
	}
	if s.of == nil {
		s.of, s.mods = map[payer]*census{}, map[string]*census{}
	}
	x = &census{most: most(s.limits.Classes, c.Name)}
	if by != "" {
		if x.mod = s.mods[by]; x.mod == nil {
			x.mod = &census{most: most(s.limits.Mods, by), name: by}
			s.mods[by] = x.mod
		}
	}
	s.of[p] = x
	return x
}

// admit returns why a script may not spawn an actor of a class, or nil.
func (w *World) admit(c *Class, x *census, by string) error {
	switch {
	case w.census.all >= MaxActors:
		return fmt.Errorf("the world has %d actors, at most %d (G9)", w.census.all, MaxActors)
	case x.full(w.frame):
		return x.refusal("class", c.Name, "classes")
	case x.mod == nil:
		return nil
	case w.census.ofMods >= MaxModActors:
		return fmt.Errorf("%s cannot be made: mods have %d actors alive, at most %d of the world's %d (G9)", c.Name, w.census.ofMods, MaxModActors, MaxActors)
	case x.mod.full(w.frame):
		if by == "" {
			by = c.Mod()
		}
		return x.mod.refusal("mod", by, "mods")
	}
	return nil
}

// full reports whether no more actors may be spawned in a frame.
func (x *census) full(frame uint64) bool {
	return x.live >= x.most || x.frame == frame && x.spawned >= x.perTick()
}

func (x *census) perTick() int { return x.most / (MaxClassActors / MaxClassSpawns) }

// refusal names the bound that a full census has reached; table is where host.toml raises it.
func (x *census) refusal(what, name, table string) error {
	if x.live >= x.most {
		return fmt.Errorf("%s %s has %d actors alive, at most %d; destroy or reuse some first, or raise actors of [%s.%s] in host.toml (G9)",
			what, name, x.live, x.most, table, name)
	}
	return fmt.Errorf("%s %s has made %d actors in this tick, at most %d; spread them over several ticks, or raise actors of [%s.%s] in host.toml (G9)",
		what, name, x.spawned, x.perTick(), table, name)
}

// enlist counts an actor for a payer; script reports whether a script spawned it.
func (a *Actor) enlist(x *census, script bool) {
	w := a.world
	a.census = x
	w.census.all++
	if x.mod != nil {
		w.census.ofMods++
	}
	for ; x != nil; x = x.mod {
		x.live++
		if !script {
			continue
		}
		if x.frame != w.frame {
			x.frame, x.spawned = w.frame, 0
		}
		x.spawned++
	}
}

// MadeBy returns the mod whose script spawned the actor or that declares its class, "" for none.
func (a *Actor) MadeBy() string {
	if x := a.census; x != nil && x.mod != nil {
		return x.mod.name
	}
	return ""
}

// Crowd is how many actors live that mods made, of which this one is; 0 for one that no mod made.
func (a *Actor) Crowd() int {
	if x := a.census; x != nil && x.mod != nil {
		return a.world.census.ofMods
	}
	return 0
}

// delist stops counting an actor.
func (a *Actor) delist() {
	x := a.census
	if x == nil {
		return
	}
	a.census = nil
	a.world.census.all--
	if x.mod != nil {
		a.world.census.ofMods--
	}
	for ; x != nil; x = x.mod {
		x.live--
	}
}
