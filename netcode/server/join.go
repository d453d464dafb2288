package server

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/session"
	"github.com/tidelock/tidelock/netcode/throttle"
	"github.com/tidelock/tidelock/netcode/wire"
)

// Codes of refusals about passwords: the game's own one, by which wrong passwords are counted (guard.md G16), and
// the one for an address that has to wait.
const codePassword, codeWait = "password", "password_wait"

// Opened handles a new connection; it implements link.Handler.
func (s *Server) Opened(lc link.Conn) {
	s.nextID++
	sess := session.New(lc)
	c := &Conn{
		faultTokens: faultBurst,
		ID:          s.nextID, s: s, sess: sess, sender: sender{ledger: &sess.Ledger}, since: s.now, lastIn: s.now, Address: lc.Identity().Addr,
		Budget: s.cfg.Limits.Budget, epoch: noEpoch, follows: follower{pacing: pacing{scale: 1}}, tokensAt: s.now, fileAt: s.now, lastFlush: s.now,
	}
	c.offered = s.cfg.Bundle
	c.largeTokens = mostLarge
	c.callTokens, c.byteTokens = float64(s.cfg.Limits.CallsPerSecond), float64(s.cfg.Limits.BytesPerSecond)
	c.Traffic.Bind(s.set)
	lc.SetUser(c)
	s.conns = append(s.conns, c)
	if !c.barred(s.cfg.Admit, mayNotEnter) {
		c.welcome()
	}
}

// welcome tells a client what it needs before the client says anything, which saves the round trip of a hello.
func (c *Conn) welcome() {
	s := c.s
	epoch, table := s.Epoch()
	w := wire.Welcome{
		Version: wire.Version, Player: c.ID, Tick: max(1, s.cfg.Tick), Net: max(1, s.cfg.Net), Time: int64(s.world.Time * 1e6), Level: s.cfg.Level, Game: s.cfg.GameClass,
		Epoch: epoch, Table: table,
	}
	if s.cfg.Bundle != nil {
		w.Manifest = s.cfg.Bundle.Hash
	}
	c.sess.Now = s.now
	c.control(wire.AppendWelcome(c.scratch[:0], &w))
	c.tellPace()
}

// Closed ends a connection; it implements link.Handler.
func (s *Server) Closed(lc link.Conn, why link.Reason) {
	if c := connOf(lc); c != nil {
		c.end(why)
	}
}

// connOf returns the connection of a link's connection.
func connOf(lc link.Conn) *Conn {
	c, _ := lc.User().(*Conn)
	return c
}

// heardFrom returns the connection that something came from, nil if it ended.
func (s *Server) heardFrom(lc link.Conn) *Conn {
	c := connOf(lc)
	if c == nil || c.state == gone {
		return nil
	}
	c.lastIn = s.now
	return c
}

// Message handles a reliable message; it implements link.Handler.
func (s *Server) Message(lc link.Conn, b []byte) {
	c := s.heardFrom(lc)
	if c == nil {
		return
	}
	c.sess.Processed() // dropped ones too: both ends count alike
	if !c.allow(len(b)) {
		return
	}
	if err := wire.GuardNodes(b, len(b)); err != nil { // a call of 64 KB may have as many values; a link accepts no longer message
		c.unsound("a message that is not sound: ", err)
		return
	}
	r := wire.NewReader(b)
	for r.More() && c.state != gone {
		kind, n := r.Message()
		if r.Err() != nil {
			break
		}
		c.message(kind, n, &r)
	}
	if err := r.End(); err != nil && c.state != gone {
		c.unsound("a message that is not sound: ", err)
	}
}

func (c *Conn) message(kind wire.Kind, n int, r *wire.Reader) {
	switch kind {
	case wire.KindHello:
		if m := r.Hello(n); r.Err() == nil {
			c.hello(&m)
		}
	case wire.KindReady:
		if epoch, from := r.Ready(n); r.Err() == nil {
			c.ready(epoch, from)
		}
	case wire.KindWant:
		if m := r.Want(n); r.Err() == nil && c.state != waitingHello {
			c.order(&m)
		}
	case wire.KindCall:
		c.receiveCall(r, n, true)
	case wire.KindFault:
		if m := r.Fault(n); r.Err() == nil {
			c.fault(&m)
		}
	case wire.KindKick:
		if m := r.Refusal(n); r.Err() == nil {
			why := session.Reason(m)
			c.end(why)
			c.sess.Conn.Close(why)
		}
	default:
		c.offend(offenceMalformed, fmt.Sprintf("sends a %s message, which only a server does", kind))
		for range n {
			r.Skip()
		}
	}
}

