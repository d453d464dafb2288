package level

import (
	"errors"
	"math"
	"strings"

	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
)

// Parse reads a level. name is for messages. The error is a *ParseError.
func Parse(name string, src []byte, o Options) (*Level, error) {
	p := &parser{lexer: newLexer(name, src), warned: map[string]int{}}
	p.level = &Level{Name: name, Gravity: math.NaN(), KillZ: math.NaN()}
	if len(src) > MaxFile {
		return nil, p.limit(1, "the file has %d bytes, more than %d", len(src), MaxFile)
	}
	if err := p.file(); err != nil {
		return nil, err
	}
	if err := p.build(o); err != nil {
		return nil, err
	}
	return p.level, nil
}

// rawEntity is an entity as written: the scale is known only at the end of worldspawn, which need not come
// first.
type rawEntity struct {
	line    int
	keys    Keys
	brushes []rawBrush
}

type rawBrush struct {
	line  int
	faces []rawFace
}

type rawFace struct {
	points  [3]geom.Vector // map units
	texture string
	line    int
}

const noVolume = "a brush without volume is left out"

type parser struct {
	*lexer
	level    *Level
	entities []rawEntity
	brushes  int
	warned   map[string]int // text → index in level.Warnings
}

func (p *parser) warn(line int, text string) {
	i, ok := p.warned[text]
	if !ok {
		i = len(p.level.Warnings)
		p.warned[text] = i
		p.level.Warnings = append(p.level.Warnings, Warning{Name: p.name, Line: line, Text: text})
	}
	p.level.Warnings[i].Count++
}

func (p *parser) file() error {
	for {
		t, err := p.next()
		switch {
		case err != nil:
			return err
		case t.kind == tokenEOF:
			return nil
		case !t.is("{"):
			return p.errorf(t.line, "expected '{' to open an entity, found %s", t.describe())
		case len(p.entities) == MaxEntities:
			return p.limit(t.line, "more than %d entities", MaxEntities)
		}
		if err := p.entity(t.line); err != nil {
			return err
		}
	}
}

func (p *parser) entity(line int) error {
	e := rawEntity{line: line}
	for {
		t, err := p.next()
		switch {
		case err != nil:
			return err
		case t.is("}"):
			p.entities = append(p.entities, e)
			return nil
		case t.is("{"):
			b, err := p.brush(t.line)
			if err != nil {
				return err
			}
			if b.faces != nil {
				e.brushes = append(e.brushes, b)
			}
		case t.kind == tokenString:
			v, err := p.next()
			if err != nil {
				return err
			}
			if v.kind != tokenString {
				return p.errorf(v.line, "expected a quoted value for the key %s, found %s", quoted(t.text), v.describe())
			}
			if len(e.keys) == MaxKeys {
				return p.limit(t.line, "more than %d keys in one entity", MaxKeys)
			}
			if e.keys.Find(t.text) != nil {
				p.warn(t.line, "a key is given twice in one entity; the last value counts")
			}
			e.keys = append(e.keys, Key{t.text, v.text, t.line})
		case t.kind == tokenEOF:
			return p.errorf(t.line, "expected '}' to close the entity opened in line %d, found %s", line, t.describe())
		default:
			return p.errorf(t.line, "expected a quoted key, a '{' or a '}', found %s", t.describe())
		}
	}
}

// brush reads a brush after its brace. A primitive without convex faces gives no faces and a warning.
func (p *parser) brush(line int) (rawBrush, error) {
	b := rawBrush{line: line}
	skipped := false
	if p.brushes++; p.brushes > MaxBrushes {
		return b, p.limit(line, "more than %d brushes", MaxBrushes)
	}
	for {
		t, err := p.next()
		switch {
		case err != nil:
			return b, err
		case t.is("}"):
			if b.faces == nil && !skipped {
				p.warn(line, noVolume)
			}
			return b, nil
		case t.is("("):
			if len(b.faces) == MaxFaces {
				return b, p.limit(t.line, "more than %d faces in one brush", MaxFaces)
			}
			f, err := p.face(t.line)
			if err != nil {
				return b, err
			}
			b.faces = append(b.faces, f)
		case t.kind == tokenWord && primitives[t.text] && b.faces == nil && !skipped:
			p.warn(t.line, t.text+" primitives are not supported and left out")
			if err := p.skip(t); err != nil {
				return b, err
			}
			skipped = true
		case t.kind == tokenEOF:
			return b, p.errorf(t.line, "expected '}' to close the brush opened in line %d, found %s", line, t.describe())
		default:
			return b, p.errorf(t.line, "expected '(' to begin a face or '}' to close the brush, found %s", t.describe())
		}
	}
}

