package scenario

import (
	"fmt"
	"time"

	"github.com/tidelock/tidelock/cmd/host/teleport/place"
	netclient "github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/link"
)

// elsewhere begins to go where the host sends the player (C6), as a player's machine does.
func (c *client) elsewhere(url string) {
	going, err := place.Parse(url)
	var to *site
	if err == nil {
		for _, h := range c.stage.sites {
			if h.storage.node != nil && h.storage.cluster.Host == going.Host {
				to = h
			}
		}
		if to == nil || to.network == nil {
			err = fmt.Errorf("host %s does not run", going.Host)
		}
	}
	if err == nil {
		err = to.network.ready()
	}
	c.forget("a newer place was named")
	if err == nil {
		at := &seat{net: to.network}
		if err = c.sit(at); err == nil {
			c.next, c.place, c.nextSince = at, going, c.stage.now
			return
		}
	}
	c.say("going elsewhere: " + err.Error())
}

// Times of a player's machine: see package join.
const (
	hopWithin  = 25.0
	hopSilence = 5.0
	hopAtMost  = 60.0
)

// tickNext lets the connection to another host go on, and changes to it when the player is in.
func (c *client) tickNext(now time.Duration) {
	at := c.next
	if at == nil {
		return
	}
	at.play.Receive(now)
	if at.play.State() == netclient.Playing {
		dt := 1 / float64(c.opt.Tick)
		for range at.play.Ticks(dt) {
			at.play.World().Step(dt)
		}
	}
	at.play.Send(now)
	waited := c.stage.now - c.nextSince
	w := at.play.World()
	switch {
	case at.play.State() == netclient.Closed:
		c.forget(at.play.Reason().Text)
	case at.play.State() == netclient.Playing && w != nil && w.LocalPlayer() != nil:
		c.next = nil
		if c.line != nil {
			c.play.Leave(link.Reason{Code: "teleported", Text: "the player went to " + c.place.Name})
			c.end()
		} else {
			c.epoch++
		}
		c.seat, c.given, c.fate = at, 0, link.Reason{}
		c.budget()
	case waited >= hopAtMost, waited >= hopWithin && c.line != nil:
		c.forget("it did not let the player in")
	case c.line == nil && at.silent(hopSilence, c.stage.now):
		c.forget("it does not answer any more")
	}
}

// silent reports whether the host has sent nothing for so many seconds.
func (c *seat) silent(seconds, now float64) bool {
	s := c.play.Session()
	if s == nil {
		return false
	}
	if n := s.Conn.Stats().PacketsIn; n != c.heard || c.heardAt == 0 {
		c.heard, c.heardAt = n, now
	}
	return now-c.heardAt >= seconds
}

// forget gives up the way to another host; a player whom the present host let go already joins it again.
func (c *client) forget(why string) {
	at := c.next
	if at == nil {
		return
	}
	c.next = nil
	at.play.Leave(link.Reason{Code: "left", Text: "the player stays where they were"})
	c.leaving = append(c.leaving, farewell{at.line, at.play, at.net.now() + lingering})
	at.host.Close()
	at.line = nil
	c.say("the player stays: " + c.place.Name + ": " + why)
	if c.line == nil {
		if err := c.Join(); err != nil {
			c.say(err.Error())
		}
	}
}

// abandon ends the connection to another host without a word.
func (c *client) abandon() {
	if at := c.next; at != nil {
		c.next = nil
		_ = at.line.Close() // the other end notices
		at.host.Close()
	}
}
