package client

import "github.com/tidelock/tidelock/engine"

// followed is a variable of a copy that followed a default changed by a reload.
type followed struct {
	actor *engine.Actor
	prop  *engine.Property
	old   engine.Value
}

// Followed implements [engine.Follower].
func (c *Client) Followed(a *engine.Actor, p *engine.Property, old engine.Value) {
	if c.byActor[a.ID()] != nil {
		c.followed = append(c.followed, followed{a, p, old})
	}
}

// tellFollowed calls the notifies of these variables (R5.14) once the new classes are in force here: scripts may
// then call the server by the new numbers.
func (c *Client) tellFollowed() {
	list := c.followed
	c.followed = nil
	for _, f := range list { // all of it first: a notify may read others
		ch := c.byActor[f.actor.ID()]
		if ch == nil {
			continue
		}
		if n := f.prop.Rep; n >= 0 && n < len(ch.seqs) {
			ch.seqs[n].sum = 0 // the last received value is no longer the present one
		}
		if c.cfg.Trace != nil && f.prop.Rep >= 0 {
			c.trace(ch, Event{Kind: Set, Name: f.prop.Name, Value: f.actor.Get(f.prop)})
		}
	}
	for _, f := range list {
		ch, r := c.byActor[f.actor.ID()], f.prop.Rule
		if ch == nil || f.actor.Deleted() || r == nil || r.Upstream || r.Notify == engine.NotifyNone {
			continue
		}
		c.trace(ch, Event{Kind: Notified, Name: f.prop.Name})
		c.world.Script.Notify(f.actor, f.prop, f.old)
	}
}
