package web

import (
	"embed"
	"io/fs"
)

//go:embed page
var pageFiles embed.FS

// Page is the browser's part of the client: plain files, no build step.
func Page() (fs.FS, error) { return fs.Sub(pageFiles, "page") }
