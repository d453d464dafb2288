package server

import (
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/wire"
)

// Travel replaces this world by another one, between two ticks after Send (R8.7). Connections stay, with their
// sessions, counters, budgets and limits. Every player's controller ends with the old world; the state that
// Game.Depart returns is passed to the new world's Game.Arrive once the player's client has loaded. url is sent to
// clients.
//
// It returns the server of the new world; the receiver has ended, and its world is disconnected. n is as for [New].
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
	t.accounts, t.joins, t.departed = s.accounts, s.joins, s.departed
	t.pace, t.paced = s.pace, s.paced
	t.flat, t.logClass, t.logLine, t.stopped = s.flat, s.logClass, s.logLine, s.stopped
	t.Stats.Calls, t.Stats.CallsDropped, t.Stats.Saturated, t.Stats.Denied = s.Stats.Calls, s.Stats.CallsDropped, s.Stats.Saturated, s.Stats.Denied
	for _, c := range s.conns {
		if c.state == gone {
			t.depart(c)
			continue
		}
		c.sess.LoseAll() // it uses numbers of the old world
		c.notifications()
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
	t.loading = -1 // so that the game is notified in any case
	t.countLoading()
	return t
}

// enter moves a connection to another world: it is like one that just opened, except for what belongs to the
// network path and not to the world. When you add a field to Conn, decide here which of the two it is.
func (c *Conn) enter(t *Server) {
	state := c.state
	if state == playing {
		state = loading
	}
	*c = Conn{
		ID: c.ID, Name: c.Name, Address: c.Address, Budget: c.Budget,
		sender: sender{Traffic: c.Traffic, ledger: c.ledger, sent: c.sent, gotNo: c.gotNo, got: c.got, credit: c.credit, foreseen: c.foreseen},
		s:      t, sess: c.sess, state: state, since: t.now, epoch: noEpoch, opts: c.opts, carried: c.carried, asked: c.asked,
		scratch: c.scratch, seenBytes: c.seenBytes, lastFlush: c.lastFlush,
		offences: c.offences, offendedAt: c.offendedAt, told: c.told, callTokens: c.callTokens, byteTokens: c.byteTokens, largeTokens: c.largeTokens,
		tokensAt: c.tokensAt, lastIn: c.lastIn, offered: c.offered, files: c.files, fileFrom: c.fileFrom, fileTokens: c.fileTokens, fileAt: c.fileAt, fileDebt: c.fileDebt,
		callsOut: c.callsOut, accounts: c.accounts, follows: c.follows, pending: len(c.callsOut), drained: c.drained, goneOut: c.goneOut,
	}
	c.Traffic.Bind(t.set)
}

// Stay implements the travel and loading part of Game for games without either; embed it.
type Stay struct{}

// Depart implements Game.
func (Stay) Depart(*engine.Actor) any { return nil }

// Arrive implements Game; it is never called, because Depart returns nil.
func (Stay) Arrive(any, string) (pc *engine.Actor, text, code string) {
	return nil, "this game does not travel", "travel"
}

// Lost implements Game.
func (Stay) Lost(any) {}

// Loading implements Game.
func (Stay) Loading(int) {}

// Prepares implements Game: nothing has to be prepared.
func (Stay) Prepares(string) bool { return false }

// Awaits implements Game.
func (Stay) Awaits(string) bool { return false }

// Prepare implements Game.
func (Stay) Prepare(string, string, bool) (ready bool, text, code string) { return true, "", "" }

// Abandon implements Game.
func (Stay) Abandon(string) {}

// Expected implements Game.
func (Stay) Expected(string) bool { return false }

// Carried implements Game.
func (Stay) Carried(string) any { return nil }

// SendTo sends the player to another host, as [wire.Travel] describes; the connection stays until somebody closes it (C6).
func (c *Conn) SendTo(url string) {
	c.control(wire.AppendTravel(c.scratch[:0], wire.Travel{URL: url, From: c.sess.Next()}))
}
