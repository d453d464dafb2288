package media

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/tidelock/tidelock/content"
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
	if got, want := strings.Join(names, " "), "animations/x.toml sounds/b.toml sounds/far/a.toml"; got != want {
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

// What comes with the host can be read.
func TestContent(t *testing.T) {
	files, err := Files(content.FS)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Read(files)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Sounds) < 10 || len(m.Animations.Names()) < 10 || m.Animations.Space("animations/locomotion.toml") == nil {
		t.Errorf("%d sounds, %v", len(m.Sounds), m.Animations.Names())
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
		begin := time.Now()
		_, err := Read([]bundle.File{{Name: "sounds/x.toml", Data: []byte(c.text)}})
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v", c.text[:min(len(c.text), 60)], err)
		}
		if spent := time.Since(begin); spent > 5*time.Second {
			t.Errorf("%q: %v", c.text[:min(len(c.text), 60)], spent)
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
