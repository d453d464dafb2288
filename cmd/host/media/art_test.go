package media

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/wire"
)

// W2.5: recordings, models and pictures are told by name, hash and size; the files themselves are not in a bundle.
func TestArt(t *testing.T) {
	fs := fstest.MapFS{
		"models/ship/hull.glb": {Data: []byte("hull")}, "models/hull.blend": {Data: []byte("?")}, "models/.old.glb": {Data: []byte("?")},
		"images/moss.png": {Data: []byte("moss")}, "sounds/bell.ogg": {Data: []byte("bell")},
		"sounds/bell.toml":    {Data: []byte("radius = 5\nfile = \"bell.ogg\"")},
		"sounds/lost.toml":    {Data: []byte("radius = 5\nfile = \"lost.ogg\"")},
		"materials/moss.toml": {Data: []byte("image = \"images/moss.png\"")},
		"materials/gone.toml": {Data: []byte("color = \"#ffffff\"\nimage = \"images/gone.png\"")},
	}
	files, err := Files(fs)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if isArt(f.Name) {
			t.Errorf("%s is in the bundle", f.Name)
		}
	}
	m, err := Read(files)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, a := range m.Art {
		names = append(names, a.Name)
		if a.Size != 4 || a.Hash != wire.HashOf(fs[a.Name].Data) {
			t.Errorf("%+v", a)
		}
	}
	if got, want := strings.Join(names, " "), "images/moss.png models/ship/hull.glb sounds/bell.ogg"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	told := 0
	for _, item := range m.Items {
		if item.Kind == "art" {
			told++
			if !strings.Contains(string(item.Data), `"size":4`) || !strings.Contains(string(item.Data), `"hash":"`) {
				t.Errorf("%s: %s", item.Name, item.Data)
			}
		}
	}
	if told != len(m.Art) {
		t.Errorf("the page is told of %d", told)
	}
	var missing []string
	for _, err := range m.Missing() {
		missing = append(missing, err.Error())
	}
	if got, want := strings.Join(missing, "\n"), "materials/gone.toml:2: image: no content file \"images/gone.png\"\nsounds/lost.toml:2: file: no content file \"sounds/lost.ogg\""; got != want {
		t.Errorf("missing:\n%s\nwant\n%s", got, want)
	}
}

// What a page could not fetch, or should not, is said where the host starts.
func TestArtRefused(t *testing.T) {
	for name, data := range map[string][]byte{"models/empty.glb": {}, "images/huge.png": make([]byte, MaxArtBytes+1), "images/a\nb.png": {1}} {
		if _, err := Files(fstest.MapFS{name: {Data: data}}); err == nil {
			t.Errorf("%q: no error", name)
		}
	}
}

// A client has the list from a server it need not trust.
func TestArtListRefused(t *testing.T) {
	sum := strings.Repeat("ab", wire.HashBytes)
	for _, text := range []string{
		"\n", "x", sum + " 1", sum + " 0 models/a.glb", sum + " -1 models/a.glb", sum + " 99999999 models/a.glb", sum + " 1 models/a.exe", sum + " 1 ../a.glb",
		strings.Repeat("z", 64) + " 1 models/a.glb", sum[1:] + " 1 models/a.glb", strings.Repeat(sum+" 1 models/a.glb\n", MaxArt+1), strings.Repeat(sum+" 16000000 models/a.glb\n", 9),
	} {
		if m, err := Read([]bundle.File{{Name: ArtList, Data: []byte(text)}}); err == nil {
			t.Errorf("%.80q: %d pieces of art", text, len(m.Art))
		}
	}
}
