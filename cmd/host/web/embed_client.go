//go:build embedclient

package web

import (
	"embed"
	"io/fs"
)

// clientFiles are client.wasm.gz and wasm_exec.js, and client.wasm.br where the build of the release made one.
//
//go:embed client
var clientFiles embed.FS

// embedded is the client that is compiled in.
func embedded() (fs.FS, error) { return fs.Sub(clientFiles, "client") }
