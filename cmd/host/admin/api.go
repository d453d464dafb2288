package admin

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/tidelock/tidelock/cmd/host/access"
	"github.com/tidelock/tidelock/cmd/host/command"
	"github.com/tidelock/tidelock/cmd/host/inspect"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/cmd/host/rates"
	"github.com/tidelock/tidelock/cmd/host/versions"
	"github.com/tidelock/tidelock/engine/level"
	"github.com/tidelock/tidelock/netcode/server"
)

// aliases are names of POST requests that are not those of the commands that they are.
var aliases = map[string]string{"level": "map", "timescale": "slomo"}

// post runs a command: exec with a whole line, claim, save, or a command by its name, with its arguments as an object.
func (h *Handler) post(w http.ResponseWriter, r *http.Request, v Visitor, who command.Caller, name string) {
	if !mayPost(w, r) {
		return
	}
	if name == "claim" {
		h.claim(w, r, v)
		return
	}
	if name == "save" {
		h.save(w, r, who)
		return
	}
	if name == storeRoot+"/import" {
		h.importStore(w, r, who)
		return
	}
	if name == storeRoot+"/restore" {
		h.restoreStore(w, r, who)
		return
	}
	line := ""
	if name == "exec" {
		var body struct {
			Line string `json:"line"`
		}
		if !h.readBody(w, r, &body) {
			return
		}
		line = body.Line
	} else {
		c := h.command(name)
		if c == nil {
			fail(w, http.StatusNotFound, "there is no command at "+r.URL.Path+"; "+apiRoot+"openapi.json lists all")
			return
		}
		args := map[string]any{}
		if !h.readBody(w, r, &args) {
			return
		}
		var err error
		if line, err = lineOf(c, args); err != nil {
			fail(w, http.StatusBadRequest, err.Error())
			return
		}
	}
	ctx, cancel := context.WithTimeout(r.Context(), turnWithin)
	defer cancel()
	lines, err := h.opt.Commands.Do(ctx, who, line)
	answered(w, who, lines, err)
}

// answered replies with the answer of a command, or with its error.
func answered(w http.ResponseWriter, who command.Caller, lines []string, err error) {
	if err == nil {
		reply(w, http.StatusOK, answer{list(lines)})
		return
	}
	status := refusedBy(err)
	if status == http.StatusForbidden && who.Role == access.None {
		w.Header().Set("WWW-Authenticate", `Bearer realm="tidelock"`)
		status = http.StatusUnauthorized
	}
	fail(w, status, err.Error())
}

// save gives a file of the scripts another text. It is no command: a text does not fit into a line.
func (h *Handler) save(w http.ResponseWriter, r *http.Request, who command.Caller) {
	var body struct {
		Path string `json:"path"`
		Sum  string `json:"sum"`
		Text string `json:"text"`
	}
	if !h.readBodyOf(w, r, &body, 2*versions.MaxSource) { // with what JSON escapes
		return
	}
	var lines []string
	var err error
	switch {
	case who.Role < access.Owner:
		err = &command.RoleError{Command: "save", Needs: access.Owner, Has: who.Role}
	case h.opt.Save == nil:
		err = errors.New("this host has no files to save")
	default:
		ctx, cancel := context.WithTimeout(r.Context(), turnWithin)
		defer cancel()
		lines, err = h.opt.Save(ctx, body.Path, body.Sum, body.Text)
	}
	if h.opt.Commands.Log != nil {
		h.opt.Commands.Log(who, "save "+command.Quote(body.Path), err)
	}
	answered(w, who, lines, err)
}

// source answers with the text of a file of the scripts that run, whose path the request names.
func (h *Handler) source(w http.ResponseWriter, r *http.Request) {
	if h.opt.Source == nil {
		fail(w, http.StatusNotFound, "this host has no files")
		return
	}
	s, err := h.opt.Source(r.URL.Query().Get("path"))
	if err != nil {
		fail(w, http.StatusNotFound, err.Error())
		return
	}
	reply(w, http.StatusOK, s)
}

// command returns the command of a path: "reload-level" is "reload level".
func (h *Handler) command(path string) *command.Command {
	name := strings.ReplaceAll(path, "-", " ")
	if a, ok := aliases[path]; ok {
		name = a
	}
	list := h.opt.Commands.List()
	if i := slices.IndexFunc(list, func(c command.Command) bool { return c.Name == name }); i >= 0 {
		return &list[i]
	}
	return nil
}

