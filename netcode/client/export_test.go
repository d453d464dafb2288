package client

// Remembered is how many actors the client remembers that variables name, how many entries those take, and how many values
// it keeps as they came.
func (c *Client) Remembered() (actors, entries, raws int) {
	for _, list := range c.refs {
		entries += len(list)
	}
	for _, ch := range c.nets {
		raws += len(ch.raws)
	}
	return len(c.refs), entries, raws
}
