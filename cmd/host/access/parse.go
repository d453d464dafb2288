package access

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/BurntSushi/toml"

	"github.com/tidelock/tidelock/cmd/host/plain"
	"github.com/tidelock/tidelock/engine"
)

// The keys of the file.
var (
	fileKeys      = []string{"bans", "roles", "whitelist"}
	whitelistKeys = []string{"enabled", "keys"}
	banKeys       = []string{"addr", "by", "key", "name", "reason", "since", "until"}
)

// parser reads one file. It collects all errors; the first by line is reported.
type parser struct {
	path  string
	now   time.Time
	out   *state
	text  string
	lines func() []plain.Place
	wrong []*plain.Error
}

// parse reads the text of a file. Bans that have ended are left out. The error is a *plain.Error.
func parse(path string, text []byte, now time.Time) (*state, error) {
	if !utf8.Valid(text) {
		return nil, plain.Errorf(path, 0, "not UTF-8 text; write it as TOML")
	}
	p := &parser{path: path, now: now, out: newState(), text: string(text)}
	p.lines = sync.OnceValue(func() []plain.Place { return plain.Places(p.text) })
	raw := map[string]any{}
	if _, err := toml.Decode(p.text, &raw); err != nil {
		var pe toml.ParseError
		if errors.As(err, &pe) {
			return nil, plain.Errorf(path, pe.Position.Line, "%s; fix or remove the line", oneLine(pe.Message))
		}
		return nil, plain.Errorf(path, 0, "%s", oneLine(strings.TrimPrefix(err.Error(), "toml: ")))
	}
	for k, v := range raw { // any order: errors are sorted by line, and tables are independent
		switch k {
		case "roles":
			p.roles(v)
		case "whitelist":
			p.whitelist(v)
		case "bans":
			p.bans(v)
		default:
			p.fail(p.line("", 0, k), "unknown key %s%s; the tables are [roles], [whitelist] and [[bans]]", quote(k), engine.Nearest(k, fileKeys))
		}
	}
	if len(p.wrong) > 0 {
		return nil, slices.MinFunc(p.wrong, func(a, b *plain.Error) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), strings.Compare(a.Text, b.Text))
		})
	}
	return p.out, nil
}

func (p *parser) fail(line int, format string, args ...any) {
	p.wrong = append(p.wrong, plain.Errorf(p.path, line, format, args...))
}

// line returns the line of a key in the table of a name and an index, or else that of the table; 0 if neither is
// found.
func (p *parser) line(table string, index int, key string) int {
	head := 0
	for _, at := range p.lines() {
		switch {
		case at.Table == table && at.Index == index && at.Key == key, table == "" && at.Table == key:
			return at.Line
		case at.Table == table && at.Index == index && head == 0, at.Table == "" && at.Key == table && head == 0:
			head = at.Line
		}
	}
	return head
}

// lineOf returns the first line from one on that has a text in quotation marks; that one if there is none.
func (p *parser) lineOf(from int, text string) int {
	n := 0
	for line := range strings.Lines(p.text) {
		if n++; n >= from && (strings.Contains(line, literal(text)) || strings.Contains(line, "'"+text+"'")) {
			return n
		}
	}
	return from
}

func (p *parser) roles(v any) {
	table, ok := v.(map[string]any)
	if !ok {
		p.fail(p.line("", 0, "roles"), `roles: expected a table: [roles], and below it "key-…" = "admin"`)
		return
	}
	for _, k := range slices.Sorted(maps.Keys(table)) {
		fail := func(format string, args ...any) {
			p.fail(p.lineOf(p.line("roles", 0, k), k), "[roles] %s", fmt.Sprintf(format, args...))
		}
		key, err := CheckKey(k)
		if err != nil {
			fail("%s", err)
			continue
		}
		if _, twice := p.out.roles[key]; twice {
			fail("%s is listed twice; remove one of them", key)
			continue
		}
		name, ok := table[k].(string)
		if !ok {
			fail("%s: expected a role in quotation marks: \"admin\"", key)
			continue
		}
		role, err := ParseRole(name)
		if err == nil {
			err = p.out.setRole(key, role)
		}
		if err != nil {
			fail("%s: %s", key, err)
		}
	}
}

