package scene

import (
	"fmt"
	"hash/fnv"
	"math"
	"strconv"

	"github.com/tidelock/tidelock/cmd/host/view"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/look"
)

// classLook is the appearance of the actors of a class: what their class file declares (W3.1), and otherwise
// what follows from their body.
type classLook struct {
	class    string // name
	color    string
	used     uint64 // frame
	looks    *look.Looks
	variants map[variantKey]*variant

	pawn, ragdoll, attachment bool
	// Variables that every frame reads, nil if the class has none.
	health, crouching, info, pitch, stand, extent, form *engine.Property
}

// variantKey identifies the looks of an actor within its class.
type variantKey struct {
	holds  uint32 // entries of `when`, a bit each
	body   form
	scaled bool // has a DrawScale
}

// variant is one combination of a class's looks, as the page has it.
type variant struct {
	number int
	key    string // in Stage.variants
	params []source
	hull   bool
}

// source is the origin of a parameter of a variant: a variable, or the engine's data of the body.
type source struct {
	prop *engine.Property
	what measure
}

type measure uint8

const (
	variable measure = iota
	extent           // of the body
	drawScale
)

// value is the last sent value of a parameter.
type value struct {
	kind engine.Kind
	num  float64
	text string
	vec  [3]float64
}

// form is the shape of an actor's body.
type form uint8

// ORDER: forms.
const (
	formCylinder form = iota
	formCapsule
	formBox
	formHull
	formNone
)

var formNames = [...]string{"cylinder", "capsule", "box", "hull", "none"}

// hand is the size of an item in a pawn's hand, for which there is no other source.
var hand = [3]float64{36, 6, 8}

const (
	// smallest and largest are bounds of a size along an axis, in uu.
	smallest, largest = 2, 20000
	// loose is the largest size shown for actors without a body, such as effects, before DrawScale.
	loose = 16
)

// classOf returns the appearance of an actor's class.
func (s *Stage) classOf(a *engine.Actor) *classLook {
	l := s.looks[a.Class]
	if l != nil {
		return l
	}
	c := a.Class
	l = &classLook{
		class: engine.OneLine(c.Name, maxName), color: Color(c), looks: look.From(c), variants: map[variantKey]*variant{},
		pawn: c.IsPawn(), ragdoll: c.IsA("Ragdoll"), attachment: c.IsA("WeaponAttachment"),
	}
	find := func(name string, kind engine.Kind) *engine.Property {
		if p := c.Property(name); p != nil && p.Type.Kind == kind {
			return p
		}
		return nil
	}
	if l.pawn {
		l.health, l.crouching, l.info = find("Health", engine.KindInt), find("bCrouching", engine.KindBool), find("PlayerReplicationInfo", engine.KindRef)
		l.pitch, l.stand = find("ViewPitch", engine.KindInt), find("StandHeight", engine.KindFloat)
	}
	l.extent, l.form = find("BodyExtent", engine.KindVector), find("BodyShape", engine.KindEnum)
	s.looks[c] = l
	return l
}

// dress gives an entry its actor's present looks; it reports whether they changed.
func (s *Stage) dress(a *engine.Actor, t *entry, own bool) (changed bool) {
	l := t.look
	key := variantKey{body: s.form(a, t), scaled: a.DrawScale != 1 && l.looks != nil}
	if l.looks != nil {
		key.holds = l.looks.Holds(a, engine.ConnBits{Owner: own}.Input(a))
	}
	if t.variant != nil && t.worn == key && t.wears == l {
		return false
	}
	v := l.variants[key]
	if v == nil {
		v = s.variant(l, key)
		l.variants[key] = v
	}
	changed = t.variant == nil || t.variant.number != v.number
	t.variant, t.worn, t.wears = v, key, l
	return changed
}

