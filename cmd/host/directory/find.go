package directory

import (
	"cmp"
	"slices"
	"strings"
)

// Busy is the load above which a host is chosen only if there is no other.
const Busy = 0.8

// Find returns the hosts of a list that have a name or an id, or a label: "key=value", or "key" for a label whose value is "true" or "".
// Letter case counts. The best host is first:
//
//  1. hosts that have room and are not draining, then full ones, then those that are draining,
//  2. hosts whose load is below [Busy] before others,
//  3. among those with a load below Busy, the one with the most players, since players want company; among others the one with
//     the lowest load,
//  4. the lower load, and then the order of ids, so that all hosts choose the same.
func Find(list []Entry, nameOrLabel string) []Entry {
	var out []Entry
	for i := range list {
		if list[i].Matches(nameOrLabel) {
			out = append(out, list[i])
		}
	}
	slices.SortFunc(out, func(a, b Entry) int {
		busy := a.Load >= Busy
		order := cmp.Or(truth(a.Draining, b.Draining), truth(a.Room == 0, b.Room == 0), truth(busy, b.Load >= Busy))
		if order == 0 && !busy {
			order = cmp.Compare(b.Players, a.Players)
		}
		return cmp.Or(order, cmp.Compare(a.Load, b.Load), strings.Compare(a.Host, b.Host))
	})
	return out
}

// Open reports whether a player may join: there is room, and the host is not draining.
func (e *Entry) Open() bool { return e.Room > 0 && !e.Draining }

// Matches reports whether the host has this name, id or label; see [Find].
func (e *Entry) Matches(nameOrLabel string) bool {
	if nameOrLabel == "" {
		return false
	}
	if e.Name == nameOrLabel || e.Host == nameOrLabel {
		return true
	}
	if key, value, ok := strings.Cut(nameOrLabel, "="); ok {
		has, there := e.Labels[key]
		return there && has == value
	}
	has, there := e.Labels[nameOrLabel]
	return there && (has == "" || has == "true")
}

// truth orders false before true.
func truth(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
