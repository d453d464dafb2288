// Package mods parses the mod.toml of mods and sorts mods by their requirements.
//
// It owns the format of mod.toml, the rules for names and versions, and the decision which mods cannot be used:
// those whose requirements are missing, too old or circular, and the second of two with one name. Every reason
// is one line.
//
// It deliberately does not: look for folders (package assets), read files, or know scripts.
//
//	m, err := mods.Parse("scripts/hats/mod.toml", text)
//	order, problems := mods.Order([]*mods.Mod{{Manifest: m}})
//
// Guarantees: Every reason to leave out a mod is one line; reads no files.
package mods
