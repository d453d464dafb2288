package server

import (
	"fmt"
	"slices"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/session"
	"github.com/tidelock/tidelock/netcode/throttle"
	"github.com/tidelock/tidelock/netcode/wire"
)

// Travel puts another world in the place of this one, between two ticks after Send (R8.7). Connections stay, with their
// sessions, counters, budgets and limits. Every player's controller ends with the old world; the state that Game.Depart returns
// is passed to the new world's Game.Arrive once the player's client has loaded. url is sent to clients.
//
// It returns the server of the new world; this one has ended, and its world is disconnected. n is as for [New].
func (s *Server) Travel(n Config, url string) *Server {
	for _, c := range s.conns {
		if pc := c.Player(); c.state == playing && pc != nil {
			c.carried = s.cfg.Game.Depart(pc)
		}
	}
	s.runQueue() // the last calls of the old world
	for _, c := range s.conns {
		for len(c.held) > 0 {
			c.sendHeld(0)
		}
	}
	t := newServer(n, s.set.Epoch+1, s.nextNet)
	t.links, t.nextID, t.now, t.lastNet, t.lastPing = s.links, s.nextID, s.now, s.lastNet, s.lastPing
	t.guesses = s.guesses
	t.accounts, t.joins = s.accounts, s.joins
	t.flat, t.logClass, t.logLine, t.stopped = s.flat, s.logClass, s.logLine, s.stopped
	t.Stats.Calls, t.Stats.CallsDropped, t.Stats.Saturated = s.Stats.Calls, s.Stats.CallsDropped, s.Stats.Saturated
	for _, c := range s.conns {
		if c.state == gone {
			continue
		}
		c.sess.LoseAll() // of numbers of the old world
		c.fates()
		c.enter(t)
		t.conns = append(t.conns, c)
	}
	s.world.SetRemote(nil)
	s.conns, s.links, s.stopped = nil, nil, true
	for _, c := range t.conns {
		c.control(wire.AppendTravel(c.scratch[:0], wire.Travel{URL: url, Seamless: true, From: c.sess.Next()}))
		if c.state != gone {
			c.welcome()
		}
	}
	t.sweep()
	t.loading = -1 // the game is told, whatever it is
	t.countLoading()
	return t
}

// enter takes a connection into another world: it is as one that just opened, but for what belongs to the way and not to the
// world. Anyone who adds a field to Conn decides here which of both it is.
func (c *Conn) enter(t *Server) {
	state := c.state
	if state == playing {
		state = loading
	}
	*c = Conn{
		ID: c.ID, Name: c.Name, Address: c.Address, Budget: c.Budget,
		sender: sender{Traffic: c.Traffic, ledger: c.ledger, sent: c.sent, gotNo: c.gotNo, got: c.got, credit: c.credit, foreseen: c.foreseen},
		s:      t, sess: c.sess, state: state, since: t.now, epoch: noEpoch, opts: c.opts, carried: c.carried,
		scratch: c.scratch, seenBytes: c.seenBytes, lastFlush: c.lastFlush,
		offences: c.offences, offendedAt: c.offendedAt, told: c.told, callTokens: c.callTokens, byteTokens: c.byteTokens, largeTokens: c.largeTokens,
		tokensAt: c.tokensAt, lastIn: c.lastIn, offered: c.offered, files: c.files, fileFrom: c.fileFrom, fileTokens: c.fileTokens, fileAt: c.fileAt, fileDebt: c.fileDebt,
		callsOut: c.callsOut, accounts: c.accounts, pending: len(c.callsOut), drained: c.drained, goneOut: c.goneOut,
	}
	c.Traffic.Bind(t.set)
}

// countLoading tells the game how many are on their way in: connected, and still loading (R8.7).
func (s *Server) countLoading() {
	n := 0
	for _, c := range s.conns {
		if c.state == loading {
			n++
		}
	}
	if n != s.loading {
		s.loading = n
		s.cfg.Game.Loading(n)
	}
}

// lost gives up on a player who came from another world and never arrived in this one.
func (c *Conn) lost() {
	if c.carried != nil {
		state := c.carried
		c.carried = nil
		c.s.cfg.Game.Lost(state)
	}
}

