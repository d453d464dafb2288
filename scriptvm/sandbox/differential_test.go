package sandbox

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
)

// TestProgramsMeanWhatLuaSays runs random programs here and in PUC Lua 5.1 and compares what they
// print. It found every miscompilation that syntax.Harden works around; it is skipped where there is no
// lua5.1 (Debian: apt-get install lua5.1). TIDELOCK_PROGRAMS sets how many, 300 otherwise.
func TestProgramsMeanWhatLuaSays(t *testing.T) {
	interpreter, err := exec.LookPath("lua5.1")
	if err != nil {
		t.Skip("no lua5.1 to compare with")
	}
	programs := uint64(300)
	if text := os.Getenv("TIDELOCK_PROGRAMS"); text != "" {
		if _, err := fmt.Sscan(text, &programs); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "t.lua")
	compared := 0
	for seed := range programs {
		p := &program{chance: rand.New(rand.NewPCG(seed, 0)), variables: []string{"a", "b", "c"}}
		p.block(3)
		source := programHead + p.text.String() + programTail
		if len(source) > 6000 {
			continue
		}
		vm := newVM(t, Options{Limits: Limits{Instructions: 5_000_000}})
		result, err := vm.Call("", load(t, vm, source+"return r"))
		if err != nil {
			continue // it concatenates nil or the like, which Lua words differently
		}
		if err := os.WriteFile(file, []byte(source+"io.write(r)"), 0o600); err != nil {
			t.Fatal(err)
		}
		output, err := exec.Command(interpreter, file).Output()
		if err != nil || strings.Contains(string(output), "attempt to") {
			continue
		}
		compared++
		same := strings.NewReplacer(file, "t.lua", "-nan", "nan", "-0;", "0;")
		if got, want := same.Replace(string(result.(lua.LString))), same.Replace(string(output)); got != want {
			t.Errorf("program %d\n%s\n got %s\nwant %s", seed, p.text.String(), got, want)
		}
	}
	if compared < int(programs)/3 {
		t.Errorf("only %d of %d programs could be compared", compared, programs)
	}
}

const (
	programHead = `local buf, cnt = {}, 0
local function N(x) if type(x) == "number" then return x % 1000 end if type(x) == "string" then return #x end return x and 1 or 0 end
local function S(x) if type(x) == "string" then return x end return "z" end
local function C(x) local t = type(x) if t == "string" and #x > 20 then return "L" end if t == "number" or t == "string" then return x end return t end
local function id(...) return ... end
local function out(...)
	for i = 1, select("#", ...) do
		cnt = cnt + 1
		local x = (select(i, ...))
		if cnt < 200 then buf[#buf + 1] = (type(x) == "table" or type(x) == "function") and type(x) or tostring(x) end
	end
end
local T = {}
local a, b, c = 1, "s", nil
`
	programTail = "out(a, b, c) local r = '' for i = 1, #buf do r = r .. buf[i] .. ';' end\n"
)

// program writes a random program that ends.
type program struct {
	chance    *rand.Rand
	variables []string
	text      strings.Builder
}

func (p *program) one() string { return p.variables[p.chance.IntN(len(p.variables))] }

func (p *program) two() (string, string) {
	for {
		if x, y := p.one(), p.one(); x != y {
			return x, y
		}
	}
}

// fill puts expressions of a depth in place of each @.
func (p *program) fill(pattern string, depth int) string {
	for strings.Contains(pattern, "@") {
		pattern = strings.Replace(pattern, "@", p.expr(depth), 1)
	}
	return pattern
}

func (p *program) expr(depth int) string {
	if depth <= 0 {
		leaves := []string{fmt.Sprint(p.chance.IntN(10)), `"` + string(rune('a'+p.chance.IntN(4))) + `"`, "true", "false", "nil"}
		if n := p.chance.IntN(10); n < len(leaves) {
			return leaves[n]
		}
		return p.one()
	}
	patterns := []string{
		"(C(@) .. C(@))", "(C(@) .. C(@) .. C(@))", "(@ and @)", "(@ or @)", "(not @)", "(@ == @)", "N(@) + N(@)", "N(@) * N(@) - N(@)",
		"(N(@) < N(@))", "id(@, @)", "(id(@))", "#S(@)", "({ @, k = @, id(@, @) })[2]", "-N(@)", "select('#', id(@, @), @)",
		"(function(p, ...) p = p == nil and @ or p return p, ... end)(@, @)",
	}
	return p.fill(patterns[p.chance.IntN(len(patterns))], depth-1-p.chance.IntN(2))
}

func (p *program) block(depth int) {
	visible := len(p.variables)
	for range 1 + p.chance.IntN(4) {
		p.stmt(depth)
	}
	p.variables = p.variables[:visible]
}

// within writes a block with more variables in scope, between two texts.
func (p *program) within(before, after string, depth int, variables ...string) {
	p.line(before)
	visible := len(p.variables)
	p.variables = append(p.variables, variables...)
	p.block(depth - 1)
	after = p.fill(after, 1)
	p.variables = p.variables[:visible]
	p.line(after)
}

func (p *program) line(text string) { p.text.WriteString(text + "\n") }

func (p *program) stmt(depth int) {
	kinds := 16
	if depth <= 0 {
		kinds = 6
	}
	x, y := p.two()
	switch p.chance.IntN(kinds) {
	case 0:
		name := fmt.Sprint("v", p.chance.IntN(30))
		p.line(p.fill("local "+name+" = @", 2))
		p.variables = append(p.variables, name)
	case 1:
		p.line(p.fill(x+" = @", 3))
	case 2:
		p.line(p.fill(x+", "+y+" = @, @", 2))
	case 3:
		p.line(p.fill(x+", T.a = @, @", 2))
	case 4:
		p.line(p.fill("out(@)", 3))
	case 5:
		p.line(p.fill(x+", "+y+" = id(@, @)", 2))
	case 6:
		p.within(p.fill("if @ then", 2), "", depth)
		p.within(p.fill("elseif @ then", 2), "", depth)
		p.within("else", "end", depth)
	case 7:
		p.within(fmt.Sprintf("for i = 1, %d do", 1+p.chance.IntN(3)), "end", depth, "i")
	case 8:
		names := []string{"x", "y", "z"}[:p.chance.IntN(4)]
		p.within("local function f("+strings.Join(names, ", ")+")", "return @ end", depth, names...)
		p.line(p.fill("out(f(@, @)) "+x+" = f(@)", 1))
	case 9:
		p.within("do", "end", depth)
	case 10:
		p.within("out(pcall(function()", "if N(@) > 5 then error('E') end return @ end))", depth)
	case 11:
		p.within(p.fill("for k, v in pairs({ @, @ }) do", 1), "end", depth, "k", "v")
	case 12:
		p.within("do local n = 0 repeat n = n + 1", "until n > 2 or @ end", depth)
	case 13:
		p.within(p.fill("do local n = 0 while n < 2 and @ or n < 1 do n = n + 1", 1), "if @ then break end end end", depth)
	case 14:
		p.line(p.fill("do local fs = {} for i = 1, 3 do local u = @ fs[i] = function(q) u = @ u = u and q or u return u, i end end "+
			"out(fs[1](@)) out(fs[1](@), fs[2](@)) end", 1))
	case 15:
		p.within("do local w = coroutine.wrap(function(y) for i = 1, 2 do",
			"y = coroutine.yield(@) end return @ end) out(w(1)) out(w('x', 2)) out(w()) end", depth, "y")
	}
}
