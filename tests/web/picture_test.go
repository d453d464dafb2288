//go:build unix

package web

import (
	"bytes"
	"encoding/base64"
	"image"
	_ "image/png" // screenshots
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/tidelock/tidelock/tests/tier"
)

// seenPixels is how many pixels of the middle of the picture must change for a class to count as shown, and byColor by how much
// one of their colors must, of 65 535.
const seenPixels, byColor = 30, 4000

// sampleOfClasses is what the short form looks at: of each kind one.
var sampleOfClasses = []string{"Crate", "HealthPickup", "Rocket", "ShooterPawn", "Buggy"}

// carries are classes that show nothing by themselves, and why.
var carries = map[string]string{"Ragdoll": "what is seen is the dead pawn that lies on it"}

// Every class of scripts/ whose actors are to be seen shows something. The stage is a spot of the level in front of the player;
// with -pictures the contact sheet is written there. A crowd is drawn as fast as one actor.
func TestContactSheet(t *testing.T) {
	if *pictures == "" {
		tier.Change(t)
	}
	h := startHost(t, "flat?game=WebGame")
	w := newTab(t)
	w.best(75)
	w.open(w.address(h, "/?name=Ann"))
	w.plays()
	w.eval(`["canvas", "hint", "lines"].forEach((id) => { document.getElementById(id).style.display = "none"; })`, nil) // it is about what stands there
	until(t, "the host sees the player's body", func() bool { _, ok := h.body("Ann"); return ok })
	h.atRest("Ann")
	list := sampleOfClasses
	if tier.IsLong() || *pictures != "" {
		list = classNames(t)
	}
	var shown []shot
	var hidden, none, local []string
	for _, class := range list {
		h.stage("")
		empty := w.drawn(func(d debug) bool { return staged(d, class) == 0 || class == "ShooterPawn" })
		switch said := h.stage(class); said {
		case "hidden":
			hidden = append(hidden, class)
			continue
		case "none", "level":
			none = append(none, class)
			continue
		}
		// What does not cross never comes: two seconds of frames are enough for what does.
		from, there := w.state().Tick, false
		picture := w.drawn(func(d debug) bool {
			there = staged(d, class) > 0
			return there || d.Tick > from+120
		})
		if !there {
			local = append(local, class)
			continue
		}
		if why, ok := carries[class]; ok {
			t.Logf("%s: %s", class, why)
			continue
		}
		n := changed(t, empty, picture)
		for tries := 0; n < seenPixels && tries < 12; tries++ { // a flash is over between two frames of a slow machine
			picture = w.drawn(func(d debug) bool { return staged(d, class) > 0 })
			n = changed(t, empty, picture)
		}
		shown = append(shown, shot{class, picture})
		if n < seenPixels {
			t.Errorf("%s is not seen: %d pixels change when one is there, expected %d", class, n, seenPixels)
		}
	}
	t.Logf("%d classes are seen; hidden: %s; do not stand alone: %s; are not told to clients: %s", len(shown), strings.Join(hidden, " "),
		strings.Join(none, " "), strings.Join(local, " "))
	if n := len(shown); n < len(sampleOfClasses) {
		t.Errorf("only %d classes are seen", n)
	}
	if *pictures != "" {
		save(t, "contact-sheet.png", sheet(t, shown))
	}
	h.stage("")
	crowd(t, h, w)
	w.quiet()
}

// shot is a picture of a class.
type shot struct {
	class string
	png   []byte
}