// field returns the name of a parameter in a body: "player" of PLAYER.
func field(p *command.Param) string {
	name, _, _ := strings.Cut(strings.ToLower(p.Name), "?")
	name, _, _ = strings.Cut(name, "|")
	return name
}

// lineOf writes a command with its arguments as it would be typed.
func lineOf(c *command.Command, args map[string]any) (string, error) {
	line := c.Name
	left := len(args)
	for i := range c.Params {
		p := &c.Params[i]
		v, ok := args[field(p)]
		if !ok {
			if !p.Optional {
				return "", fmt.Errorf("the body has no %q: %s", field(p), c.Usage())
			}
			break // one that follows is left over
		}
		left--
		text := ""
		switch v := v.(type) {
		case string:
			text = v
		case float64:
			text = strconv.FormatFloat(v, 'g', -1, 64)
		case bool:
			text = "off"
			if v {
				text = "on"
			}
		default:
			return "", fmt.Errorf("%q is neither text, a number nor true or false: %s", field(p), c.Usage())
		}
		if p.Kind != command.Text {
			text = command.Quote(text)
		}
		line += " " + text
	}
	if left > 0 {
		return "", fmt.Errorf("the body has fields that the command does not know, or one is missing before them: %s", c.Usage())
	}
	return line, nil
}

// reads returns the handlers of GET requests, by the first part of their path.
func (h *Handler) reads() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"server": h.read(func(*http.Request, *match.Match, *server.Server) (any, error) { return h.host(), nil }),
		"connections": h.read(func(_ *http.Request, _ *match.Match, s *server.Server) (any, error) {
			return list(inspect.Connections(s)), nil
		}),
		"actors": h.read(func(r *http.Request, m *match.Match, s *server.Server) (any, error) {
			_, name, one := strings.Cut(strings.TrimPrefix(r.URL.Path, apiRoot), "/")
			if !one {
				return list(inspect.Actors(m.World, nil)), nil
			}
			a := inspect.Find(m.World, name)
			if a == nil {
				return nil, missing{"there is no actor " + strconv.Quote(name)}
			}
			return inspect.Detail(s, a), nil
		}),
		"traffic": h.read(func(r *http.Request, _ *match.Match, s *server.Server) (any, error) {
			n, err := optionalNumber(r, "connection")
			if err != nil {
				return nil, err
			}
			return list(inspect.TrafficOf(s, n)), nil
		}),
		"rates": h.rates,
		"classes": h.read(func(_ *http.Request, m *match.Match, _ *server.Server) (any, error) {
			return inspect.ClassesOf(m.World), nil
		}),
		"why": h.read(why),
		"copies": h.read(func(r *http.Request, _ *match.Match, s *server.Server) (any, error) {
			c, err := connectionIn(r, s)
			if err != nil {
				return nil, err
			}
			return inspect.Copies(s, c), nil
		}),
		"boxes":  h.read(func(_ *http.Request, m *match.Match, _ *server.Server) (any, error) { return inspect.BoxesOf(m), nil }),
		"traces": h.read(func(_ *http.Request, m *match.Match, _ *server.Server) (any, error) { return inspect.Sights(m), nil }),
		"claims": h.read(func(_ *http.Request, m *match.Match, _ *server.Server) (any, error) { return inspect.Claims(m), nil }),
		"navigation": h.read(func(_ *http.Request, m *match.Match, _ *server.Server) (any, error) {
			return inspect.NavigationOf(m), nil
		}),
		"scripts": h.read(func(_ *http.Request, m *match.Match, _ *server.Server) (any, error) { return scripts(m), nil }),
		"level":   h.level(func(name string, lv *level.Level) any { return inspect.LevelOf(name, lv) }),
		"mesh":    h.level(func(name string, lv *level.Level) any { return inspect.MeshOf(name, lv) }),
		"reloads": func(w http.ResponseWriter, _ *http.Request) {
			var r versions.Report
			if h.opt.Reloads != nil {
				r = h.opt.Reloads()
			}
			r.Versions, r.Attempts, r.Differences = list(r.Versions), list(r.Attempts), list(r.Differences)
			reply(w, http.StatusOK, r)
		},
		"profile": h.read(func(_ *http.Request, m *match.Match, _ *server.Server) (any, error) {
			figures := inspect.Profile(m)
			return later(func() any { return figures.Report() }), nil
		}),
		"errors": h.read(func(_ *http.Request, m *match.Match, s *server.Server) (any, error) {
			return inspect.ErrorsOf(m, s), nil
		}),
		"hosts": func(w http.ResponseWriter, _ *http.Request) {
			if h.opt.Hosts == nil {
				reply(w, http.StatusOK, json.RawMessage(`{"self":"","hosts":[]}`))
				return
			}
			reply(w, http.StatusOK, h.opt.Hosts())
		},
		"source":   h.source,
		"commands": func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, h.described()) },
		"complete": func(w http.ResponseWriter, r *http.Request) {
			reply(w, http.StatusOK, list(h.opt.Commands.Complete(command.Caller{Role: access.Owner}, r.URL.Query().Get("line"))))
		},
		"openapi.json": func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, h.openAPI()) },
		"stream":       h.feed.serve,
	}
}