// variant builds the looks of a key, and sends them to the page if it does not have equal ones.
func (s *Stage) variant(l *classLook, key variantKey) *variant {
	v := &variant{}
	var tree look.Tree
	if l.looks != nil {
		tree = l.looks.Variant(key.holds)
	}
	s.json, v.params = s.appendLooks(s.json[:0], tree, l, key)
	v.key = l.class + "\x00" + string(s.json)
	word := tree.Find("shape")
	v.hull = key.body == formHull && (word == nil || word.Text == "hull" && word.Prop == nil)
	if old := s.variants[v.key]; old != nil {
		v.number = old.number
		return v
	}
	if len(s.variants) >= s.most {
		s.forget()
	}
	s.told++
	v.number = s.told
	s.variants[v.key] = v
	s.events.Begin("look").Int("n", v.number).Text("class", l.class).JSON("tree", s.json).End()
	return v
}

// forget tells the page which looks are no longer used; their numbers are never reused.
func (s *Stage) forget() {
	used := make(map[int]bool, len(s.live))
	for _, slot := range s.live {
		if v := s.list[slot].variant; v != nil {
			used[v.number] = true
		}
	}
	for key, v := range s.variants { // any order: they are independent
		if !used[v.number] {
			s.events.Begin("look").Int("n", v.number).JSON("tree", []byte("null")).End()
			delete(s.variants, key)
		}
	}
	for _, l := range s.looks { // any order: they are independent
		for key, v := range l.variants { // any order: they are independent
			if !used[v.number] {
				delete(l.variants, key)
			}
		}
	}
	s.most = max(maxLooks, 2*len(s.variants))
}

// appendLooks writes a tree, with what follows from the class's body and name, and lists its parameters.
func (s *Stage) appendLooks(b []byte, t look.Tree, l *classLook, key variantKey) ([]byte, []source) {
	w := treeWriter{}
	b = append(b, '{')
	shape := t.Find("shape")
	if shape != nil && shape.Prop == nil && shape.Text == "hull" && key.body != formHull {
		shape = nil // it has no brushes here
	}
	if shape == nil && t.Find("body") == nil {
		b = append(b, `"shape":`...)
		b = appendText(b, formNames[key.body])
	}
	none := shape != nil && shape.Prop == nil && (shape.Text == "none" || shape.Text == "hull") || shape == nil && (key.body == formHull || key.body == formNone)
	if t.Find("size") == nil && (!none || t.Find("body") != nil) {
		b = w.param(appendName(b, "size"), source{what: extent})
	}
	if t.Find("color") == nil {
		b = appendText(appendName(b, "color"), l.color)
	}
	if key.scaled && t.Find("scale") == nil && t.Find("size") != nil {
		b = w.param(appendName(b, "scale"), source{what: drawScale})
	}
	for i := range t {
		if t[i].Name == "shape" && shape == nil {
			continue
		}
		b = w.entry(b, &t[i])
	}
	return append(b, '}'), w.params
}

// treeWriter writes looks as JSON and collects their parameters.
type treeWriter struct{ params []source }

func appendName(b []byte, name string) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	return append(appendText(b, name), ':')
}

func (w *treeWriter) param(b []byte, s source) []byte {
	n := len(w.params)
	for i := range w.params {
		if w.params[i] == s {
			n = i
		}
	}
	if n == len(w.params) {
		w.params = append(w.params, s)
	}
	return append(strconv.AppendInt(append(b, `{"p":`...), int64(n), 10), '}')
}

func (w *treeWriter) tree(b []byte, t look.Tree) []byte {
	b = append(b, '{')
	for i := range t {
		b = w.entry(b, &t[i])
	}
	return append(b, '}')
}

