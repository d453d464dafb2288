package client

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/wire"
)

// channel is this client's state of one of the server's actors or components.
type channel struct {
	num   uint16
	net   uint32
	actor *engine.Actor
	class *schema.Class
	role  engine.Role
	open  bool // false while it is dormant (R4.7)
	// asleep is set while the server's actor is dormant: it sends nothing, but accepts the owner's calls and
	// variables.
	asleep bool

	came *uint64 // bytes received for actors of the class

	seqs  []newest            // per variable
	bases map[int]*wire.Bases // of vectors
	raws  map[rawKey]*raw     // values that refer to actors

	// for variables sent to the server
	pending  wire.Mask
	upQueued bool
}

// newest is the datagram that brought a variable's present value.
type newest struct {
	at    int64 // Session.Number
	any   bool
	twice bool   // its repetition arrived, or there is none: the server has no reason to send the same value again
	sum   uint64 // of the encoded value, 0 for none
}

// rawKey identifies a variable and, for a fast array, the item.
type rawKey struct {
	variable int
	key      uint32
}

func (k rawKey) compare(o rawKey) int {
	return cmp.Or(cmp.Compare(k.variable, o.variable), cmp.Compare(k.key, o.key))
}

// raw is an encoded value, and the actors it refers to.
type raw struct {
	bytes []byte
	nets  []uint32
}

// want is a variable that refers to an actor: it is set again when that actor arrives (R5.13).
type want struct {
	ch  *channel
	net uint32 // of ch, to distinguish it from a later one
	rawKey
}

// hears reports whether the server accepts calls and variables from the copy's owner.
func (ch *channel) hears() bool { return ch.open || ch.asleep }

// note is a change to be reported when all variables of the actor are applied (R5.14).
type note struct {
	prop *engine.Property
	old  engine.Value
	fast bool
	how  engine.FastChange
	key  uint32
}

func (c *Client) at(num uint16) *channel {
	if int(num) < len(c.channels) {
		return c.channels[num]
	}
	return nil
}

// openAt returns the copy of an open channel, or nil.
func (c *Client) openAt(num uint16) *channel {
	if ch := c.at(num); ch != nil && ch.open && !ch.actor.Deleted() {
		return ch
	}
	return nil
}

// open creates or finds the copy of an actor (R5.1).
func (c *Client) open(r *wire.Reader, fields int) {
	from := r.Pos()
	m := r.Open(fields)
	if r.Err() != nil {
		return
	}
	if c.state != Playing {
		r.Fail(wire.ErrKind)
		return
	}
	ch := c.nets[m.Net]
	known := ch != nil && ch.actor != nil && !ch.actor.Deleted()
	if !known {
		a, err := c.makeCopy(&m)
		if err != nil {
			c.report(engine.SevWarning, "the server opened something that this client cannot make: "+err.Error())
			r.SkipValues(&m.Mask)
			c.unbind(m.Channel)
			return
		}
		ch = &channel{net: m.Net, actor: a, class: c.set.Of(a.Class), came: c.tally(a.Class.Name), bases: map[int]*wire.Bases{}}
		c.nets[m.Net] = ch
		c.byActor[a.ID()] = ch
		if !m.Inside {
			c.opening = append(c.opening, ch)
		}
	}
	if known && ch.num != m.Channel && c.at(ch.num) == ch {
		c.unbind(ch.num)
	}
	if c.evict(m.Channel, ch); ch.actor.Deleted() { // it was inside the destroyed one
		r.SkipValues(&m.Mask)
		return
	}
	c.bind(ch, m.Channel)
	ch.role = m.Role
	a := ch.actor
	if !m.Inside {
		if known {
			a.SetRoles(m.Role, engine.RoleAuthority)
		}
		a.SetOwnedElsewhere(m.Owned)
		c.localPlayer(ch)
	}
	if !known || !ch.open {
		c.trace(ch, Event{Kind: Opened})
	}
	ch.open, ch.asleep = true, false
	// Older datagrams for the channel belong to an earlier opening.
	ch.seqs = make([]newest, len(ch.class.Vars))
	for i := range ch.seqs {
		ch.seqs[i] = newest{at: c.sess.Number(m.From - 1), any: true}
	}
	c.values(ch, &m.Mask, r, m.From-1, true)
	*ch.came += uint64(r.Pos() - from)
	if r.Err() != nil {
		return
	}
	c.tellNotes(ch)
	if !known {
		c.arrived(m.Net)
	}
}

