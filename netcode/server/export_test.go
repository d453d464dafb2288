package server

// Awaiting is how many variables the connection remembers that wait for an actor.
func (c *Conn) Awaiting() int { return len(c.awaiting) }

// UniqueID is who is at the other end, as far as the handshake proved it.
var UniqueID = uniqueID
