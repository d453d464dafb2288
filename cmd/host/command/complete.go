package command

import (
	"slices"
	"strings"
)

// maxCompletions bounds what Complete returns.
const maxCompletions = 100

// Complete returns how a line may go on: whole lines that begin with what was typed, sorted, at most 100. It offers
// the commands that the caller may give, and the values of their arguments.
func (r *Registry) Complete(who Caller, line string) []string {
	if len(line) > MaxLine {
		return nil
	}
	typed := strings.TrimLeft(line, " \t")
	var out []string
	list := r.List()
	for i := range list {
		if who.Role >= list[i].Needs && begins(list[i].Name, typed) && !strings.EqualFold(list[i].Name, typed) {
			out = append(out, list[i].Name)
		}
	}
	if c, args := match(list, typed); c != nil && who.Role >= c.Needs && (args != "" || strings.HasSuffix(line, " ")) {
		out = append(out, c.complete(args, strings.HasSuffix(line, " "))...)
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return out[:min(len(out), maxCompletions)]
}

// begins reports whether a name begins with what was typed, in whatever case.
func begins(name, typed string) bool {
	return len(name) >= len(typed) && strings.EqualFold(name[:len(typed)], typed)
}

// complete returns lines with this command whose last argument begins with the last of args; next says that a space
// follows it, so that a further one is begun.
func (c *Command) complete(args string, next bool) (out []string) {
	var before []string
	last := ""
	for args != "" {
		word, rest, err := nextWord(args)
		if err != nil { // an open quotation mark
			word, rest = strings.TrimPrefix(args, `"`), ""
			next = false
		}
		if rest == "" && !next {
			last = word
			break
		}
		before, args = append(before, word), rest
	}
	if len(before) >= len(c.Params) {
		return nil
	}
	p := &c.Params[len(before)]
	var values []string
	switch {
	case p.Values != nil:
		values = p.Values(before)
	case p.Kind == Switch:
		values = []string{"off", "on"}
	}
	head := c.Name
	for _, w := range before {
		head += " " + Quote(w)
	}
	for _, v := range values {
		if begins(v, last) && v != last {
			out = append(out, head+" "+Quote(v))
		}
	}
	return out
}
