package scenario

import (
	"maps"
	"math"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
)

// options reads a table of options, each by name and type; end rejects unknown ones.
type options struct {
	L     *lua.LState
	what  string
	table *lua.LTable
	known map[string]bool
}

func readOptions(L *lua.LState, what string, x lua.LValue) *options {
	o := &options{L: L, what: what, known: map[string]bool{}}
	switch x := x.(type) {
	case *lua.LTable:
		o.table = x
	case *lua.LNilType:
		o.table = L.CreateTable(0, 0)
	default:
		L.RaiseError("%s: expected a table of options, got a %s", what, x.Type())
	}
	return o
}

func (o *options) get(name string) lua.LValue {
	o.known[name] = true
	return o.table.RawGetString(name)
}

func (o *options) bad(name, expected string, got lua.LValue) {
	o.L.RaiseError("%s: %s: expected %s, got %s", o.what, name, expected, got.String())
}

func (o *options) number(name string, def, least, most float64) float64 {
	x := o.get(name)
	if x == lua.LNil {
		return def
	}
	n, ok := x.(lua.LNumber)
	if !ok || !(float64(n) >= least && float64(n) <= most) {
		o.bad(name, "a number from "+trim(least)+" to "+trim(most), x)
	}
	return float64(n)
}

func (o *options) whole(name string, def, least, most float64) float64 {
	n := o.number(name, def, least, most)
	if n != math.Trunc(n) {
		o.bad(name, "a whole number", lua.LNumber(n))
	}
	return n
}

func trim(f float64) string { return lua.LNumber(f).String() }

func (o *options) text(name, def string) string {
	x := o.get(name)
	if x == lua.LNil {
		return def
	}
	s, ok := x.(lua.LString)
	if !ok {
		o.bad(name, "a string", x)
	}
	return string(s)
}

func (o *options) flag(name string, def bool) bool {
	x := o.get(name)
	if x == lua.LNil {
		return def
	}
	b, ok := x.(lua.LBool)
	if !ok {
		o.bad(name, "true or false", x)
	}
	return bool(b)
}

func (o *options) oneOf(name, def string, choices ...string) string {
	s := o.text(name, def)
	for _, c := range choices {
		if s == c || s == def {
			return s
		}
	}
	o.L.RaiseError("%s: %s: expected one of %s, got %q%s", o.what, name, strings.Join(choices, ", "), s, engine.Nearest(s, choices))
	return ""
}

// end rejects keys that were not read.
func (o *options) end() {
	for k, _ := o.table.Next(lua.LNil); k != lua.LNil; k, _ = o.table.Next(k) {
		name, ok := k.(lua.LString)
		if ok && o.known[string(name)] {
			continue
		}
		names := slices.Sorted(maps.Keys(o.known))
		o.L.RaiseError("%s: unknown option %s%s; it takes %s", o.what, k.String(), engine.Nearest(k.String(), names), strings.Join(names, ", "))
	}
}

// modOption reads the options of a chunk of classes: the mod that they belong to, "" for the game.
func modOption(L *lua.LState, what string) string {
	if _, ok := L.Get(3).(*lua.LTable); !ok {
		return "" // t:scripts(CHUNK:gsub("a", "b")) passes the count as well
	}
	o := readOptions(L, what, L.Get(3))
	mod := o.text("mod", "")
	o.end()
	return mod
}

func serverOptions(L *lua.LState, x lua.LValue) ServerOptions {
	return readServerOptions(L, readOptions(L, "t:server", x))
}

// hostOptions reads those of t:host: a name, labels, and what t:server takes.
func hostOptions(L *lua.LState, x lua.LValue) (name string, labels map[string]string, so ServerOptions) {
	o := readOptions(L, "t:host", x)
	if name = o.text("name", ""); name == "" {
		L.RaiseError("t:host: name: expected the host's name")
	}
	labels = map[string]string{}
	switch list := o.get("labels").(type) {
	case *lua.LNilType:
	case *lua.LTable:
		list.ForEach(func(k, v lua.LValue) { // any order: into a map
			key, ok := k.(lua.LString)
			value, text := v.(lua.LString)
			if !ok || !text && v != lua.LTrue {
				o.bad("labels", `{ key = "value", other = true }`, k)
			}
			labels[string(key)] = string(value)
		})
	default:
		o.bad("labels", `{ key = "value", other = true }`, list)
	}
	return name, labels, readServerOptions(L, o)
}

