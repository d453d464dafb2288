package engine

import (
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine/geom"
)

// R2.2: a player's pawn is autonomous for them; what is never replicated stays so; bots' pawns are simulated.
func TestRolesOfPossessedPawns(t *testing.T) {
	w, _, _ := onNet(t, NMDedicatedServer)
	pc, bot := spawn(t, w, "PlayerController", SpawnParams{}), spawn(t, w, "Controller", SpawnParams{})
	a, b, hidden := spawn(t, w, "Pawn", SpawnParams{}), spawn(t, w, "Pawn", SpawnParams{}), spawn(t, w, "Pawn", SpawnParams{Init: []Assignment{{"RemoteRole", Int(int(RoleNone))}}})
	bag, err := a.AddComponent(w.Classes.Find("Bag"), "Bag")
	must(t, err)
	gun := spawn(t, w, "Shown", SpawnParams{Owner: a})
	is := func(x *Actor, player bool, remote Role) {
		t.Helper()
		if x.IsPlayer() != player {
			t.Errorf("%s: IsPlayer is %v", x, x.IsPlayer())
		}
		if r := x.Get(x.Class.Property("RemoteRole")).Num; r != float64(remote) {
			t.Errorf("%s: RemoteRole %s, want %s", x, Role(r), remote)
		}
	}
	is(pc, true, RoleSimulatedProxy) // its class here says no other
	is(a, false, RoleSimulatedProxy)
	w.Possess(pc, a)
	is(a, true, RoleAutonomousProxy)
	is(bag, true, RoleAutonomousProxy)
	is(gun, false, RoleSimulatedProxy) // owned by a player, and none itself
	w.Possess(bot, b)
	is(b, false, RoleSimulatedProxy)
	w.Possess(pc, b) // takes it from the bot, and leaves the first
	is(a, false, RoleSimulatedProxy)
	is(gun, false, RoleSimulatedProxy)
	is(b, true, RoleAutonomousProxy)
	w.UnPossess(pc)
	is(b, false, RoleSimulatedProxy)
	w.Possess(pc, hidden)
	is(hidden, true, RoleNone)
	w.UnPossess(pc)
	is(hidden, false, RoleNone)
	// One that a player controls without owning it.
	w.Possess(pc, a)
	must(t, a.SetOwner(nil))
	is(a, true, RoleAutonomousProxy)
	is(bag, true, RoleAutonomousProxy)
}

// On a client roles are the server's to tell.
func TestPossessingOnAClientLeavesRolesAlone(t *testing.T) {
	w, _, _ := onNet(t, NMClient)
	pc, a := finished(t, w, "PlayerController", "pc", RoleAutonomousProxy), finished(t, w, "Pawn", "a", RoleAutonomousProxy)
	w.Possess(pc, a)
	w.UnPossess(pc)
	if a.Role != RoleAutonomousProxy || a.RemoteRole != RoleAuthority {
		t.Errorf("%s, %s", a.Role, a.RemoteRole)
	}
}

func TestTheLocalPlayer(t *testing.T) {
	w, r, _ := onNet(t, NMClient)
	pc, a, other := finished(t, w, "PlayerController", "pc", RoleAutonomousProxy), finished(t, w, "Pawn", "a", RoleAutonomousProxy), finished(t, w, "Pawn", "b", RoleSimulatedProxy)
	give(t, a, "Owner", Ref(pc))
	own := spawn(t, w, "Shown", SpawnParams{})
	eq(t, w.LocalPlayer(), (*Actor)(nil))
	if w.IsLocallyControlled(a) || w.IsLocallyControlled(pc) || w.IsLocallyControlled(other) || !w.IsLocallyControlled(own) {
		t.Error("locally controlled before anybody plays here")
	}
	w.Step(0.1)
	eq(t, strings.Contains(r.take(), "PlayerTick"), false)
	// The server says where to look; that there is a player now does not undo it.
	give(t, pc, "ViewRotation", Rotation(geom.Rot(0, 100, 0)))
	w.SetLocalPlayer(pc)
	eq(t, w.LocalPlayer(), pc)
	if !w.IsLocallyControlled(a) || !w.IsLocallyControlled(pc) || w.IsLocallyControlled(other) || !w.IsLocallyControlled(own) {
		t.Error("locally controlled")
	}
	w.Step(0.1)
	eq(t, strings.Contains(r.take(), "pc.PlayerTick"), true)
	eq(t, pc.Get(pc.Class.Property("ViewRotation")).Rot, geom.Rot(0, 100, 0))
	w.SetInput(pc, Input{Jump: true, View: geom.Rot(0, 500, 0)})
	w.SetLocalPlayer(pc) // again: what is pressed stays
	if in, ok := w.Input(pc); !ok || !in.Jump {
		t.Error("the keys were let go")
	}
	w.Step(0.1)
	eq(t, pc.Get(pc.Class.Property("ViewRotation")).Rot, geom.Rot(0, 500, 0))
	second := finished(t, w, "PlayerController", "second", RoleAutonomousProxy)
	w.SetLocalPlayer(second)
	if _, ok := w.Input(pc); ok || w.LocalPlayer() != second || w.IsLocallyControlled(a) {
		t.Error("the old one plays on")
	}
	w.DestroyCopy(second)
	eq(t, w.LocalPlayer(), (*Actor)(nil))
	if len(w.inputs) != 0 {
		t.Error("input of one that has gone")
	}
	w.SetLocalPlayer(nil)
	w.SetLocalPlayer(second)
	eq(t, w.LocalPlayer(), (*Actor)(nil))
}

func TestServerTime(t *testing.T) {
	w, _, _ := onNet(t, NMClient)
	w.Step(0.25)
	eq(t, w.ServerTime(), 0.25)
	w.SetServerTime(100)
	w.Step(0.25)
	eq(t, w.ServerTime(), 100.5)
}
