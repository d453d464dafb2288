package media

import (
	"strconv"
	"strings"

	"github.com/tidelock/tidelock/engine/animation"
	"github.com/tidelock/tidelock/netcode/bundle"
)

// keyLine is the first line, from 1, that gives one of some keys a value or begins a table of its name; 0 for none.
func keyLine(data []byte, keys ...string) int {
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		for _, k := range keys {
			if name, _, has := strings.Cut(line, "="); has && strings.TrimSpace(name) == k || strings.Trim(strings.TrimSpace(line), "[]") == k {
				return n
			}
		}
	}
	return 0
}

// lineOf is where the part of an animation's file that is wrong begins; 0 where that is not known.
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

// namedLine is the line, from 1, at which a table of an array says its name; 0 for none.
func namedLine(data []byte, table, name string) int {
	n, in := 0, false
	for line := range strings.Lines(string(data)) {
		n++
		text := strings.TrimSpace(line)
		if strings.HasPrefix(text, "[") {
			in = strings.HasPrefix(text, "[["+table+"]]")
		}
		if key, value, _ := strings.Cut(text, "="); in && strings.TrimSpace(key) == "name" && strings.Contains(value, strconv.Quote(name)) {
			return n
		}
	}
	return 0
}

// tableLine is the line, from 1, at which a table of an array begins, counted from 0; 0 for none.
func tableLine(data []byte, table string, index int) int {
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		if text, _, _ := strings.Cut(line, "#"); strings.TrimSpace(text) == "[["+table+"]]" {
			if index == 0 {
				return n
			}
			index--
		}
	}
	return 0
}

// placeOf is the line, from 1, of a key of the file itself, or of a table, or of the index'th of an array of tables; of the
// table's head where key is "" or not there; 0 for none.
func placeOf(data []byte, table string, index int, key string) int {
	n, in, head := 0, table == "", 0
	for line := range strings.Lines(string(data)) {
		n++
		text, _, _ := strings.Cut(line, "#")
		text = strings.TrimSpace(text)
		if strings.HasPrefix(text, "[") {
			if in && table == "" {
				return 0
			}
			if in {
				return head
			}
			if strings.Trim(text, "[]") == table {
				if in = index == 0; in {
					head = n
				}
				index--
			}
			continue
		}
		if name, _, has := strings.Cut(text, "="); in && has && key != "" && strings.TrimSpace(name) == key {
			return n
		}
	}
	return head
}
