package reference_test

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/tidelock/tidelock/cmd/host/reference"
	"github.com/tidelock/tidelock/scriptvm/api"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// The pages are written by tests, not by the host: text/template would otherwise be compiled into it, at the cost of
// everybody's first run (TestBinaryLeavesOut).

//go:embed lua-api.md.tmpl
var apiTemplate string

//go:embed checks.md.tmpl
var checksTemplate string

// space is a namespace as a section of the page.
type space struct{ Name, Title, Text string }

func spaces() []space {
	return []space{
		{string(api.Actor), "On actors", "`self:Name(…)`, or on any actor."},
		{string(api.Component), "On components", "`self:Name(…)` in a child of ActorComponent."},
		{string(api.Controller), "On controllers", "And on PlayerController and AIController."},
		{string(api.PlayerController), "On player controllers", ""},
		{string(api.World), "On the world", "`world:Name(…)`."},
		{string(api.Store), "On the store", "`store:Name(…)`, on the server: what outlives a match (docs/data.md)."},
		{string(api.Profile), "On profiles", "`Profile.Name(…)`, on the server: what players keep (docs/data.md)."},
		{string(api.Cluster), "On the cluster", "`cluster:Name(…)`, on the server: messages between hosts (docs/data.md)."},
		{string(api.Vector), "On vectors", ""},
		{string(api.Rotator), "On rotators", ""},
		{string(api.FastArray), "On fast arrays", "`self.F:Name(…)` for a variable F of type `fastarray`."},
		{string(api.Canvas), "On a canvas", "`canvas:Name(…)` in `HUD:DrawHUD(canvas)`."},
		{string(api.Latent), "In latent code", "Only in `Code()` of a state; not inside pcall, an iterator or a comparator."},
		{string(api.Global), "Without a self", ""},
	}
}

var templateFuncs = template.FuncMap{
	"cell":   strings.NewReplacer("\n", " ", "|", `\|`, "<", "&lt;").Replace,
	"code":   code,
	"first":  firstSentence,
	"has":    slices.Contains[[]string],
	"args":   args,
	"groups": groups,
	"spaces": spaces,
	"core":   func(file string) bool { return strings.HasPrefix(file, "scripts/core/") },
	"call_": func(space string, f reference.Function) string {
		switch api.Namespace(space) {
		case api.World:
			return "world:" + f.Name + args(f.Params)
		case api.Store:
			return "store:" + f.Name + args(f.Params)
		case api.Cluster:
			return "cluster:" + f.Name + args(f.Params)
		case api.Profile:
			return "Profile." + f.Name + args(f.Params)
		case api.Vector:
			return "v:" + f.Name + args(f.Params)
		case api.Rotator:
			return "r:" + f.Name + args(f.Params)
		case api.FastArray:
			return "self.F:" + f.Name + args(f.Params)
		case api.Canvas:
			return "canvas:" + f.Name + args(f.Params)
		case api.Actor, api.Component, api.Controller, api.PlayerController, api.Latent, api.Global, api.Define:
		}
		return f.Name + args(f.Params)
	},
	"results": func(list []reference.Param) string {
		out := make([]string, len(list))
		for i, p := range list {
			out[i] = p.Type
		}
		return strings.Join(out, ", ")
	},
	"variable": func(v reference.Variable) string {
		switch api.Namespace(v.Space) {
		case api.Global:
			return v.Name
		case api.Vector, api.Rotator:
			return v.Space[:1] + "." + v.Name
		case api.Actor, api.Component, api.Controller, api.PlayerController, api.World, api.Store, api.Profile, api.Cluster, api.FastArray, api.Canvas, api.Latent, api.Define:
		}
		return v.Space + "." + v.Name
	},
	"pure": func(m *reference.Model) []string {
		var out []string
		for _, f := range m.Functions {
			if f.Pure && !slices.Contains(out, f.Name) {
				out = append(out, f.Name)
			}
		}
		return out
	},
	"method": func(f reference.Method) string {
		pre := ""
		if f.Simulated {
			pre += "simulated "
		}
		if f.Kind != "" {
			pre += f.Kind + " "
			if f.Reliable {
				pre += "reliable "
			}
		}
		return pre + f.Name + args(f.Params)
	},
}

// groups are the constants by the part of their name before the underscore, in order.
func groups(list []reference.Constant) [][]reference.Constant {
	var out [][]reference.Constant
	last := ""
	for _, c := range list {
		group, _, _ := strings.Cut(c.Name, "_")
		if group != last {
			out = append(out, nil)
			last = group
		}
		out[len(out)-1] = append(out[len(out)-1], c)
	}
	return out
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

// args is a list of arguments as documents show it: (a: number, b: vector [, c: string]). Only trailing ones can be left out;
// an optional one before others may be nil, which a question mark behind its type says.
func args(list []reference.Param) string {
	optional := len(list)
	for optional > 0 && list[optional-1].Optional {
		optional--
	}
	var b strings.Builder
	for i, p := range list {
		switch {
		case i >= optional && i > 0:
			b.WriteString(" [, ")
		case i >= optional:
			b.WriteString("[")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(p.Name)
		if p.Type != "any" {
			b.WriteString(": " + p.Type)
			if p.Optional && i < optional && !strings.HasSuffix(p.Type, "?") {
				b.WriteByte('?')
			}
		}
	}
	return "(" + b.String() + strings.Repeat("]", len(list)-optional) + ")"
}

// firstSentence is what a table of classes shows of a file's comment, without the class's own name in front.
func firstSentence(doc string) string {
	doc = strings.ReplaceAll(doc, "\n", " ")
	if i := strings.Index(doc, ". "); i >= 0 {
		doc = doc[:i+1]
	}
	if name, rest, ok := strings.Cut(doc, ": "); ok && !strings.Contains(name, ".") && len(name) < 60 {
		doc = strings.ToUpper(rest[:1]) + rest[1:]
	}
	return doc
}

func render(name, text string, data any) ([]byte, error) {
	t, err := template.New(name).Funcs(templateFuncs).Parse(text)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	// One empty line is enough everywhere.
	out := b.String()
	for strings.Contains(out, "\n\n\n") {
		out = strings.ReplaceAll(out, "\n\n\n", "\n\n")
	}
	return []byte(strings.TrimRight(out, "\n") + "\n"), nil
}

// apiPage is docs/lua-api.md.
func apiPage(m *reference.Model) ([]byte, error) { return render("lua-api.md", apiTemplate, m) }

// checksPage is docs/checks.md, made from the rules of the loader.
func checksPage(rules []classfile.Rule) ([]byte, error) {
	return render("checks.md", checksTemplate, rules)
}
