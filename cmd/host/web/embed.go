//go:build !embedclient

package web

import "io/fs"

// embedded is the client that is compiled in: none, without the build tag embedclient.
func embedded() (fs.FS, error) { return nil, nil }
