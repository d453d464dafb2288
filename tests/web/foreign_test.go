//go:build unix

package web

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/tests/tier"
)

// foreignEdges is how many pixels of the middle of a picture have a neighbor of another color at least: a level that is not drawn
// leaves the weapon and the sky.
const foreignEdges = 3000

// foreignLevels are levels by other people: those of the folder TIDELOCK_FOREIGN_MAPS, of which the ordinary form opens the
// smallest.
func foreignLevels(t *testing.T) (files []string) {
	t.Helper()
	dir := os.Getenv("TIDELOCK_FOREIGN_MAPS")
	if dir == "" {
		t.Skip("TIDELOCK_FOREIGN_MAPS is not set: no levels by other people to open")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.map"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no level in %s", dir)
	}
	if tier.IsLong() || *pictures != "" {
		return files
	}
	size := func(path string) int64 {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	return []string{slices.MinFunc(files, func(a, b string) int { return int(size(a) - size(b)) })}
}

// A level by other people is seen with patterns on its faces, which nobody made materials for (W3.3).
func TestForeignLevels(t *testing.T) {
	if *pictures == "" {
		tier.Change(t)
	}
	for _, file := range foreignLevels(t) {
		name := strings.TrimSuffix(filepath.Base(file), ".map")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			h := newHost(t, name+"?game=WebGame?scale=3.2")
			h.put("levels/"+name+".map", text)
			h.begin()
			w := newTab(t)
			w.best(90)
			w.open(w.address(h, "/?name=Ann"))
			d := w.plays()
			if d.Level.Name != name || d.Level.Triangles < 100 || d.Level.Textures < 1 || d.Level.Patterns < 1 {
				t.Errorf("the page has of the level: %+v", d.Level)
			}
			w.until("the player has left the start", func(d debug) bool { return d.Counts.DrawnFrames > 0 })
			h.atRest("Ann")
			picture := w.drawn(func(debug) bool { return true })
			if *pictures != "" {
				save(t, "foreign-"+name+".png", picture)
			}
			n := edges(t, picture)
			t.Logf("%d triangles, %d textures, %d of them without a material; %d edges", d.Level.Triangles, d.Level.Textures, d.Level.Patterns, n)
			if n < foreignEdges {
				t.Errorf("the picture of the level has %d edges, expected %d", n, foreignEdges)
			}
			h.agrees(w, "Ann")
			h.quiet(name + ".map")
			w.quiet()
		})
	}
}

// edges counts the pixels of the middle of a picture whose right neighbor has another color.
func edges(t *testing.T, png []byte) (n int) {
	t.Helper()
	m := decode(t, png)
	r := m.Bounds()
	for y := r.Dy() / 5; y < r.Dy()*4/5; y++ {
		for x := r.Dx() / 5; x < r.Dx()*4/5; x++ {
			r1, g1, b1, _ := m.At(x, y).RGBA()
			r2, g2, b2, _ := m.At(x+1, y).RGBA()
			if max(differ(r1, r2), differ(g1, g2), differ(b1, b2)) > byColor/2 {
				n++
			}
		}
	}
	return n
}
