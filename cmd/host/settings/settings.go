// Package settings computes the value of every flag: the command line overrides the environment, the
// environment over host.toml, host.toml over the default.
//
// It owns that order, the names (flag --run-for, key run-for, variable TIDELOCK_RUN_FOR), the bounds in a
// flag's range tag, and the messages: one line that says what, where and what to do. The flags themselves are
// declared once, as kong struct tags of the commands; nothing here lists them. Besides flags, the file has
// tables of mods and classes, which cannot be set otherwise: see Guard.
//
// Tags read here, beside kong's own:
//
//	range:"1,240"   bounds of a number or a duration, both included
//	only:"cli"      not in host.toml nor in the environment: help, config and similar ones
//	only:"env"      not in host.toml, which is for the server; also in the environment
//	secret:"true"   its value is never shown
//	settings:"none" of a command: it reads neither host.toml nor the environment
//
// It deliberately does not: read the process's environment or arguments by itself, or act on a value.
//
// Guarantees: Every message says what is wrong, where, and what to do.
package settings

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/alecthomas/kong"

	"github.com/tidelock/tidelock/cmd/host/plain"
	"github.com/tidelock/tidelock/engine"
)

const (
	// DefaultFile is read from the current folder if it exists and no other file is named.
	DefaultFile = "host.toml"
	// Prefix is the prefix of every environment variable.
	Prefix = "TIDELOCK_"
	// maxFile bounds a config file, in bytes; a longer one is not a config file.
	maxFile = 1 << 20
)

// reserved are variables with the prefix that are not flags: they control the tests.
var reserved = map[string]bool{"TIDELOCK_CI": true, "TIDELOCK_LONG": true, "TIDELOCK_UNDRAWN": true, "TIDELOCK_FOREIGN_MAPS": true, "TIDELOCK_MUTANTS": true}

// Error is a setting that cannot be used. Its text is one line.
type Error struct {
	Where string // host.toml:3, TIDELOCK_TICK, --tick
	Text  string

	line int // in the file, for the order of errors
}

func (e *Error) Error() string { return e.Where + ": " + e.Text }

// Settings gives kong the values that the command line does not.
type Settings struct {
	// command is the command whose flags may be in the file.
	command string
	env     func(string) (string, bool)

	loaded  bool
	folder  string            // in which the file was looked for
	file    string            // "" where there is none
	values  map[string]string // by key
	lines   map[string]int
	origins map[string]string // of flags that were not given on the command line
	err     error

	guardian Guard
}

var _ kong.Resolver = (*Settings)(nil)

// New makes settings. command names the command whose flags may be in host.toml; env looks up the environment.
func New(command string, env func(string) (string, bool)) *Settings {
	return &Settings{command: command, env: env, origins: map[string]string{}}
}

