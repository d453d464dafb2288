package match

// JoinText returns what the game shows to those who have not joined yet: JoinText of its GameState, lines of text; "" without one.
func (m *Match) JoinText() string {
	state := m.World.Actor(m.World.GameState)
	if state == nil {
		return ""
	}
	p := state.Class.Property("JoinText")
	if p == nil {
		return ""
	}
	return state.Get(p).Str
}
