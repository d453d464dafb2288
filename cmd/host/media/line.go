package media

import (
	"strconv"
	"strings"

	"github.com/tidelock/tidelock/cmd/host/plain"
	"github.com/tidelock/tidelock/engine/animation"
	"github.com/tidelock/tidelock/netcode/bundle"
)

// keyLine returns the first line, from 1, that sets a key or begins a table of its name; 0 for none.
func keyLine(data []byte, key string) int {
	for _, p := range plain.Places(string(data)) {
		if p.Key == key || p.Key == "" && p.Table == key {
			return p.Line
		}
	}
	return 0
}

// lineOf returns the line of the wrong part of an animation's file; 0 if unknown.
func lineOf(files []bundle.File, e *animation.SpecError) int {
	for i := range files {
		switch {
		case files[i].Name != e.Name || e.Field == nil:
		case e.Field.Table == "":
			return keyLine(files[i].Data, e.Field.Name)
		default:
			return namedLine(files[i].Data, e.Field.Table, e.Field.Name)
		}
	}
	return 0
}

// namedLine returns the line, from 1, at which a table of an array has its name; 0 for none.
func namedLine(data []byte, table, name string) int {
	for _, p := range plain.Places(string(data)) {
		if p.Table == table && p.Key == "name" && strings.Contains(p.Value, strconv.Quote(name)) {
			return p.Line
		}
	}
	return 0
}

// placeOf returns the line, from 1, of a key of the file itself, of a table, or of the index'th of an array of
// tables; the line of the table's header if key is "" or missing; 0 for none.
func placeOf(data []byte, table string, index int, key string) int {
	head := 0
	for _, p := range plain.Places(string(data)) {
		switch {
		case p.Table != table || p.Index != index:
		case p.Key == key:
			return p.Line
		case p.Key == "":
			head = p.Line
		}
	}
	return head
}