// EnvName returns the variable of a flag: run-for → TIDELOCK_RUN_FOR.
func EnvName(flag string) string {
	return Prefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// Err returns the first error without the words that kong adds.
func (s *Settings) Err() error { return s.err }

// File returns the name of the file that was read, "" for none.
func (s *Settings) File() string { return s.file }

// Validate implements kong's interface; everything is checked by Resolve.
func (s *Settings) Validate(*kong.Application) error { return nil }

// Resolve implements kong's interface: it returns the value of a flag that the command line does not have.
func (s *Settings) Resolve(ctx *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if s.err != nil {
		return nil, s.err
	}
	if command := ctx.Selected(); command != nil && command.Tag.Get("settings") == "none" {
		return nil, nil //nolint:nilnil // kong: no value
	}
	if err := s.load(ctx); err != nil {
		s.err = err
		return nil, err
	}
	if flag.Tag.Get("only") == "cli" || flag.Name == "help" {
		return nil, nil //nolint:nilnil // kong: no value
	}
	raw, where := "", ""
	if v, ok := s.env(EnvName(flag.Name)); ok {
		raw, where = v, EnvName(flag.Name)
	} else if v, ok := s.values[flag.Name]; ok && inFile(flag) {
		raw, where = v, s.place(flag.Name)
	} else {
		return nil, nil //nolint:nilnil // kong: no value
	}
	s.origins[flag.Name] = where
	if err := check(flag, raw); err != nil {
		s.err = &Error{Where: where, Text: err.Error()}
		return nil, s.err
	}
	return raw, nil
}

// check tries to parse a flag's value without setting it.
func check(flag *kong.Flag, raw string) error {
	target := reflect.New(flag.Target.Type()).Elem()
	scan := kong.ScanFromTokens(kong.Token{Type: kong.FlagValueToken, Value: raw})
	if err := flag.Mapper.Decode(&kong.DecodeContext{Value: flag.Value, Scan: scan}, target); err != nil {
		return fmt.Errorf("%w%s", trim(err, flag.Name), hint(flag))
	}
	if flag.Tag.Enum != "" && !contains(strings.Split(flag.Tag.Enum, ","), raw) {
		return fmt.Errorf("%q is not one of %s", raw, strings.Join(strings.Split(flag.Tag.Enum, ","), ", "))
	}
	return inRange(flag, target)
}

// trim removes the flag's name from the front of an error: Where has it already.
func trim(err error, name string) error {
	if text, ok := strings.CutPrefix(err.Error(), "--"+name+": "); ok {
		return errors.New(text)
	}
	return err
}

// hint returns an example of a valid value.
func hint(flag *kong.Flag) string {
	if flag.Default == "" {
		return ""
	}
	return fmt.Sprintf("; for example %s", flag.Default)
}

func contains(list []string, s string) bool {
	return slices.ContainsFunc(list, func(x string) bool { return strings.TrimSpace(x) == s })
}

// inRange checks a value against the flag's range tag.
func inRange(flag *kong.Flag, v reflect.Value) error {
	tag := flag.Tag.Get("range")
	if tag == "" {
		return nil
	}
	lo, hi, _ := strings.Cut(tag, ",")
	_, isDuration := v.Interface().(time.Duration)
	bound := func(text string) float64 {
		n, err := strconv.ParseFloat(text, 64)
		if isDuration {
			var d time.Duration
			d, err = time.ParseDuration(text)
			n = float64(d)
		}
		if err != nil {
			panic("settings: bad range tag of --" + flag.Name)
		}
		return n
	}
	if is := v.Convert(reflect.TypeFor[float64]()).Float(); is < bound(lo) || is > bound(hi) {
		return fmt.Errorf("%v is out of bounds; give %s…%s", v.Interface(), lo, hi)
	}
	return nil
}

// place returns the position of a key in the file.
func (s *Settings) place(key string) string {
	if n := s.lines[key]; n > 0 {
		return fmt.Sprintf("%s:%d", s.file, n)
	}
	return s.file
}

// load reads the file once: the one named by --config or TIDELOCK_CONFIG, else host.toml if it exists.
func (s *Settings) load(ctx *kong.Context) error {
	if s.loaded {
		return nil
	}
	s.loaded = true
	name, asked := DefaultFile, ""
	if v, ok := s.env(EnvName("config")); ok && v != "" {
		name, asked = v, EnvName("config")
	}
	for _, p := range ctx.Path {
		if p.Flag != nil && p.Flag.Name == "config" {
			if v, ok := ctx.FlagValue(p.Flag).(string); ok && v != "" {
				name, asked = v, "--config"
			}
		}
	}
	s.folder = filepath.Dir(name)
	st, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) && asked == "" {
		return nil
	}
	if err == nil && st.IsDir() {
		err = errors.New("is a folder")
	}
	if err == nil && st.Size() > maxFile {
		err = fmt.Errorf("%d bytes is not a config file", st.Size())
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(name)
	}
	if err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		if asked == "" {
			return &Error{Where: name, Text: err.Error() + "; fix it or move it away"}
		}
		return &Error{Where: asked, Text: fmt.Sprintf("config file %q: %v; name a file that can be read", name, err)}
	}
	s.file = name
	return s.parse(string(text), s.keys(ctx.Model))
}

// Folder returns the folder in which the file was looked for, whether or not it exists: "." for the current one.
// Other files of the operator have their place there.
func (s *Settings) Folder() string { return cmp.Or(s.folder, ".") }

// keys returns the flags that may be in the file.
func (s *Settings) keys(app *kong.Application) []string {
	var out []string
	for _, flag := range flagsOf(app, s.command) {
		if inFile(flag) {
			out = append(out, flag.Name)
		}
	}
	return out
}

// inFile reports whether a flag's value may be in the file.
func inFile(f *kong.Flag) bool { return f.Tag.Get("only") == "" && f.Name != "help" }

func flagsOf(app *kong.Application, command string) []*kong.Flag {
	out := append([]*kong.Flag(nil), app.Flags...)
	for _, n := range app.Children {
		if n.Name == command {
			out = append(out, n.Flags...)
		}
	}
	return out
}

