package engine

import (
	"strings"
	"testing"
)

// actionWorld is a client's world with a player, a pawn that they play and a weapon in its hand, the last two with actions of their own.
func actionWorld(t *testing.T) (w *World, pc, pawn, weapon *Actor, heard *[]string) {
	t.Helper()
	ref := func(name, class string) PropertySpec {
		return PropertySpec{Name: name, Type: &Type{Kind: KindRef, Class: class}}
	}
	cs := classes(t, []*ClassSpec{
		{Name: "Actor", Native: NativeActor},
		{Name: "ActorComponent", Native: NativeComponent},
		{Name: "Controller", Parent: "Actor", Properties: []PropertySpec{ref("Pawn", "Pawn")}},
		{Name: "PlayerController", Parent: "Controller", Functions: functions("InputAction", "PlayerTick")},
		{Name: "Pawn", Parent: "Actor", Properties: []PropertySpec{ref("Controller", "Controller"), ref("Weapon", "Actor")}, Functions: functions("InputAction")},
		{Name: "Horned", Parent: "Pawn"},
		{Name: "Gun", Parent: "Actor", Functions: functions("InputAction")},
	}, nil)
	cs.Find("Horned").Actions = []Action{{Name: "Horn", Class: "Horned"}}
	cs.Find("Gun").Actions = []Action{{Name: "Zoom", Class: "Gun"}}
	heard = &[]string{}
	r := &recorder{on: map[string]func(*Actor, []Value){"InputAction": func(a *Actor, args []Value) {
		way := "-"
		if args[1].Num != 0 {
			way = "+"
		}
		*heard = append(*heard, a.Class.Name+"."+args[0].Str+way)
	}}}
	w = NewWorld(Config{Classes: cs, Script: r, Seed: 1, Actions: []Action{{Name: "Fire"}, {Name: "Scores"}, {Name: "Lean", Kind: ActionAxis}}})
	r.w = w
	pc, pawn, weapon = spawn(t, w, "PlayerController", SpawnParams{}), spawn(t, w, "Horned", SpawnParams{}), spawn(t, w, "Gun", SpawnParams{})
	w.Possess(pc, pawn)
	must(t, pawn.Set(pawn.Class.Property("Weapon"), Ref(weapon)))
	w.SetInput(pc, Input{})
	return w, pc, pawn, weapon, heard
}

// W4.3: which actions a player has follows from content and from what they play with; a press is told once, to those that it concerns.
func TestInputActions(t *testing.T) {
	w, pc, pawn, weapon, heard := actionWorld(t)
	press := func(values ...ActionValue) (told string) {
		in := Input{}
		for _, v := range values {
			in.SetAction(v.Name, v.Value)
		}
		*heard = nil
		w.SetInput(pc, in)
		w.Step(1.0 / 60)
		return strings.Join(*heard, " ")
	}
	names := func() string {
		var out []string
		for _, a := range w.Actions(pc).List {
			out = append(out, a.Name)
		}
		return strings.Join(out, " ")
	}
	eq(t, names(), "Fire Scores Lean Horn Zoom")
	eq(t, press(ActionValue{"Horn", 1}), "Horned.Horn+")
	s, has := w.ActionState(pc, "Horn")
	eq(t, s, ActionState{Value: 1, Down: true, Pressed: true})
	eq(t, has, true)
	eq(t, press(ActionValue{"Horn", 1}), "")
	s, _ = w.ActionState(pc, "Horn")
	eq(t, s, ActionState{Value: 1, Down: true})
	eq(t, press(ActionValue{"Scores", 1}), "PlayerController.Scores+ Horned.Scores+ Gun.Scores+ Horned.Horn-")
	s, _ = w.ActionState(pc, "Horn")
	eq(t, s, ActionState{Released: true})
	eq(t, press(ActionValue{"Lean", -0.4}), "PlayerController.Scores- Horned.Scores- Gun.Scores-")
	eq(t, press(ActionValue{"Lean", -0.6}, ActionValue{"Zoom", 1}), "PlayerController.Lean+ Horned.Lean+ Gun.Lean+ Gun.Zoom+")

	// The weapon is put away: its actions go with it, and what is held of the others stays held.
	number := w.Actions(pc).Number
	must(t, pawn.Set(pawn.Class.Property("Weapon"), Ref(nil)))
	eq(t, names(), "Fire Scores Lean Horn")
	eq(t, w.Actions(pc).Number, number+1)
	eq(t, press(ActionValue{"Lean", -0.6}, ActionValue{"Zoom", 1}), "")
	s, _ = w.ActionState(pc, "Lean")
	eq(t, s, ActionState{Value: -0.6, Down: true})
	_, has = w.ActionState(pc, "Zoom")
	eq(t, has, false)
	if !w.KnowsAction("Zoom") || w.KnowsAction("Zoo") {
		t.Error("an action of a class is known while nobody plays with it, and no other")
	}
	eq(t, strings.Join(w.ActionNames(), " "), "Fire Horn Lean Scores Zoom")
	_, has = w.ActionState(weapon, "Fire")
	eq(t, has, false)

	// A saved file.
	w.SetActions([]Action{{Name: "Lean", Kind: ActionAxis}, {Name: "Wave"}})
	eq(t, names(), "Lean Wave Horn")
	number = w.Actions(pc).Number
	w.SetActions([]Action{{Name: "Lean", Kind: ActionAxis}, {Name: "Wave"}})
	eq(t, w.Actions(pc).Number, number) // the same again is no other set

	// Who left the machine has none.
	w.SetLocalPlayer(pc)
	w.SetLocalPlayer(nil)
	if w.Actions(pc) != nil {
		t.Error("actions without a player")
	}
}

// An input holds the values of actions, some of them in fields of their own, and never shares them with another.
func TestInputValues(t *testing.T) {
	in := Input{}
	for name, v := range map[string]float64{"MoveForward": -0.5, "MoveRight": 2, "Fire": 1, "Use": 0.4, "Horn": 0.5, "Weapon3": 1} {
		in.SetAction(name, v)
	}
	if in.Forward != -0.5 || in.Strafe != 1 || !in.Fire || in.Use || in.Weapon != 3 || in.Action("Horn") != 0.5 || in.Action("Fire") != 1 || in.Action("Weapon3") != 1 || in.Action("Nothing") != 0 {
		t.Errorf("%+v", in)
	}
	other := in
	other.SetAction("Horn", 1)
	other.SetAction("Weapon2", 0)
	if in.Action("Horn") != 0.5 || other.Weapon != 3 {
		t.Errorf("%+v, %+v", in, other)
	}
	other.SetAction("Weapon3", 0)
	eq(t, other.Weapon, 0)
	nan := 0.0
	other.SetAction("MoveUp", nan/nan)
	eq(t, other.Up, 0)
}

// A tick with actions held allocates nothing.
func TestInputAllocates(t *testing.T) {
	w, pc, _, _, _ := actionWorld(t)
	in := Input{Fire: true}
	in.SetAction("Horn", 1)
	w.SetInput(pc, in)
	w.Step(1.0 / 60)
	held := w.inputs[pc.id]
	if n := testing.AllocsPerRun(100, func() {
		w.SetInput(pc, in)
		w.pressActions(pc, held)
	}); n != 0 {
		t.Errorf("%v allocations a tick", n)
	}
}
