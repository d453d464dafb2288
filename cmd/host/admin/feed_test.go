package admin_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/inspect"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// TestQuestions: copies are told of a connection that exists, and only a number names one; a chart needs words that exist.
func TestQuestions(t *testing.T) {
	s := newSite(t)
	for path, want := range map[string]int{
		"copies": 400, "copies?connection=x": 400, "copies?connection=7": 404, "stream?connection=-1": 400, "stream?boxes=perhaps": 400,
		"rates": 200, "rates?by=function&connection=1&most=3": 200, "rates?by=level": 400, "rates?most=x": 400, "rates?connection=x": 400,
	} {
		if status, answer := s.ask(here, "GET", "/api/v1/"+path, ""); status != want || want == 200 && answer != `{"times":[],"series":[]}` {
			t.Errorf("%s: status %d, want %d: %s", path, status, want, answer)
		}
	}
}

// TestStreamTellsWhatIsWanted: a stream is told the copies of the connection that it names, one that names none is not.
func TestStreamTellsWhatIsWanted(t *testing.T) {
	for query, want := range map[string]string{"": "state state state", "?connection=3": "state copies state", "?traces=true&boxes=true&claims=false": "state boxes traces"} {
		stream := newSite(t).stream(query)
		var names []string
		for range 3 {
			name, data := stream.next()
			if names = append(names, name); name == "copies" && data != `{"connection":3,"copies":[]}` {
				t.Errorf("%s: %s", query, data)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q is told %s, want %s", query, got, want)
		}
	}
}

// TestOverlays: what overlays draw is what the match has: hit boxes around their pawns, lines that scripts query from the first read on,
// and no graph where nobody has requested a path.
func TestOverlays(t *testing.T) {
	s := newSite(t)
	get := func(path string, into any) {
		t.Helper()
		status, answer := s.ask(here, "GET", path, "")
		if err := json.Unmarshal([]byte(answer), into); status != 200 || err != nil {
			t.Fatalf("%s: status %d, %v: %.300s", path, status, err, answer)
		}
	}
	w := s.world.m.World
	var boxes []inspect.Boxes
	get("/api/v1/boxes", &boxes)
	pawns := 0
	w.EachActor(func(a *engine.Actor) {
		if a.Class.IsPawn() {
			pawns++
		}
	})
	if len(boxes) != pawns || pawns < 2 {
		t.Errorf("%d boxes of %d pawns", len(boxes), pawns)
	}
	for _, b := range boxes {
		a := w.Actor(engine.ActorID(b.ID))
		for _, x := range b.Solids {
			if at := geom.V(x.Centre[0], x.Centre[1], x.Centre[2]); at.Distance(a.Location) > 200 || x.Half[0] <= 0 {
				t.Errorf("%s at %v has %+v", a.Name, a.Location, x)
			}
		}
	}
	var sights []inspect.Sight
	get("/api/v1/traces", &sights)
	if len(sights) > 0 {
		t.Errorf("%d lines are told that were queried before anybody looked", len(sights))
	}
	for range 120 {
		w.Step(1.0 / 60)
	}
	if get("/api/v1/traces", &sights); len(sights) == 0 {
		t.Error("bots look around, and no line is told")
	}
	for _, x := range sights {
		if x.Age < 0 || x.Age > 1 || x.By == "" && x.Kind != "trace" && x.Kind != "line" {
			t.Errorf("%+v", x)
		}
	}
	var graph inspect.Navigation
	get("/api/v1/navigation", &graph)
	if g := s.world.m.VM.Graph(); graph.Built != (g != nil) || g != nil && len(graph.Nodes) != g.Len() {
		t.Errorf("built %t with %d nodes", graph.Built, len(graph.Nodes))
	}
}
