package admin

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strconv"
)

//go:embed page
var pageFiles embed.FS

// clientFiles are the files of the browser client's page that the inspector uses, below /inspect/client/.
var clientFiles = [...]string{"space.js", "vendor/three.js"}

//go:embed openapi.json
var openAPIBase []byte

// file is one of the inspector's files.
type file struct {
	typ, tag string
	body     []byte
}

// types are the content types of the page's files.
var types = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}

// readPage reads the files, by their paths: /inspect, /inspect/main.js, and those of the browser client's page, unless that is nil.
func readPage(client fs.FS) (map[string]*file, error) {
	out := map[string]*file{}
	add := func(at string, b []byte) {
		sum := sha256.Sum256(b)
		out[at] = &file{typ: types[path.Ext(at)], tag: `"` + hex.EncodeToString(sum[:8]) + `"`, body: b}
	}
	for _, name := range clientFiles {
		if client == nil {
			break
		}
		b, err := fs.ReadFile(client, name)
		if err != nil {
			return nil, err
		}
		add("/inspect/client/"+name, b)
	}
	err := fs.WalkDir(pageFiles, "page", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := pageFiles.ReadFile(name)
		if err != nil {
			return err
		}
		add("/inspect"+name[len("page"):], b)
		return nil
	})
	if index := out["/inspect/index.html"]; index != nil {
		out["/inspect"] = index
		delete(out, "/inspect/index.html")
	}
	return out, err
}

// servePage serves the inspector's files. They are the same for everybody and hold nothing of the match.
func (h *Handler) servePage(w http.ResponseWriter, r *http.Request, at string) {
	f := h.page[at]
	if f == nil {
		fail(w, http.StatusNotFound, "the inspector has no such file")
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		fail(w, http.StatusMethodNotAllowed, "only GET and HEAD are answered here")
		return
	}
	head := w.Header()
	head.Set("Content-Type", f.typ)
	head.Set("ETag", f.tag)
	head.Set("Cache-Control", "no-cache")
	if r.Header.Get("If-None-Match") == f.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	head.Set("Content-Length", strconv.Itoa(len(f.body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(f.body) // an error means that the client left
	}
}
