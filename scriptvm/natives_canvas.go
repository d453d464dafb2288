package scriptvm

import (
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/canvas"
	"github.com/tidelock/tidelock/scriptvm/api"
)

func (*canvasValue) String() string       { return "canvas" }
func (*canvasValue) Type() lua.LValueType { return lua.LTUserData }

// DrawHUD makes the HUD of a local player draw a frame, after the world's tick (W4.1): it calls DrawHUD of the HUD
// in PlayerController.myHUD, under the budget of any call. An error is reported as usual, and the frame contains
// what was drawn before it. pc may be nil; without a HUD the frame is empty. changed reports whether it differs
// from the last one. The canvas is valid until the next call.
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

// hudOf returns the HUD of a controller, nil for none.
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

// add adds a call to the canvas that a native was called on. The first frame with too much is logged.
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

// drawColor returns the color in an argument.
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

// oneOf returns the index of a word in a list; def for nil.
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

// drawnText returns a text to draw; a number is one, too.
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

// canvasNatives returns natives that draw in HUD:DrawHUD.
func canvasNatives() []native {
	return []native{
		{
			Space: api.Canvas, Name: "Text", Params: "x: number, y: number, text: string|number, size?: number, color?: Color, align?: Align, anchor?: Anchor",
			Doc:     "Draws a line of text, cleaned as world:CleanText does. x, y is the top of the point that align names; size is the height of the line, 28 by default. Without align the text runs away from the screen's edge: to the left at an anchor on the right.",
			Example: `canvas:Text(60, -90, pawn.Health, 64, "#ffffff", "left", "bottom-left")`,
			Do: func(v *VM, L *lua.LState) int {
				anchor := drawAnchor(L, 8)
				return v.add(L, canvas.Call{
					Kind: canvas.Text, X: checkNumber(L, 2), Y: checkNumber(L, 3), Text: drawnText(L, 4), Size: optNumber(L, 5, 28), Color: drawColor(L, 6, canvas.White),
					Align: canvas.Align(oneOf(L, 7, canvas.Aligns[:], int(anchor.Side()))), Anchor: anchor,
				})
			},
		},
		{
			Space: api.Canvas, Name: "Bar", Params: "x: number, y: number, w: number, h: number, share: number, color?: Color, back?: Color, anchor?: Anchor",
			Doc:     "Draws a bar that is filled to a share from 0 to 1.",
			Example: `canvas:Bar(60, -60, 300, 12, pawn.Health / 100, "#5bc0be", "#00000080", "bottom-left")`,
			Do: func(v *VM, L *lua.LState) int {
				return v.add(L, canvas.Call{
					Kind: canvas.Bar, X: checkNumber(L, 2), Y: checkNumber(L, 3), W: checkNumber(L, 4), H: checkNumber(L, 5), Size: checkNumber(L, 6), Color: drawColor(L, 7, canvas.White), Back: drawColor(L, 8, 0x00000080),
					Anchor: drawAnchor(L, 9),
				})
			},
		},
		{
			Space: api.Canvas, Name: "Rect", Params: "x: number, y: number, w: number, h: number, color?: Color, anchor?: Anchor",
			Doc:     "Draws a rectangle.",
			Example: `canvas:Rect(-200, 40, 400, 60, "#0d141bb0", "top")`,
			Do: func(v *VM, L *lua.LState) int {
				return v.add(L, canvas.Call{Kind: canvas.Rect, X: checkNumber(L, 2), Y: checkNumber(L, 3), W: checkNumber(L, 4), H: checkNumber(L, 5), Color: drawColor(L, 6, canvas.White), Anchor: drawAnchor(L, 7)})
			},
		},
		{
			Space: api.Canvas, Name: "Line", Params: "x1: number, y1: number, x2: number, y2: number, width?: number, color?: Color, anchor?: Anchor",
			Doc:     "Draws a line, 2 wide by default.",
			Example: `canvas:Line(-12, 0, 12, 0, 2, "#ffffff", "center")`,
			Do: func(v *VM, L *lua.LState) int {
				return v.add(L, canvas.Call{
					Kind: canvas.Line, X: checkNumber(L, 2), Y: checkNumber(L, 3), W: checkNumber(L, 4), H: checkNumber(L, 5), Size: optNumber(L, 6, 2), Color: drawColor(L, 7, canvas.White), Anchor: drawAnchor(L, 8),
				})
			},
		},
		{
			Space: api.Canvas, Name: "Image", Params: "x: number, y: number, w: number, h: number, name: ImageName, color?: Color, anchor?: Anchor",
			Doc:     "Draws an image of content/images; its colors are multiplied with color.",
			Example: `canvas:Image(-300, 40, 260, 80, "images/logo.png", "#ffffff", "top-right")`,
			Do: func(v *VM, L *lua.LState) int {
				name := checkString(L, 6)
				if !strings.HasPrefix(name, "images/") || len(name) > canvas.MaxName {
					argError(L, 6, `an image of content, as "images/name.png"`)
				}
				return v.add(L, canvas.Call{Kind: canvas.Image, X: checkNumber(L, 2), Y: checkNumber(L, 3), W: checkNumber(L, 4), H: checkNumber(L, 5), Text: name, Color: drawColor(L, 7, canvas.White), Anchor: drawAnchor(L, 8)})
			},
		},
		{
			Space: api.Canvas, Name: "Icon", Params: "x: number, y: number, size: number, name: Icon, color?: Color, anchor?: Anchor",
			Doc:     "Draws a square icon.",
			Example: `canvas:Icon(60, -84, 48, "health", "#ff7a70", "bottom-left")`,
			Do: func(v *VM, L *lua.LState) int {
				name := checkString(L, 5)
				if !slices.Contains(canvas.Icons[:], name) {
					raiseArgument(L, 5, "there is no icon "+quote(name)+engine.Nearest(name, canvas.Icons[:]))
				}
				return v.add(L, canvas.Call{Kind: canvas.Icon, X: checkNumber(L, 2), Y: checkNumber(L, 3), Size: checkNumber(L, 4), Text: name, Color: drawColor(L, 6, canvas.White), Anchor: drawAnchor(L, 7)})
			},
		},
	}
}

// quote formats a script's word in a message.
func quote(s string) string { return `"` + engine.OneLine(s, 60) + `"` }
