//go:build embedclient

package web

import (
	"embed"
	"io/fs"
)

// clientFiles are client.wasm.gz and wasm_exec.js, and client.wasm.br if the release build made one.
//
//go:embed client
var clientFiles embed.FS

// embedded returns the compiled-in client.
func embedded() (fs.FS, error) { return fs.Sub(clientFiles, "client") }
