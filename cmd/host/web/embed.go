//go:build !embedclient

package web

import "io/fs"

// embedded returns the compiled-in client: none, without the build tag embedclient.
func embedded() (fs.FS, error) { return nil, nil }
