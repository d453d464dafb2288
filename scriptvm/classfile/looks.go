package classfile

import (
	"math"
	"strconv"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/look"
	"github.com/tidelock/tidelock/scriptvm/condition"
	"github.com/tidelock/tidelock/scriptvm/syntax"
)

// A class file declares the appearance of its actors as
//
//	C.looks {
//		shape = "capsule", size = { 4, 4, 18 }, color = "#ffcc33",
//		label = "=Name",
//		when = { { "Health <= 0", color = "#404040" } },
//	}
//
// (W3.1). The keys are those of package look; a value is a constant or "=" followed by the name of a variable. An
// entry of `when` begins with a condition, in the language of replication conditions, in which variables of the
// class need no self.

// looks reads C.looks{…}: the literals. Their meaning is resolved when all classes are known.
func (u *unit) looks(c *classDecl, table *ast.TableExpr) {
	c.looks = u.literal(table, "class "+c.name+": .looks")
}

// files calls f with every text of a literal that may name a file. l may be nil.
func (l *lit) files(f func(name string)) {
	if l == nil {
		return
	}
	if l.kind == litString && strings.Contains(l.text, "/") {
		f(l.text)
	}
	for i := range l.fields {
		l.fields[i].value.files(f)
	}
}

// classLooks creates the looks of every class, parents first.
func (l *loader) classLooks() {
	for _, k := range l.built.All() {
		var parent *look.Looks
		if k.Parent != nil {
			parent = look.From(k.Parent)
		}
		info := l.classes[k.Name]
		if info == nil || info.decl.looks == nil {
			if parent != nil {
				k.Looks = parent
				l.cue(k, parent)
			}
			continue
		}
		r := &lookReader{loader: l, class: k, where: "class " + k.Name + ": .looks"}
		tree := r.table(info.decl.looks, look.Root, r.where, true)
		own := look.New(parent, tree, r.whens)
		if own.Whens() > look.MaxWhens {
			l.errorf(info.decl.seen["looks"], "bad-look", "%s: %d entries of when, inherited ones included; at most %d", r.where, own.Whens(), look.MaxWhens)
			continue
		}
		k.Looks = own
		l.cue(k, own)
	}
}

// cue marks the functions that the looks of a class list in `on`.
func (l *loader) cue(k *engine.Class, s *look.Looks) {
	for _, name := range s.On() {
		if f := k.Functions[name]; f != nil {
			f.Cued = true
		}
		for _, st := range k.SortedStates() {
			if f := st.Dispatch.Functions[name]; f != nil {
				f.Cued = true
			}
		}
	}
}

// lookReader reads the looks of one class.
type lookReader struct {
	*loader
	class *engine.Class
	where string
	whens []look.When
}

func (r *lookReader) bad(pos engine.Pos, label, format string, args ...any) {
	r.errorf(pos, "bad-look", label+": "+format, args...)
}

// table reads a table of keys. whole is set for the class's own table, which may have when.
func (r *lookReader) table(l *lit, in look.Place, label string, whole bool) look.Tree {
	tree := look.Tree{}
	seen := map[string]engine.Pos{}
	for i := range l.fields {
		f := &l.fields[i]
		switch {
		case f.value.kind == litBad:
			continue
		case f.name == "":
			r.bad(f.pos, label, "expected key = value, got %s", f.value.describe())
			continue
		case seen[f.name].Line > 0:
			r.errorf(f.pos, "repeated", "%s: %s stands twice, first at %s", label, f.name, seen[f.name])
			continue
		}
		seen[f.name] = f.pos
		if f.name == "when" && whole {
			r.when(f.value, label)
			continue
		}
		k := look.Find(in, f.name)
		if k == nil {
			names := look.Names(in)
			if whole {
				names = append(names, "when")
			}
			r.errorf(f.pos, "unknown-key", "%s: unknown key %q%s; it takes %s", label, f.name, engine.Nearest(f.name, names), strings.Join(names, ", "))
			continue
		}
		if v, ok := r.value(k, f.value, label+": "+f.name); ok {
			tree = append(tree, look.Entry{Name: f.name, Key: k, Value: v})
		}
	}
	tree.Sort()
	return tree
}

