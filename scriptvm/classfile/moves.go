package classfile

import (
	"slices"

	"github.com/yuin/gopher-lua/ast"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/moves"
)

// A class file declares what a pawn, a component or a weapon adds to the moves of a player as
//
//	C.moves {
//		presses = { "bDash" },    -- booleans that a move carries once
//		flags = { "bThrust" },    -- booleans that a move carries
//		fields = { "Throttle" },  -- other variables that a move carries
//		state = { "Fuel" },       -- variables on which the next move depends
//	}
//
// (R9.9). Each list may be omitted, and so may all. A child adds to what its parent declares.

// moves reads C.moves{…}.
func (u *unit) moves(c *classDecl, table *ast.TableExpr, pos engine.Pos) {
	label := "class " + c.name + ": .moves"
	c.moves = &engine.MoveSpec{Pos: pos}
	lists := engine.MoveUseNames()
	seen := map[string]engine.Pos{}
	for _, f := range u.literal(table, label).fields {
		use := slices.Index(lists, f.name)
		switch {
		case f.value.kind == litBad:
			continue
		case use < 0:
			u.errorf(f.pos, "unknown-key", "%s: unknown list %q%s; it has presses, flags, fields and state", label, f.name, engine.Nearest(f.name, lists))
			continue
		case seen[f.name].Line > 0:
			u.errorf(f.pos, "repeated", "%s: %s stands twice, first at %s", label, f.name, seen[f.name])
			continue
		case f.value.kind != litTable || len(f.value.list()) != len(f.value.fields):
			u.errorf(f.value.pos, "not-literal", `%s: %s: expected a list of names, { "Name", … }, got %s`, label, f.name, f.value.describe())
			continue
		}
		seen[f.name] = f.pos
		for _, name := range f.value.list() {
			switch name.kind {
			case litString:
				c.moves.Vars = append(c.moves.Vars, engine.MoveVarSpec{Name: name.text, Use: engine.MoveUse(use), Pos: name.pos})
			case litBad:
			default:
				u.errorf(name.pos, "not-literal", "%s: %s: expected a variable's name in quotes, got %s; declare the variable with its type in .properties", label, f.name, name.describe())
			}
		}
	}
}

// layMoves assigns bits to everything that is added to moves, once the conditions of replication are known.
func (l *loader) layMoves() {
	for _, c := range l.built.All() {
		for _, m := range c.MoveVars {
			if m.Class == c {
				l.overwritten(m)
			}
		}
	}
	table, diags := moves.New(l.built)
	l.moves, l.diags = table, append(l.diags, diags...)
}

// reachesOwner lists the named conditions by which a variable is sent to the owning player whenever it changes.
var reachesOwner = map[engine.NetCondition]bool{
	engine.CondNone: true, engine.CondOwnerOnly: true, engine.CondAutonomousOnly: true, engine.CondInitialOrOwner: true,
	engine.CondReplayOrOwner: true, engine.CondSkipReplay: true,
}

// overwritten rejects variables of moves that replication sets on the machine that predicts them. What the class's
// own conditions let through is not known here.
func (l *loader) overwritten(m engine.MoveVar) {
	r := m.Prop.Rule
	if r == nil || r.Cond != nil || r.Script != nil || !reachesOwner[r.Named] {
		return
	}
	l.errorf(m.Pos, "bad-moves", "class %s: .moves: %s: %s is also replicated to the player who predicts it (%s), and what comes is older than what they have; "+
		"write when = COND_SkipOwner there, or leave it out of one of the two", m.Class.Name, m.Use, m.Prop.Name, r.Pos)
}

// moveFunctions lists what a component or a weapon overrides to take part in moves.
var moveFunctions = []string{
	"FillMove", "ProcessMove", "ModifyMoveSpeed", "CanCombineMoves", "IsImportantMove", "GetMoveState", "SetMoveState",
}

// MoveFunctions returns the names of the functions by which a component or a weapon takes part in a player's moves;
// nothing calls them in one without .moves.
func MoveFunctions() []string { return slices.Clone(moveFunctions) }

// moveFunctions warns about functions of moves in a class that does not take part in any.
func (c *checker) moveFunctions(k *engine.Class, d *defDecl) {
	if k.JoinsMoves || k.IsPawn() || !k.TakesPartInMoves() || d.state != "" || !contains(moveFunctions, d.name) {
		return
	}
	if k.Parent != nil && k.Parent.Functions[d.name] != nil {
		c.warnf(d.pos, "never-called", "class %s: %s is never called: only classes with .moves take part in moves; write %s.moves {} at least", k.Name, d.name, k.Name)
	}
}
