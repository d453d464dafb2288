package engine

func (b *builder) functions(c *Class, spec *ClassSpec) {
	for i := range spec.Functions {
		fs := &spec.Functions[i]
		if p := c.byName[fs.Name]; p != nil {
			b.errorf(fs.Pos, "duplicate-name", "class %s: function %s has the name of a variable declared at %s", c.Name, fs.Name, p.Pos)
			continue
		}
		base := c.Functions[fs.Name]
		if base != nil && base.Class == c {
			b.errorf(fs.Pos, "duplicate-function", "class %s: function %s is already defined at %s", c.Name, fs.Name, base.Pos)
			continue
		}
		c.Functions[fs.Name] = b.override(c, "", fs, base)
	}
}

// override creates the function of a spec, and inherits from the one it overrides what R6.10 says.
func (b *builder) override(c *Class, state string, fs *FunctionSpec, base *Function) *Function {
	f := &Function{
		Spec: fs, Name: fs.Name, Class: c, State: state, Simulated: fs.Simulated, Kind: fs.Kind, Reliable: fs.Reliable,
		Params: fs.Params, Pos: fs.Pos, Script: fs.Script, Validator: fs.Validator,
	}
	if fs.Validated {
		f.ValidatorClass = c
	}
	if base == nil {
		if state != "" && f.Kind != CallLocal {
			b.errorf(fs.Pos, "bad-function", "class %s: %s of state %s is replicated and no function of the class is; define function %s.%s:%s, which the state overrides",
				c.Name, fs.Name, state, c.Name, f.Kind, fs.Name)
		}
		b.params(f, nil)
		return f
	}
	if !fs.Stated {
		f.Kind, f.Reliable = base.Kind, base.Reliable
	} else if fs.Kind != base.Kind || fs.Reliable != base.Reliable {
		b.errorf(fs.Pos, "specifier-changed", "class %s: %s is %s in %s (%s); an override keeps that and need not repeat it",
			c.Name, fs.Name, specifier(base.Kind, base.Reliable), base.Class.Name, base.Pos)
	}
	b.params(f, base)
	if f.Validator == nil {
		f.Validator, f.ValidatorClass = base.Validator, base.ValidatorClass
	}
	if base.Simulated && !f.Simulated {
		b.warnf(fs.Pos, "not-simulated", "class %s: %s is simulated in %s (%s) and this override is not, so proxies skip it; write function %s.simulated:%s",
			c.Name, fs.Name, base.Class.Name, base.Pos, c.Name, fs.Name)
	}
	return f
}

// anyType is the type of an undeclared argument.
var anyType = &Type{Kind: KindAny}

// params completes the list of a function's parameters: an undeclared one is as in the function it overrides,
// and if that does not declare it either, of any type. Both ends of a connection do the same.
func (b *builder) params(f, base *Function) {
	fs := f.Spec
	if f.Params == nil && base != nil {
		f.Params = base.Params
	}
	if f.Kind == CallLocal || f.State != "" { // calls of a state's function are sent as those of the class's
		return
	}
	want := len(fs.Args)
	if fs.Vararg {
		want = MaxArgs
	}
	f.Params = f.Params[:len(f.Params):len(f.Params)]
	for i := len(f.Params); i < want; i++ {
		p := Param{Type: anyType}
		if i < len(fs.Args) {
			p.Name = fs.Args[i]
		}
		f.Params = append(f.Params, p)
	}
	if n := len(f.Params); n > MaxArgs {
		b.errorf(fs.Pos, "bad-params", "class %s: function %s: a replicated function has at most %d arguments, got %d; put some of them into a struct",
			f.Class.Name, f.Name, MaxArgs, n)
		return
	}
	bytes := 0
	for i := range f.Params {
		p := &f.Params[i]
		if d := p.Type.depth(); d > MaxTypeDepth {
			b.errorf(fs.Pos, "call-too-large", "class %s: function %s: argument %d nests structs and arrays %d deep; at most %d cross",
				f.Class.Name, f.Name, i+1, d, MaxTypeDepth)
			return
		}
		if bytes += p.Type.WireBytes(); bytes > MaxCallBytes {
			b.errorf(fs.Pos, "call-too-large", "class %s: function %s: with argument %d its arguments take up to %d bytes on the wire; at most %d",
				f.Class.Name, f.Name, i+1, bytes, MaxCallBytes)
			return
		}
	}
}

func specifier(k CallKind, reliable bool) string {
	if k == CallLocal {
		return "not replicated"
	}
	if reliable {
		return k.String() + ".reliable"
	}
	return k.String() + ".unreliable"
}

// Undeclared reports whether the type of some argument of a replicated function is not declared, so that any
// value is accepted (KindAny).
func (f *Function) Undeclared() bool {
	n := len(f.Params)
	return n > 0 && f.Params[n-1].Type.Kind == KindAny
}
