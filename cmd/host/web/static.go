package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// asset is a file in memory. Requests never reach a file system: a path that is not a key of a table does not
// exist.
type asset struct {
	typ string
	// raw is nil if only gz is kept; it is then unpacked for the few clients without gzip.
	raw []byte
	// gz returns the compressed content, made on first use; nil if compressing gains nothing.
	gz func() []byte
	// br is the content compressed by Brotli, nil if there is none.
	br []byte
	// tag is the ETag, and immutable says that the address contains the content's hash.
	tag       string
	immutable bool
}

// contentTypes are the types of a page's files. Others are sent as bytes, which browsers do not execute.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".json": "application/json",
	".txt":  "text/plain; charset=utf-8",
	".svg":  "image/svg+xml",
	".png":  "image/png",
	".webp": "image/webp",
	".wasm": "application/wasm",
}

func contentType(name string) string {
	if t, ok := contentTypes[path.Ext(name)]; ok {
		return t
	}
	return "application/octet-stream"
}

// leastGain: files below this many bytes are sent as they are.
const leastGain = 512

func newAsset(name string, raw []byte, immutable bool) *asset {
	sum := sha256.Sum256(raw)
	a := &asset{typ: contentType(name), raw: raw, immutable: immutable, tag: `"` + hex.EncodeToString(sum[:8]) + `"`}
	if packed := a.typ == "image/png" || a.typ == "image/webp"; !packed && len(raw) >= leastGain {
		a.gz = sync.OnceValue(func() []byte { return compress(raw) })
	}
	return a
}

func compress(raw []byte) []byte {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression) // once for each file
	if err == nil {
		_, err = z.Write(raw)
	}
	if err = errors.Join(err, z.Close()); err != nil {
		panic("web: compressing into memory: " + err.Error()) // bytes.Buffer has no errors
	}
	return b.Bytes()
}

// accepts reports whether an Accept-Encoding header accepts a coding (RFC 9110, 12.5.3).
func accepts(header, coding string) bool {
	star := false
	for _, part := range strings.Split(header, ",") {
		name, params, _ := strings.Cut(part, ";")
		name = strings.ToLower(strings.TrimSpace(name))
		if name != coding && name != "*" {
			continue
		}
		yes := true
		if k, v, _ := strings.Cut(strings.TrimSpace(params), "="); strings.EqualFold(strings.TrimSpace(k), "q") {
			q, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
			yes = err == nil && q > 0
		}
		if name == coding {
			return yes // named explicitly, which overrides *
		}
		star = yes
	}
	return star
}

// serve answers with the asset in the best encoding that the client accepts.
func (a *asset) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.typ)
	h.Set("ETag", a.tag)
	h.Set("Cache-Control", "no-cache")
	if a.immutable {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if a.gz != nil {
		h.Set("Vary", "Accept-Encoding")
	}
	if r.Header.Get("If-None-Match") == a.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body, encoding := a.raw, r.Header.Get("Accept-Encoding")
	switch {
	case a.br != nil && accepts(encoding, "br"):
		body = a.br
		h.Set("Content-Encoding", "br")
	case a.gz != nil && accepts(encoding, "gzip"):
		body = a.gz()
		h.Set("Content-Encoding", "gzip")
	case body == nil:
		if r.Method == http.MethodHead {
			return
		}
		z, err := gzip.NewReader(bytes.NewReader(a.gz()))
		if err == nil {
			_, err = io.Copy(w, z)
		}
		if err != nil {
			// The client left, or the data checked at loading is now broken; the status was sent already.
			panic(http.ErrAbortHandler)
		}
		return
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // an error means that the client left
	}
}

// site holds the page's files.
type site struct {
	// files are all except index by their path: /p/<hash>/main.js.
	files map[string]*asset
	index *asset
	// worker is the path of the Worker's script, "" without one.
	worker string
}

// uncommented returns a script without its comment lines, which are a third of its size. Empty lines stay in
// place, so that messages name the lines of the source.
func uncommented(script []byte) []byte {
	out := make([]byte, 0, len(script))
	quoted := false // within a template, which may have lines that look like comments
	for line := range bytes.Lines(script) {
		if !quoted && bytes.HasPrefix(bytes.TrimLeft(line, "\t "), []byte("//")) {
			out = append(out, '\n')
			continue
		}
		for i, c := range line {
			if c == '`' && (i == 0 || line[i-1] != '\\') {
				quoted = !quoted
			}
		}
		out = append(out, line...)
	}
	if quoted { // a lone backtick in a text: the state is unknown
		return script
	}
	return out
}

// reference matches a file that index.html loads.
var reference = regexp.MustCompile(`(src|href)="(?:\./)?([^"]+)"`)

// workerScript is the Worker's script. It is not cached forever: its policy has the list of hosts as it is when the page is loaded.
const workerScript = "worker.js"

// newSite reads a page: index.html, which loads the others by their names, as if it were opened from the
// folder. They are served below one hash over all of them, so that they can be cached forever and import each
// other by relative names.
func newSite(f fs.FS) (*site, error) {
	raw := map[string][]byte{}
	sum := sha256.New()
	err := fs.WalkDir(f, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(f, name)
		if err != nil {
			return err
		}
		if path.Ext(name) == ".js" {
			b = uncommented(b)
		}
		raw[name] = b
		_, err = fmt.Fprintf(sum, "%q %d\n%s", name, len(b), b)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("web: reading the page: %w", err)
	}
	index, ok := raw["index.html"]
	if !ok {
		return nil, errors.New("web: the page has no index.html")
	}
	delete(raw, "index.html")
	root := "/p/" + hex.EncodeToString(sum.Sum(nil)[:12]) + "/"
	s := &site{files: map[string]*asset{}}
	for name, b := range raw {
		s.files[root+name] = newAsset(name, b, name != workerScript)
		if name == workerScript {
			s.worker = root + name
		}
	}
	index = reference.ReplaceAllFunc(index, func(m []byte) []byte {
		parts := reference.FindSubmatch(m)
		if _, ok := raw[string(parts[2])]; !ok {
			return m
		}
		return []byte(string(parts[1]) + `="` + root + string(parts[2]) + `"`)
	})
	s.index = newAsset("index.html", index, false)
	return s, nil
}
