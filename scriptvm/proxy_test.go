package scriptvm

import (
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

func (b *bench) copyOf(class string, role engine.Role) *engine.Actor {
	b.t.Helper()
	a, err := b.w.SpawnCopy(b.w.Classes.Find(class), engine.CopyParams{Role: role, RemoteRole: engine.RoleAuthority, Location: geom.V(0, 0, 100)})
	if err != nil {
		b.t.Fatal(err)
	}
	a.FinishCopy()
	return a
}

// R7.3: latent code stands still while its actor is a proxy that does not run it, and goes on after; so do timers and Tick (R7.1). What runs on
// copies at all is told by the scenarios of R7.
func TestLatentCodeWaitsForTheRole(t *testing.T) {
	b, _ := newNetBench(t, engine.NMClient, `
local Mute = class("Mute", "Actor")
Mute.auto_state = "Work"
Mute.state("Work", {})
function Mute:PostNetBeginPlay() self:SetTimer(0.12, true, "Beep") end
function Mute:Beep() self:Log("beep") end
function Mute.state.Work:Code() self:Log("code") Sleep(0.1) self:Log("code goes on") end
`)
	a := b.copyOf("Mute", engine.RoleAutonomousProxy)
	b.run(0.05)
	b.logged("code")
	a.SetRoles(engine.RoleSimulatedProxy, engine.RoleAuthority)
	b.run(0.5)
	b.logged("")
	if _, on := a.TimerLeft("Beep"); !on {
		t.Error("a skipped timer is gone") // the role may change
	}
	a.SetRoles(engine.RoleAutonomousProxy, engine.RoleAuthority)
	b.run(0.06)
	b.logged("code goes on, beep")
	b.clean()
}
