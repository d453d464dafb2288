package relevancy

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// The rules decide in the order of the table: every rule of it applies to one actor, the first decides, and when that does not apply
// any more the next does.
func TestRulesDecideInTheirOrder(t *testing.T) {
	s := open(t, Config{}, wall)
	base := s.orb("base", 300, 0, 0)
	a := s.spawn("Choosy", "a", geom.V(300, 0, 0), func(a *engine.Actor) {
		a.BReplicates, a.BAlwaysRelevant, a.BNetUseOwnerRelevancy, a.BOnlyRelevantToOwner, a.BHidden = false, true, true, true, true
		a.NetCullDistance = 10
	})
	s.s.relevant[a] = false
	s.own(a, s.pawn)
	s.base(a, base, true)
	undo := map[Rule]func(a *engine.Actor){
		Rule3_1:  func(a *engine.Actor) { a.BReplicates = true },
		Rule3_11: func(a *engine.Actor) { delete(s.s.relevant, a) },
		Rule3_2:  func(a *engine.Actor) { a.BAlwaysRelevant = false },
		Rule3_3:  func(a *engine.Actor) { a.BNetUseOwnerRelevancy = false },
		Rule3_4:  func(a *engine.Actor) { a.BOnlyRelevantToOwner = false },
		Rule3_5:  func(a *engine.Actor) { s.own(a, nil) },
		Rule3_6:  func(a *engine.Actor) { s.base(a, nil, false) },
		Rule3_7:  func(a *engine.Actor) { a.BHidden = false },
		Rule3_8:  func(a *engine.Actor) { a.NetCullDistance = 15000 },
		Rule3_9:  func(a *engine.Actor) { a.SetLocation(geom.V(1000, 0, 0)) },
	}
	for i, r := range ruleTable() {
		v := s.fresh(a)
		switch r.name {
		case Rule3_9:
			v = s.at(a, 0) // to remember that it was seen
		case Rule3_10:
			v = s.at(a, 2)
		default:
		}
		if v.Rule != r.name {
			t.Errorf("rule %d of the table is %s, %s decided", i, r.name, v.Rule)
		}
		if undo[r.name] != nil {
			s.change(a, undo[r.name])
		}
	}
}

// docs/rules.md gives the order of the table, and has a section for every rule of it.
func TestRulesAreDocumentedInTheirOrder(t *testing.T) {
	text, err := os.ReadFile("../../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := strings.Join(strings.Fields(string(text)), " ")
	var order []string
	for i, list := 0, ruleTable(); i < len(list); {
		k := i + 1
		for k < len(list) && list[k].name == list[k-1].name+1 {
			k++
		}
		run := list[i].name.String()
		if k > i+1 {
			run += " to " + list[k-1].name.String()
		}
		order, i = append(order, run), k
	}
	if want := "The rules are evaluated in this order: " + strings.Join(order, ", ") + "."; !strings.Contains(doc, want) {
		t.Errorf("docs/rules.md does not say %q", want)
	}
	for _, r := range ruleTable() {
		if want := fmt.Sprintf("### %s **", r.name); !strings.Contains(doc, want) {
			t.Errorf("docs/rules.md has no section %s", r.name)
		}
	}
}