// primitives are the primitives of Quake 3 and related games that are not written as faces of three points.
var primitives = map[string]bool{
	"patchDef2": true, "patchDef3": true, "patchDef5": true, "patchDefWS": true, "patchTerrainDef3": true,
	"brushDef": true, "brushDef2": true, "brushDef3": true, "terrainDef": true, "mesh": true, "curve": true,
}

// skip skips a primitive's braces.
func (p *parser) skip(what token) error {
	depth := 0
	for {
		t, err := p.next()
		switch {
		case err != nil:
			return err
		case t.is("{"):
			if depth++; depth > MaxDepth {
				return p.limit(t.line, "more than %d braces nested in a %s", MaxDepth, what.text)
			}
		case depth == 0:
			return p.errorf(t.line, "expected '{' after %s, found %s", what.text, t.describe())
		case t.is("}"):
			if depth--; depth == 0 {
				return nil
			}
		case t.kind == tokenEOF:
			return p.errorf(t.line, "expected '}' to close the %s in line %d, found %s", what.text, what.line, t.describe())
		}
	}
}

// face reads a face after its first parenthesis.
func (p *parser) face(line int) (rawFace, error) {
	f := rawFace{line: line}
	for i := range f.points {
		if i > 0 {
			if err := p.expect("(", "to begin a point of the face"); err != nil {
				return f, err
			}
		}
		var err error
		v := &f.points[i]
		for _, c := range []*float64{&v.X, &v.Y, &v.Z} {
			if *c, err = p.float("a coordinate"); err != nil {
				return f, err
			}
			if math.Abs(*c) > MaxNumber {
				return f, p.limit(p.line, "the coordinate %g is beyond ±%d", *c, MaxNumber)
			}
		}
		if err := p.expect(")", "after three coordinates"); err != nil {
			return f, err
		}
	}
	t, err := p.word()
	if err != nil {
		return f, err
	}
	if t.kind == tokenEOF {
		return f, p.errorf(t.line, "expected a texture, found %s", t.describe())
	}
	f.texture = t.text
	numbers := 5 // offset x, y, rotation, scale x, y
	p.skipSpace()
	if p.pos < len(p.src) && p.src[p.pos] == '[' {
		numbers = 3 // rotation, scale x, y
		for range 2 {
			if err := p.expect("[", "to begin a texture axis"); err != nil {
				return f, err
			}
			for range 4 {
				if _, err := p.float("a number of a texture axis"); err != nil {
					return f, err
				}
			}
			if err := p.expect("]", "after four numbers of a texture axis"); err != nil {
				return f, err
			}
		}
	}
	for range numbers {
		if _, err := p.float("a number that places the texture"); err != nil {
			return f, err
		}
	}
	// Quake 2 and 3 add content and surface numbers.
	for range maxTrailing {
		if p.skipSpace(); p.pos == len(p.src) || !strings.ContainsRune("+-.0123456789", rune(p.src[p.pos])) {
			break
		}
		if _, err := p.float("a number"); err != nil {
			return f, err
		}
	}
	return f, nil
}

func (p *parser) expect(punct, why string) error {
	t, err := p.next()
	if err != nil {
		return err
	}
	if !t.is(punct) {
		return p.errorf(t.line, "expected '%s' %s, found %s", punct, why, t.describe())
	}
	return nil
}

func (p *parser) float(what string) (float64, error) {
	t, err := p.number()
	if err != nil {
		return 0, err
	}
	v, ok := parseFloat(t.text)
	if t.kind != tokenWord || !ok {
		return 0, p.errorf(t.line, "expected %s, found %s", what, t.describe())
	}
	return v, nil
}

