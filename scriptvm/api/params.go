package api

import "strings"

// Params parses a list of arguments or results: "class: class, props?: SpawnTable, at: vector Place". A question
// mark after the name marks an optional argument; a word after the type is the measure. A result may have no name:
// "Actor?". Text in another form is a bug, and a panic.
func Params(text string) []Param {
	if text == "" {
		return nil
	}
	var list []Param
	for _, item := range strings.Split(text, ", ") {
		var p Param
		if name, typ, ok := strings.Cut(item, ": "); ok && !strings.HasSuffix(name, ")") { // as in fun(): boolean
			p.Name, p.Optional = strings.CutSuffix(name, "?")
			item = typ
		}
		if at := strings.LastIndexByte(item, ' '); at > 0 && item[at-1] != ':' {
			p.Measure = measureNamed(item[at+1:])
			item = item[:at]
		}
		if p.Type = item; item == "" {
			panic("api: a parameter has no type: " + text)
		}
		list = append(list, p)
	}
	return list
}

func measureNamed(name string) Measure {
	for i, n := range MeasureNames() {
		if n == name {
			return Measure(i)
		}
	}
	panic("api: unknown measure " + name)
}