func (s *Settings) parse(text string, keys []string) error {
	raw := map[string]any{}
	if _, err := toml.Decode(text, &raw); err != nil {
		var pe toml.ParseError
		if errors.As(err, &pe) {
			return &Error{Where: fmt.Sprintf("%s:%d", s.file, pe.Position.Line), Text: pe.Message + "; fix or remove the line"}
		}
		return &Error{Where: s.file, Text: err.Error()}
	}
	s.values, s.lines = map[string]string{}, plain.Lines(text)
	byLine := func(a, b string) int { return cmp.Compare(s.lines[a], s.lines[b]) }
	for _, k := range slices.SortedFunc(maps.Keys(raw), byLine) { // the first wrong line is reported
		if _, ok := tables[k]; ok {
			continue // read by guard
		}
		if !contains(keys, k) {
			if _, is := raw[k].(map[string]any); is {
				return &Error{Where: s.place(k), Text: fmt.Sprintf("unknown key %q%s; tables are [mods.NAME] and [classes.NAME]", k, engine.Nearest(k, []string{"mods", "classes"}))}
			}
			return &Error{Where: s.place(k), Text: fmt.Sprintf("unknown key %q%s; the keys are the flags of \"host help %s\"", k, engine.Nearest(k, keys), s.command)}
		}
		v, err := flagText(raw[k])
		if err != nil {
			return &Error{Where: s.place(k), Text: fmt.Sprintf("%s: %v", k, err)}
		}
		s.values[k] = v
	}
	return s.guard(raw)
}

// flagText returns a TOML value in the form of the command line.
func flagText(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	case []any:
		list := make([]string, len(v))
		for i, e := range v {
			s, err := flagText(e)
			if err != nil {
				return "", err
			}
			list[i] = s
		}
		return kong.JoinEscaped(list, ','), nil
	}
	return "", errors.New("expected a string, a number, true or false, or a list of these")
}

// Check checks the command line's values by the range tags; kong has checked the rest.
func (s *Settings) Check(ctx *kong.Context) error {
	for _, p := range ctx.Path {
		if p.Flag == nil || p.Resolved {
			continue
		}
		if err := inRange(p.Flag, p.Flag.Target); err != nil {
			return &Error{Where: "--" + p.Flag.Name, Text: err.Error()}
		}
	}
	return nil
}

// Strange lists variables of the environment that have our prefix and are not known, with a suggestion. They
// only cause a warning: platforms create such variables (a Kubernetes service called tidelock makes
// TIDELOCK_PORT and others).
func Strange(app *kong.Application, environ []string) []string {
	var known []string
	add := func(flags []*kong.Flag) {
		for _, f := range flags {
			known = append(known, EnvName(f.Name))
		}
	}
	add(app.Flags)
	for _, n := range app.Children {
		add(n.Flags)
		for _, c := range n.Children {
			add(c.Flags)
		}
	}
	var out []string
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(name, Prefix) && !reserved[name] && !contains(known, name) {
			out = append(out, name+" is not a setting"+engine.Nearest(name, known))
		}
	}
	sort.Strings(out)
	return out
}

// Setting is the effective value of a flag.
type Setting struct {
	Name  string
	Value string // in TOML; "(secret)" for a secret that is set
	From  string // default, host.toml:3, TIDELOCK_TICK, --tick
	// Secret is set where the value must not be shown.
	Secret bool
}

// FromDefault is the origin of a setting with its default value.
const FromDefault = "default"

// From returns the origin of a flag that may be in the file, as in [Setting].From.
func (s *Settings) From(ctx *kong.Context, flag string) string {
	for _, p := range ctx.Path {
		if p.Flag != nil && !p.Resolved && p.Flag.Name == flag {
			return "--" + flag
		}
	}
	if w, ok := s.origins[flag]; ok {
		return w
	}
	return FromDefault
}

// List returns the settings of the selected command that may be in the file, in the order of its help.
func (s *Settings) List(ctx *kong.Context) []Setting {
	var out []Setting
	for _, f := range flagsOf(ctx.Model, s.command) {
		if !inFile(f) {
			continue
		}
		set := Setting{Name: f.Name, Value: literal(f.Target.Interface()), From: s.From(ctx, f.Name)}
		if f.Tag.Get("secret") != "" && !f.Target.IsZero() {
			set.Value, set.Secret = "(secret)", true
		}
		out = append(out, set)
	}
	return out
}

// literal writes a value as TOML.
func literal(v any) string {
	switch v := v.(type) {
	case time.Duration:
		return strconv.Quote(v.String())
	case string:
		return strconv.Quote(v)
	case []string:
		q := make([]string, len(v))
		for i, e := range v {
			q[i] = strconv.Quote(e)
		}
		return "[" + strings.Join(q, ", ") + "]"
	}
	if r := reflect.ValueOf(v); r.Kind() == reflect.String {
		return strconv.Quote(r.String())
	}
	return fmt.Sprint(v)
}
