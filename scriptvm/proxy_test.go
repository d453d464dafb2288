package scriptvm

import (
	"slices"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// R7.1, R7.3, R7.4: what runs on a client's copy of an actor. Loud's functions are simulated, those of Mute are not;
// both say what was called.

const proxyClasses = `
local Mute = class("Mute", "Actor")
Mute.defaults { bCollideActors = true, bCollideWorld = true, Physics = PHYS_Projectile }
Mute.properties { Told = "" }
Mute.replication { { "Told", notify = true } }
Mute.auto_state = "Work"
function Mute:BeginPlay() self:Log("BeginPlay") end
function Mute:PostNetBeginPlay() self:Log("PostNetBeginPlay") self:SetTimer(0.2, true, "Beep") self:SetTimer(0.2, false, "Gone") end
function Mute:Tick(_) self:Log("Tick") end
function Mute:Touch(_) self:Log("Touch") end
function Mute:UnTouch(_) self:Log("UnTouch") end
function Mute:HitWall(_, _) self:Log("HitWall") self.Velocity = vector(0, 0, 0) end
function Mute:Beep() self:Log("Beep") end
function Mute:Gone() self:Log("Gone") end
function Mute:TornOff() self:Log("TornOff") end
function Mute:ReplicatedEvent(name, _) self:Log("ReplicatedEvent " .. name) end
function Mute:Destroyed() self:Log("Destroyed") end
function Mute:Helper() self:Log("Helper") end
Mute.state("Work", {})
function Mute.state.Work:BeginState(_) self:Log("BeginState") end
function Mute.state.Work:EndState(_) self:Log("EndState") end
function Mute.state.Work:Code() self:Log("Code") Sleep(0.1) self:Log("Code goes on") end

local Loud = class("Loud", "Mute")
Loud.auto_state = "Play"
function Loud.simulated:BeginPlay() self:Log("BeginPlay") end
function Loud.simulated:PostNetBeginPlay() Loud.super.PostNetBeginPlay(self) end
function Loud.simulated:Tick(_) self:Log("Tick") end
function Loud.simulated:Touch(_) self:Log("Touch") self:Helper() end
function Loud.simulated:UnTouch(_) self:Log("UnTouch") end
function Loud.simulated:HitWall(_, _) self:Log("HitWall") self.Velocity = vector(0, 0, 0) end
function Loud.simulated:Beep() self:Log("Beep") end
function Loud.simulated:Gone() self:Log("Gone") end
function Loud.simulated:Destroyed() self:Log("Destroyed") end
Loud.state("Play", { simulated = true })
function Loud.state.Play.simulated:BeginState(_) self:Log("BeginState") end
function Loud.state.Play.simulated:EndState(_) self:Log("EndState") end
function Loud.state.Play:Code() self:Log("Code") Sleep(0.1) self:Log("Code goes on") end
`

// takeLogs gives what was said since, each once, in the order of first saying.
func (b *bench) takeLogs() string {
	var out []string
	for _, l := range b.logs {
		if !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	b.logs = nil
	return strings.Join(out, ", ")
}

func (b *bench) copyOf(class string, role engine.Role) *engine.Actor {
	b.t.Helper()
	a, err := b.w.SpawnCopy(b.w.Classes.Find(class), engine.CopyParams{Role: role, RemoteRole: engine.RoleAuthority, Location: geom.V(0, 0, 100)})
	if err != nil {
		b.t.Fatal(err)
	}
	a.FinishCopy()
	return a
}

func TestWhatRunsOnCopies(t *testing.T) {
	const (
		born = "BeginPlay, PostNetBeginPlay, BeginState"
		runs = "Tick, Code, Code goes on, Beep, Gone"
	)
	for _, c := range []struct {
		class             string
		role              engine.Role
		begins, run, ends string
	}{
		{"Loud", engine.RoleSimulatedProxy, born, runs, "EndState, Destroyed"},
		{"Loud", engine.RoleAutonomousProxy, born, runs, "EndState, Destroyed"},
		{"Mute", engine.RoleSimulatedProxy, "", "", ""},
		{"Mute", engine.RoleAutonomousProxy, born, runs, "EndState, Destroyed"},
	} {
		t.Run(c.class+"/"+c.role.String(), func(t *testing.T) {
			b := newBench(t, proxyClasses)
			b.w.NetMode = engine.NMClient
			quiet := c.begins == ""
			a := b.copyOf(c.class, c.role)
			if got := b.takeLogs(); got != c.begins {
				t.Errorf("begins: %s; want %s", got, c.begins)
			}
			if quiet { // what it would have set by itself
				for name, loop := range map[string]bool{"Beep": true, "Gone": false} {
					if err := a.SetTimer(0.2, loop, name); err != nil {
						t.Fatal(err)
					}
				}
			}
			b.run(0.5)
			if got := b.takeLogs(); got != c.run {
				t.Errorf("runs: %s; want %s", got, c.run)
			}
			if _, on := a.TimerLeft("Beep"); !on {
				t.Error("a skipped timer is gone") // the role may change
			}

			// Between updates it flies on, whatever of it runs (R7.4).
			p := a.Class.Property("Velocity")
			words := make([]uint64, 3)
			engine.StoreVector(words, geom.V(100, 0, 0))
			a.ReceiveProperty(p, words, nil)
			at := a.Location
			b.run(1)
			if d := a.Location.Sub(at); d.X < 90 || d.X > 110 {
				t.Errorf("it moved by %v", d)
			}
			b.logs = nil

			// Touched by one that is not simulated.
			target, err := b.w.Spawn(b.w.Classes.Find("Loud"), engine.SpawnParams{Location: a.Location})
			if err != nil {
				t.Fatal(err)
			}
			target.Destroy()
			mine := 0
			for _, l := range b.logs {
				if l == "Touch" || l == "UnTouch" {
					mine++
				}
			}
			if want := map[bool]int{false: 4, true: 2}[quiet]; mine != want {
				t.Errorf("%d of Touch and UnTouch, want %d", mine, want)
			}
			// What a script calls is never skipped.
			if helped := slices.Contains(b.logs, "Helper"); !helped {
				t.Error("a call from script to script was skipped")
			}
			b.logs = nil

			// These run whatever the role.
			a.Event(engine.EvReplicatedEvent, engine.String("Told"), engine.String(""))
			if got := b.takeLogs(); got != "ReplicatedEvent Told" {
				t.Errorf("news: %s", got)
			}
			b.w.DestroyCopy(a)
			if got := b.takeLogs(); got != c.ends {
				t.Errorf("ends: %s; want %s", got, c.ends)
			}
			b.clean()
		})
	}
}

// A copy that is torn off goes on as an actor of this peer's own.
func TestTornOffCopiesRunEverything(t *testing.T) {
	b := newBench(t, proxyClasses)
	b.w.NetMode = engine.NMClient
	a := b.copyOf("Mute", engine.RoleSimulatedProxy)
	a.TearOff()
	if got := b.takeLogs(); got != "TornOff" {
		t.Errorf("torn off: %s", got)
	}
	b.run(0.1)
	if got := b.takeLogs(); got != "Tick" {
		t.Errorf("after that: %s", got)
	}
	if _, err := b.v.Call(a, "Destroy"); err != nil || !a.Deleted() {
		t.Error("it cannot be destroyed", err)
	}
	b.clean()
}

// R5.17: Destroy of a proxy is refused and said once.
func TestDestroyOfAProxyIsRefused(t *testing.T) {
	b := newBench(t, proxyClasses)
	b.w.NetMode = engine.NMClient
	for range 3 {
		a := b.copyOf("Loud", engine.RoleSimulatedProxy)
		if _, err := b.v.Call(a, "Destroy"); err != nil || a.Deleted() {
			t.Error("it is gone", err)
		}
	}
	if len(b.reports) != 1 || !strings.Contains(b.errors(), "Loud: Destroy of ") || !strings.Contains(b.errors(), "only the server can end it") {
		t.Errorf("reports: %s", b.errors())
	}
}

// R7.3: latent code stands still while its actor is a proxy that does not run it, and goes on after.
func TestLatentCodeWaitsForTheRole(t *testing.T) {
	b := newBench(t, proxyClasses)
	b.w.NetMode = engine.NMClient
	a := b.copyOf("Mute", engine.RoleAutonomousProxy)
	b.run(0.05)
	a.SetRoles(engine.RoleSimulatedProxy, engine.RoleAuthority)
	b.logs = nil
	b.run(0.5)
	if got := b.takeLogs(); got != "" {
		t.Errorf("as a simulated proxy: %s", got)
	}
	a.SetRoles(engine.RoleAutonomousProxy, engine.RoleAuthority)
	b.run(0.1)
	if got := b.takeLogs(); !strings.Contains(got, "Code goes on") {
		t.Errorf("as an autonomous one again: %s", got)
	}
	b.clean()
}