// admit makes the player of a client that has loaded: one who comes from another world arrives, others log in (R8.3, R8.4).
func (c *Conn) admit() (pc *engine.Actor, text, code string) {
	game := c.s.cfg.Game
	if c.carried == nil {
		c.replace()
	}
	if c.carried != nil {
		pc, text, code = game.Arrive(c.carried, c.opts)
		if pc != nil {
			c.carried = nil
		}
		return pc, text, code
	}
	// Asked here, and not at the hello, so that two who load at the same time do not both get the last place; nothing is
	// spawned for either before.
	at := throttle.AddressOf(c.Address) // invalid, and never to wait, where a link has no such addresses
	if c.s.guesses.Wait(at, c.s.now) > 0 {
		return nil, "too many wrong passwords from this address; wait some minutes and try again", codeWait
	}
	if text, code = game.PreLogin(c.opts, c.Address); text != "" {
		if code == codePassword && at.IsValid() {
			count, wait := c.s.guesses.Wrong(at, c.s.now)
			c.event(EventPassword, engine.SevWarning, fmt.Sprintf(": wrong password %d from its address; the next one has to wait %g s", count, wait.Seconds()))
		}
		return nil, text, code
	}
	return game.Login("", c.opts)
}

// Codes of refusals about passwords: the game's own one, by which wrong passwords are counted (G16), and that of an address
// which has to wait.
const codePassword, codeWait = "password", "password_wait"

// replace closes an older connection of the same player, who returned before their silence was noticed and is to keep what they
// had (R8.8). If the older connection was still travelling from another world, this one arrives in its place.
func (c *Conn) replace() {
	id := uniqueID(c.sess.Conn.Identity())
	if id == "" {
		return
	}
	for _, o := range slices.Clone(c.s.conns) {
		if o == c || o.state != playing && o.carried == nil || uniqueID(o.sess.Conn.Identity()) != id {
			continue
		}
		if o.carried != nil {
			c.carried, o.carried = o.carried, nil
		}
		o.kick(link.Reason{Code: "replaced", Text: "you have connected again from elsewhere"})
	}
}

// maxUniqueID bounds a UniqueId, in bytes (scripts/core/PlayerReplicationInfo.lua).
const maxUniqueID = 64

// uniqueID is who is at the other end, as far as the handshake proved it: by the name of a token, else by a key; "" where
// it proved nothing. Whatever a client says of itself is no part of it.
func uniqueID(id link.Identity) string {
	switch {
	case id.Name != "":
		if u := "token-" + session.OneLine(id.Name); len(u) <= maxUniqueID && u == "token-"+id.Name {
			return u
		}
		h := wire.HashOf([]byte(id.Name))
		return fmt.Sprintf("tokenhash-%x", h[:16])
	case id.Key != [32]byte{}:
		return fmt.Sprintf("key-%x", id.Key[:16])
	}
	return ""
}

// identify sets the player's unique id in the PlayerState, whatever name they have, and takes the connection's name from there.
func (c *Conn) identify(pc *engine.Actor) {
	w := c.s.world
	p := pc.Class.Property("PlayerReplicationInfo")
	if p == nil {
		return
	}
	pri := w.Actor(pc.Get(p).Ref)
	if pri == nil {
		return
	}
	if q := pri.Class.Property("PlayerName"); q != nil {
		c.Name = session.OneLine(pri.Get(q).Str)
	}
	id := uniqueID(c.sess.Conn.Identity())
	q := pri.Class.Property("UniqueId")
	if id == "" || q == nil || q.Type.Kind != engine.KindString {
		return
	}
	if pri.Set(q, engine.String(id)) == nil {
		w.Script.Changed(pri, q)
	}
}

// Stay implements the part of a Game that is about travel and loading, for games that do neither; embed it.
type Stay struct{}

// Depart implements Game.
func (Stay) Depart(*engine.Actor) any { return nil }

// Arrive implements Game; it is never asked, for nobody departs.
func (Stay) Arrive(any, string) (pc *engine.Actor, text, code string) {
	return nil, "this game does not travel", "travel"
}

// Lost implements Game.
func (Stay) Lost(any) {}

// Loading implements Game.
func (Stay) Loading(int) {}

// noEpoch is the epoch of a client that runs no classes yet.
const noEpoch = 255
