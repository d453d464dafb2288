package engine

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestRoutes is R6.3's tables, and what Unreal does where they are silent.
func TestRoutes(t *testing.T) {
	const (
		here = "here"
		away = "away"
		both = "here away"
		none = "dropped"
	)
	type row struct {
		mode  NetMode
		actor string // who owns it, or what it is
		// local, multicast, server, client, remote.
		want [numCallKinds]string
	}
	rows := []row{
		{NMStandalone, "client", [...]string{here, here, here, here, here}},
		{NMStandalone, "nobody", [...]string{here, here, here, here, here}},

		{NMDedicatedServer, "client", [...]string{here, here, away, both, away}},
		{NMDedicatedServer, "server", [...]string{here, here, here, both, here}},
		{NMDedicatedServer, "nobody", [...]string{here, here, here, both, here}},
		{NMListenServer, "client", [...]string{here, here, away, both, away}},
		{NMListenServer, "server", [...]string{here, here, here, both, here}},
		{NMListenServer, "nobody", [...]string{here, here, here, both, here}},
		{NMDedicatedServer, "component of a client's", [...]string{here, here, away, both, away}},
		{NMDedicatedServer, "not replicated, a client's", [...]string{here, here, none, here, none}},
		{NMDedicatedServer, "not replicated, nobody's", [...]string{here, here, here, here, here}},
		{NMDedicatedServer, "RemoteRole None, a client's", [...]string{here, here, none, here, none}},
		{NMDedicatedServer, "ending, a client's", [...]string{here, here, none, here, none}},
		{NMDedicatedServer, "ending component of a client's", [...]string{here, here, none, here, none}},

		{NMClient, "client", [...]string{here, away, here, here, away}},
		{NMClient, "other", [...]string{here, none, here, here, none}},
		{NMClient, "other's pawn", [...]string{here, none, here, here, none}},
		{NMClient, "a bot's pawn", [...]string{here, none, here, here, here}},
		{NMClient, "nobody", [...]string{here, none, here, here, here}},
		{NMClient, "component of this client's", [...]string{here, away, here, here, away}},
		{NMClient, "own component on a copy", [...]string{here, here, here, here, here}},
		{NMClient, "own", [...]string{here, here, here, here, here}},
		{NMClient, "own, owned by its player", [...]string{here, here, here, here, here}},
		{NMClient, "torn off", [...]string{here, here, here, here, here}},
		{NMClient, "released", [...]string{here, none, here, here, none}},
		{NMClient, "ending, this client's", [...]string{here, none, here, here, none}},
		{NMClient, "ending component of a client's", [...]string{here, none, here, here, none}},
		{NMClient, "level, never told of", [...]string{here, none, here, here, here}},
	}
	for _, row := range rows {
		t.Run(fmt.Sprintf("%s/%s", row.mode, row.actor), func(t *testing.T) {
			w, _, n := onNet(t, row.mode)
			a := routed(t, w, n, row.actor)
			for kind := range numCallKinds {
				f := &Function{Name: "F", Kind: kind, Class: a.Class}
				h, aw, why := w.Route(a, f)
				var got []string
				if h {
					got = append(got, here)
				}
				if aw {
					got = append(got, away)
				}
				if why != "" {
					got = append(got, none)
				}
				want := row.want[[...]int{CallLocal: 0, CallServer: 1, CallClient: 2, CallMulticast: 3, CallRemote: 4}[kind]]
				if strings.Join(got, " ") != want {
					t.Errorf("a %s function: %v, want %s", kind, got, want)
				}
			}
		})
	}
}