func (p *parser) whitelist(v any) {
	table, ok := v.(map[string]any)
	if !ok {
		p.fail(p.line("", 0, "whitelist"), "whitelist: expected a table: [whitelist], and below it enabled = true")
		return
	}
	for k, v := range table { // any order: errors are sorted by line, and keys are independent
		line := p.line("whitelist", 0, k)
		switch k {
		case "enabled":
			if p.out.only, ok = v.(bool); !ok {
				p.fail(line, "[whitelist] enabled: expected true or false")
			}
		case "keys":
			list, ok := v.([]any)
			if !ok {
				p.fail(line, "[whitelist] keys: expected a list of players' keys: [\"key-…\"]")
				continue
			}
			for _, e := range list {
				text, ok := e.(string)
				if !ok {
					p.fail(line, "[whitelist] keys: expected players' keys in quotation marks")
					continue
				}
				key, err := CheckKey(text)
				if err == nil {
					err = p.out.allow(key)
				}
				if err != nil {
					p.fail(p.lineOf(line, text), "[whitelist] keys: %s", err)
				}
			}
		default:
			p.fail(line, "unknown key %s in [whitelist]%s; the keys are %s", quote(k), engine.Nearest(k, whitelistKeys), strings.Join(whitelistKeys, ", "))
		}
	}
}

func (p *parser) bans(v any) {
	list, ok := tablesOf(v)
	if !ok {
		p.fail(p.line("", 0, "bans"), "bans: expected a table for each ban: [[bans]]")
		return
	}
	for i, table := range list {
		b, ok := p.ban(i, table)
		if !ok {
			continue
		}
		fail := func(err error) { p.fail(p.line("bans", i, ""), "[[bans]] %s", err) }
		b, network, err := sound(b)
		if err != nil {
			fail(err)
			continue
		}
		if b.over(p.now) {
			continue
		}
		_, twice := p.out.nets[network]
		if b.Key != "" {
			_, twice = p.out.keys[b.Key]
		}
		if twice {
			fail(fmt.Errorf("%s is banned twice; remove one of them", b.What()))
			continue
		}
		if err := p.out.ban(b, network); err != nil {
			fail(err)
		}
	}
}

// tablesOf returns a list of tables, whether they have heads or are in braces.
func tablesOf(v any) (out []map[string]any, ok bool) {
	if out, ok = v.([]map[string]any); ok {
		return out, true
	}
	list, ok := v.([]any)
	for _, e := range list {
		table, is := e.(map[string]any)
		if !is {
			return nil, false
		}
		out = append(out, table)
	}
	return out, ok
}

// ban reads the values of a ban, and reports whether they have the right types.
func (p *parser) ban(i int, table map[string]any) (b Ban, ok bool) {
	texts := map[string]*string{"addr": &b.Addr, "by": &b.By, "key": &b.Key, "name": &b.Name, "reason": &b.Reason}
	times := map[string]*time.Time{"since": &b.Since, "until": &b.Until}
	ok = true
	for k, v := range table { // any order: errors are sorted by line, and keys are independent
		fail := func(format string, args ...any) {
			ok = false
			p.fail(p.line("bans", i, k), "[[bans]] %s", fmt.Sprintf(format, args...))
		}
		switch {
		case texts[k] != nil:
			text, is := v.(string)
			if !is {
				fail("%s: expected a text in quotation marks", k)
				continue
			}
			*texts[k] = text
		case times[k] != nil:
			at, err := timeOf(v)
			if err != nil {
				fail("%s: %s", k, err)
				continue
			}
			*times[k] = at
		default:
			fail("unknown key %s%s; the keys are %s", quote(k), engine.Nearest(k, banKeys), strings.Join(banKeys, ", "))
		}
	}
	return b, ok
}

// timeOf reads a time: a TOML date with or without a time, or a text; an empty text is the zero time.
func timeOf(v any) (time.Time, error) {
	switch v := v.(type) {
	case time.Time:
		if v.Year() >= 1970 { // a time of day alone is of the year 0
			return v, nil
		}
	case string:
		if v == "" {
			return time.Time{}, nil
		}
		if t, err := time.Parse(time.RFC3339, v); err == nil {
			return t, nil
		}
	}
	return time.Time{}, errors.New("expected a time such as 2026-12-01T18:00:00Z; leave it out for none")
}
