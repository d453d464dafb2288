package wire

// Call is a replicated call (R6):
//
//	[12, channel, function, argument…]
//
// channel int, the actor's; function int, its number in the actor's class; arguments by the declared parameters,
// each one value, nil for the parameter's default; trailing defaults may be omitted.
//
// A reliable call is in a reliable message, in order with opens and closes (R6.4); an unreliable one in a datagram,
// before its deltas, or in a reliable message if no datagram can hold it. The bytes are the same: the class says in
// which direction a function may be called, and a receiver drops calls from the wrong side.
type Call struct {
	Channel  uint16
	Function uint16
	// Args is the number of arguments, which follow.
	Args int
}

// AppendCall appends a call up to its arguments, which are to follow: see [Values.AppendValue].
func AppendCall(b []byte, m Call) []byte {
	b = appendMessage(b, KindCall, 2+m.Args)
	return AppendUint(AppendUint(b, uint64(m.Channel)), uint64(m.Function))
}

// Call reads a call up to its arguments; [Args.Read] reads those, SkipArgs skips them.
func (r *Reader) Call(fields int) (m Call) {
	if fields < 2 || fields > 2+MaxArgs {
		r.Fail(ErrFields)
		return m
	}
	m.Channel = r.uint16()
	m.Function = r.uint16()
	m.Args = fields - 2
	return m
}

// SkipArgs skips the arguments of a call.
func (r *Reader) SkipArgs(m Call) {
	for n := m.Args; n > 0 && r.err == nil; n-- {
		r.Skip()
	}
}