func readServerOptions(L *lua.LState, o *options) ServerOptions {
	so := ServerOptions{
		Level: o.text("level", "flat"), Game: o.text("game", ""), Options: o.text("options", ""),
		Tick: int(o.whole("tick", 60, 1, 1000)), Net: int(o.whole("net", 0, 1, 1000)),
	}
	if so.Net == 0 {
		so.Net = 30
		if so.Tick%so.Net != 0 { // a slower tick than the default net rate
			so.Net = so.Tick
		}
	}
	if so.Tick%so.Net != 0 {
		L.RaiseError("%s: net = %d does not divide tick = %d", o.what, so.Net, so.Tick)
	}
	if so.Options != "" && !strings.HasPrefix(so.Options, "?") {
		o.bad("options", `"?name=value…"`, lua.LString(so.Options))
	}
	switch o.oneOf("mode", "dedicated", "dedicated", "listen", "standalone") {
	case "listen":
		so.Mode = engine.NMListenServer
	case "standalone":
		so.Mode = engine.NMStandalone
	default:
		so.Mode = engine.NMDedicatedServer
	}
	if c := o.get("config"); c != lua.LNil {
		t, ok := c.(*lua.LTable)
		if !ok {
			o.bad("config", "a table", c)
		}
		so.Config = map[string]any{}
		for k, x := t.Next(lua.LNil); k != lua.LNil; k, x = t.Next(k) {
			so.Config[k.String()] = plainGo(x)
		}
	}
	o.end()
	return so
}

// plainGo converts a configuration value to Go.
func plainGo(x lua.LValue) any {
	switch x := x.(type) {
	case lua.LBool:
		return bool(x)
	case lua.LNumber:
		return float64(x)
	case lua.LString:
		return string(x)
	case *lua.LTable:
		if x.Len() > 0 {
			var list []any
			for i := 1; i <= x.Len(); i++ {
				list = append(list, plainGo(x.RawGetInt(i)))
			}
			return list
		}
		m := map[string]any{}
		for k, e := x.Next(lua.LNil); k != lua.LNil; k, e = x.Next(k) {
			m[k.String()] = plainGo(e)
		}
		return m
	}
	return nil
}

func clientOptions(L *lua.LState, x lua.LValue) ClientOptions {
	o := readOptions(L, "t:client", x)
	co := ClientOptions{
		Name: o.text("name", ""), Host: o.text("host", ""), Options: o.text("options", ""), Tick: int(o.whole("tick", 60, 1, 1000)),
		Timescale: o.number("timescale", 1, 0.01, 100), Join: o.flag("join", true), Unpaced: o.flag("unpaced", false), Cold: o.flag("cold", false),
		Link: linkOptions(o, LinkOptions{}),
	}
	o.end()
	if co.Name != "" && !named(co.Options) {
		if strings.Contains(co.Name, "?") {
			L.RaiseError("t:client: name: %q goes into a URL, and a ? ends it there; leave it out", co.Name)
		}
		co.Options += "?name=" + co.Name
	}
	return co
}

// named reports whether login options contain the player's name.
func named(options string) bool {
	for _, pair := range strings.Split(options, "?") {
		if key, _, _ := strings.Cut(pair, "="); strings.EqualFold(key, "name") {
			return true
		}
	}
	return false
}

