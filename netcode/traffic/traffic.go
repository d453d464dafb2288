// Package traffic counts what is sent, by connection, class, variable and function (R13.1). The counts add up: the
// bytes of variables, functions and everything else are the bytes passed to the transport, and those plus the
// transport's own are the bytes on the wire.
//
// Guarantees: Their sum equals the bytes given to the transport.
package traffic

import (
	"maps"
	"slices"
	"strings"

	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/wire"
)

// Entry holds the counters of one variable, function, class or connection.
type Entry struct {
	Bytes     uint64 // sent, payload
	Count     uint64 // times sent
	Received  uint64 // times received from the other end
	Lost      uint64 // times lost in transit
	Throttled uint64 // times it waited for bandwidth
	Dropped   uint64 // times it was dropped: surplus, refused, not relevant
}

// Sent counts something of the given size.
func (e *Entry) Sent(bytes int) {
	e.Count++
	e.Bytes += uint64(bytes)
}

// Add adds another entry's figures.
func (e *Entry) Add(o Entry) {
	e.Bytes += o.Bytes
	e.Count += o.Count
	e.Received += o.Received
	e.Lost += o.Lost
	e.Throttled += o.Throttled
	e.Dropped += o.Dropped
}

// Counters holds the counters of one connection. Classes are counted by their numbers; a reload folds the counts
// into names. The zero Counters is ready after [Counters.Bind].
type Counters struct {
	// Headers counts bytes of datagram headers, heads of runs and received marks; Control those of welcome, classes
	// and other messages that do not belong to an actor; Files those of scripts.
	Headers, Control, Files Entry

	set     *schema.Set
	classes []class          // by number
	used    []int32          // numbers of those with entries
	round   uint32           // of EachBytes
	gone    class            // counts of classes that no longer exist
	folded  map[string]Entry // "Class.Name", "Class" for opens and closes
	kinds   map[string]Kind
	mods    map[string]string // of folded classes, by the class's name
}

type class struct {
	self  Entry // opens, closes, roles
	vars  []Entry
	funcs []Entry
	round uint32 // Counters.round when something was counted last
}

// Kind is the kind of a name in [Counters.Each].
type Kind uint8

// The kinds of names.
const (
	Class Kind = iota
	Property
	Function
)

// Bind sets the classes that numbers refer to from now on.
func (c *Counters) Bind(set *schema.Set) {
	if c.set == set {
		return
	}
	c.fold()
	c.set = set
	c.classes, c.used = make([]class, len(set.Classes.All())), nil
}

func (c *Counters) fold() {
	if c.folded == nil {
		c.folded, c.kinds, c.mods = map[string]Entry{}, map[string]Kind{}, map[string]string{}
	}
	if c.set == nil {
		return
	}
	for i := range c.classes {
		if k := c.set.ByIndex(uint32(i)); k != nil && c.classes[i].vars != nil && k.Class.Mod() != "" {
			c.mods[k.Class.Name] = k.Class.Mod()
		}
	}
	c.eachLive(func(k Kind, name string, e Entry) {
		o := c.folded[name]
		o.Add(e)
		c.folded[name], c.kinds[name] = o, k
	})
}

func (c *Counters) class(k *schema.Class) *class {
	if c.set.ByIndex(k.Index) != k { // of a class that a reload removed: counted with messages of no actor
		c.gone = class{self: c.gone.self, vars: make([]Entry, len(k.Vars)), funcs: make([]Entry, len(k.Functions))}
		return &c.gone
	}
	l := &c.classes[k.Index]
	if l.vars == nil {
		l.vars, l.funcs = make([]Entry, len(k.Vars)), make([]Entry, len(k.Functions))
		c.used = append(c.used, int32(k.Index))
	}
	l.round = c.round
	return l
}

// Vars returns the entries of a class's variables, by number.
func (c *Counters) Vars(k *schema.Class) []Entry { return c.class(k).vars }

// Function returns the entry of a function.
func (c *Counters) Function(k *schema.Class, n uint16) *Entry { return &c.class(k).funcs[n] }

// Self returns the entry of a class's opens, closes and roles.
func (c *Counters) Self(k *schema.Class) *Entry { return &c.class(k).self }

// Lost counts the variables of a lost datagram.
func (c *Counters) Lost(k *schema.Class, m *wire.Mask) {
	vars := c.Vars(k)
	for n := range m.All() {
		vars[n].Lost++
	}
}

// Each calls f for every class, variable and function that was ever counted; names are Class or Class.Name.
func (c *Counters) Each(f func(k Kind, name string, e Entry)) {
	for _, name := range slices.Sorted(maps.Keys(c.folded)) {
		e := c.folded[name]
		if c.set != nil {
			e.Add(c.live(c.kinds[name], name))
		}
		f(c.kinds[name], name, e)
	}
	c.eachLive(func(k Kind, name string, e Entry) {
		if _, twice := c.folded[name]; !twice {
			f(k, name, e)
		}
	})
}