// value reads the value of a key.
func (r *lookReader) value(k *look.Key, l *lit, label string) (v look.Value, ok bool) {
	if l.kind == litBool && l.num == 0 {
		return look.Value{Off: true}, true // removes the parent's value
	}
	if l.kind == litString && strings.HasPrefix(l.text, "=") {
		return r.variable(k, l, label)
	}
	expected := k.Kind.String()
	switch k.Kind {
	case look.KindNumber:
		if l.kind == litNumber || l.kind == litConst {
			if !(l.num >= k.Min && l.num <= k.Max) {
				r.bad(l.pos, label, "expected %v to %v, got %v", k.Min, k.Max, l.num)
				return v, false
			}
			return look.Value{Num: l.num}, true
		}
	case look.KindVector:
		if n, is := r.three(l); is {
			for _, x := range n {
				if !(x >= k.Min && x <= k.Max) {
					r.bad(l.pos, label, "expected %v to %v each, got %v", k.Min, k.Max, x)
					return v, false
				}
			}
			return look.Value{Vec: n}, true
		}
	case look.KindColor:
		if l.kind == litString && look.IsColor(l.text) {
			return look.Value{Text: strings.ToLower(l.text)}, true
		}
	case look.KindText:
		if l.kind == litString {
			return r.text(l, label)
		}
	case look.KindWord:
		expected = `"` + strings.Join(k.Words, `", "`) + `"`
		if l.kind == litString {
			if contains(k.Words, l.text) {
				return look.Value{Text: l.text}, true
			}
			r.bad(l.pos, label, "unknown %s %q%s; expected %s", k.Name, clip(l.text), engine.Nearest(l.text, k.Words), expected)
			return v, false
		}
	case look.KindFile:
		if l.kind == litString {
			return r.file(k, l, label)
		}
	case look.KindTable:
		if l.kind == litTable {
			t := r.table(l, k.Table, label, false)
			return look.Value{Table: t}, true
		}
	case look.KindParts:
		if l.kind == litTable {
			return r.parts(k, l, label)
		}
	case look.KindEffects:
		if l.kind == litTable {
			return r.effects(k, l, label)
		}
	}
	if w := k.Variable(); w != "" {
		expected += `, or "=" and the name of a variable`
	}
	r.bad(l.pos, label, "expected %s, got %s", expected, l.describe())
	return v, false
}

// three reads { x, y, z } or vector(x, y, z).
func (r *lookReader) three(l *lit) (n [3]float64, ok bool) {
	list := l.args
	switch {
	case l.kind == litTable:
		if list = l.list(); len(list) != len(l.fields) {
			return n, false
		}
	case l.kind != litCall || l.text != "vector":
		return n, false
	}
	if len(list) != 3 {
		return n, false
	}
	for i, x := range list {
		if x.kind != litNumber && x.kind != litConst {
			return n, false
		}
		n[i] = x.num
	}
	return n, true
}

func (r *lookReader) text(l *lit, label string) (look.Value, bool) {
	if len(l.text) > look.MaxText || strings.ContainsFunc(l.text, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		r.bad(l.pos, label, "expected one line of at most %d bytes", look.MaxText)
		return look.Value{}, false
	}
	return look.Value{Text: l.text}, true
}

// file reads the name of a file in content.
func (r *lookReader) file(k *look.Key, l *lit, label string) (look.Value, bool) {
	name := l.text
	if !strings.HasPrefix(name, k.Folder) || !strings.HasSuffix(name, k.End) || len(name) > look.MaxText || strings.Contains(name, "..") || strings.ContainsAny(name, "\\\n\r\x00") {
		r.bad(l.pos, label, `expected a file of content, "%sname%s", got %q`, k.Folder, k.End, clip(name))
		return look.Value{}, false
	}
	if r.opt.Content != nil && !r.opt.Content(name) {
		if r.opt.Check {
			r.errorf(l.pos, "look-file", "%s: no content file %q", label, clip(name))
			return look.Value{}, false
		}
		r.warnf(l.pos, "unknown-content", "%s: no content file %q", label, clip(name))
	}
	return look.Value{Text: name}, true
}

func (r *lookReader) parts(k *look.Key, l *lit, label string) (look.Value, bool) {
	out := []look.Tree{}
	for i := range l.fields {
		f := &l.fields[i]
		if f.value.kind == litBad {
			continue
		}
		if f.name != "" || f.value.kind != litTable {
			r.bad(f.pos, label, `expected a list of tables, { { shape = "box", … }, … }, got %s`, f.value.describe())
			return look.Value{}, false
		}
		if len(out) == look.MaxParts {
			r.bad(f.pos, label, "more than %d parts", look.MaxParts)
			return look.Value{}, false
		}
		out = append(out, r.table(f.value, k.Table, label+"["+strconv.Itoa(len(out)+1)+"]", false))
	}
	return look.Value{List: out}, true
}