// hello handles the client's first message: a client that is too old or not welcome is sent away (R8.3).
func (c *Conn) hello(m *wire.Hello) {
	s := c.s
	if c.state != waitingHello {
		c.offend(offenceMalformed, "says hello twice")
		return
	}
	if m.Version != wire.Version {
		c.Kick("version", fmt.Sprintf("this server speaks protocol %d and your client %d; update the older of the two", wire.Version, m.Version))
		return
	}
	if s.stopped {
		c.Kick("stopping", "the server is shutting down")
		return
	}
	c.opts = m.Options
	if t := c.sess.Conn.Identity().Name; t != "" {
		c.Name = session.OneLine(t)
		c.opts = named(c.opts, t)
	}
	c.state = loading
	if c.offered != nil && m.Cold { // what the first welcome offered, whatever has changed since
		c.files = c.offered.All(append(c.files, c.offered.Alone(c.offered.Hash)))
	}
	c.offered = nil
	if g, key := s.cfg.Game, c.Key(); key != "" && g.Awaits(c.opts) && !g.Expected(key) {
		c.prepared() // while they load
	}
}

// named returns the options with the name that a token proves instead of the one that the client claims.
func named(options, name string) string {
	var b strings.Builder
	for _, o := range strings.Split(options, "?") {
		if k, _, _ := strings.Cut(o, "="); o != "" && !strings.EqualFold(k, "name") {
			b.WriteString("?" + o)
		}
	}
	return b.String() + "?name=" + strings.ReplaceAll(name, "?", "")
}

// ready handles a client that runs the classes of an epoch: a new client becomes a player (R8.4, R8.5), and one
// that comes from another world becomes a player again.
func (c *Conn) ready(epoch uint8, from wire.Seq) {
	s := c.s
	if c.state == waitingHello {
		c.offend(offenceMalformed, "is ready before it said hello")
		return
	}
	c.from = c.sess.Number(from)
	if c.state != loading {
		c.lookNow = c.lookNow || c.epoch != epoch
		c.epoch = epoch
		return
	}
	c.epoch = epoch
	if epoch != s.set.Epoch {
		return // it will be sent the newer classes
	}
	if s.stopped {
		c.Kick("stopping", "the server is shutting down")
		return
	}
	c.waits = true
	if c.asked {
		c.since = s.now
	}
	c.login()
}

// login makes a client that has loaded a player, as soon as the game has what it needs for that.
func (c *Conn) login() {
	s := c.s
	if c.epoch != s.set.Epoch {
		c.waits = false // it is sent the newer classes, and is ready again
		return
	}
	if !c.prepared() {
		return
	}
	c.waits = false
	pc, text, code := c.admit()
	if pc == nil {
		c.refuse(text, code)
		return
	}
	if pc.Deleted() {
		c.refuse("the player's controller was destroyed while it logged in", "destroyed")
		return
	}
	s.joins++
	c.state, c.player, c.lookNow, c.joined = playing, pc.ID(), true, s.joins
	c.s.owners++
	c.sess.Now = s.now
	c.follows.lead, c.follows.most = 0, 0 // nothing that happened while the client loaded counts
	// The budget starts here. Files have a rate of their own, and many of their bytes are sent twice on a lossy
	// path or while a loading client acknowledges late: if they counted, joining players would wait for their first
	// actors.
	c.seenBytes, c.lastFlush, c.fileDebt, c.credit = c.sess.Conn.Stats().BytesOut, s.now, 0, c.worth()
	c.identify(pc)
	// All existing actors count as seen from now on.
	for _, e := range s.slots {
		if e != nil && e.untouched() {
			c.adoptDormant(c.make(e))
		}
	}
	c.sendQuarantine()
	c.event(EventJoin, engine.SevInfo, " joined")
	s.cfg.Game.PostLogin(pc)
}

