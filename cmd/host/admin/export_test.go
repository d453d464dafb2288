package admin

import (
	"maps"
	"slices"
)

// Reads lists the names of all reads.
func Reads(h *Handler) []string { return slices.Sorted(maps.Keys(h.routes)) }
