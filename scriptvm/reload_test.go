package scriptvm

import (
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/classfile"
	"github.com/tidelock/tidelock/tests/tier"
)

// variant is one class of the random edits: what its file says now.
type variant struct {
	name, parent string
	props        []string // declarations, "P3 = float(2)"
	fn           int      // a number its function returns
	code         int      // a number in its state's code
	broken       string   // text that spoils the file, "" for none
}

func (c *variant) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "local %s = class(%q, %q)\n", c.name, c.name, c.parent)
	fmt.Fprintf(&b, "%s.properties { %s }\n", c.name, strings.Join(c.props, ", "))
	fmt.Fprintf(&b, "%s.state(\"Work\", {})\n", c.name)
	fmt.Fprintf(&b, "function %s:Answer() return %d end\n", c.name, c.fn)
	fmt.Fprintf(&b, "function %s:BeginPlay() self:SetTimer(0.3, true, \"Beat\") self:GotoState(\"Work\") end\n", c.name)
	fmt.Fprintf(&b, "function %s:Beat() self.Beats = (self.Beats or 0) + 1 end\n", c.name)
	fmt.Fprintf(&b, "function %s.state.Work:Code() while true do Sleep(0.5) self.Naps = (self.Naps or 0) + %d end end\n", c.name, 1+c.code)
	if c.broken != "" {
		return b.String() + c.broken
	}
	return b.String() + "return " + c.name + "\n"
}

func variantType(r *rand.Rand) string {
	types := []string{"int(#)", "float(#)", `"s#"`, "vector(#, 0, 0)", "int(#, { min = 0, max = 100 })", "array(int(0), 3)", `enum("A", "B")`}
	return strings.Replace(types[r.Intn(len(types))], "#", strconv.Itoa(r.Intn(50)), 1)
}

func (c *variant) edit(r *rand.Rand, id *int) {
	c.broken = ""
	switch n := r.Intn(10); {
	case n < 2:
		c.fn++
	case n < 3:
		c.code++
	case n < 6:
		*id++
		c.props = append(c.props, fmt.Sprintf("P%d = %s", *id, variantType(r)))
	case n < 7 && len(c.props) > 0:
		i := r.Intn(len(c.props))
		c.props = append(c.props[:i:i], c.props[i+1:]...)
	case n < 8 && len(c.props) > 0:
		i := r.Intn(len(c.props))
		name, _, _ := strings.Cut(c.props[i], " ")
		c.props[i] = name + " = " + variantType(r)
	default:
		c.broken = []string{
			"function " + c.name + ":Half(", "this is not Lua", c.name + ".properties { X = 3 }", "local x = ", "\x00\xff",
			"function " + c.name + ":Typo() return self.Nonsense end", "error('at load')", c.name + ".defaults { NoSuch = 1 }",
		}[r.Intn(8)]
	}
}

