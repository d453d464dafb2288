package media

import (
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tidelock/tidelock/cmd/host/plain"
	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/wire"
)

// Art is a recording, a model or a picture of the content. These are too large to load before a match begins,
// and only a page shows them: a bundle has ArtList, which names them with their hashes, and the page fetches
// each by its hash when it is first shown (W2.5).
type Art struct {
	Name string // below content/: models/rocket.glb
	Size int    // bytes
	Hash wire.Hash
}

// ArtList is the file of a bundle that lists its art, a line of hash, size and name each. A bundle without art has none.
const ArtList = "art.list"

// Bounds of art: bytes of a file, number of files, and bytes of all.
const (
	MaxArtBytes = 16 << 20
	MaxArt      = 512
	MaxArtTotal = 128 << 20
)

const (
	imageFolder = "images/"
	modelFolder = "models/"
)

var imageEnds = []string{".png", ".jpg", ".webp"}

// artFolders are the folders of art and the extensions of their files.
var artFolders = [...]struct {
	name string
	ends []string
}{
	{imageFolder, imageEnds},
	{modelFolder, []string{".glb"}},
	{soundFolder, []string{".ogg", ".mp3", ".wav"}},
}

// isArt reports whether a file below content/ is art.
func isArt(name string) bool {
	for i := range artFolders {
		if strings.HasPrefix(name, artFolders[i].name) {
			return slices.Contains(artFolders[i].ends, path.Ext(name)) && !strings.HasPrefix(path.Base(name), ".")
		}
	}
	return false
}

// artList lists the art of a content folder in the format of ArtList; its Data is nil if there is no art. The
// error is an *Error if a file is at fault.
func artList(content fs.FS) (bundle.File, error) {
	list := bundle.File{Name: ArtList}
	n, total := 0, 0
	for i := range artFolders {
		err := walk(content, artFolders[i].name, func(name string, d fs.DirEntry) error {
			if !isArt(name) {
				return nil
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			if size := info.Size(); size == 0 || size > MaxArtBytes {
				return plain.Errorf(name, 0, "%d bytes; expected 1 to %d: browsers fetch it", size, MaxArtBytes)
			}
			if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
				return plain.Errorf(strconv.Quote(name), 0, "a name with control characters; rename it")
			}
			data, err := fs.ReadFile(content, name)
			if err != nil {
				return err
			}
			if n, total = n+1, total+len(data); n > MaxArt || total > MaxArtTotal {
				return plain.Errorf(name, 0, "more than %d recordings, models and pictures, or more than %d MiB of them", MaxArt, MaxArtTotal>>20)
			}
			h := wire.HashOf(data)
			list.Data = fmt.Appendf(list.Data, "%s %d %s\n", hex.EncodeToString(h[:]), len(data), name)
			return nil
		})
		if err != nil {
			return list, err
		}
	}
	return list, nil
}

// shownArt is the description of a piece of art for a page.
type shownArt struct {
	Hash string `json:"hash"` // hexadecimal
	Size int    `json:"size"` // bytes
}

// ArtOf returns the art that the files of a match list, nil for none.
func ArtOf(files []bundle.File) ([]Art, error) {
	for i := range files {
		if files[i].Name == ArtList {
			m := Media{}
			err := m.readArt(&files[i])
			return m.Art, err
		}
	}
	return nil, nil
}

// readArt parses ArtList, which a client has from a server it need not trust.
func (m *Media) readArt(f *bundle.File) error {
	total := 0
	for i, line := range strings.Split(strings.TrimSuffix(string(f.Data), "\n"), "\n") {
		sum, rest, _ := strings.Cut(line, " ")
		number, name, _ := strings.Cut(rest, " ")
		a := Art{Name: name}
		size, err := strconv.ParseUint(number, 10, 31)
		a.Size = int(size)
		if len(sum) != hex.EncodedLen(wire.HashBytes) || err != nil || a.Size == 0 || a.Size > MaxArtBytes || !isArt(name) {
			return plain.Errorf(f.Name, i+1, "expected a hash, a size and a file's name")
		}
		if _, err := hex.Decode(a.Hash[:], []byte(sum)); err != nil {
			return plain.Errorf(f.Name, i+1, "expected a hash of 64 hexadecimal digits first")
		}
		if total += a.Size; len(m.Art) == MaxArt || total > MaxArtTotal {
			return plain.Errorf(f.Name, i+1, "more than %d recordings, models and pictures, or more than %d MiB of them", MaxArt, MaxArtTotal>>20)
		}
		m.Art = append(m.Art, a)
		if err := m.item("art", name, shownArt{sum, a.Size}); err != nil {
			return err
		}
	}
	return nil
}

// want is art that a file names, with its position; Text is the key.
type want struct {
	art string
	at  Error
}

// Missing returns files that name a recording or a picture that does not exist: the sound is silent, or the
// surface has only its color.
func (m *Media) Missing() []*Error {
	var out []*Error
	for i := range m.wants {
		w := &m.wants[i]
		if slices.ContainsFunc(m.Art, func(a Art) bool { return a.Name == w.art }) {
			continue
		}
		out = append(out, plain.Errorf(w.at.File, w.at.Line, "%s: no content file %q", w.at.Text, w.art))
	}
	return out
}