// list is a slice that is [] rather than null where it is empty.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// missing is an error of a name that there is nothing of.
type missing struct{ text string }

func (e missing) Error() string { return e.text }

// later is an answer that is computed after the turn with the world, from a copy of what that needs.
type later func() any

// read makes a handler of a function that has a turn with the world. What it returns is encoded after the turn, and computed if it is [later], so it
// must not share memory with the world.
func (h *Handler) read(f func(*http.Request, *match.Match, *server.Server) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), turnWithin)
		defer cancel()
		got := make(chan any, 1)
		err := h.opt.Turns.Do(ctx, func() error {
			m, s := h.opt.Host.Current()
			v, err := f(r, m, s)
			got <- v
			return err
		})
		switch err.(type) {
		case nil:
			x := <-got
			if f, ok := x.(later); ok {
				x = f()
			}
			reply(w, http.StatusOK, x)
		case missing:
			fail(w, http.StatusNotFound, err.Error())
		case *command.UsageError:
			fail(w, http.StatusBadRequest, err.Error())
		default:
			fail(w, http.StatusServiceUnavailable, err.Error())
		}
	}
}

// mostSeries bounds the series of a chart.
const mostSeries = 64

// rates answers with what was sent over time.
func (h *Handler) rates(w http.ResponseWriter, r *http.Request) {
	by, err := rates.ParseBy(r.URL.Query().Get("by"))
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	conn, err := optionalNumber(r, "connection")
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	most, err := optionalNumber(r, "most")
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	reply(w, http.StatusOK, h.feed.rates.Read(by, conn, int(min(cmp.Or(most, 8), mostSeries))))
}

// level makes a handler of a function that describes the level, outside of the turn: a level never changes.
func (h *Handler) level(of func(name string, lv *level.Level) any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { h.describeLevel(w, r, of) }
}

func (h *Handler) describeLevel(w http.ResponseWriter, r *http.Request, of func(name string, lv *level.Level) any) {
	ctx, cancel := context.WithTimeout(r.Context(), turnWithin)
	defer cancel()
	name := ""
	got := make(chan *level.Level, 1)
	err := h.opt.Turns.Do(ctx, func() error {
		m, _ := h.opt.Host.Current()
		name = m.World.LevelName()
		got <- m.Level
		return nil
	})
	if err != nil {
		fail(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	reply(w, http.StatusOK, of(name, <-got))
}

// host describes the host, in a turn.
func (h *Handler) host() inspect.Host {
	m, s := h.opt.Host.Current()
	x := inspect.HostOf(m, s)
	x.Version, x.Rate = h.opt.Version, h.opt.Rate
	x.Pace, _ = h.opt.Host.Pace()
	x.Quarantined = list(x.Quarantined)
	return x
}

func optionalNumber(r *http.Request, name string) (uint32, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return 0, &command.UsageError{Text: fmt.Sprintf("%s is %q, not a number", name, text)}
	}
	return uint32(n), nil
}

// connectionIn returns the connection that a request names.
func connectionIn(r *http.Request, s *server.Server) (*server.Conn, error) {
	n, err := optionalNumber(r, "connection")
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, &command.UsageError{Text: "expected connection=NUMBER, one of " + apiRoot + "connections"}
	}
	c := inspect.ConnectionOf(s, n)
	if c == nil {
		return nil, missing{fmt.Sprintf("there is no connection %d", n)}
	}
	return c, nil
}

