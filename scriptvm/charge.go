package scriptvm

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/classfile"
	"github.com/tidelock/tidelock/scriptvm/sandbox"
)

// Whom a fault is charged to (G1): the innermost function of the least trusted layer on the stack. Where a mod calls
// another, it is the caller's fault what becomes of the call: of several mods the outermost answers.

// culprit is the function that a fault is charged to.
type culprit struct {
	def   *classfile.Def // nil where no function of a class stood on the stack
	trust classfile.Trust
	// path and line are where it was, "" and 0 where that is not known; called says that it is not where the fault arose.
	path         string
	line, column int // column is found when it is told
	frame        *sandbox.Frame
	called       bool
}

// culprit finds the culprit of an error; f is the function that the engine called.
func (v *VM) culprit(e *sandbox.Error, f *engine.Function) culprit {
	var c culprit
	if d, _ := f.Script.(*classfile.Def); d != nil {
		c.def = d
		if d.File != nil {
			c.trust = d.File.Trust
		}
	}
	if v.program == nil || len(e.Frames) == 0 {
		return c
	}
	least, known := v.leastTrusted(e.Frames)
	if !known {
		return c
	}
	first := true // the innermost frame of all
	var other *culprit
	for i := range e.Frames {
		fr := &e.Frames[i]
		file, def := v.codeOfFrame(fr)
		if file == nil {
			continue
		}
		at := culprit{def: def, trust: file.Trust, path: file.Path, line: fr.Line, frame: fr, called: !first}
		first = false
		if def == nil {
			continue
		}
		if file.Trust == least {
			return at
		}
		if other == nil {
			other = &at
		}
	}
	if other != nil { // only helpers of the least trusted stood there: what called them answers
		return *other
	}
	c.trust = least
	return c
}

// leastTrusted is the least trusted layer on a stack, and of mods the outermost.
func (v *VM) leastTrusted(frames []sandbox.Frame) (least classfile.Trust, known bool) {
	for i := range frames {
		file, _ := v.codeOfFrame(&frames[i])
		if file == nil {
			continue
		}
		if t := file.Trust; !known || t.Less(least) || t.Layer == classfile.LayerMod {
			least, known = t, true
		}
	}
	return least, known
}

// codeOfFrame is the file and the def of a frame; file is nil for what is no part of the program.
func (v *VM) codeOfFrame(fr *sandbox.Frame) (*classfile.File, *classfile.Def) {
	file, def := v.program.CodeOf(fr.Proto)
	if file != nil && def == nil {
		def = v.defAt(file.Path, fr.Line) // bytecode of before a reload
	}
	return file, def
}

// column is where in its line the instruction of a frame stands, 0 where that cannot be told. It may read the file again, so
// it is asked only for what is told.
func (v *VM) column(proto *lua.FunctionProto, pc int) int {
	if pl := v.placesOf(proto); pl != nil {
		return pl.Column(proto, pc)
	}
	return 0
}

// frameAt is the innermost frame at a line of a file, nil for none.
func frameAt(frames []sandbox.Frame, file string, line int) *sandbox.Frame {
	for i := range frames {
		if fr := &frames[i]; fr.Line == line && fr.Proto.SourceName == file {
			return fr
		}
	}
	return nil
}
