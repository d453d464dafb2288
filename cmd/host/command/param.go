package command

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Kind is the kind of an argument.
type Kind uint8

// The kinds of arguments. A Word has no spaces unless it is quoted with ""; a Text is the rest of the line as it was
// typed; Number and Int are decimal, within Min and Max; a Switch is on or off.
const (
	Word Kind = iota
	Text
	Number
	Int
	Switch
)

// String returns the name of a kind, for documents.
func (k Kind) String() string {
	switch k {
	case Text:
		return "text"
	case Number:
		return "number"
	case Int:
		return "integer"
	case Switch:
		return "on or off"
	case Word:
	}
	return "word"
}

// Param is an argument of a command.
type Param struct {
	// Name is shown in the usage: "PLAYER".
	Name string
	Kind Kind
	// Optional arguments may be left out.
	Optional bool
	// Min and Max bound a Number and an Int; both 0 for no bounds.
	Min, Max float64
	// Values lists what can be given, for completion; before are the earlier arguments. Nil if that is unknown. It is
	// called on any goroutine.
	Values func(before []string) []string
}

// String returns the parameter as the usage shows it.
func (p *Param) String() string {
	if p.Optional {
		return "[" + p.Name + "]"
	}
	return p.Name
}

// value is an argument of a call.
type value struct {
	given  bool
	text   string
	number float64
}

// Given reports whether the caller gave argument i.
func (c *Call) Given(i int) bool { return i < len(c.values) && c.values[i].given }

// Text returns argument i as it was typed, without quotes; "" if it was left out.
func (c *Call) Text(i int) string {
	if i >= len(c.values) {
		return ""
	}
	return c.values[i].text
}

// Number returns argument i of kind Number, or def if it was left out.
func (c *Call) Number(i int, def float64) float64 {
	if !c.Given(i) {
		return def
	}
	return c.values[i].number
}

// Int returns argument i of kind Int, or def if it was left out.
func (c *Call) Int(i, def int) int { return int(c.Number(i, float64(def))) }

// Switch returns argument i of kind Switch, or def if it was left out.
func (c *Call) Switch(i int, def bool) bool {
	if !c.Given(i) {
		return def
	}
	return c.values[i].number != 0
}

// parse reads the arguments of a call.
func (c *Command) parse(args string) ([]value, error) {
	out := make([]value, len(c.Params))
	for i := range c.Params {
		p := &c.Params[i]
		if args == "" {
			if !p.Optional {
				return nil, &UsageError{"expected " + c.Usage()}
			}
			continue
		}
		v := &out[i]
		v.given = true
		if p.Kind == Text {
			v.text, args = args, ""
			continue
		}
		var err error
		if v.text, args, err = nextWord(args); err == nil {
			err = p.read(v)
		}
		if err != nil {
			return nil, &UsageError{c.Name + ": " + err.Error() + "; expected " + c.Usage()}
		}
	}
	switch {
	case args == "":
		return out, nil
	case len(c.Params) == 0:
		return nil, &UsageError{fmt.Sprintf("%s: it takes no argument, got %q", c.Name, args)}
	default:
		return nil, &UsageError{fmt.Sprintf("%s: %q is one argument too many; expected %s", c.Name, args, c.Usage())}
	}
}

// nextWord cuts a word from a text that does not begin with a space. A quoted one may contain spaces, and \" and \\.
func nextWord(s string) (word, rest string, err error) {
	if s[0] != '"' {
		i := strings.IndexAny(s, " \t")
		if i < 0 {
			return s, "", nil
		}
		return s[:i], strings.TrimLeft(s[i:], " \t"), nil
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\'):
			i++
			b.WriteByte(s[i])
		case s[i] == '"':
			rest = s[i+1:]
			if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
				return "", "", fmt.Errorf("%s: a space is missing after the quotation mark", s[:i+1])
			}
			return b.String(), strings.TrimLeft(rest, " \t"), nil
		default:
			b.WriteByte(s[i])
		}
	}
	return "", "", fmt.Errorf("%s: the second quotation mark is missing", s)
}

// read checks an argument's text and converts it.
func (p *Param) read(v *value) error {
	switch p.Kind {
	case Number, Int:
		n, err := strconv.ParseFloat(v.text, 64)
		whole := err == nil && n == math.Trunc(n)
		bounded := p.Min != 0 || p.Max != 0
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) || p.Kind == Int && !whole || bounded && (n < p.Min || n > p.Max) {
			what := "a number"
			if p.Kind == Int {
				what = "a whole number"
			}
			if bounded {
				what += fmt.Sprintf(" from %g to %g", p.Min, p.Max)
			}
			return fmt.Errorf("%s is %q, not %s", p.Name, v.text, what)
		}
		v.number = n
	case Switch:
		switch strings.ToLower(v.text) {
		case "on", "1", "true", "yes":
			v.number = 1
		case "off", "0", "false", "no":
		default:
			return fmt.Errorf("%s is %q, not on or off", p.Name, v.text)
		}
	case Word, Text:
	}
	return nil
}

// Quote returns a word as it must be typed: in quotation marks where it needs them.
func Quote(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\"") {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