// effects reads `on`: names and effects.
func (r *lookReader) effects(k *look.Key, l *lit, label string) (look.Value, bool) {
	out := look.Tree{}
	seen := map[string]bool{}
	for i := range l.fields {
		f := &l.fields[i]
		switch v := f.value; {
		case v.kind == litBad:
		case f.name == "":
			r.bad(f.pos, label, `expected Name = "effects/name.toml", got %s`, v.describe())
		case seen[f.name]:
			r.errorf(f.pos, "repeated", "%s: %s stands twice", label, f.name)
		case len(out) == look.MaxOn || len(f.name) > 64:
			r.bad(f.pos, label, "expected at most %d names of at most 64 bytes", look.MaxOn)
		case v.kind == litBool && v.num == 0:
			seen[f.name] = true
			out = append(out, look.Entry{Name: f.name, Key: k, Value: look.Value{Off: true}})
		case v.kind != litString:
			r.bad(v.pos, label+"."+f.name, "expected a file of content, \"%sname%s\", got %s", k.Folder, k.End, v.describe())
		default:
			seen[f.name] = true
			if file, ok := r.file(k, v, label+"."+f.name); ok {
				out = append(out, look.Entry{Name: f.name, Key: k, Value: file})
			}
			r.heard(f, label)
		}
	}
	out.Sort()
	return look.Value{Table: out}, true
}

// unheard lists the events that the engine skips entirely if no class defines them.
var unheard = map[string]bool{"Tick": true, "BeginState": true, "EndState": true, "FellOutOfWorld": true, "HearNoise": true, "TakeDamage": true}

// heard checks a name of `on`: a function that the class calls, or a notify of some animation.
func (r *lookReader) heard(f *litField, label string) {
	k := r.class
	switch {
	case k.Functions[f.name] != nil:
		return
	case words.events[f.name]:
		if unheard[f.name] {
			r.warnf(f.pos, "never-called", "%s: %s is not called where no class defines it; write function %s:%s()", label, f.name, k.Name, f.name)
		}
		return
	}
	for _, s := range k.SortedStates() {
		if s.Dispatch.Functions[f.name] != nil {
			return
		}
	}
	if r.opt.Notifies != nil && !contains(r.opt.Notifies, f.name) {
		r.errorf(f.pos, "unknown-name", "%s: %q is no function of %s and no notify of an animation%s", label, clip(f.name), k.Name,
			engine.Nearest(f.name, append(k.FunctionNames(), r.opt.Notifies...)))
	}
}

// variable reads "=Name".
func (r *lookReader) variable(k *look.Key, l *lit, label string) (v look.Value, ok bool) {
	name := l.text[1:]
	p := r.class.Property(name)
	switch {
	case k.Variable() == "":
		r.bad(l.pos, label, "expected %s, got %s", k.Kind, l.describe())
		return v, false
	case p == nil:
		r.errorf(l.pos, "unknown-name", "%s: class %s has no variable %q%s", label, r.class.Name, clip(name), engine.Nearest(name, r.class.PropertyNames()))
		return v, false
	case !k.Takes(p.Type):
		r.errorf(l.pos, "bad-look", "%s: expected %s, and %s is %s", label, k.Variable(), name, p.Type)
		return v, false
	}
	r.seen(p, l.pos, label)
	return look.Value{Prop: p}, true
}

// when reads the entries of when.
func (r *lookReader) when(l *lit, label string) {
	label += ": when"
	if l.kind != litTable {
		r.bad(l.pos, label, `expected a list of tables that begin with a condition, { { "bHidden", shape = "none" }, … }, got %s`, l.describe())
		return
	}
	for i := range l.fields {
		f := &l.fields[i]
		if f.value.kind == litBad {
			continue
		}
		if f.name != "" || f.value.kind != litTable || len(f.value.fields) == 0 || f.value.fields[0].name != "" || f.value.fields[0].value.kind != litString {
			r.bad(f.pos, label, `expected a condition in quotes and what is different then, { "bHidden", shape = "none" }`)
			continue
		}
		rest := *f.value
		rest.fields = f.value.fields[1:]
		tree := r.table(&rest, look.Root, label, false)
		if cond := r.condition(f.value.fields[0].value, label); cond != nil {
			r.whens = append(r.whens, look.When{Cond: cond, Tree: tree})
		}
	}
}

// conditionHead is the text before a condition when it is parsed.
const conditionHead = "return "

