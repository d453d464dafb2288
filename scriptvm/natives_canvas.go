package scriptvm

import (
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/canvas"
	"github.com/tidelock/tidelock/scriptvm/api"
)

// canvasValue is what DrawHUD gets: the canvas of the VM's player.
type canvasValue struct {
	canvas.Canvas
	vm      *VM
	drawing bool // DrawHUD runs
	told    bool // that a frame had too much, once a world
}

func (*canvasValue) String() string       { return "canvas" }
func (*canvasValue) Type() lua.LValueType { return lua.LTUserData }

// DrawHUD has the HUD of a player at this machine draw a frame, after the world's tick (W4.1): it calls DrawHUD of the HUD that
// PlayerController.myHUD holds, under the budget of any call. An error is reported as any other, and the frame has what was
// drawn before it. pc may be nil; without a HUD the frame is empty. changed tells whether it differs from the last one. The
// canvas is valid until the next call.
func (v *VM) DrawHUD(pc *engine.Actor) (c *canvas.Canvas, changed bool) {
	if v.canvas == nil {
		v.canvas = &canvasValue{vm: v}
	}
	v.canvas.Begin()
	if hud := hudOf(pc); hud != nil {
		v.drawHUD(hud)
	}
	return &v.canvas.Canvas, v.canvas.End()
}

// hudOf is the HUD of a controller, nil for none.
func hudOf(pc *engine.Actor) *engine.Actor {
	if pc == nil || pc.Deleted() {
		return nil
	}
	p := pc.Class.Property("myHUD")
	if p == nil || p.Type.Kind != engine.KindRef {
		return nil
	}
	return living(pc.World().Actor(pc.Get(p).Ref))
}

func (v *VM) drawHUD(hud *engine.Actor) {
	f := hud.Dispatch.Event[engine.EvDrawHUD]
	if f == nil || f.Kind != engine.CallLocal || !v.world.Runs(hud, f) {
		return
	}
	b := v.runnable(f)
	if b == nil {
		return
	}
	mark := v.world.Mark()
	v.world.Enter()
	defer v.world.Leave()
	v.faults.stats.Calls++
	outer := v.enter(f, hud)
	v.canvas.drawing = true
	_, err := v.vm.Call(f.Class.Name, b.fn, hud.Script.(*object).table, v.canvas)
	v.canvas.drawing = false
	v.leave(outer)
	_ = v.settle(mark, err, f, hud)
}

func (v *VM) canvasIndex(L *lua.LState, key lua.LValue) int {
	switch key {
	case lua.LString("SizeX"):
		return number(L, canvas.SizeX)
	case lua.LString("SizeY"):
		return number(L, canvas.SizeY)
	}
	return v.method(L, v.canvasMethods, string(api.Canvas), key)
}

// add adds a call to the canvas that a native was called on. Of a frame with too much the log tells once.
func (v *VM) add(L *lua.LState, call canvas.Call) int {
	c, ok := L.Get(1).(*canvasValue)
	switch {
	case !ok:
		raiseSelf(L, "a canvas", "canvas")
	case !c.drawing:
		L.RaiseError("%s: a canvas is drawn on in DrawHUD only, while that runs", running(L).Name)
	}
	v.vm.Charge(L, int64(len(call.Text))/8)
	if err := c.Add(call); err != nil && !c.told {
		c.told = true
		v.world.Script.Report(engine.SevWarning, nil, "DrawHUD: "+err.Error())
	}
	return 0
}

// drawColor is a color of an argument.
func drawColor(L *lua.LState, i int, def canvas.Color) canvas.Color {
	s := optString(L, i, "")
	if s == "" && L.Get(i) == lua.LNil {
		return def
	}
	c, ok := canvas.ParseColor(s)
	if !ok {
		argError(L, i, `a color, "#rrggbb" or "#rrggbbaa"`)
	}
	return c
}

func drawAnchor(L *lua.LState, i int) canvas.Anchor {
	return canvas.Anchor(oneOf(L, i, canvas.Anchors[:], 0))
}

// oneOf is the index of a word in a list; def for nil.
func oneOf(L *lua.LState, i int, list []string, def int) int {
	if L.Get(i) == lua.LNil {
		return def
	}
	n := slices.Index(list, checkString(L, i))
	if n < 0 {
		argError(L, i, "one of "+strings.Join(list, ", "))
	}
	return n
}

// drawnText is a text to draw; a number is one, too.
func drawnText(L *lua.LState, i int) string {
	switch x := L.Get(i).(type) {
	case lua.LString:
		return string(x)
	case lua.LNumber:
		return formatNumber(float64(x))
	}
	argError(L, i, "a string or a number")
	return ""
}

func (v *VM) canvasNatives() natives {
	n := checkNumber
	return natives{
		"Text": func(L *lua.LState) int {
			anchor := drawAnchor(L, 8)
			return v.add(L, canvas.Call{
				Kind: canvas.Text, X: n(L, 2), Y: n(L, 3), Text: drawnText(L, 4), Size: optNumber(L, 5, 28), Color: drawColor(L, 6, canvas.White),
				Align: canvas.Align(oneOf(L, 7, canvas.Aligns[:], int(anchor.Side()))), Anchor: anchor,
			})
		},
		"Bar": func(L *lua.LState) int {
			return v.add(L, canvas.Call{
				Kind: canvas.Bar, X: n(L, 2), Y: n(L, 3), W: n(L, 4), H: n(L, 5), Size: n(L, 6), Color: drawColor(L, 7, canvas.White), Back: drawColor(L, 8, 0x00000080),
				Anchor: drawAnchor(L, 9),
			})
		},
		"Rect": func(L *lua.LState) int {
			return v.add(L, canvas.Call{Kind: canvas.Rect, X: n(L, 2), Y: n(L, 3), W: n(L, 4), H: n(L, 5), Color: drawColor(L, 6, canvas.White), Anchor: drawAnchor(L, 7)})
		},
		"Line": func(L *lua.LState) int {
			return v.add(L, canvas.Call{
				Kind: canvas.Line, X: n(L, 2), Y: n(L, 3), W: n(L, 4), H: n(L, 5), Size: optNumber(L, 6, 2), Color: drawColor(L, 7, canvas.White), Anchor: drawAnchor(L, 8),
			})
		},
		"Image": func(L *lua.LState) int {
			name := checkString(L, 6)
			if !strings.HasPrefix(name, "images/") || len(name) > canvas.MaxName {
				argError(L, 6, `an image of content, as "images/name.png"`)
			}
			return v.add(L, canvas.Call{Kind: canvas.Image, X: n(L, 2), Y: n(L, 3), W: n(L, 4), H: n(L, 5), Text: name, Color: drawColor(L, 7, canvas.White), Anchor: drawAnchor(L, 8)})
		},
		"Icon": func(L *lua.LState) int {
			name := checkString(L, 5)
			if !slices.Contains(canvas.Icons[:], name) {
				raiseArgument(L, 5, "there is no icon "+quote(name)+engine.Nearest(name, canvas.Icons[:]))
			}
			return v.add(L, canvas.Call{Kind: canvas.Icon, X: n(L, 2), Y: n(L, 3), Size: n(L, 4), Text: name, Color: drawColor(L, 6, canvas.White), Anchor: drawAnchor(L, 7)})
		},
	}
}

// quote is a word of a script in a message.
func quote(s string) string { return `"` + engine.OneLine(s, 60) + `"` }
