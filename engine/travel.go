package engine

// Travel requests another level, by its URL: level?option=value (R8.7). The world continues unchanged; its
// owner reads the request between two ticks with [World.TakeTravel] and replaces the world. The last request
// counts.
func (w *World) Travel(url string) { w.travel = url }

// PrepareTravel announces travel to a level, so that the world's owner can prepare for it meanwhile.
func (w *World) PrepareTravel(url string) { w.prepare = url }

// TakePrepare returns the level that PrepareTravel named, once; "" for none.
func (w *World) TakePrepare() string {
	url := w.prepare
	w.prepare = ""
	return url
}

// TakeTravel returns the requested level, once; "" for none.
func (w *World) TakeTravel() string {
	url := w.travel
	w.travel = ""
	return url
}

// MaxPlayerCommands bounds the lines that one player may give between two calls of [World.TakeCommands], and
// maxCommands those of all players; further ones are dropped.
const (
	MaxPlayerCommands = 4
	maxCommands       = 256
)

// GiveCommand passes a line of a player on to the owner of the world, who decides what it does and answers. It reports
// false, and drops the line, if there are too many.
func (w *World) GiveCommand(player ActorID, line string) bool {
	n := 0
	for i := range w.commands {
		if w.commands[i].Player == player {
			n++
		}
	}
	if n >= MaxPlayerCommands || len(w.commands) >= maxCommands {
		return false
	}
	w.commands = append(w.commands, PlayerCommand{player, line})
	return true
}

// TakeCommands calls f for each line that players gave since it was last called, in their order.
func (w *World) TakeCommands(f func(PlayerCommand)) {
	for i := range w.commands {
		f(w.commands[i])
		w.commands[i] = PlayerCommand{}
	}
	w.commands = w.commands[:0]
}