func (w *treeWriter) entry(b []byte, e *look.Entry) []byte {
	b = appendName(b, e.Name)
	v := &e.Value
	switch {
	case v.Prop != nil:
		return w.param(b, source{prop: v.Prop})
	case v.Table != nil:
		return w.tree(b, v.Table)
	case v.List != nil:
		b = append(b, '[')
		for i, part := range v.List {
			if i > 0 {
				b = append(b, ',')
			}
			b = w.tree(b, part)
		}
		return append(b, ']')
	case e.Key.Kind == look.KindNumber:
		return appendFloat(b, v.Num)
	case e.Key.Kind == look.KindVector:
		return appendVector(b, v.Vec[0], v.Vec[1], v.Vec[2])
	}
	return appendText(b, v.Text)
}

// measured reads the parameters of an actor's looks; it reports whether one has changed.
func (s *Stage) measured(a *engine.Actor, t *entry) (changed bool) {
	list := t.variant.params
	if len(t.params) != len(list) {
		t.params, changed = make([]value, len(list)), true
	}
	for i := range list {
		v := s.measure(a, t, &list[i])
		if t.params[i] != v {
			t.params[i], changed = v, true
		}
	}
	return changed
}

func (s *Stage) measure(a *engine.Actor, t *entry, from *source) value {
	switch from.what {
	case extent:
		return value{kind: engine.KindVector, vec: s.extent(a, t)}
	case drawScale:
		return value{kind: engine.KindFloat, num: math.Max(0.01, math.Min(a.DrawScale, 100))}
	case variable:
	}
	v := a.Get(from.prop)
	out := value{kind: v.Kind, num: v.Num, text: v.Str}
	if v.Kind == engine.KindVector {
		out.vec = [3]float64{v.Vec.X, v.Vec.Y, v.Vec.Z}
	}
	return out
}

// appendParams writes the parameters of an entry.
func appendParams(b []byte, list []value) []byte {
	b = append(b, '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		switch v := &list[i]; v.kind {
		case engine.KindVector:
			b = appendVector(b, v.vec[0], v.vec[1], v.vec[2])
		case engine.KindString, engine.KindEnum:
			b = appendText(b, cut(v.text))
		case engine.KindBool:
			b = strconv.AppendBool(b, v.num != 0)
		default:
			b = appendFloat(b, v.num)
		}
	}
	return append(b, ']')
}

func (l *classLook) crouches(a *engine.Actor) bool {
	return l.crouching != nil && a.Get(l.crouching).Num != 0
}

func (l *classLook) dead(a *engine.Actor) bool {
	return l.pawn && (a.State != nil && a.State.Is("Dying") || l.health != nil && a.Get(l.health).Num <= 0)
}

// aim returns the pitch of a pawn's view, in radians.
func (l *classLook) aim(a *engine.Actor) float32 {
	if l.pitch == nil {
		return 0
	}
	return radians(uint16(int(a.Get(l.pitch).Num) * 256))
}

// belongs finds the player of a pawn; it reports whether the player or team has changed.
func (s *Stage) belongs(a *engine.Actor, t *entry) (changed bool) {
	if t.look.info == nil {
		return false
	}
	info := s.world.Actor(a.Get(t.look.info).Ref)
	team, name := -1, view.Text(info, "PlayerName")
	if n, ok := view.Number(info, "Team"); ok {
		team = int(n)
	}
	if team == t.team && name == t.name {
		return false
	}
	t.team, t.name = team, name
	return true
}

// tell sends the looks of an actor.
func (s *Stage) tell(a *engine.Actor, slot int32, spawned bool) {
	t := &s.list[slot]
	kind := "changed"
	if spawned {
		kind = "spawned"
	}
	e := s.events.Begin(kind).Int("slot", int(slot)).Int("look", t.variant.number).Text("class", t.look.class).Text("name", engine.OneLine(a.Name, maxName))
	s.json = appendParams(s.json[:0], t.params)
	e.JSON("params", s.json)
	if t.variant.hull {
		m := &s.models[t.model].Size
		e.Int("model", t.model).Vector("size", float64(m[0]), float64(m[1]), float64(m[2]))
	}
	if t.base != 0 {
		e.Int("base", int(t.base))
	}
	if t.team >= 0 {
		e.Int("team", t.team)
	}
	if t.name != "" {
		e.Text("player", t.name)
	}
	e.End()
}

