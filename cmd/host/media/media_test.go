package media

import (
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tidelock/tidelock/content"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/level"
	"github.com/tidelock/tidelock/netcode/bundle"
)

func TestFilesOfAFolder(t *testing.T) {
	fs := fstest.MapFS{
		"sounds/b.toml": {Data: []byte("radius = 5")}, "sounds/far/a.toml": {Data: []byte("file = \"a.ogg\"")}, "sounds/b.ogg": {Data: []byte{1}},
		"sounds/.hidden.toml": {Data: []byte("?")}, "animations/x.toml": {Data: []byte("length = 1")}, "levels/l.map": {Data: []byte("l")},
	}
	files, err := Files(fs)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
	}
	if got, want := strings.Join(names, " "), "animations/x.toml art.list sounds/b.toml sounds/far/a.toml"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	m, err := Read(files)
	if err != nil {
		t.Fatal(err)
	}
	if s := m.Sounds["sounds/far/a.toml"]; s.File != "sounds/far/a.ogg" || s.Volume != 1 || s.Pitch != 1 || s.Radius != 0 {
		t.Errorf("%+v", s)
	}
	if m.Sounds["sounds/b.toml"].Radius != 5 || m.Animations.Find("animations/x.toml") == nil {
		t.Errorf("%+v", m)
	}
	for _, none := range []fstest.MapFS{nil, {}} {
		if files, err := Files(none); err != nil || len(files) != 0 {
			t.Errorf("%v %v", files, err)
		}
	}
}

func TestBrokenFiles(t *testing.T) {
	for _, c := range []struct{ name, text, says string }{
		{"sounds/x.toml", "\nradius = -1", "sounds/x.toml:2: radius: expected 0 to"},
		{"sounds/x.toml", "radius = nan", "sounds/x.toml:1: radius: expected 0 to"},
		{"sounds/x.toml", "volume = 0.0", "sounds/x.toml:1: volume: expected a share"},
		{"sounds/x.toml", "radius = 1\npitch = 99", "sounds/x.toml:2: pitch: expected a share"},
		{"sounds/x.toml", "caption = \"a\\u0007b\"", "caption: expected one line"},
		{"sounds/x.toml", "\n\nradius = = 2", "sounds/x.toml:3: "},
		{"sounds/x.toml", "loud = true", `sounds/x.toml:1: unknown key "loud"`},
		{"sounds/x.toml", "radius = \"far\"", "sounds/x.toml:"},
		{"sounds/x.toml", "#" + strings.Repeat("x", MaxFileBytes), "bytes; at most"},
		{"animations/x.toml", "", "animations/x.toml: expected one of length, parts and track"},
		{"animations/x.toml", "length = 1\n[[notify]]\nname = \"N\"\ntime = 2", "animations/x.toml:3: notify N: time"},
		{"animations/x.toml", "length = 1\n[[curve]]\nname = \"C\"\nkeys = [[1]]", "animations/x.toml:2: curve C: key 1: expected [seconds, value]"},
		{"animations/x.toml", "length = 1\n[[sample]]\nanimation = \"y\"", "samples make a blend space"},
		{"animations/x.toml", "[[sample]]\nanimation = \"y\"", `no animation "y"`},
		{"animations/x.toml", "length = 1\n[[section]]\nname = \"A\"\n[[section]]\nname = \"B\"\nstart = 0.5\nnext = \"C\"", `animations/x.toml:5: section B: next: no section "C"`},
		{"animations/x.toml", "rate = 900\nlength = 1", "animations/x.toml:1: rate: expected"},
		{"animations/x.toml", "track = \"animations/x.toml\"", "does it hold itself?"},
	} {
		_, err := Read([]bundle.File{{Name: c.name, Data: []byte(c.text)}})
		var bad *Error
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") || !errors.As(err, &bad) || bad.File != c.name {
			t.Errorf("%q: %v", c.text[:min(len(c.text), 60)], err)
		}
	}
	// What would keep the parser busy for minutes.
	for _, c := range []struct{ text, says string }{
		{"a" + strings.Repeat(".a", 30000) + "=1", "sounds/x.toml:1: a key of more than 200 bytes"},
		{"radius = 1\n[a" + strings.Repeat(".a", 30000) + "]", "sounds/x.toml:2: a key of more than 200 bytes"},
		{"radius = " + strings.Repeat("{a=", 20000), "sounds/x.toml:1: tables in braces"},
		{"radius = " + strings.Repeat("[", 60000), "sounds/x.toml:1: brackets nested more than 3 deep"},
		{"caption = \"{[[[[\" # {[[[[\nradius = -1", "radius: expected"},
		{"caption = \"\"\"a\n\"{\n\"\"\"\nradius = {", "sounds/x.toml:4: tables in braces"},
		{"caption = 'it {' \nvolume = 20", "volume: expected a share"},
		{"caption = \"\"\"" + strings.Repeat("x\n", 20000), "sounds/x.toml:"},
	} {
		_, err := Read([]bundle.File{{Name: "sounds/x.toml", Data: []byte(c.text)}})
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v", c.text[:min(len(c.text), 60)], err)
		}
	}
	var many []bundle.File
	for range MaxFiles + 1 {
		many = append(many, bundle.File{Name: "sounds/x.toml", Data: []byte("radius = 1")})
	}
	if _, err := Read(many); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Error(err)
	}
}