// tally returns the counter of bytes for actors of a class.
func (c *Client) tally(class string) *uint64 {
	n := c.came[class]
	if n == nil {
		n = new(uint64)
		if c.came == nil {
			c.came = map[string]*uint64{}
		}
		c.came[class] = n
	}
	return n
}

// BytesByClass calls f, in any order, with the number of bytes received so far for the actors of each class:
// openings, variables and calls, without the datagram's overhead (W4.6).
func (c *Client) BytesByClass(f func(class string, bytes uint64)) {
	for name, n := range c.came { // any order: the caller sorts
		f(name, *n)
	}
}

// makeCopy spawns a copy, or finds the client's own level actor.
func (c *Client) makeCopy(m *wire.Open) (*engine.Actor, error) {
	w := c.world
	name := string(m.Name)
	switch {
	case m.Inside:
		o := c.at(m.Outer)
		if o == nil || o.actor == nil || o.actor.Deleted() {
			return nil, fmt.Errorf("a component %q of an actor that is not here", name)
		}
		if part, class, dynamic := strings.Cut(name, ":"); dynamic {
			k := w.Classes.Find(class)
			if k == nil {
				return nil, fmt.Errorf("component %s of %s: no class %q", part, o.actor, class)
			}
			return o.actor.AddCopyComponent(k, part)
		}
		if k := o.actor.ComponentNamed(name); k != nil {
			return k, nil
		}
		return nil, fmt.Errorf("%s has no component %q", o.actor, name)
	case name != "":
		a := w.ActorByLevelName(name)
		if a == nil {
			return nil, fmt.Errorf("the level here has no actor %q; is it another version of the level?", name)
		}
		w.AdoptCopy(a, m.Role, engine.RoleAuthority)
		return a, nil
	}
	k := c.set.ByIndex(m.Class)
	if k == nil {
		return nil, fmt.Errorf("class number %d, of %d", m.Class, len(c.set.Classes.All()))
	}
	sp := engine.CopyParams{Role: m.Role, RemoteRole: engine.RoleAuthority, HasRotation: m.Turns, Rotation: m.Rotation}
	if m.HasPlace {
		sp.Location = wire.Grid{Scale: 1, Bits: 16}.Value(m.Place)
	}
	return w.SpawnCopy(k.Class, sp)
}

func (c *Client) bind(ch *channel, num uint16) {
	for int(num) >= len(c.channels) {
		c.channels = append(c.channels, nil)
	}
	c.channels[num], ch.num = ch, num
}

// evict removes the copy of a channel from the world, if the server reuses the channel without having closed it.
func (c *Client) evict(num uint16, by *channel) {
	ch := c.at(num)
	if ch == nil || ch == by {
		return
	}
	c.report(engine.SevWarning, fmt.Sprintf("the server opened channel %d twice: %s goes", num, ch.actor))
	c.closeChannel(wire.Close{Channel: num, Why: wire.CloseDestroyed})
}

func (c *Client) unbind(num uint16) {
	if int(num) < len(c.channels) {
		c.channels[num] = nil
	}
}

// localPlayer makes a controller the local one of this client.
func (c *Client) localPlayer(ch *channel) {
	a := ch.actor
	if ch.role == engine.RoleAutonomousProxy && a.Class.IsPlayerController() && c.world.LocalPlayer() != a {
		c.world.SetLocalPlayer(a)
	}
}

// finishCopies completes copies whose messages have all arrived.
func (c *Client) finishCopies() {
	for i := 0; i < len(c.opening); i++ {
		if a := c.opening[i].actor; a != nil && !a.Deleted() {
			a.FinishCopy()
		}
		c.opening[i] = nil
	}
	c.opening = c.opening[:0]
}

// making reports whether an actor is a copy whose messages have not all arrived.
func (c *Client) making(a *engine.Actor) bool {
	return slices.ContainsFunc(c.opening, func(ch *channel) bool { return ch != nil && ch.actor == a })
}

// finishFirst completes copies before something else happens to one of them.
func (c *Client) finishFirst() {
	if len(c.opening) > 0 {
		c.finishCopies()
	}
}

