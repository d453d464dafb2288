package server

// Awaiting is how many variables the connection remembers that wait for an actor.
func (c *Conn) Awaiting() int { return len(c.awaiting) }
