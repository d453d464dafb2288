package mods

import (
	"errors"
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/BurntSushi/toml"

	"github.com/tidelock/tidelock/cmd/host/plain"
	"github.com/tidelock/tidelock/engine"
)

// Bounds of a mod.toml, which is untrusted. Exceeding one is an error that names it.
const (
	// MaxBytes bounds the file.
	MaxBytes = 64 << 10
	// MaxName bounds the name of a mod, in bytes.
	MaxName = 40
	// MaxRequires bounds how many mods a mod requires.
	MaxRequires = 64
	// maxShown bounds the text of the file that an error repeats, in bytes.
	maxShown = 60
)

// File is the name of the file that makes a folder a mod.
const File = "mod.toml"

// Manifest is the content of a mod.toml.
type Manifest struct {
	// Name is the mod's name in requires, in host.toml and in messages.
	Name string
	// Version consists of numbers separated by dots; "" for a folder without a mod.toml.
	Version string
	// Requires are the mods that it needs, in the order of the file.
	Requires []Requirement
}

// Requirement is a mod that another one needs.
type Requirement struct {
	Name string
	// Least is the lowest accepted version, "" for any.
	Least string
}

// String returns the requirement as in mod.toml.
func (r Requirement) String() string {
	if r.Least == "" {
		return r.Name
	}
	return r.Name + " >= " + r.Least
}

// Error describes in one line what is wrong with a mod. Its file is the mod.toml, or the folder of a mod
// without one.
type Error = plain.Error

var (
	nameForm    = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)
	versionForm = regexp.MustCompile(`^[0-9]{1,9}(\.[0-9]{1,9}){0,3}$`)
	needForm    = regexp.MustCompile(`^\s*([a-z0-9][a-z0-9_-]*)\s*(?:>=\s*([0-9.]+)\s*)?$`)
)

// CheckName reports why a name is not valid for a mod, nil if it is.
func CheckName(name string) error {
	if len(name) > MaxName || !nameForm.MatchString(name) {
		return fmt.Errorf("mod name %s: small letters, digits, - and _, at most %d, a letter or digit first: low-gravity", quote(name), MaxName)
	}
	return nil
}

// NameOf returns the name of a mod whose folder has no mod.toml: the folder's, with invalid characters replaced
// by "-".
func NameOf(folder string) string {
	name := strings.Trim(strings.Map(func(r rune) rune {
		switch r = unicode.ToLower(r); {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '_', r == '-':
			return r
		}
		return '-'
	}, folder), "-_")
	if len(name) > MaxName {
		name = strings.TrimRight(name[:MaxName], "-_")
	}
	if name == "" {
		return "mod"
	}
	return name
}

// keys of a mod.toml.
var keys = []string{"name", "requires", "version"}

// Parse reads a mod.toml; file is its path in messages. The error is an *Error.
func Parse(file string, text []byte) (Manifest, error) {
	var m Manifest
	fail := func(line int, format string, args ...any) (Manifest, error) {
		return Manifest{}, plain.Errorf(file, line, format, args...)
	}
	if len(text) > MaxBytes {
		return fail(0, "more than %d bytes; a mod.toml says name, version and requires", MaxBytes)
	}
	if !utf8.Valid(text) {
		return fail(0, "not UTF-8 text; write name, version and requires as TOML")
	}
	if line, why := plain.Check(string(text)); line > 0 {
		return fail(line, "%s; a mod.toml says name, version and requires", why)
	}
	raw := map[string]any{}
	if _, err := toml.Decode(string(text), &raw); err != nil {
		var pe toml.ParseError
		if errors.As(err, &pe) {
			return fail(pe.Position.Line, "%s; fix or remove the line", printable(pe.Message))
		}
		return fail(0, "%s", printable(strings.TrimPrefix(err.Error(), "toml: ")))
	}
	lines := plain.Lines(string(text))
	names := make([]string, 0, len(raw))
	for k := range raw {
		names = append(names, k)
	}
	sort.Slice(names, func(i, j int) bool { // the first wrong line is reported
		if a, b := lines[names[i]], lines[names[j]]; a != b {
			return a < b
		}
		return names[i] < names[j]
	})
	for _, k := range names {
		line := lines[k]
		switch k {
		case "name":
			s, ok := raw[k].(string)
			if !ok {
				return fail(line, "name: expected a text: name = \"hats\"")
			}
			if err := CheckName(s); err != nil {
				return fail(line, "%s", err)
			}
			m.Name = s
		case "version":
			s, ok := raw[k].(string)
			if !ok || !versionForm.MatchString(s) {
				return fail(line, "version: expected one to four numbers with dots between them, in quotes: version = \"1.2.0\"")
			}
			m.Version = s
		case "requires":
			list, ok := raw[k].([]any)
			if !ok {
				return fail(line, "requires: expected a list: requires = [\"caps\", \"tools >= 1.2\"]")
			}
			if len(list) > MaxRequires {
				return fail(line, "requires: %d mods; at most %d", len(list), MaxRequires)
			}
			for _, e := range list {
				r, err := requirement(e)
				if err != nil {
					return fail(line, "requires: %s", err)
				}
				m.Requires = append(m.Requires, r)
			}
		default:
			return fail(line, "unknown key %s%s; the keys are %s", quote(k), engine.Nearest(k, keys), strings.Join(keys, ", "))
		}
	}
	if m.Name == "" {
		return fail(0, "name is missing; write what the mod is called: name = \"hats\"")
	}
	if m.Version == "" {
		return fail(0, "version is missing; write which one it is: version = \"1.0\"")
	}
	for i, r := range m.Requires {
		if r.Name == m.Name {
			return fail(lines["requires"], "requires: the mod names itself; remove %q", r.Name)
		}
		for _, o := range m.Requires[:i] {
			if o.Name == r.Name {
				return fail(lines["requires"], "requires: %q is listed twice; keep one", r.Name)
			}
		}
	}
	return m, nil
}

func requirement(v any) (Requirement, error) {
	s, ok := v.(string)
	if !ok {
		return Requirement{}, errors.New("expected names of mods in quotes: \"caps\", or \"caps >= 1.2\"")
	}
	p := needForm.FindStringSubmatch(s)
	if p == nil || len(p[1]) > MaxName || p[2] != "" && !versionForm.MatchString(p[2]) {
		return Requirement{}, fmt.Errorf("%s is not a requirement; write a name, or a name and the lowest version that will do: \"caps >= 1.2\"", quote(s))
	}
	return Requirement{p[1], p[2]}, nil
}

// AtLeast reports whether a version equals another one or is later. A missing part counts as 0: 1.2 is 1.2.0.
func AtLeast(version, least string) bool {
	a, b := parts(version), parts(least)
	for i := range a {
		if a[i] != b[i] {
			return a[i] > b[i]
		}
	}
	return true
}

// parts returns the numbers of a version; versionForm bounds how many and how large.
func parts(version string) (p [4]int) {
	for i, s := range strings.SplitN(version, ".", len(p)) {
		p[i], _ = strconv.Atoi(s) // a part that is not a number counts as 0
	}
	return p
}

// quote returns a text of the file, on one line and shortened.
func quote(s string) string {
	if len(s) > maxShown {
		s = strings.ToValidUTF8(s[:maxShown], "") + "…"
	}
	return strconv.Quote(s)
}

// printable returns a parser's message on one line and shortened: it may repeat the file's text.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
	if len(s) > 4*maxShown {
		s = strings.ToValidUTF8(s[:4*maxShown], "") + "…"
	}
	return s
}