// What a server sends can be anything.
func FuzzRead(f *testing.F) {
	files, err := Files(content.FS)
	if err != nil {
		f.Fatal(err)
	}
	for _, x := range files {
		f.Add(strings.HasPrefix(x.Name, "sounds/"), x.Data)
	}
	f.Add(false, []byte(strings.Repeat("[", 2000)))
	f.Fuzz(func(t *testing.T, sound bool, data []byte) {
		name := "animations/x.toml"
		if sound {
			name = "sounds/x.toml"
		}
		m, err := Read([]bundle.File{{Name: name, Data: data}})
		if (m == nil) == (err == nil) {
			t.Fatalf("%v %v", m, err)
		}
	})
}

// Effects, materials and synthesizers are held to their bounds, with the line that is wrong.
func TestBrokenShownFiles(t *testing.T) {
	head := "[[particles]]\nburst = 1\n"
	for _, c := range []struct{ name, text, says string }{
		{"effects/x.toml", "life = 11\n[light]\ncolor = \"#ffffff\"\nradius = 9\nlife = 1", "effects/x.toml:1: life: expected 0.01 to 10, got 11"},
		{"effects/x.toml", "life = 1", "expected [[particles]], [[beam]], [light] or [shake]"},
		{"effects/x.toml", head + "\nburst = 1", "effects/x.toml:"},
		{"effects/x.toml", "[[particles]]\nburst = 201", "effects/x.toml:2: particles: burst: expected 0 to 200, got 201"},
		{"effects/x.toml", "[[particles]]\nrate = 501", "effects/x.toml:2: particles: rate: expected 0 to 500, got 501"},
		{"effects/x.toml", "[[particles]]\nsize = [1, 2]", "effects/x.toml:1: particles: expected a rate or a burst"},
		{"effects/x.toml", head + head + "shape = \"rond\"", `effects/x.toml:5: particles: shape: unknown shape "rond"; did you mean "round"?`},
		{"effects/x.toml", head + "life = [1]", "effects/x.toml:3: particles: life: expected two numbers"},
		{"effects/x.toml", head + "life = [1, 10.5]", "particles: life: expected 0.01 to 10, got 10.5"},
		{"effects/x.toml", head + "color = [\"#fff\", \"#ffffff\"]", `effects/x.toml:3: particles: color: expected a color "#rrggbb", got "#fff"`},
		{"effects/x.toml", head + "size = [nan, 1]", "particles: size: expected 0 to 2000, got NaN"},
		{"effects/x.toml", strings.Repeat(head, 9), "effects/x.toml:17: particles: 9 tables; at most 8"},
		{"effects/x.toml", head + "colour = 1", `unknown key "particles.colour"`},
		{"effects/x.toml", "[shake]\namount = 30\nlife = 1\nradius = 1", "effects/x.toml:2: shake: amount: expected 0 to 20, got 30"},
		{"effects/x.toml", "[[beam]]\nlength = 0\nwidth = 1\nlife = 1", "effects/x.toml:2: beam: length: expected 1 to 20000, got 0"},

		{"materials/x.toml", "pattern = \"bricks\"", `materials/x.toml: color: expected a color "#rrggbb"`},
		{"materials/x.toml", "color = \"#00000\"", `materials/x.toml:1: color: expected a color "#rrggbb", got "#00000"`},
		{"materials/x.toml", "color = \"#000000\"\npattern = \"brick\"", `materials/x.toml:2: pattern: unknown pattern "brick"; did you mean "bricks"?`},
		{"materials/x.toml", "color = \"#000000\"\nscale = 0.5", "materials/x.toml:2: scale: expected 1 to 4096, got 0.5"},
		{"materials/x.toml", "color = \"#000000\"\nimage = \"../x.png\"", "materials/x.toml:2: image: expected a file of content"},
		{"materials/x.toml", "color = \"#000000\"\n[match]\ntextures = [\"a b\"]", "materials/x.toml:3: match: textures: expected the name of a texture"},
		{"materials/x.toml", "color = \"#000000\"\n[match]\ntextures = [\"*a*b*c*d*\"]", "match: textures: expected the name of a texture"},

		{"sounds/x.toml", "[synth]\nduration = 1", "sounds/x.toml:1: synth: expected [[layer]]"},
		{"sounds/x.toml", "[synth]\nduration = 11\n[[layer]]", "sounds/x.toml:2: synth: duration: expected 0.01 to 10, got 11"},
		{"sounds/x.toml", "[[layer]]\nwave = \"sinus\"", `sounds/x.toml:2: layer: wave: unknown wave "sinus"`},
		{"sounds/x.toml", "[[layer]]\nfrequency = [0, 440]", "sounds/x.toml:2: layer: frequency: expected 1 to 20000, got 0"},
		{"sounds/x.toml", "[[layer]]\n[[layer]]\nsustain = 2", "sounds/x.toml:3: layer: sustain: expected 0 to 1, got 2"},
		{"sounds/x.toml", strings.Repeat("[[layer]]\n", 9), "sounds/x.toml:9: layer: 9 tables; at most 8"},
		{"sounds/x.toml", "file = \"../../x.ogg\"", "sounds/x.toml:1: file: expected a recording below content/"},
	} {
		_, err := Read([]bundle.File{{Name: c.name, Data: []byte(c.text)}})
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", c.text[:min(len(c.text), 60)], err)
		}
	}
}