// classNames are the classes of scripts/ that can stand in a world: one a file, without components.
func classNames(t *testing.T) (names []string) {
	t.Helper()
	parents := map[string]string{}
	err := fs.WalkDir(os.DirFS(filepath.Join(root, "scripts")), ".", func(p string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(p) != ".lua" || strings.HasPrefix(p, "lib/") {
			return err
		}
		text, err := os.ReadFile(filepath.Join(root, "scripts", filepath.FromSlash(p)))
		if m := classLine.FindSubmatch(text); m != nil {
			parents[string(m[1])] = string(m[2])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range parents {
		first := name
		for parents[first] != "" {
			first = parents[first]
		}
		if first != "ActorComponent" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

var classLine = regexp.MustCompile(`= class\("(\w+)"(?:, "(\w+)")?\)`)

// stage puts an actor on the stage, none for "", and returns what the script says: shown, hidden, level for what only levels have, or none.
func (h *host) stage(class string) string {
	h.t.Helper()
	before := len(h.log("STAGE"))
	h.say("say stage " + class)
	said := ""
	until(h.t, "the stage is set", func() bool {
		if failed := h.log("ERROR "); len(failed) > 0 {
			h.t.Fatalf("%s on the stage: %v", class, failed)
		}
		lines := h.log("STAGE")
		if len(lines) > before {
			f := strings.Fields(lines[len(lines)-1])
			said = f[len(f)-1]
		}
		return said != ""
	})
	return said
}

// staged is how many actors of a class the page has on the stage.
func staged(d debug, class string) (n int) {
	for _, a := range d.Seen {
		if a.Class == class && !a.Own {
			n++
		}
	}
	return n
}

// drawn is a picture once the page's state is as wanted, and has been drawn three times since.
func (w *tab) drawn(ok func(d debug) bool) []byte {
	w.t.Helper()
	from := w.until("the stage is as wanted", ok).Counts.DrawnFrames
	w.until("it is drawn", func(d debug) bool { return d.Counts.DrawnFrames >= from+3 })
	return w.picture()
}

// changed counts the pixels of two pictures that differ, of the middle and what is below it, beside the weapon: what stands on the
// stage, and where it lies when it has fallen.
func changed(t *testing.T, before, after []byte) (n int) {
	t.Helper()
	a, b := decode(t, before), decode(t, after)
	r := a.Bounds()
	for y := r.Dy() / 5; y < r.Dy()*19/20; y++ {
		for x := r.Dx() / 5; x < r.Dx()*3/5; x++ {
			r1, g1, b1, _ := a.At(x, y).RGBA()
			r2, g2, b2, _ := b.At(x, y).RGBA()
			if max(differ(r1, r2), differ(g1, g2), differ(b1, b2)) > byColor {
				n++
			}
		}
	}
	return n
}

func differ(a, b uint32) uint32 { return max(a, b) - min(a, b) }

func decode(t *testing.T, png []byte) image.Image {
	t.Helper()
	m, _, err := image.Decode(bytes.NewReader(png))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// sheet is one picture of many, each with its name.
func sheet(t *testing.T, list []shot) []byte {
	t.Helper()
	slices.SortFunc(list, func(a, b shot) int { return strings.Compare(a.class, b.class) })
	const columns, width, height = 6, 200, 132
	w := newTab(t)
	w.run(chromedp.EmulateViewport(columns*width, int64((len(list)+columns-1)/columns*height)))
	w.eval(`document.body.style.cssText = "margin:0;display:grid;grid-template-columns:repeat(6,200px);font:12px sans-serif;background:#fff"`, nil)
	for _, s := range list {
		w.eval(`new Promise((done) => {
			const figure = document.createElement("figure"), picture = new Image(), name = document.createElement("figcaption");
			figure.style.cssText = "margin:0;height:132px;overflow:hidden";
			picture.style.cssText = "width:198px;height:112px;object-fit:cover";
			name.textContent = "`+s.class+`";
			picture.onload = done;
			figure.append(picture, name);
			document.body.append(figure);
			picture.src = "data:image/png;base64,`+base64.StdEncoding.EncodeToString(s.png)+`";
		}).then(() => 1)`, nil)
	}
	return w.picture()
}

// save writes a picture to the folder of -pictures.
func save(t *testing.T, name string, png []byte) {
	t.Helper()
	if err := os.MkdirAll(*pictures, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*pictures, name), png, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Pictures for README.md and docs/, with -pictures: of the join screen, of matches, and of the HUD in a fight and of a dead player.
func TestPictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("without -pictures")
	}
	const arena, auto = "arena?game=DeathMatch?bots=7?goalscore=0", "/?name=Ann&auto=1"
	later := 0
	played := func(d debug) bool { return d.State == "playing" && d.Tick > later }
	for _, c := range []struct {
		name, level, address, keys string
		ready                      func(d debug) bool // nil for at once
	}{
		{"join", arena, "/", "", nil},
		{"arena", arena, auto, "", played},
		{"third-person", arena, auto, "KeyV", played},
		{"estuary", "estuary?game=TeamDeathMatch?bots=15", auto, "", played},
		{"scores", arena, auto, "Tab", played},
		{"race", "circuit?game=Race?bots=3?laps=9", auto, "KeyV", played},
		{"hud-fight", arena, auto, "", func(d debug) bool { return d.says(".", "top-right") && d.says(`^\d+$`, "bottom-left") }},
		{"hud-death", arena, auto, "", func(d debug) bool { return d.says("^You come back", "center") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := startHost(t, c.level)
			w := newTab(t)
			w.best(90)
			w.run(chromedp.EmulateViewport(1280, 720))
			w.open(w.address(h, c.address))
			if c.ready != nil {
				later = w.until("the player is in", func(d debug) bool { return d.State == "playing" && d.Tick > 0 }).Tick + 600
				w.until("there is something to see", c.ready)
			}
			if c.keys != "" {
				w.press(c.keys, true)
			}
			n := w.state().Counts.DrawnFrames
			w.until("it is drawn", func(d debug) bool { return c.ready == nil || d.Counts.DrawnFrames > n+2 })
			save(t, c.name+".png", w.picture())
			w.quiet()
		})
	}
}