// condition compiles a condition; it returns nil if it has errors.
func (r *lookReader) condition(l *lit, label string) engine.Condition {
	label += ": " + strconv.Quote(clip(l.text))
	// A position in the text is one in the string if that has no escapes, and conditions have none.
	place := func(line, column int) engine.Pos {
		p := l.pos
		if line <= 1 {
			p.Column += 1 + max(0, column-1-len(conditionHead))
		}
		return p
	}
	if len(l.text) > 2000 {
		r.bad(l.pos, label, "a condition of more than 2000 bytes")
		return nil
	}
	chunk, err := syntax.Parse("when", conditionHead+l.text)
	if err != nil {
		line, column, text := 1, 1, err.Error()
		if e, ok := err.(*syntax.Error); ok {
			line, column, text = e.Line, e.Column, e.Msg
		}
		r.bad(place(line, column), label, "%s", text)
		return nil
	}
	var expr ast.Expr
	if len(chunk.Stmts) == 1 {
		if s, ok := chunk.Stmts[0].(*ast.ReturnStmt); ok && len(s.Exprs) == 1 {
			expr = s.Exprs[0]
		}
	}
	if expr == nil {
		r.bad(l.pos, label, "expected one expression")
		return nil
	}
	scope := newScope(chunk)
	scope.Pos = func(n ast.PositionHolder) engine.Pos {
		if p := chunk.Pos(n); p.Line > 0 {
			return place(p.Line, p.Column)
		}
		return engine.Pos{}
	}
	var names []bareName
	scope.Bare = func(name string, pos engine.Pos) { names = append(names, bareName{name, pos}) }
	body := scope.Expression(expr)
	for _, n := range names {
		if r.class.Property(n.name) == nil && n.name != "bNetOwner" {
			if words.connection[n.name] {
				r.bad(n.pos, label, "%s is known to the server alone; looks are for who sees the actor, and bNetOwner for its player", n.name)
			} else {
				r.errorf(n.pos, "unknown-name", "%s: class %s has no variable %q%s", label, r.class.Name, clip(n.name), engine.Nearest(n.name, r.class.PropertyNames()))
			}
			return nil
		}
	}
	src := r.condSource()
	src.Class = r.class
	cond, issues := condition.Compile(src, body)
	for _, is := range issues {
		pos := is.Pos
		if pos.Line == 0 {
			pos = l.pos
		}
		switch is.Kind {
		case condition.IssueSlow:
			r.bad(pos, label, "%s; looks never run scripts: use variables, constants, operators and functions of one return", is.Text)
			return nil
		case condition.IssueType:
			r.errorf(pos, "condition-type", "%s: %s", label, is.Text)
		case condition.IssueName:
			r.errorf(pos, "unknown-name", "%s: %s", label, is.Text)
		case condition.IssueConstant:
			if r.opt.Check {
				r.warnf(l.pos, "constant-condition", "%s: %s", label, is.Text)
			}
		case condition.IssueSides:
		}
	}
	if cond == nil || !cond.Native() {
		return nil
	}
	for _, p := range cond.Props() {
		r.seen(p, l.pos, label)
	}
	return cond
}

// seen warns about a variable that viewers of the actor do not receive.
func (r *lookReader) seen(p *engine.Property, pos engine.Pos, label string) {
	if !r.opt.Check || p.Native != nil || !r.serverWrites(p) {
		return
	}
	switch {
	case p.Rule == nil:
		r.warnf(pos, "look-not-replicated", "%s: %s is not replicated and scripts of the server set it: others see its default; name it in %s.replication", label, p.Name, p.Class.Name)
	case p.Rule.Cond == nil && hidesFromOthers[p.Rule.Named]:
		r.warnf(pos, "look-not-replicated", "%s: %s is replicated to the player who owns the actor alone (%s): others see its default", label, p.Name, p.Rule.Pos)
	}
}

// hidesFromOthers lists the named conditions by which only the owner receives a variable.
var hidesFromOthers = map[engine.NetCondition]bool{engine.CondOwnerOnly: true, engine.CondAutonomousOnly: true, engine.CondNever: true}

// serverWrites reports whether a function that does not run on copies assigns a variable. A variable that only
// simulated functions assign is computed on each peer.
func (r *lookReader) serverWrites(p *engine.Property) bool {
	for _, u := range r.units {
		for _, f := range u.facts.writes {
			if f.name != p.Name || f.def.what != DefFunction || f.def.simulated {
				continue
			}
			if k := r.built.Find(f.def.class.name); k != nil && (k.Descends(p.Class) || p.Class.Descends(k)) && k.Property(p.Name) == p {
				return !localOnly(k)
			}
		}
	}
	return false
}

// localOnly reports whether actors of a class are never replicated, so that each peer has its own.
func localOnly(k *engine.Class) bool {
	p := k.Property("RemoteRole")
	return p != nil && math.Abs(k.Default(p).Num-float64(engine.RoleNone)) < 0.5
}
