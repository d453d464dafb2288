package scriptvm

import (
	"slices"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine/profile"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// Where the scripts' wall time goes, for people. Unlike the accounts it decides nothing, and is sampled by a clock in some
// ticks only (package profile). The sandbox calls it about every microsecond of a measured tick; it usually reads the
// clock and returns.

// Measure begins or ends measuring: it is called before each tick, and follows what the profile of the world decided about
// it. nil, and a profile that does not measure the tick, end it.
func (v *VM) Measure(p *profile.Profile) {
	x := &v.profiler
	if !p.Measured() {
		if x.of != nil {
			x.of = nil
			v.vm.SetProbe(nil)
		}
		return
	}
	if x.numbers == nil || x.generation != p.Generation() || x.program != v.program {
		x.vm, x.generation, x.program = v, p.Generation(), v.program
		x.numbers, x.natives = map[*lua.FunctionProto]int32{}, map[*bound]int32{}
	}
	x.of = p
	v.vm.SetProbe(x)
}

// Begin charges what ran before a call by the engine, which enters scripts.
func (x *profiler) Begin() uint8 {
	x.look(nil, false)
	return uint8(x.of.Enter(profile.Scripts))
}

// End charges the rest of the call.
func (x *profiler) End(fn *lua.LFunction, around uint8) {
	if fn != nil && !fn.IsG {
		number := x.number(fn.Proto)
		x.of.Called(number)
		x.look(fn.Proto, false)
	}
	x.of.Leave(profile.Phase(around))
}

// Step charges what runs.
func (x *profiler) Step() { x.look(nil, false) }

// look takes a sample if one is due: last, if not nil, was called from the stack; begins leaves out the innermost native,
// which only begins.
func (x *profiler) look(last *lua.FunctionProto, begins bool) {
	if !x.of.Due() {
		return
	}
	s := x.stack[:0]
	if last != nil {
		s = append(s, x.number(last))
	}
	x.vm.vm.EachFrame(func(proto *lua.FunctionProto, tag lua.LValue) bool {
		if proto != nil {
			s = append(s, x.number(proto))
		} else if n, ok := tag.(*bound); ok {
			if !begins {
				s = append(s, x.native(n))
			}
			begins = false
		}
		return true
	})
	slices.Reverse(s)
	x.stack = s
	x.of.Sample(s)
}

// number returns the number of a script's function in the profile.
func (x *profiler) number(proto *lua.FunctionProto) int32 {
	n, ok := x.numbers[proto]
	if !ok {
		n = x.of.Function(x.vm.describe(proto))
		x.numbers[proto] = n
	}
	return n
}

func (x *profiler) native(b *bound) int32 {
	n, ok := x.natives[b]
	if !ok {
		n = x.of.Function(profile.Function{Name: string(b.Space) + "." + b.Name, Native: true})
		x.natives[b] = n
	}
	return n
}

// describe names a function by its class, or by its file if it is local to that.
func (v *VM) describe(proto *lua.FunctionProto) profile.Function {
	if proto.SourceName == cueName {
		return profile.Function{Name: "cue", Native: true} // the engine's, though it is written in Lua
	}
	f := profile.Function{Name: "line " + strconv.Itoa(proto.LineDefined), File: proto.SourceName, Line: proto.LineDefined}
	main := proto.LineDefined == 0
	if main {
		f.Name, f.Line = "main chunk", 1 // what runs when the file is loaded, as Lua's manual calls it
	}
	if v.program == nil {
		return f
	}
	file, def := v.program.CodeOf(proto)
	if file == nil {
		return f
	}
	if def == nil {
		if !main {
			f.Name = v.nameAt(file.Path, proto.LineDefined)
		}
		if len(file.Classes) > 0 {
			f.Class = file.Classes[0]
		} else if file.Lib != "" {
			f.Class = file.Lib
		}
		return f
	}
	f.Class, f.Name = def.Class, stateName(def.State, def.Name)
	if def.Proto != nil {
		f.Line = def.Proto.LineDefined // a function inside of it counts as it
	}
	switch def.What {
	case classfile.DefValidator:
		f.Name = "validate:" + f.Name
	case classfile.DefCondition:
		f.Name = "replication(" + f.Name + ")"
	case classfile.DefFunction, classfile.DefCode:
	}
	return f
}

// isWord reports whether a name in Lua can have a character.
func isWord(r rune) bool {
	return r == '_' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z'
}

// writtenName returns the name of a function that begins in a line, as scripts are usually written: after the word
// function, or before "= function". Without one it returns "".
func writtenName(line string) string {
	const keyword = "function"
	inName := func(r rune) bool { return isWord(r) || r == '.' || r == ':' }
	for at := 0; ; {
		i := strings.Index(line[at:], keyword)
		if i < 0 {
			return ""
		}
		before, after := line[:at+i], line[at+i+len(keyword):]
		at += i + len(keyword)
		if strings.TrimRightFunc(before, inName) != before || strings.TrimLeftFunc(after, inName) != after {
			continue // a part of another word
		}
		after = strings.TrimLeft(after, " \t")
		if name := after[:len(after)-len(strings.TrimLeftFunc(after, inName))]; name != "" {
			return name
		}
		if before, assigned := strings.CutSuffix(strings.TrimRight(before, " \t"), "="); assigned {
			before = strings.TrimRight(before, " \t")
			if name := before[len(strings.TrimRightFunc(before, inName)):]; name != "" {
				return name
			}
		}
	}
}

// nameAt returns the name that a file gives to the function at a line, or else the line.
func (v *VM) nameAt(path string, line int) string {
	for i := range v.sources {
		if v.sources[i].Path != path {
			continue
		}
		n := line - v.sources[i].LineOffset
		for text := range strings.Lines(v.sources[i].Text) {
			if n--; n > 0 {
				continue
			}
			if name := writtenName(text); name != "" {
				return name
			}
			break
		}
	}
	return "line " + strconv.Itoa(line)
}
