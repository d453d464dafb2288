package syntax

import (
	"errors"
	"fmt"
	"slices"

	lua "github.com/yuin/gopher-lua"
)

// Compile compiles a hardened chunk to bytecode. The result may be shared among VMs and goroutines; the chunk's
// tree cannot be rewritten afterwards. The error is an *Error; a chunk that was not hardened is a broken contract
// and panics.
//
// Three things differ from gopher-lua's output. There are no tail calls: a native that yields in tail position
// leaves gopher-lua's thread without a frame, so that the next resume ends in a nil pointer; without them, every
// frame shows in a stack trace, but 'return f()' uses the call stack. Fields are looked up by the constant itself
// and not by its text, which gopher-lua boxes for each metamethod: that is 16 bytes of garbage for each variable of
// another actor and each member of a vector. And the slices are cut to size: otherwise one function holds 17 KB.
func Compile(c *Chunk) (*lua.FunctionProto, error) {
	proto, err := CompileWords(c)
	if err == nil {
		c.tellLines(proto)
	}
	return proto, err
}

// CompileWords is Compile with the number of a word, from 1, in place of each line of the bytecode: it says which
// word each instruction comes from.
func CompileWords(c *Chunk) (proto *lua.FunctionProto, err error) {
	if !c.hardened {
		panic("syntax: Compile before Harden")
	}
	c.compiled = true
	defer func() {
		if r := recover(); r != nil {
			proto, err = nil, &Error{File: c.Name, Line: 1, Msg: fmt.Sprintf("cannot be compiled: %v", r)}
		}
	}()
	proto, err = lua.Compile(c.Stmts, c.Name)
	if err != nil {
		var problem *lua.CompileError
		result := &Error{File: c.Name, Line: 1, Msg: err.Error()}
		if errors.As(err, &problem) {
			at := c.tokens[min(max(problem.Line, 1), len(c.tokens))-1]
			result.Line, result.Column, result.Msg = at.Line, at.Column, problem.Message
		}
		return nil, result
	}
	finish(proto)
	return proto, nil
}

// Layout of an instruction, which gopher-lua does not export: the opcode is the upper six bits.
const opcodeShift = 26

// finish removes the tail calls and lookups by text, and cuts the slices to size, here and in inner functions.
func finish(p *lua.FunctionProto) {
	for pc := 0; pc < len(p.Code); pc++ {
		become := func(op int) { p.Code[pc] = p.Code[pc]&(1<<opcodeShift-1) | uint32(op)<<opcodeShift }
		switch int(p.Code[pc] >> opcodeShift) {
		case lua.OP_TAILCALL:
			become(lua.OP_CALL) // its operands are those of a call for all results, and a return of all follows
		case lua.OP_GETTABLEKS:
			become(lua.OP_GETTABLE) // the operands are the same
		case lua.OP_SETTABLEKS:
			become(lua.OP_SETTABLE)
		case lua.OP_SETLIST:
			if p.Code[pc]>>9&0x1ff == 0 {
				pc++ // the next word is a number
			}
		}
	}
	p.Code = slices.Clone(p.Code)
	p.DbgSourcePositions = slices.Clone(p.DbgSourcePositions)
	p.Constants = slices.Clone(p.Constants)
	p.FunctionPrototypes = slices.Clone(p.FunctionPrototypes)
	p.DbgCalls = slices.Clone(p.DbgCalls)
	p.DbgLocals = slices.Clone(p.DbgLocals)
	p.DbgUpvalues = slices.Clone(p.DbgUpvalues)
	for _, inner := range p.FunctionPrototypes {
		finish(inner)
	}
}

// tellLines replaces the numbers of words by the lines of what they belong to.
func (c *Chunk) tellLines(p *lua.FunctionProto) {
	line := func(word *int) {
		if n := len(c.lines); *word > 0 && n > 0 {
			*word = c.lines[min(*word, n)-1] // the main chunk ends after the last
		}
	}
	line(&p.LineDefined)
	line(&p.LastLineDefined)
	for i := range p.DbgSourcePositions {
		line(&p.DbgSourcePositions[i])
	}
	for _, inner := range p.FunctionPrototypes {
		c.tellLines(inner)
	}
}