// A page is told of every file under the keys of the file, with what it left out filled in.
func TestItems(t *testing.T) {
	m, err := Read([]bundle.File{
		{Name: "animations/x.toml", Data: []byte("length = 2\n[[curve]]\nname = \"C\"\nkeys = [[0, 1], [2, 3]]\n[[notify]]\nname = \"N\"\ntime = 1")},
		{Name: "effects/x.toml", Data: []byte("[[particles]]\nburst = 3\ncolor = [\"#ABCDEF\", \"#000000\"]")},
		{Name: "materials/a/b.toml", Data: []byte("color = \"#102030\"")},
		{Name: "sounds/x.toml", Data: []byte("[[layer]]\nvolume = 0")},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []struct{ kind, name, data string }{
		{"animation", "animations/x.toml", `{"length":2,"rate":1,"blend_in":0,"blend_out":0,"curves":[{"name":"C","keys":[[0,1],[2,3]],"step":false}],"notifies":[{"name":"N","time":1,"end":0}]}`},
		{"effect", "effects/x.toml", `{"life":1,"particles":[{"shape":"square","rate":0,"burst":3,"life":[0.5,0.5],"size":[8,8],"color":["#abcdef","#000000"],"opacity":[1,0],"speed":[0,0],"spread":0,"gravity":0,"drag":0,"glow":0,"radius":0}]}`},
		{"material", "materials/a/b.toml", `{"color":"#102030","second":"#102030","pattern":"plain","scale":64,"contrast":0.3,"glow":0,"match":{"textures":[]}}`},
		{"sound", "sounds/x.toml", `{"radius":0,"volume":1,"pitch":1,"caption":"","synth":{"duration":1,"volume":1},"layer":[{"wave":"sine","frequency":[440,440],"attack":0,"decay":0,"sustain":0,"release":0,"volume":0,"filter":"none","cutoff":[2000,2000],"q":1,"delay":0,"vibrato":0,"depth":0}]}`},
	}
	if len(m.Items) != len(want) {
		t.Fatalf("%d items", len(m.Items))
	}
	for i, w := range want {
		if it := m.Items[i]; it.Kind != w.kind || it.Name != w.name || string(it.Data) != w.data {
			t.Errorf("%s %s\ngot  %s\nwant %s", it.Kind, it.Name, it.Data, w.data)
		}
	}
	if n := m.Notifies(); len(n) != 1 || n[0] != "N" {
		t.Errorf("notifies %v", n)
	}
}

// All files together are bounded, not only each of them.
func TestItemsAreBounded(t *testing.T) {
	var files []bundle.File
	layers := strings.Repeat("[[layer]]\n", 8)
	for i := range MaxFiles {
		files = append(files, bundle.File{Name: "sounds/" + strconv.Itoa(i) + ".toml", Data: []byte("file = \"" + strings.Repeat("x", 200) + "\"\n" + layers)})
		files = append(files, bundle.File{Name: "levels/x.map"}) // of no interest
	}
	m, err := Read(files)
	if err != nil {
		t.Fatal(err)
	}
	m.size = MaxItemBytes
	if err := m.item("sound", "sounds/y.toml", 1); err == nil || !strings.Contains(err.Error(), "more than 4 MiB") {
		t.Error(err)
	}
}

// Every texture of the shipped levels has a material, and every shipped sound is heard without a recording.
func TestShippedContentIsWhole(t *testing.T) {
	files, err := Files(content.FS)
	if err != nil {
		t.Fatal(err)
	}
	patterns := []string{}
	for i := range files {
		f := &files[i]
		switch {
		case strings.HasPrefix(f.Name, materialFolder):
			d, err := readMaterial(f)
			if err != nil {
				t.Fatal(err)
			}
			patterns = append(append(patterns, strings.TrimSuffix(strings.TrimPrefix(f.Name, materialFolder), fileEnd)), d.Match.Textures...)
		case strings.HasPrefix(f.Name, soundFolder):
			if _, d, err := readSound(f); err != nil || len(d.Layer) == 0 {
				t.Errorf("%s has no [[layer]]: %v", f.Name, err)
			}
		}
	}
	for _, name := range []string{"arena", "estuary"} {
		src, err := content.FS.ReadFile("levels/" + name + ".map")
		if err != nil {
			t.Fatal(err)
		}
		lv, err := level.Parse(name, src, level.Options{})
		if err != nil {
			t.Fatal(err)
		}
		brushes := slices.Clone(lv.Brushes)
		for i := range lv.Entities {
			brushes = append(brushes, lv.Entities[i].Brushes...)
		}
		for i := range brushes {
			for _, texture := range brushes[i].Textures {
				if !slices.ContainsFunc(patterns, func(p string) bool { ok, err := path.Match(p, texture); return ok && err == nil }) {
					t.Errorf("%s: the texture %q has no material", name, texture)
				}
			}
		}
	}
}

// content/input.toml: what is right is read with its order, and what is wrong is told with its line (W4.3).
func TestInput(t *testing.T) {
	read := func(text string) (*Media, error) {
		return Read([]bundle.File{{Name: "input.toml", Data: []byte(text)}})
	}
	m, err := read("[[action]]\nname = \"Horn\"\nkeys = [\"KeyH\", \"Mouse3\"]\nbuttons = [\"ls\"]\n[[action]]\nname = \"Lean\"\nlabel = \"Lean out\"\nkind = \"axis\"\nnegative = [\"KeyQ\"]\nbuttons = [\"lx\"]\ntouch = \"stick-x\"\n")
	if err != nil {
		t.Fatal(err)
	}
	if a := m.Actions; len(a) != 2 || a[0].Name != "Horn" || a[0].Label != "Horn" || a[0].Kind != engine.ActionButton || a[1].Label != "Lean out" || a[1].Kind != engine.ActionAxis || a[1].Touch != "stick-x" {
		t.Errorf("%+v", a)
	}
	for text, want := range map[string]string{
		"[[action]]\nname = \"horn\"":                                              `input.toml:2: action: name: expected a name of an action: a capital`,
		"[[action]]\nname = \"Horn\"\nkeys = [\"ControlLeft\"]":                    `input.toml:3: action: keys: "ControlLeft" cannot be the key of an action: with it browsers close tabs (Ctrl+W)`,
		"[[action]]\nname = \"Horn\"\nkeys = [\"Keyh\"]":                           `input.toml:3: action: keys: unknown key "Keyh"; did you mean "KeyH"?`,
		"[[action]]\nname = \"Horn\"\nkeys = [\"KeyH\", \"KeyH\"]":                 `input.toml:3: action: keys: "KeyH" stands twice`,
		"[[action]]\nname = \"Horn\"\nbuttons = [\"lx\"]":                          `input.toml:3: action: buttons: unknown button "lx"`,
		"[[action]]\nname = \"Horn\"\nnegative = [\"KeyH\"]":                       `input.toml:3: action: negative: a button has no negative direction`,
		"[[action]]\nname = \"Horn\"\nkind = \"axes\"":                             `input.toml:3: action: kind: unknown kind "axes"; did you mean "axis"?`,
		"[[action]]\nname = \"Horn\"\ntouch = \"stick-x\"":                         `input.toml:3: action: touch: a stick moves an axis`,
		"[[action]]\nname = \"Horn\"\nterminal = \"H\"":                            `input.toml:3: action: terminal: expected one character`,
		"[[action]]\nname = \"Horn\"\n[[action]]\nname = \"Horn\"":                 `input.toml:4: action: name: Horn stands twice; the first is at line 2`,
		"[[action]]\nname = \"Horn\"\nkey = [\"KeyH\"]":                            `input.toml:3: unknown key "action.key"`,
		"[[action]]\nname = \"Horn\"\nlabel = \"" + strings.Repeat("x", 41) + "\"": `input.toml:3: action: label: expected one line of at most 40 bytes`,
		strings.Repeat("[[action]]\nname = \"A\"\n", 65):                           `65 tables; at most 64`,
	} {
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q:\n%v\nexpected %s", text, err, want)
		}
	}
}