const (
	// fileOverhead is the factor from bytes of a file to bytes on the wire, headers and acknowledgements included.
	fileOverhead = 1.1
	// fileWindow is the number of unacknowledged bytes in the reliable stream below which more of a file is handed
	// to it: what a link has in flight at most (64 segments), and one waiting chunk, so that the path is never
	// idle.
	fileWindow = 6 * wire.MaxChunk
)

// order queues the files that a client requests.
func (c *Conn) order(m *wire.Want) {
	if len(c.files) >= bundle.MaxFiles {
		c.offend(offenceMalformed, "asks for more files than there can be")
		return
	}
	s := c.s
	if m.Files == nil {
		if p := s.file(m.Hash); p != nil {
			c.files = append(c.files, p)
			return
		}
	} else if b := s.bundle(m.Hash); b != nil {
		c.files = b.Archives(c.files, m.Files)
		return
	}
	c.files = append(c.files, bundle.Nothing(m.Hash, m.Files))
}

// sendFiles sends scripts as fast as the download rate and the reliable queue allow.
func (c *Conn) sendFiles() {
	if len(c.files) == 0 || c.state == gone {
		c.fileAt = c.s.now
		return
	}
	rate := float64(c.s.cfg.Limits.DownloadRate)
	c.fileTokens = min(rate/4, c.fileTokens+rate*(c.s.now-c.fileAt).Seconds())
	c.fileAt = c.s.now
	for len(c.files) > 0 && c.fileTokens > 0 && c.s.fileTokens > 0 && c.sess.Conn.Stats().Unacked < fileWindow {
		p := c.files[0]
		packed := p.Packed()
		ch := wire.Chunk{
			Hash: p.Hash, Files: p.Files, Base: p.Base, Size: p.Size, Packed: len(packed), Offset: c.fileFrom,
			Data: packed[c.fileFrom:min(len(packed), c.fileFrom+wire.MaxChunk)],
		}
		b := wire.AppendChunk(c.scratch[:0], &ch)
		c.scratch = b
		c.outgoing(len(b), rate)
		if _, err := c.sess.Send(b); err != nil {
			if errors.Is(err, link.ErrQueueFull) {
				return // later
			}
			c.sendFailed(err)
			return
		}
		c.Traffic.Files.Sent(len(b))
		c.fileTokens -= float64(len(b))
		c.s.fileTokens -= float64(len(b))
		c.fileDebt += fileOverhead * float64(len(b))
		if c.fileFrom += len(ch.Data); c.fileFrom >= len(packed) {
			c.files[0] = nil
			c.files, c.fileFrom = c.files[1:], 0
		}
	}
}

// sendAllFiles sends scripts to every connection that waits for some. The first one rotates, because they share the
// server's rate for files.
func (s *Server) sendAllFiles() {
	total := float64(s.cfg.Limits.DownloadTotal)
	s.fileTokens = min(total/4, s.fileTokens+total*(s.now-s.fileAt).Seconds())
	s.fileAt = s.now
	if len(s.conns) == 0 {
		return
	}
	s.fileTurn++
	for i := range s.conns {
		s.conns[(i+s.fileTurn)%len(s.conns)].sendFiles()
	}
}

// maxBundles is how many older sets of files are kept for clients that still fetch them.
const maxBundles = 8

// everyBundle yields the sets of files that clients may request: the present one and recent ones.
func (s *Server) everyBundle(yield func(*bundle.Bundle) bool) {
	if b := s.cfg.Bundle; b != nil && !yield(b) {
		return
	}
	for _, b := range s.bundles {
		if b != nil && !yield(b) {
			return
		}
	}
}

// bundle returns the set of files of a manifest, the present one or a recent one, or nil.
func (s *Server) bundle(manifest wire.Hash) *bundle.Bundle {
	for b := range s.everyBundle {
		if b.Hash == manifest {
			return b
		}
	}
	return nil
}

// file returns a single file by its hash, manifests and the class table included, or nil.
func (s *Server) file(h wire.Hash) *bundle.Archive {
	for b := range s.everyBundle {
		if p := b.Alone(h); p != nil {
			return p
		}
	}
	if _, table := s.Epoch(); h == table {
		if s.table == nil || s.table.Hash != h {
			s.table = bundle.Single(h, s.set.Table)
		}
		return s.table
	}
	return nil
}