// form returns an actor's form by its body: its brushes, the box or ball of a rigid body, else an upright
// capsule or cylinder.
func (s *Stage) form(a *engine.Actor, t *entry) form {
	l := t.look
	switch {
	case t.model >= 0:
		return formHull
	case l.ragdoll: // it carries a corpse, which is visible
		return formNone
	case l.attachment:
		return formBox
	case a.Physics == engine.PhysRigidBody:
		if l.extent != nil && l.form != nil && a.Get(l.form).Str == "Sphere" {
			return formCapsule
		}
		return formBox
	case l.pawn, !a.BCollideActors && !a.BCollideWorld:
		return formCapsule
	}
	return formCylinder
}

// extent returns the size of an actor's body, forward, right and up, in uu. For a pawn it is that of a standing
// one: a frame has the present height.
func (s *Stage) extent(a *engine.Actor, t *entry) [3]float64 {
	l := t.look
	scale := math.Max(0.01, math.Min(a.DrawScale, 100))
	bounded := func(x, y, z float64) [3]float64 {
		b := func(v float64) float64 { return math.Max(smallest, math.Min(v*scale, largest)) }
		return [3]float64{b(x), b(y), b(z)}
	}
	r, h := 2*a.CollisionRadius, 2*a.CollisionHeight
	switch {
	case l.attachment:
		return bounded(hand[0], hand[1], hand[2])
	case a.Physics == engine.PhysRigidBody:
		if l.extent != nil {
			if v := a.Get(l.extent).Vec; v.IsFinite() && v.X > 0 {
				if l.form != nil && a.Get(l.form).Str == "Sphere" {
					return bounded(2*v.X, 2*v.X, 2*v.X)
				}
				return bounded(2*v.X, 2*v.Y, 2*v.Z)
			}
		}
	case l.pawn:
		if l.stand != nil {
			h = math.Max(h, 2*a.Get(l.stand).Num)
		}
	case !a.BCollideActors && !a.BCollideWorld:
		r, h = math.Min(r, loose), math.Min(h, loose)
	}
	return bounded(r, r, h)
}

// modelOf returns the index of an actor's brushes, -1 for none. An actor with brushes began at its entity's
// location.
func (s *Stage) modelOf(a *engine.Actor) int {
	if a.LevelName == "" {
		return -1
	}
	home := singles(a.Home())
	for i := range s.models {
		m := &s.models[i]
		if m.Origin == home && m.Class == a.Class.Name && half(m.Size[0], m.Size[1]) == float32(a.CollisionRadius) {
			return i
		}
	}
	return -1
}

// half returns the radius that an entity's brushes give its actor.
func half(x, y float32) float32 { return max(x, y) / 2 }

// Color returns the color of a class without declared looks: from its name, muted, the same everywhere; pawns,
// pickups and projectiles are the most saturated.
func Color(c *engine.Class) string {
	h := fnv.New32a()
	h.Write([]byte(c.Name)) // it never fails
	n := h.Sum32()
	hue, saturation, lightness := float64(n%360), 0.35, 0.5+0.1*float64(int(n>>16%3)-1)
	if c.IsPawn() || c.IsA("Pickup") || c.IsA("Projectile") {
		saturation = 0.7
	}
	return rgb(hue, saturation, lightness)
}

// rgb returns a color by hue in degrees, saturation and lightness.
func rgb(hue, saturation, lightness float64) string {
	chroma := (1 - math.Abs(2*lightness-1)) * saturation
	part := func(n float64) int {
		k := math.Mod(n+hue/30, 12)
		return int(math.Round(255 * (lightness - chroma/2*math.Max(-1, math.Min(math.Min(k-3, 9-k), 1)))))
	}
	return fmt.Sprintf("#%02x%02x%02x", part(0), part(8), part(4))
}
