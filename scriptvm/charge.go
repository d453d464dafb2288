package scriptvm

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/classfile"
	"github.com/tidelock/tidelock/scriptvm/sandbox"
)

// Which function a fault is charged to (G1): the innermost function of the least trusted layer on the stack. If a
// mod calls another, the caller is responsible for the call: of several mods the outermost is charged.

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
	if other != nil { // only helpers of the least trusted layer were there: their caller is charged
		return *other
	}
	c.trust = least
	return c
}

// leastTrusted returns the least trusted layer on a stack, and of mods the outermost.
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

// codeOfFrame returns the file and the def of a frame; file is nil for code outside of the program.
func (v *VM) codeOfFrame(fr *sandbox.Frame) (*classfile.File, *classfile.Def) {
	file, def := v.program.CodeOf(fr.Proto)
	if file != nil && def == nil {
		def = v.defAt(file.Path, fr.Line) // bytecode from before a reload
	}
	return file, def
}

// column returns the column of a frame's instruction, 0 if it cannot be determined. It may read the file again, so
// it is only called for what is reported.
func (v *VM) column(proto *lua.FunctionProto, pc int) int {
	if pl := v.placesOf(proto); pl != nil {
		return pl.Column(proto, pc)
	}
	return 0
}

// frameAt returns the innermost frame at a line of a file, nil for none.
func frameAt(frames []sandbox.Frame, file string, line int) *sandbox.Frame {
	for i := range frames {
		if fr := &frames[i]; fr.Line == line && fr.Proto.SourceName == file {
			return fr
		}
	}
	return nil
}

// place determines the column of a report, and that of the culprit's call.
func (v *VM) place(r *Report, e *sandbox.Error, c *culprit) {
	if fr := frameAt(e.Frames, r.File, r.Line); fr != nil {
		r.Column = v.column(fr.Proto, fr.PC)
	}
	if c.called && c.frame != nil {
		c.column = v.column(c.frame.Proto, c.frame.PC)
	}
}