// why answers why?actor=&connection=[&property=].
func why(r *http.Request, m *match.Match, s *server.Server) (any, error) {
	q := r.URL.Query()
	a := inspect.Find(m.World, q.Get("actor"))
	if a == nil {
		return nil, missing{"there is no actor " + strconv.Quote(q.Get("actor"))}
	}
	conn, err := connectionIn(r, s)
	if err != nil {
		return nil, err
	}
	code, text, err := s.Why(conn, a, q.Get("property"))
	if err != nil {
		return nil, missing{err.Error()}
	}
	return inspect.Has{Connection: conn.ID, Code: code, Text: text}, nil
}

// script is a file of the running scripts.
type script struct {
	Path    string   `json:"path"`
	Mod     string   `json:"mod,omitempty"`
	Bytes   int      `json:"bytes"`
	Classes []string `json:"classes"`
}

func scripts(m *match.Match) []script {
	by := map[string][]string{}
	for _, c := range m.World.Classes.All() {
		by[c.Spec.Pos.File] = append(by[c.Spec.Pos.File], c.Name)
	}
	out := []script{}
	for _, s := range m.VM.Sources() {
		out = append(out, script{Path: s.Path, Mod: s.Trust.Mod, Bytes: len(s.Text), Classes: list(by[s.Path])})
	}
	return out
}

// described is a command of the registry for programs.
type described struct {
	Name   string  `json:"name"`
	Usage  string  `json:"usage"`
	Help   string  `json:"help"`
	Needs  string  `json:"needs"`
	Params []param `json:"params"`
}

type param struct {
	Name     string  `json:"name"`
	Kind     string  `json:"kind"`
	Optional bool    `json:"optional"`
	Min      float64 `json:"min,omitempty"`
	Max      float64 `json:"max,omitempty"`
}

func (h *Handler) described() []described {
	out := []described{}
	for _, c := range h.opt.Commands.List() {
		d := described{Name: c.Name, Usage: c.Usage(), Help: c.Help, Needs: role(c.Needs), Params: []param{}}
		for i := range c.Params {
			p := &c.Params[i]
			d.Params = append(d.Params, param{Name: field(p), Kind: p.Kind.String(), Optional: p.Optional, Min: p.Min, Max: p.Max})
		}
		out = append(out, d)
	}
	return out
}

// openAPI describes the API (OpenAPI 3.1): the reads of api.json, and a POST for each command.
func (h *Handler) openAPI() any {
	var doc map[string]any
	if err := json.Unmarshal(openAPIBase, &doc); err != nil {
		panic("admin: openapi.json: " + err.Error()) // compiled in, and read by tests
	}
	paths := doc["paths"].(map[string]any) //nolint:forcetypeassert // compiled in, and read by tests
	for _, c := range h.opt.Commands.List() {
		props, required := map[string]any{}, []string{}
		for i := range c.Params {
			p := &c.Params[i]
			s := map[string]any{"type": map[command.Kind]string{command.Number: "number", command.Int: "integer", command.Switch: "boolean"}[p.Kind]}
			if s["type"] == "" {
				s["type"] = "string"
			}
			if p.Min != 0 || p.Max != 0 {
				s["minimum"], s["maximum"] = p.Min, p.Max
			}
			props[field(p)] = s
			if !p.Optional {
				required = append(required, field(p))
			}
		}
		body := map[string]any{"type": "object", "additionalProperties": false, "properties": props}
		if len(required) > 0 {
			body["required"] = required
		}
		op := map[string]any{
			"summary": c.Help, "description": "The command `" + c.Usage() + "`; role needed: " + role(c.Needs) + ".",
			"requestBody": map[string]any{"required": true, "content": map[string]any{"application/json": map[string]any{"schema": body}}},
			"responses":   map[string]any{"200": ref("responses/answer"), "default": ref("responses/fault")},
			"security":    []any{map[string]any{"token": []any{}}},
		}
		names := []string{strings.ReplaceAll(c.Name, " ", "-")}
		for alias, name := range aliases { // any order: a map again
			if name == c.Name {
				names = append(names, alias)
			}
		}
		for _, n := range names {
			path, _ := paths[apiRoot+n].(map[string]any)
			if path == nil {
				path = map[string]any{}
				paths[apiRoot+n] = path
			}
			path["post"] = op
		}
	}
	return doc
}

// role returns the name of a role; "none" for none.
func role(r access.Role) string { return cmp.Or(r.String(), "none") }

func ref(to string) any { return map[string]any{"$ref": "#/components/" + to} }