// Bound returns the classes that numbers refer to now, nil before Bind.
func (c *Counters) Bound() *schema.Set { return c.set }

// EachBytes calls f with the bytes of classes, variables and functions that were sent since Bind, without those of earlier classes, which
// only [Counters.Each] knows. class is a class's number and member what of it is counted, as [MemberName] tells. since is what an earlier call
// returned, and leaves out classes of which nothing was counted after that; it is 0 for all of them. It is for callers that look again and again and
// remember what the numbers mean: it makes no names, and reads little memory.
func (c *Counters) EachBytes(since uint32, f func(class, member int, bytes uint64)) uint32 {
	for _, i := range c.used {
		l := &c.classes[i]
		if l.round < since {
			continue
		}
		if l.self.Bytes != 0 {
			f(int(i), 0, l.self.Bytes)
		}
		for n := range l.vars {
			if b := l.vars[n].Bytes; b != 0 {
				f(int(i), 1+n, b)
			}
		}
		for n := range l.funcs {
			if b := l.funcs[n].Bytes; b != 0 {
				f(int(i), 1+len(l.vars)+n, b)
			}
		}
	}
	c.round++
	return c.round
}

// MemberName returns what is counted as a member of a set's class: the class itself as 0, then its variables, then its functions; "" for one that there
// is not.
func MemberName(set *schema.Set, class, member int) (kind Kind, name string) {
	k := set.ByIndex(uint32(class))
	if k == nil || member < 0 || member > len(k.Vars)+len(k.Functions) {
		return Class, ""
	}
	switch n := member - 1; {
	case n < 0:
		return Class, k.Class.Name
	case n < len(k.Vars):
		return Property, k.VarName(n)
	default:
		return Function, k.FunctionName(n - len(k.Vars))
	}
}

// ByClass calls f with partial counts of each class, its variables and its functions; they add up to the total. It
// is for callers that do not need names below classes; it takes one pass and allocates nothing.
func (c *Counters) ByClass(f func(class string, e Entry)) {
	for name, e := range c.folded { // any order: parts are added up
		class, _, _ := strings.Cut(name, ".")
		f(class, e)
	}
	for i := range c.classes {
		l := &c.classes[i]
		k := c.set.ByIndex(uint32(i))
		if l.vars == nil || k == nil {
			continue
		}
		sum := l.self
		for n := range l.vars {
			sum.Add(l.vars[n])
		}
		for n := range l.funcs {
			sum.Add(l.funcs[n])
		}
		if sum != (Entry{}) {
			f(k.Class.Name, sum)
		}
	}
}

func (c *Counters) live(kind Kind, name string) (out Entry) {
	c.eachLive(func(k Kind, n string, e Entry) {
		if k == kind && n == name {
			out = e
		}
	})
	return out
}

func (c *Counters) eachLive(f func(k Kind, name string, e Entry)) {
	for i := range c.classes {
		l := &c.classes[i]
		k := c.set.ByIndex(uint32(i))
		if l.vars == nil || k == nil {
			continue
		}
		if l.self != (Entry{}) {
			f(Class, k.Class.Name, l.self)
		}
		for n := range l.vars {
			if l.vars[n] != (Entry{}) {
				f(Property, k.VarName(n), l.vars[n])
			}
		}
		for n := range l.funcs {
			if l.funcs[n] != (Entry{}) {
				f(Function, k.FunctionName(n), l.funcs[n])
			}
		}
	}
}

// EachMod calls f with the total of the classes of a mod, for every mod and for "", which is core and the game,
// sorted by name (G10).
func (c *Counters) EachMod(f func(mod string, e Entry)) {
	sums := map[string]Entry{}
	c.Each(func(_ Kind, name string, e Entry) {
		class, _, _ := strings.Cut(name, ".")
		mod := c.mods[class]
		if c.set != nil {
			if k := c.set.Classes.Find(class); k != nil {
				mod = k.Mod()
			}
		}
		sum := sums[mod]
		sum.Add(e)
		sums[mod] = sum
	})
	for _, mod := range slices.Sorted(maps.Keys(sums)) {
		f(mod, sums[mod])
	}
}

// Payload returns the sum of all bytes counted: those passed to the transport.
func (c *Counters) Payload() uint64 {
	n := c.Headers.Bytes + c.Control.Bytes + c.Files.Bytes + c.gone.self.Bytes
	c.Each(func(_ Kind, _ string, e Entry) { n += e.Bytes })
	return n
}

// Opening counts an open of a class that takes total bytes, in which the variables of a mask end at ends. It is
// counted when it is sent.
func (c *Counters) Opening(k *schema.Class, total, values int) {
	e := c.Self(k)
	e.Count++
	e.Bytes += uint64(total - values)
}