// build converts the input into a level.
func (p *parser) build(o Options) error {
	world := -1
	for i := range p.entities {
		if name, _ := p.entities[i].keys.Get("classname"); name == "worldspawn" {
			if world < 0 {
				world = i
				continue
			}
			p.warn(p.entities[i].line, "there is more than one worldspawn; the first one's keys count")
		}
	}
	if world < 0 {
		return p.errorf(p.line, "expected an entity of classname worldspawn, found none of %d entities", len(p.entities))
	}
	if err := p.world(p.entities[world].keys, o); err != nil {
		return err
	}
	for i := range p.entities {
		if err := p.place(&p.entities[i]); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) world(keys Keys, o Options) error {
	l := p.level
	l.World, l.Scale = keys, 1
	l.Game, _ = keys.Get("game")
	for _, n := range []struct {
		key string
		to  *float64
	}{{"scale", &l.Scale}, {"gravity", &l.Gravity}, {"killz", &l.KillZ}} {
		k := keys.Find(n.key)
		if k == nil {
			continue
		}
		v, ok := parseFloat(strings.TrimSpace(k.Value))
		if !ok {
			return p.errorf(k.Line, "expected a number for the key %s of worldspawn, found %s", quoted(n.key), quoted(k.Value))
		}
		*n.to = v
	}
	line := 1
	if k := keys.Find("scale"); k != nil {
		line = k.Line
	}
	if o.Scale != 0 {
		l.Scale = o.Scale
	}
	if !(l.Scale >= MinScale && l.Scale <= MaxScale) {
		return p.limit(line, "the scale %g is outside %g to %g", l.Scale, MinScale, float64(MaxScale))
	}
	l.KillZ *= l.Scale
	return nil
}

// use is the purpose of an entity's brushes.
type use uint8

const (
	useOwn    use = iota // the class decides
	useStatic            // part of the world, and an entity
	useGroup             // part of the world, and nothing else
	useEmpty             // never solid
)

// moving are Quake's func_ classes whose brushes move or vanish; other func_ classes, and all other entities,
// are static.
var moving = []string{
	"func_door", "func_plat", "func_train", "func_button", "func_rotat", "func_bobbing", "func_pendulum",
	"func_water", "func_breakable", "func_explosive", "func_togglewall", "func_laser", "func_areaportal",
	"func_tracktrain", "func_platrot", "func_trackchange", "func_pushable", "func_conveyor", "func_timer",
}

func useOf(class string) use {
	class = strings.ToLower(class)
	switch {
	case class == "worldspawn", class == "func_group", strings.HasPrefix(class, "func_detail") && !strings.Contains(class, "illusionary"):
		return useGroup
	case strings.HasPrefix(class, "trigger_"), strings.Contains(class, "illusionary"):
		return useEmpty
	case !strings.HasPrefix(class, "func_"):
		return useOwn
	}
	for _, m := range moving {
		if strings.HasPrefix(class, m) {
			return useOwn
		}
	}
	return useStatic
}

func (p *parser) place(raw *rawEntity) error {
	class, ok := raw.keys.Get("classname")
	if !ok || class == "" {
		p.warn(raw.line, "an entity without a classname is left out")
		return nil
	}
	brushes, err := p.solids(raw.brushes)
	if err != nil {
		return err
	}
	kind := useOf(class)
	if kind == useGroup {
		p.level.Brushes = append(p.level.Brushes, brushes...)
		return nil
	}
	e := Entity{ClassName: class, Keys: raw.keys, Line: raw.line}
	e.Origin = middle(brushes)
	line := raw.line
	if k := raw.keys.Find("origin"); k != nil {
		v, ok := ParseVector(k.Value)
		if !ok {
			return p.errorf(k.Line, "expected three numbers for the key \"origin\", found %s", quoted(k.Value))
		}
		line = k.Line
		e.Origin = v.Mul(p.level.Scale)
	}
	if o := e.Origin; max(math.Abs(o.X), math.Abs(o.Y), math.Abs(o.Z)) > MaxCoordinate {
		return p.limit(line, "the origin %s is beyond ±%d uu", e.Origin, MaxCoordinate)
	}
	switch kind {
	case useStatic:
		e.Static = len(brushes) > 0
		p.level.Brushes = append(p.level.Brushes, brushes...)
	case useEmpty:
		for i := range brushes {
			if brushes[i].Contents.IsSolid() {
				brushes[i].Contents = Empty
				brushes[i].LinesPass = false
			}
		}
		e.Brushes = brushes
	case useOwn, useGroup:
		e.Brushes = brushes
	}
	p.level.Entities = append(p.level.Entities, e)
	return nil
}

// middle returns the centre of the brushes' bounds: of the origin brushes, if there is one.
func middle(brushes []Brush) geom.Vector {
	var all, marked geom.Bounds
	var n, m int
	for i := range brushes {
		b := brushes[i].Bounds
		if brushes[i].Contents == Origin {
			if m++; m == 1 {
				marked = b
			}
			marked = marked.Union(b)
			continue
		}
		if n++; n == 1 {
			all = b
		}
		all = all.Union(b)
	}
	if m > 0 {
		return marked.Centre()
	}
	return all.Centre()
}

func (p *parser) solids(raw []rawBrush) ([]Brush, error) {
	out := make([]Brush, 0, len(raw))
	for i := range raw {
		r := &raw[i]
		planes := make([]collision.Plane, 0, len(r.faces))
		textures := make([]string, 0, len(r.faces))
		for _, f := range r.faces {
			s := p.level.Scale
			plane, ok := collision.PlaneThrough(f.points[0].Mul(s), f.points[1].Mul(s), f.points[2].Mul(s))
			if !ok {
				p.warn(f.line, "a face whose three points lie on one line is left out")
				continue
			}
			planes = append(planes, plane)
			textures = append(textures, f.texture)
		}
		hull, err := collision.NewHull(planes)
		switch {
		case errors.Is(err, collision.ErrOpen):
			p.warn(r.line, "a brush whose faces do not close is left out")
			continue
		case err != nil: // cannot be ErrFaces: MaxFaces bounds both
			p.warn(r.line, noVolume)
			continue
		}
		lo, hi := hull.Bounds.Min, hull.Bounds.Max
		if min(lo.X, lo.Y, lo.Z) < -MaxCoordinate || max(hi.X, hi.Y, hi.Z) > MaxCoordinate {
			return nil, p.limit(r.line, "a brush reaches beyond ±%d uu", MaxCoordinate)
		}
		b := Brush{Hull: hull, Line: r.line, Textures: textures, Contents: contentsOf(textures)}
		b.LinesPass = b.Contents == Clip
		out = append(out, b)
	}
	return out, nil
}

// contentsOf derives a brush's contents from its textures, as Quake's tools do: one liquid face makes a liquid,
// tool textures count if every face has one.
func contentsOf(textures []string) Contents {
	var tools [contentsCount]int
	for _, t := range textures {
		c := textureContents(t)
		if c.IsLiquid() || c == Portal {
			return c
		}
		tools[c]++
	}
	switch n := len(textures); {
	case tools[Solid] > 0:
		return Solid
	case tools[Clip] > 0:
		return Clip
	case tools[Origin] == n:
		return Origin
	}
	return Empty
}

func textureContents(texture string) Contents {
	t := strings.ToLower(texture)
	t = t[strings.LastIndexAny(t, "/\\")+1:]
	switch {
	case strings.HasPrefix(t, "*lava"), strings.HasPrefix(t, "!lava"):
		return Lava
	case strings.HasPrefix(t, "*slime"), strings.HasPrefix(t, "!slime"):
		return Slime
	case strings.HasPrefix(t, "*tele"):
		return Portal
	case strings.HasPrefix(t, "*"), strings.HasPrefix(t, "!"):
		return Water
	}
	switch t {
	case "clip", "playerclip":
		return Clip
	case "origin":
		return Origin
	case "trigger", "aaatrigger", "skip", "hint", "hintskip", "areaportal", "waterskip", "slimeskip", "lavaskip", "monsterclip", "donotenter":
		return Empty
	}
	return Solid
}
