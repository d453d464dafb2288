// Package scripts carries the Lua classes that come with the host, so that one binary runs without the
// checkout. The files are the modder's first document; read them, not this.
//
// It owns nothing but the list of folders below. A folder of classes added here must be added to the
// list, or a binary away from the checkout lacks it; a test compares the list with the folders in git.
// The pattern names folders one by one because a bare * does not build while a folder is still empty.
//
// Guarantees: One class a file; clean under host check.
package scripts

import "embed"

// FS holds the scripts by their path below scripts/: core/Pawn.lua.
//
//go:embed core lib race shooter
var FS embed.FS
