// Package content carries the levels and other content that come with the host, so that one binary runs
// without the checkout. It owns nothing but the list of folders below; see package scripts for why the
// pattern names them one by one.
//
// Guarantees: Loads without warnings.
package content

import "embed"

// FS holds content by its path below content/: levels/arena.map, sounds/boom.toml,
// animations/reload.toml, effects/explosion.toml, materials/brick.toml, input.toml.
//
//go:embed animations effects levels materials sounds input.toml
var FS embed.FS
