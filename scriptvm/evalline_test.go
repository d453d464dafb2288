package scriptvm

import (
	"strings"
	"testing"
)

// TestEvalLine: what a person types is an expression or statements; the answer is Lua without addresses, bounded; a fault leaves the world
// as it was and charges nobody.
func TestEvalLine(t *testing.T) {
	b := newBench(t, "", honest)
	b.spawn("Honest")
	b.run(0.1)
	for line, want := range map[string]string{
		"1 + 1":                                "2",
		"1, 'a', nil, true":                    `1, "a", nil, true`,
		"local x = 3 return x * 2":             "6",
		"world:ActorsOf('Honest')[1].Name":     `"Honest_0"`,
		"world:ActorsOf('Honest')":             "{ Honest_0 }",
		"vector(1, 2, 3)":                      "vector(1, 2, 3)",
		"{}":                                   "{}",
		"{ 1, { a = 2, ['b c'] = 3 }, n = 4 }": `{ 1, { a = 2, ["b c"] = 3 }, n = 4 }`,
		"print":                                "a function",
		"{{{{{1}}}}}":                          "{ { { { { … } } } } }",
		"local x = 1":                          "",
		"'\\27[2J'":                            `"\x1b[2J"`,
		"world:ActorsOf('Honest')[1].Ticks":    "6",
	} {
		got, err := b.v.EvalLine("console", line)
		if line == "print" && strings.Contains(got, "0x") || line != "print" && (err != nil || got != want) {
			t.Errorf("%s: %s, %v, want %s", line, got, err, want)
		}
	}
	for line, want := range map[string]string{
		"1 +":               "console:1",
		"nothing.at = 1":    "unknown name 'nothing'",
		"while true do end": "instruction budget spent",
		"local a = world:ActorsOf('Honest')[1] a.Ticks = 500 error('no')": "no",
	} {
		if got, err := b.v.EvalLine("console", line); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %s, %v, want %s", line, got, err, want)
		}
	}
	if got, err := b.v.EvalLine("console", "world:ActorsOf('Honest')[1].Ticks"); got != "6" || err != nil {
		t.Errorf("a line that faulted left Ticks at %s: %v", got, err)
	}
	if s := b.errors(); s != "" {
		t.Errorf("reported: %s", s)
	}
	if got, err := b.v.EvalLine("console", "('x'):rep(5000)"); err != nil || len(got) > 2000 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if got, err := b.v.EvalLine("console", "local t = {} for i = 1, 1000 do t[i] = i end return t"); err != nil || !strings.HasSuffix(got, "… 968 more }") {
		t.Errorf("%s, %v", got, err)
	}
}