// maxWait is how long, in seconds, a client waits for what the game prepares: longer than a profile takes to come from a host that
// died (C2).
const maxWait = 45

// prepared reports whether the game has prepared a player. Whom it would refuse anyway is refused first.
func (c *Conn) prepared() bool {
	game, key := c.s.cfg.Game, c.Key()
	if c.carried != nil || key == "" || !game.Prepares(c.opts) && !game.Expected(key) && !c.asked {
		return true
	}
	first := !c.asked
	if first {
		if text, code := c.mayLogin(); text != "" {
			c.refuse(text, code)
			return false
		}
		c.asked, c.since = true, c.s.now
	}
	ready, text, code := game.Prepare(key, c.opts, first)
	if code != "" {
		c.refuse(text, code)
		return false
	}
	c.waitsFor = text
	return ready
}

// admit creates the player of a client that has loaded: a player from another world arrives, others log in (R8.3,
// R8.4).
func (c *Conn) admit() (pc *engine.Actor, text, code string) {
	game := c.s.cfg.Game
	if c.carried == nil {
		c.replace()
	}
	if key := c.Key(); c.carried == nil && key != "" {
		c.carried = game.Carried(key)
	}
	if c.carried != nil {
		pc, text, code = game.Arrive(c.carried, c.opts)
		if pc != nil {
			c.carried = nil
		}
		return pc, text, code
	}
	// Checked here, and not at the hello, so that two clients that load at the same time do not both get the last
	// slot; nothing is spawned for either before. A player for whom PreLogin was
	// called while their profile was read needs it no more: Login checks whether there is still room.
	if !c.cleared {
		if text, code = c.mayLogin(); text != "" {
			return nil, text, code
		}
	}
	return game.Login("", c.opts)
}

// mayLogin is preLogin for whom no other host sends.
func (c *Conn) mayLogin() (text, code string) {
	if c.s.cfg.Game.Expected(c.Key()) {
		return "", ""
	}
	return c.preLogin()
}

// preLogin asks the game whether the player may come in; it returns the text and the code of a refusal.
func (c *Conn) preLogin() (text, code string) {
	at := throttle.AddressOf(c.Address) // invalid, and never asked to wait, if a link has no such addresses
	if c.s.guesses.Wait(at, c.s.now) > 0 {
		return "too many wrong passwords from this address; wait some minutes and try again", codeWait
	}
	text, code = c.s.cfg.Game.PreLogin(c.opts, c.Address)
	c.cleared = text == ""
	if !c.cleared {
		if code == codePassword && at.IsValid() {
			count, wait := c.s.guesses.Wrong(at, c.s.now)
			c.event(EventPassword, engine.SevWarning, fmt.Sprintf(": wrong password %d from its address; the next one has to wait %g s", count, wait.Seconds()))
		}
	}
	return text, code
}

// identify sets the player's unique id in the PlayerState, whatever their name is, and takes the connection's name
// from there.
func (c *Conn) identify(pc *engine.Actor) {
	pri := c.playerState(pc)
	if pri == nil {
		return
	}
	if q := pri.Class.Property("PlayerName"); q != nil {
		c.Name = session.OneLine(pri.Get(q).Str)
	}
	id := c.Key()
	q := pri.Class.Property("UniqueId")
	if id == "" || q == nil || q.Type.Kind != engine.KindString {
		return
	}
	if pri.Set(q, engine.String(id)) == nil {
		c.s.world.Script.Changed(pri, q)
	}
}

// replace closes an older connection of the same player, who returned before their silence was noticed and is to
// keep what they had (R8.8). If the older connection was still travelling from another world, this one arrives
// instead.
func (c *Conn) replace() {
	id := c.Key()
	if id == "" {
		return
	}
	for _, o := range slices.Clone(c.s.conns) {
		if o == c || o.state != playing && o.carried == nil || o.Key() != id {
			continue
		}
		if o.carried != nil {
			c.carried, o.carried = o.carried, nil
		}
		o.Kick("replaced", "you have connected again from elsewhere")
	}
}
