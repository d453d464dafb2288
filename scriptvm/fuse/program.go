package fuse

import (
	"math"
	"math/bits"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// Program is a function fused for one class of one set of classes. It holds nothing that changes but a
// cache of its last class; so each world runs a Copy.
//
// It is a register machine: 256 numbers, of which booleans are 0 or 1, an enum its index, a vector three
// and a rotator three from 0 to 65535; the constants stand at the upper end. Variables of self are read
// into registers before the first statement that needs them, and what is assigned stays there until the
// end, so that a call that has to be given up leaves no trace.
//
// Rejected: a closure for each node. The Tick of scriptvm's BenchmarkAwake took 150 ns that way and 105 ns
// this way, in one run: every operand is an indirect call then, and a node an object.
type Program struct {
	code    []instruction
	consts  []float64 // of the registers from firstConst on
	params  []param
	writes  []write
	natives []nativeRead
	texts   []textRead

	class *engine.Class // whose function it is
	last  *engine.Class // the latest class of an actor that passed the guard
}

// Copy is the same program for another world: what a run remembers is each one's own.
func (p *Program) Copy() *Program {
	c := *p
	c.last = nil
	return &c
}

// Frame is the registers of a running program. One serves a VM: a program calls nobody.
type Frame struct{ r [256]float64 }

// instruction is one step. What a, b, c and t mean stands with the opcodes.
type instruction struct {
	op      opcode
	a, b, c uint8
	t       int32
}

// param is an argument the program reads.
type param struct {
	kind kind
	reg  uint8
	used bool
}

// write is a variable that the program assigns.
type write struct {
	kind     writeKind
	reg      uint8
	prop     *engine.Property
	min, max float64
}

type writeKind uint8

const (
	writeFloat writeKind = iota
	writeInt
	writeBool
	writeEnum
	writeVector
	writeRotator
	writeNativeFloat
	writeNativeBool
	writeNativeVector
	writeNativeRotator
)

type nativeRead struct {
	num func(*engine.Actor) float64
	vec func(*engine.Actor) geom.Vector
	rot func(*engine.Actor) geom.Rotator
}

// textRead is a comparison of a string variable with a constant.
type textRead struct {
	prop   *engine.Property
	native func(*engine.Actor) string
	text   string
}

// Script is the script side of the actor that a program runs on.
type Script interface {
	// HasRef reports whether scripts read the reference in a slot as something else than nil.
	HasRef(slot int) bool
	// Stored tells that the variable of a slot holds another value now.
	Stored(slot int)
}

type opcode uint8

// ORDER: opcodes.
const (
	opReturn opcode = iota
	opMove          // a = b
	opMove3

	// Reading variables of self. t is a word's offset, or a place among natives or texts.
	opLoadFloat
	opLoadInt
	opLoadWord // bool, enum
	opLoadVector
	opLoadRotator
	opLoadNative
	opLoadNativeVector
	opLoadNativeRotator
	opLoadRef // a = 1 where slot t is no nil
	opTextIs  // a = text t is equal
	opTime    // a = world.TimeSeconds
	opDelta   // a = world.DeltaSeconds
	opGravity // a = world.Gravity
	opNetMode // a = world.NetMode

	// a = b op c
	opAdd
	opSub
	opMul
	opDiv
	opMod
	opPow
	opNeg
	opNot
	opMath1 // a = functions1[t](b)
	opMath2 // a = functions2[t](b, c)
	opMin
	opMax

	// Jumps to t. The second of each pair is "unless", which differs from the opposite for NaN.
	opJump
	opJumpFalse // a is 0
	opJumpTrue
	opJumpLess // a < b
	opJumpNotLess
	opJumpLessEq // a ≤ b
	opJumpNotLessEq
	opJumpEq
	opJumpNotEq
	opJumpEq3 // vectors and rotators
	opJumpNotEq3

	// Vectors: three registers each.
	opVector // a = (b, c, t)
	opAdd3
	opSub3
	opMul3 // by parts
	opScale3
	opDiv3
	opNeg3
	opSize
	opSize2D
	opDot
	opDistance
	opCross
	opNormal
	opToRotator

	// Rotators.
	opRotator
	opAddR
	opSubR
	opScaleR
	opDivR // gives up on 0
	opNegR
	opToVector

	// Assigning: a is the variable's register, b the value's, c the place among writes.
	opSetFloat
	opSetFloatRange
	opSetInt
	opSetSame // bool, enum: the type is check enough
	opSetVector
	opSetRotator
	opSetNativeFloat
	opSetNativeVector
	opSetNativeRotator
	numOps
)

// Tick runs the program on an actor with one number. It reports false where the function has to run in the
// VM: nothing has changed then.
func (p *Program) Tick(f *Frame, a *engine.Actor, s Script, dt float64) bool {
	if len(p.params) > 0 {
		if p.params[0].used {
			if p.params[0].kind != kindNumber {
				return false
			}
			f.r[p.params[0].reg] = dt
		}
		for i := 1; i < len(p.params); i++ {
			if p.params[i].used {
				return false
			}
		}
	}
	return p.run(f, a, s)
}

// Call is Tick with any arguments.
func (p *Program) Call(f *Frame, a *engine.Actor, s Script, args []engine.Value) bool {
	for i := range p.params {
		m := &p.params[i]
		if !m.used {
			continue
		}
		if i >= len(args) {
			return false
		}
		v := &args[i]
		switch {
		case m.kind == kindNumber && (v.Kind == engine.KindFloat || v.Kind == engine.KindInt):
			f.r[m.reg] = v.Num
		case m.kind == kindBool && v.Kind == engine.KindBool:
			f.r[m.reg] = truth(v.Num != 0)
		case m.kind == kindVector && v.Kind == engine.KindVector:
			f.setVector(m.reg, v.Vec)
		case m.kind == kindRotator && v.Kind == engine.KindRotator:
			f.setRotator(m.reg, v.Rot)
		default:
			return false
		}
	}
	return p.run(f, a, s)
}

func (p *Program) run(f *Frame, a *engine.Actor, s Script) bool {
	if a.Class != p.last {
		if !a.Class.Descends(p.class) {
			return false // another set of classes: the function was reloaded under our feet
		}
		p.last = a.Class
	}
	touched, ok := p.compute(f, a, s)
	if !ok {
		return false
	}
	for m := touched; m != 0; m &= m - 1 {
		p.commit(f, a, s, &p.writes[bits.TrailingZeros64(m)])
	}
	return true
}

// commit stores one variable. That it is called means that an assignment changed the variable, so it is
// marked even where a later one put the old value back.
func (p *Program) commit(f *Frame, a *engine.Actor, s Script, w *write) {
	var word uint64
	switch w.kind {
	case writeFloat:
		word = math.Float64bits(f.r[w.reg])
	case writeInt:
		word = uint64(int64(f.r[w.reg]))
	case writeBool, writeEnum:
		word = uint64(f.r[w.reg])
	case writeRotator:
		word = f.rotator(w.reg).Pack()
	case writeVector:
		if a.SetVector(w.prop, f.vector(w.reg)) {
			s.Stored(w.prop.Slot)
		} else {
			a.Touched(w.prop)
		}
		return
	case writeNativeFloat:
		a.SetPlain(w.prop, engine.Float(f.r[w.reg]))
		return
	case writeNativeBool:
		a.SetPlain(w.prop, engine.Bool(f.r[w.reg] != 0))
		return
	case writeNativeVector:
		a.SetPlain(w.prop, engine.Vec(f.vector(w.reg)))
		return
	case writeNativeRotator:
		a.SetPlain(w.prop, engine.Rotation(f.rotator(w.reg)))
		return
	}
	if a.Word(w.prop) == word {
		a.Touched(w.prop)
		return
	}
	a.SetWord(w.prop, word)
	s.Stored(w.prop.Slot)
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func (f *Frame) vector(r uint8) geom.Vector {
	return geom.Vector{X: f.r[r], Y: f.r[r+1], Z: f.r[r+2]}
}

func (f *Frame) setVector(r uint8, v geom.Vector) {
	f.r[r], f.r[r+1], f.r[r+2] = v.X, v.Y, v.Z
}

func (f *Frame) rotator(r uint8) geom.Rotator {
	return geom.Rotator{Pitch: uint16(f.r[r]), Yaw: uint16(f.r[r+1]), Roll: uint16(f.r[r+2])}
}

func (f *Frame) setRotator(r uint8, v geom.Rotator) {
	f.r[r], f.r[r+1], f.r[r+2] = float64(v.Pitch), float64(v.Yaw), float64(v.Roll)
}

// wrap brings a number that the global rotator takes into one turn, as that does.
func wrap(n float64) uint16 { return uint16(int64(n)) }

// compute runs the code. It gives the writes that changed their variable, or false where it gave up.
//
// Every product goes through float64(…), so that no processor's multiply-add makes of it and a sum what the
// VM's two steps do not. The + 0 is gopher-lua's: arithmetic on numbers never gives −0 there (it takes the
// result out of a table of small whole numbers), while unary minus, the library and vectors do.
func (p *Program) compute(f *Frame, a *engine.Actor, s Script) (touched uint64, ok bool) {
	r := &f.r
	copy(r[len(r)-len(p.consts):], p.consts)
	words := a.Storage()
	code := p.code
	for pc := 0; ; pc++ {
		in := &code[pc]
		switch in.op {
		case opReturn:
			return touched, true
		case opMove:
			r[in.a] = r[in.b]
		case opMove3:
			f.setVector(in.a, f.vector(in.b))

		case opLoadFloat:
			r[in.a] = math.Float64frombits(words[in.t])
		case opLoadInt:
			r[in.a] = float64(int64(words[in.t]))
		case opLoadWord:
			r[in.a] = float64(words[in.t])
		case opLoadVector:
			f.setVector(in.a, engine.LoadVector(words[in.t:]))
		case opLoadRotator:
			f.setRotator(in.a, geom.UnpackRotator(words[in.t]))
		case opLoadNative:
			r[in.a] = p.natives[in.t].num(a)
		case opLoadNativeVector:
			f.setVector(in.a, p.natives[in.t].vec(a))
		case opLoadNativeRotator:
			f.setRotator(in.a, p.natives[in.t].rot(a))
		case opLoadRef:
			r[in.a] = truth(s.HasRef(int(in.t)))
		case opTextIs:
			t := &p.texts[in.t]
			if t.native != nil {
				r[in.a] = truth(t.native(a) == t.text)
			} else {
				r[in.a] = truth(a.Strs(t.prop)[0] == t.text)
			}
		case opTime:
			r[in.a] = a.World().Time
		case opDelta:
			r[in.a] = a.World().Delta
		case opGravity:
			r[in.a] = a.World().Gravity
		case opNetMode:
			r[in.a] = float64(a.World().NetMode)

		case opAdd:
			r[in.a] = float64(r[in.b]+r[in.c]) + 0
		case opSub:
			r[in.a] = float64(r[in.b]-r[in.c]) + 0
		case opMul:
			r[in.a] = float64(r[in.b]*r[in.c]) + 0
		case opDiv:
			r[in.a] = float64(r[in.b]/r[in.c]) + 0
		case opMod:
			r[in.a] = float64(modulo(r[in.b], r[in.c])) + 0
		case opPow:
			r[in.a] = float64(math.Pow(r[in.b], r[in.c])) + 0
		case opNeg:
			r[in.a] = -r[in.b]
		case opNot:
			r[in.a] = 1 - r[in.b]
		case opMath1:
			r[in.a] = functions1[in.t](r[in.b])
		case opMath2:
			r[in.a] = functions2[in.t](r[in.b], r[in.c])
		case opMin:
			x, y := r[in.b], r[in.c]
			if y < x {
				x = y
			}
			r[in.a] = x
		case opMax:
			x, y := r[in.b], r[in.c]
			if y > x {
				x = y
			}
			r[in.a] = x

		case opJump:
			pc = int(in.t)
		case opJumpFalse:
			if r[in.a] == 0 {
				pc = int(in.t)
			}
		case opJumpTrue:
			if r[in.a] != 0 {
				pc = int(in.t)
			}
		case opJumpLess:
			if r[in.a] < r[in.b] {
				pc = int(in.t)
			}
		case opJumpNotLess:
			if !(r[in.a] < r[in.b]) {
				pc = int(in.t)
			}
		case opJumpLessEq:
			if r[in.a] <= r[in.b] {
				pc = int(in.t)
			}
		case opJumpNotLessEq:
			if !(r[in.a] <= r[in.b]) {
				pc = int(in.t)
			}
		case opJumpEq:
			if r[in.a] == r[in.b] {
				pc = int(in.t)
			}
		case opJumpNotEq:
			if r[in.a] != r[in.b] {
				pc = int(in.t)
			}
		case opJumpEq3:
			if f.vector(in.a) == f.vector(in.b) {
				pc = int(in.t)
			}
		case opJumpNotEq3:
			if f.vector(in.a) != f.vector(in.b) {
				pc = int(in.t)
			}

		case opVector:
			f.setVector(in.a, geom.Vector{X: r[in.b], Y: r[in.c], Z: r[uint8(in.t)]})
		case opAdd3:
			f.setVector(in.a, f.vector(in.b).Add(f.vector(in.c)))
		case opSub3:
			f.setVector(in.a, f.vector(in.b).Sub(f.vector(in.c)))
		case opMul3:
			x, y := f.vector(in.b), f.vector(in.c)
			f.setVector(in.a, geom.Vector{X: x.X * y.X, Y: x.Y * y.Y, Z: x.Z * y.Z})
		case opScale3:
			f.setVector(in.a, f.vector(in.b).Mul(r[in.c]))
		case opDiv3:
			x, k := f.vector(in.b), r[in.c]
			f.setVector(in.a, geom.Vector{X: x.X / k, Y: x.Y / k, Z: x.Z / k})
		case opNeg3:
			f.setVector(in.a, f.vector(in.b).Neg())
		case opSize:
			r[in.a] = f.vector(in.b).Size()
		case opSize2D:
			r[in.a] = f.vector(in.b).Size2D()
		case opDot:
			r[in.a] = f.vector(in.b).Dot(f.vector(in.c))
		case opDistance:
			r[in.a] = f.vector(in.b).Distance(f.vector(in.c))
		case opCross:
			f.setVector(in.a, f.vector(in.b).Cross(f.vector(in.c)))
		case opNormal:
			f.setVector(in.a, f.vector(in.b).Normal())
		case opToRotator:
			f.setRotator(in.a, f.vector(in.b).Rotation())

		case opRotator:
			for _, x := range [...]float64{r[in.b], r[in.c], r[uint8(in.t)]} {
				if !(math.Abs(x) <= 1<<53) {
					return 0, false // the VM refuses it
				}
			}
			f.setRotator(in.a, geom.Rotator{Pitch: wrap(r[in.b]), Yaw: wrap(r[in.c]), Roll: wrap(r[uint8(in.t)])})
		case opAddR:
			f.setRotator(in.a, f.rotator(in.b).Add(f.rotator(in.c)))
		case opSubR:
			f.setRotator(in.a, f.rotator(in.b).Sub(f.rotator(in.c)))
		case opScaleR:
			f.setRotator(in.a, f.rotator(in.b).Mul(r[in.c]))
		case opDivR:
			if r[in.c] == 0 {
				return 0, false
			}
			f.setRotator(in.a, f.rotator(in.b).Mul(1/r[in.c]))
		case opNegR:
			f.setRotator(in.a, f.rotator(in.b).Neg())
		case opToVector:
			f.setVector(in.a, f.rotator(in.b).Vector())

		case opSetFloat:
			x := float64(float32(r[in.b]))
			if x-x != 0 {
				return 0, false
			}
			if math.Float64bits(x) != math.Float64bits(r[in.a]) {
				r[in.a] = x
				touched |= 1 << (in.c & 63)
			}
		case opSetFloatRange:
			x := float64(float32(r[in.b]))
			if w := &p.writes[in.c]; x-x != 0 || !(x >= w.min && x <= w.max) {
				return 0, false
			}
			if math.Float64bits(x) != math.Float64bits(r[in.a]) {
				r[in.a] = x
				touched |= 1 << (in.c & 63)
			}
		case opSetInt:
			x := r[in.b]
			if w := &p.writes[in.c]; !(x >= w.min && x <= w.max) || x != math.Trunc(x) {
				return 0, false
			}
			if x != r[in.a] {
				r[in.a] = x + 0 // never −0
				touched |= 1 << (in.c & 63)
			}
		case opSetSame:
			if r[in.a] != r[in.b] {
				r[in.a] = r[in.b]
				touched |= 1 << (in.c & 63)
			}
		case opSetVector:
			v := f.vector(in.b)
			if !v.IsFinite() {
				return 0, false
			}
			if !sameBits(v, f.vector(in.a)) {
				f.setVector(in.a, v)
				touched |= 1 << (in.c & 63)
			}
		case opSetRotator, opSetNativeRotator:
			if v := f.vector(in.b); v != f.vector(in.a) {
				f.setVector(in.a, v)
				touched |= 1 << (in.c & 63)
			}
		case opSetNativeFloat:
			x := float64(float32(r[in.b]))
			if w := &p.writes[in.c]; !(x >= w.min && x <= w.max) {
				return 0, false
			}
			if x != r[in.a] {
				r[in.a] = x
				touched |= 1 << (in.c & 63)
			}
		case opSetNativeVector:
			v := f.vector(in.b)
			if !engine.PlainAmount(v) {
				return 0, false // the VM says why, or rounds it
			}
			if v != f.vector(in.a) {
				f.setVector(in.a, v)
				touched |= 1 << (in.c & 63)
			}
		default:
			return 0, false
		}
	}
}

// sameBits tells −0 from 0, as stored words are compared.
func sameBits(a, b geom.Vector) bool {
	return math.Float64bits(a.X) == math.Float64bits(b.X) && math.Float64bits(a.Y) == math.Float64bits(b.Y) &&
		math.Float64bits(a.Z) == math.Float64bits(b.Z)
}