// routed makes an actor of a row.
func routed(t *testing.T, w *World, n *wire, what string) *Actor {
	client := w.NetMode == NMClient
	make := func(class string) *Actor {
		if !client {
			return spawn(t, w, class, SpawnParams{Name: class})
		}
		a := copyOf(t, w, class, class, RoleSimulatedProxy)
		a.FinishCopy()
		return a
	}
	own := func(a, by *Actor) *Actor {
		must(t, a.SetOwner(by))
		return a
	}
	player := func(mine bool) *Actor {
		pc := make("PlayerController")
		n.owns[pc] = mine
		return pc
	}
	switch what {
	case "client": // by way of a pawn
		return own(make("Shown"), own(make("Pawn"), player(true)))
	case "server":
		return own(make("Shown"), player(false))
	case "nobody":
		return own(make("Shown"), make("Plain")) // an owner, and no player at the end
	case "other":
		a := make("Shown")
		a.SetOwnedElsewhere(true)
		return own(make("Shown"), a)
	case "other's pawn", "a bot's pawn":
		pawn, info := make("Pawn"), make("PlayerReplicationInfo")
		pawn.SetRef(pawn.Class.Property("PlayerReplicationInfo"), info)
		set(t, info, "bBot", Bool(what == "a bot's pawn"))
		return own(make("Shown"), pawn)
	case "component of a client's", "component of this client's":
		return own(make("Shown"), player(true)).ComponentNamed("Bag")
	case "own component on a copy":
		k, err := own(make("Shown"), player(true)).AddComponent(w.Classes.Find("Box"), "Box")
		must(t, err)
		return k
	case "not replicated, a client's", "not replicated, nobody's":
		a := make("Shown")
		set(t, a, "bReplicates", Bool(false))
		if what == "not replicated, a client's" {
			own(a, player(true))
		}
		return a
	case "RemoteRole None, a client's":
		a := own(make("Shown"), player(true))
		set(t, a, "RemoteRole", Int(int(RoleNone)))
		return a
	case "ending, a client's", "ending, this client's":
		a := own(make("Shown"), player(true))
		a.destroying = true
		return a
	case "ending component of a client's":
		k := own(make("Shown"), player(true)).ComponentNamed("Bag")
		k.destroying = true
		return k
	case "own", "own, owned by its player":
		a := spawn(t, w, "Shown", SpawnParams{})
		if what != "own" {
			own(a, player(true))
		}
		return a
	case "torn off":
		a := own(make("Shown"), player(true))
		a.TearOff()
		return a
	case "released":
		a := own(make("Shown"), player(true))
		a.Release()
		return a
	case "level, never told of":
		a := spawn(t, w, "Shown", SpawnParams{Name: "lift", level: "lift"})
		return a
	}
	t.Fatalf("no actor %q", what)
	return nil
}

// Without a network there is nowhere to send to.
func TestCallsWithoutANetworkRunHere(t *testing.T) {
	for mode := range numNetModes {
		w, _, _ := onNet(t, mode)
		w.SetRemote(nil)
		a := spawn(t, w, "Shown", SpawnParams{})
		for kind := range numCallKinds {
			if here, err := w.CallRemote(a, &Function{Name: "F", Kind: kind, Class: a.Class}, nil, ""); !here || err != nil {
				t.Errorf("%s: a %s function does not run", mode, kind)
			}
		}
	}
}

// CallRemote tells the network where a call goes, and the log once a class and function that one went nowhere.
func TestCallRemote(t *testing.T) {
	w, r, n := onNet(t, NMClient)
	pc := copyOf(t, w, "PlayerController", "pc", RoleAutonomousProxy)
	n.owns[pc] = true
	mine, theirs, plain := copyOf(t, w, "Shown", "mine", RoleSimulatedProxy), copyOf(t, w, "Shown", "theirs", RoleSimulatedProxy), copyOf(t, w, "Plain", "plain", RoleSimulatedProxy)
	must(t, mine.SetOwner(pc))
	fire := &Function{Name: "Fire", Kind: CallServer, Class: mine.Class}
	if here, err := w.CallRemote(mine, fire, []Value{String("x")}, ""); here || err != nil {
		t.Error("a server function runs on the client")
	}
	eq(t, n.take(), "call mine.Fire x")
	for range 2 {
		if here, err := w.CallRemote(theirs, fire, nil, ""); here || err != nil {
			t.Error("another's server function runs here")
		}
	}
	eq(t, n.take(), "drop theirs.Fire, drop theirs.Fire")
	w.CallRemote(theirs, &Function{Name: "Jump", Kind: CallServer, Class: mine.Class}, nil, "")
	w.CallRemote(plain, fire, nil, "")
	eq(t, n.take(), "drop theirs.Jump, drop plain.Fire")
	eq(t, len(r.reports), 3)
	for i, want := range []string{"Shown:Fire: the call on theirs went nowhere: the actor is not this player's", "Shown:Jump", "Plain:Fire"} {
		if !strings.Contains(r.reports[i], want) || !strings.HasPrefix(r.reports[i], "warning: ") {
			t.Errorf("%q does not say %q", r.reports[i], want)
		}
	}

	w, r, n = onNet(t, NMDedicatedServer)
	a := spawn(t, w, "Shown", SpawnParams{Name: "a"})
	n.take()
	boom := &Function{Name: "Boom", Kind: CallMulticast, Class: a.Class}
	if here, err := w.CallRemote(a, boom, nil, ""); !here || err != nil {
		t.Error("a multicast does not run on the server")
	}
	eq(t, n.take(), "call a.Boom")
	n.full = errors.New("full")
	if here, err := w.CallRemote(a, boom, nil, ""); here || err == nil { // R6.5: it goes to nobody
		t.Error("a multicast that cannot be sent runs on the server")
	}
	n.take()
	eq(t, len(r.reports), 0)
}