// TestRandomEdits: whatever is saved into a running world, it never crashes, never takes half a change, and keeps the
// values of variables, but for those that follow their default, timers and latent code.
func TestRandomEdits(t *testing.T) {
	rounds := tier.Choose(60, 1000, 20000)
	seed := int64(1)
	if s, err := strconv.ParseInt(os.Getenv("TIDELOCK_SEED"), 10, 64); err == nil {
		seed = s
	}
	r := rand.New(rand.NewSource(seed))
	classes := []*variant{
		{name: "Base", parent: "Actor"}, {name: "Left", parent: "Base"}, {name: "Right", parent: "Base"}, {name: "Leaf", parent: "Left"},
	}
	b := newBench(t, "local Spare = class(\"Spare\", \"Actor\")")
	sources := func(cs []*variant) []classfile.Source {
		out := append([]classfile.Source(nil), b.core...)
		for _, c := range cs {
			out = append(out, classfile.Source{Path: "scripts/" + c.name + ".lua", Text: c.text()})
		}
		return out
	}
	if res := b.v.Reload(sources(classes)); res.Failed {
		t.Fatal(res.Diagnostics)
	}
	var actors []*engine.Actor
	for range 3 {
		for _, c := range classes {
			actors = append(actors, b.spawn(c.name))
		}
	}
	id := 0
	failed, applied := 0, 0
	for round := range rounds {
		now := make([]*variant, len(classes))
		for i, c := range classes {
			copied := *c
			copied.props = append([]string(nil), c.props...)
			now[i] = &copied
		}
		for range 1 + r.Intn(2) {
			now[r.Intn(len(now))].edit(r, &id)
		}
		// Every variable gets a value of its own before the reload.
		type value struct {
			kind engine.Kind
			v    string
			is   bool // the default
		}
		before := map[*engine.Actor]map[string]value{}
		for i, a := range actors {
			before[a] = map[string]value{}
			for _, p := range a.Class.Properties {
				if p.Native != nil {
					continue
				}
				if p.Type.Kind == engine.KindInt || p.Type.Kind == engine.KindFloat {
					if err := b.v.SetField(a, p.Name, lua.LNumber((round+i)%50)); err != nil {
						t.Fatal(err)
					}
				}
				before[a][p.Name] = value{p.Type.Kind, fmt.Sprint(a.Get(p)), fmt.Sprint(a.Get(p)) == fmt.Sprint(a.Class.Default(p))}
			}
		}
		oldHash := b.w.HashState()
		res := b.v.Reload(sources(now))
		if res.Failed {
			failed++
			if b.w.HashState() != oldHash {
				t.Fatalf("seed %d round %d: a failed reload changed the world", seed, round)
			}
		} else {
			applied++
			classes = now
		}
		answers := map[string]int{}
		for _, c := range classes {
			answers[c.name] = c.fn
		}
		for _, a := range actors {
			out, err := b.v.Call(a, "Answer")
			if err != nil || len(out) != 1 || int(out[0].Num) != answers[a.Class.Name] {
				t.Fatalf("seed %d round %d: %s answers %v (%v), not %d", seed, round, a, out, err, answers[a.Class.Name])
			}
			for _, p := range a.Class.Properties {
				old, had := before[a][p.Name]
				if p.Native != nil || !had || old.kind != p.Type.Kind {
					continue
				}
				if p.Type.Ranged || p.Type.Kind == engine.KindEnum || p.Type.Kind == engine.KindArray {
					continue // may be reset where the range or the names changed
				}
				want := old.v
				if old.is { // it follows
					want = fmt.Sprint(a.Class.Default(p))
				}
				if got := fmt.Sprint(a.Get(p)); got != want {
					t.Fatalf("seed %d round %d: %s.%s was %s, is %s, not %s", seed, round, a, p.Name, old.v, got, want)
				}
				// The script reads what the engine holds.
				o := a.Script.(*object)
				if got, err := b.v.Field(a, p.Name); err != nil || got != b.v.read(o, p) {
					t.Fatalf("seed %d round %d: %s.%s reads %v, %v", seed, round, a, p.Name, got, err)
				}
			}
		}
		b.run(0.1)
		if s := b.errors(); s != "" {
			t.Fatalf("seed %d round %d: %s", seed, round, s)
		}
	}
	t.Logf("%d reloads applied, %d refused", applied, failed)
	if applied < rounds/4 || failed < rounds/20 {
		t.Error("the edits are one-sided: too few were applied or refused to mean anything")
	}
	beats, _ := b.v.Field(actors[0], "Beats")
	if n, _ := beats.(lua.LNumber); float64(n) < b.w.Time/0.3-2 {
		t.Errorf("the timer beat %v times in %v s: reloads stopped it", beats, b.w.Time)
	}
	naps, _ := b.v.Field(actors[0], "Naps")
	if n, _ := naps.(lua.LNumber); n < 1 {
		t.Errorf("latent code did not go on over reloads: %v naps", naps)
	}
}

// BenchmarkReload is the stop of the world for one changed class of 1 000 live actors.
func BenchmarkReload(b *testing.B) {
	text := func(n int) string {
		return fmt.Sprintf("local A = class(\"A\", \"Actor\")\nA.properties { N = int(0), V%d = float(1) }\nfunction A:Tick(dt) self.N = self.N + 1 end", n)
	}
	bn := newBench(b, text(0))
	for range 1000 {
		bn.spawn("A")
	}
	now := time.Now // the benchmark's own clock
	var worst, total time.Duration
	b.ResetTimer()
	for i := range b.N {
		p := bn.v.Prepare(bn.sources(text(i + 1)))
		res := p.Apply(now)
		if res.Failed {
			b.Fatal(res.Diagnostics)
		}
		total += res.Swap
		worst = max(worst, res.Swap)
		bn.w.Step(1.0 / 60)
	}
	b.ReportMetric(float64(total.Microseconds())/float64(b.N), "µs-swap")
	b.ReportMetric(float64(worst.Microseconds()), "µs-worst")
}