// linkOptions reads impairments over the present ones.
func linkOptions(o *options, now LinkOptions) LinkOptions {
	if p := o.text("preset", ""); p != "" {
		link, ok := presets()[p]
		if !ok {
			o.L.RaiseError("%s: preset: expected one of lan, broadband, internet, modem, got %q", o.what, p)
		}
		now = link
	}
	const most = 1e9
	if o.get("loss") != lua.LNil { // both directions; an option for one of them takes precedence
		both := o.number("loss", 0, 0, 1)
		now.LossDown, now.LossUp = both, both
	}
	return LinkOptions{
		Lag: o.number("lag", now.Lag, 0, 60), Jitter: o.number("jitter", now.Jitter, 0, 60),
		LossDown: o.number("loss_down", now.LossDown, 0, 1), LossUp: o.number("loss_up", now.LossUp, 0, 1), Burst: o.number("burst", now.Burst, 0, 1000), Dup: o.number("dup", now.Dup, 0, 1), Reorder: o.number("reorder", now.Reorder, 0, 1),
		Down: o.number("down", now.Down, 0, most), Up: o.number("up", now.Up, 0, most),
	}
}

// inputKeys are those of R9.0 in lower case without prefix, with the actions that axes and buttons set.
var inputKeys = []struct{ name, action string }{
	{"forward", "MoveForward"},
	{"strafe", "MoveRight"},
	{"up", "MoveUp"},
	{"jump", "Jump"},
	{"fire", "Fire"},
	{"altfire", "AltFire"},
	{"crouch", "Crouch"},
	{"run", "Run"},
	{"aim", "Aim"},
	{"reload", "Reload"},
	{"use", "Use"},
	{"weapon", ""},
	{"yaw", ""},
	{"pitch", ""},
}

// inputKey converts the value of a key to a change of the input.
func inputKey(o *options, name, action string) func(*engine.Input) {
	value := 0.0
	switch {
	case name == "weapon":
		n := int(o.whole(name, 0, 0, 99))
		return func(in *engine.Input) { in.Weapon = n }
	case action == "":
		angle := uint16(int64(math.Floor(o.number(name, 0, -1e9, 1e9))))
		return func(in *engine.Input) {
			if name == "yaw" {
				in.View.Yaw = angle
			} else {
				in.View.Pitch = angle
			}
		}
	case strings.HasPrefix(action, "Move"):
		value = o.number(name, 0, -1, 1)
	case o.flag(name, false):
		value = 1
	}
	return func(in *engine.Input) { in.SetField(action, value) }
}

// inputChange converts the table of peer:input{…} to a change of the input: keys, and actions that content or a
// class declares. Another name is an error. w is a world of the scenario's classes, nil for none.
func inputChange(L *lua.LState, x lua.LValue, w *engine.World) func(*engine.Input) {
	o := readOptions(L, "input", x)
	var changes []func(*engine.Input)
	var names []string
	for _, k := range inputKeys {
		names = append(names, k.name)
		if o.get(k.name) != lua.LNil {
			changes = append(changes, inputKey(o, k.name, k.action))
		}
	}
	var actions []engine.ActionValue
	for k, v := o.table.Next(lua.LNil); k != lua.LNil; k, v = o.table.Next(k) {
		name, ok := k.(lua.LString)
		switch {
		case ok && o.known[string(name)]:
		case ok && w != nil && w.KnowsAction(string(name)):
			actions = append(actions, engine.ActionValue{Name: string(name), Value: actionValue(o, string(name), v)})
		default:
			known := names
			if w != nil {
				known = slices.Concat(names, w.ActionNames())
			}
			L.RaiseError("input: unknown key %s%s; keys are %s, and the names of declared actions", k.String(), engine.Nearest(k.String(), known), strings.Join(names, " "))
		}
	}
	slices.SortFunc(actions, func(a, b engine.ActionValue) int { return strings.Compare(a.Name, b.Name) })
	changes = append(changes, func(in *engine.Input) {
		for _, a := range actions {
			in.SetAction(a.Name, a.Value)
		}
	})
	return func(in *engine.Input) {
		for _, f := range changes {
			f(in)
		}
	}
}

// actionValue returns the value of an action: true and false, or a number from -1 to 1.
func actionValue(o *options, name string, v lua.LValue) float64 {
	if down, ok := v.(lua.LBool); ok {
		if down {
			return 1
		}
		return 0
	}
	n, ok := v.(lua.LNumber)
	if !ok || !(n >= -1 && n <= 1) {
		o.bad(name, "true, false or a number from -1 to 1", v)
	}
	return float64(n)
}