// closeChannel ends a channel, and also the copy if the reason requires it.
func (c *Client) closeChannel(m wire.Close) {
	ch := c.at(m.Channel)
	if ch == nil {
		return
	}
	a := ch.actor
	if a.Outer == nil || !c.making(a.Outer) { // a component that the server's actor lost is removed before its copy begins play
		c.finishFirst()
	}
	ch.open = false
	if m.Why != wire.CloseTornOff {
		c.trace(ch, Event{Kind: ClosedChannel, Why: m.Why})
	}
	switch m.Why {
	case wire.CloseDormant:
		ch.asleep = true
		return // its number and its name remain its own
	case wire.CloseTemporary:
		c.drop(ch)
		a.Release()
	case wire.CloseTornOff:
		c.drop(ch)
		if !a.Deleted() {
			c.trace(ch, Event{Kind: TornOff})
			a.TearOff()
		}
	default:
		c.drop(ch)
		if !a.Deleted() {
			c.world.DestroyCopy(a)
		}
	}
}

// drop forgets a channel whose number may be reused.
func (c *Client) drop(ch *channel) {
	c.unlink(ch)
	for _, k := range ch.actor.Components {
		if p := c.byActor[k.ID()]; p != nil {
			c.drop(p)
		}
	}
}

// unlink removes a channel from all tables.
func (c *Client) unlink(ch *channel) {
	if c.at(ch.num) == ch {
		c.unbind(ch.num)
	}
	if c.nets[ch.net] == ch {
		delete(c.nets, ch.net)
	}
	delete(c.byActor, ch.actor.ID())
	c.letGo++
	ch.open, ch.asleep = false, false
}

func (c *Client) setRole(m wire.Role) {
	ch := c.at(m.Channel)
	if ch == nil {
		return
	}
	c.finishFirst()
	ch.role = m.Role
	ch.actor.SetRoles(m.Role, engine.RoleAuthority)
	ch.actor.SetOwnedElsewhere(m.Owned)
	c.localPlayer(ch)
}

// Spawned and Destroyed implement engine.Remote. A copy that its own side destroyed causes no error: the server's
// close finds nothing.
func (c *Client) Spawned(*engine.Actor) {}

// Destroyed implements engine.Remote.
func (c *Client) Destroyed(a *engine.Actor) {
	if ch := c.byActor[a.ID()]; ch != nil {
		c.unlink(ch)
	}
}

// sameVars reports whether two classes have the same variables at the same numbers.
func sameVars(a, b *schema.Class) bool {
	return slices.EqualFunc(a.Vars, b.Vars, func(x, y schema.Var) bool {
		return x.Prop.Name == y.Prop.Name && schema.SameType(x.Type, y.Type)
	})
}

// migrate gives a channel the numbers of new classes. same caches for which classes the variables are unchanged,
// which is nearly always the case.
func (ch *channel) migrate(set *schema.Set, same map[*schema.Class]bool) {
	k := set.Of(ch.actor.Class)
	if k == nil {
		return
	}
	stays, known := same[ch.class]
	if !known {
		stays = sameVars(ch.class, k)
		same[ch.class] = stays
	}
	if stays && len(ch.seqs) == len(k.Vars) {
		clear(ch.bases)
		ch.class, ch.pending = k, ch.pending.And(k.Up)
		return
	}
	from := map[string]int{}
	for n := range ch.class.Vars {
		from[ch.class.Vars[n].Prop.Name] = n
	}
	seqs := make([]newest, len(k.Vars))
	raws := map[rawKey]*raw{}
	for n := range k.Vars {
		o, ok := from[k.Vars[n].Prop.Name]
		if !ok || !schema.SameType(ch.class.Vars[o].Type, k.Vars[n].Type) {
			continue
		}
		if o < len(ch.seqs) {
			seqs[n] = ch.seqs[o]
		}
		for key, b := range ch.raws { // any order: from one map to another
			if key.variable == o {
				raws[rawKey{n, key.key}] = b
			}
		}
	}
	var pending wire.Mask
	for n := range k.Vars {
		if o, ok := from[k.Vars[n].Prop.Name]; ok && ch.pending.Has(o) && k.Up.Has(n) {
			pending.Set(n)
		}
	}
	ch.class, ch.seqs, ch.raws, ch.bases, ch.pending = k, seqs, raws, map[int]*wire.Bases{}, pending
}
