package scriptvm

import (
	"math"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/api"
)

// cleanText is world:CleanText(text, max).
func (v *VM) cleanText(L *lua.LState) int {
	text := checkString(L, 2)
	most := optNumber(L, 3, engine.MaxMessage)
	if !(most >= 0) {
		argError(L, 3, "a number of bytes, 0 or more")
	}
	v.vm.Charge(L, int64(len(text))/8)
	L.Push(lua.LString(engine.OneLine(text, int(math.Min(most, float64(len(text)*utf8Growth))))))
	return 1
}

// utf8Growth is how many bytes replace an invalid UTF-8 byte: those of U+FFFD.
const utf8Growth = 3

// showMessage is self:ShowMessage(text, kind, from) of a PlayerController.
func (v *VM) showMessage(L *lua.LState) int {
	pc := v.self(L)
	text, kind, from := checkString(L, 2), optString(L, 3, ""), ""
	if a := v.optActor(L, 4, "PlayerReplicationInfo"); a != nil {
		if p := a.Class.Property("PlayerName"); p != nil {
			from = a.Get(p).Str
		}
	}
	if _, local := v.world.Input(pc); local {
		v.vm.Charge(L, int64(len(text)+len(kind))/8)
		v.world.ShowMessage(text, kind, from)
	}
	return 0
}

// recentMessages is world:RecentMessages().
func (v *VM) recentMessages(L *lua.LState) int {
	v.checkWorld(L)
	list := v.world.Messages(0, nil)
	out := newTable(len(list), 0)
	for i := range list {
		m := &list[i]
		t := newTable(0, 5)
		t.RawSetString("Number", lua.LNumber(m.Number))
		t.RawSetString("Text", lua.LString(m.Text))
		t.RawSetString("Kind", lua.LString(m.Kind))
		t.RawSetString("From", lua.LString(m.From))
		t.RawSetString("Time", lua.LNumber(m.Time))
		out.RawSetInt(i+1, t)
	}
	v.vm.Charge(L, int64(4*len(list)))
	L.Push(out)
	return 1
}

// messageNatives returns natives that show messages to players.
func messageNatives() []native {
	return []native{
		{
			Space: api.PlayerController, Name: "ShowMessage", Params: "text: string, kind?: string, from?: PlayerReplicationInfo",
			Doc:     "Shows a line of text to the player at this machine, cleaned as world:CleanText does; from is the PlayerState of the speaker, nil for the game. ClientMessage calls it.",
			Example: `self:ShowMessage("Bring it home", "event")`,
			Do:      (*VM).showMessage,
		},
		{
			Space: api.World, Name: "RecentMessages", Returns: "Message[]", Pure: true,
			Doc:     "The messages that the player at this machine got (PlayerController:ClientMessage), at most the latest 64, oldest first: an array of Number, which counts them from 1, Text, Kind, From and Time.",
			Example: `for _, message in ipairs(world:RecentMessages()) do log(message.Text) end`,
			Do:      (*VM).recentMessages,
		},
		{
			Space: api.World, Name: "CleanText", Params: "text: string, max?: integer", Returns: "string", Pure: true,
			Doc:     "The text as one line that may be shown to anybody, at most max bytes long (255 by default): without control characters, line ends, invisible characters and those that change the direction of text. Use it for chat and players' names.",
			Example: `local name = world:CleanText(said, 32)`,
			Do:      func(v *VM, L *lua.LState) int { v.checkWorld(L); return v.cleanText(L) },
		},
	}
}
