package access

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/tidelock/tidelock/netcode/throttle"
)

// state is a whole list. It never changes once it is in List.now: changes are made to a copy.
type state struct {
	roles map[string]Role
	keys  map[string]Ban       // by player's key
	nets  map[netip.Prefix]Ban // by masked network
	// listed is the whitelist, which counts if only is set.
	listed map[string]bool
	only   bool
}

func newState() *state {
	return &state{roles: map[string]Role{}, keys: map[string]Ban{}, nets: map[netip.Prefix]Ban{}, listed: map[string]bool{}}
}

func (s *state) clone() *state {
	return &state{roles: maps.Clone(s.roles), keys: maps.Clone(s.keys), nets: maps.Clone(s.nets), listed: maps.Clone(s.listed), only: s.only}
}

// expire drops bans that have ended.
func (s *state) expire(now time.Time) {
	maps.DeleteFunc(s.keys, func(_ string, b Ban) bool { return b.over(now) })
	maps.DeleteFunc(s.nets, func(_ netip.Prefix, b Ban) bool { return b.over(now) })
}

// full reports that there is no room for one more of a kind.
func full(n int, kind, do string) error {
	if n < MaxEntries {
		return nil
	}
	return fmt.Errorf("the access list has %d %s, which is the most; %s some first", n, kind, do)
}

func (s *state) setRole(key string, r Role) error {
	if r == None {
		delete(s.roles, key)
		return nil
	}
	if _, has := s.roles[key]; !has {
		if err := full(len(s.roles), "roles", "remove"); err != nil {
			return err
		}
	}
	s.roles[key] = r
	return nil
}

// ban adds a sound ban, or replaces the one of the same key or network.
func (s *state) ban(b Ban, p netip.Prefix) error {
	_, has := s.keys[b.Key]
	if b.Key == "" {
		_, has = s.nets[p]
	}
	if !has {
		if err := full(len(s.keys)+len(s.nets), "bans", "lift"); err != nil {
			return err
		}
	}
	if b.Key != "" {
		s.keys[b.Key] = b
	} else {
		s.nets[p] = b
	}
	return nil
}

// unban removes the ban of a key, or of a network, and returns it.
func (s *state) unban(key string, p netip.Prefix) (Ban, bool) {
	if key != "" {
		b, ok := s.keys[key]
		delete(s.keys, key)
		return b, ok
	}
	b, ok := s.nets[p]
	delete(s.nets, p)
	return b, ok
}

func (s *state) allow(key string) error {
	if !s.listed[key] {
		if err := full(len(s.listed), "keys on its whitelist", "remove"); err != nil {
			return err
		}
	}
	s.listed[key] = true
	return nil
}

// banOf returns the ban that keeps a player out. Bans of networks do not concern this machine, nor players with a
// role: a ban of a network must not lock out those who could lift it.
func (s *state) banOf(key, addr string, now time.Time) (Ban, bool) {
	if b, ok := s.keys[key]; ok && !b.over(now) {
		return b, true
	}
	a := throttle.AddressOf(addr)
	if !a.IsValid() || a.IsLoopback() || s.roles[key] != None {
		return Ban{}, false
	}
	return s.around(throttle.Network(a), now)
}

// around returns the ban of the narrowest banned network that contains an address.
func (s *state) around(a netip.Addr, now time.Time) (Ban, bool) {
	if len(s.nets) == 0 {
		return Ban{}, false
	}
	for bits := a.BitLen(); bits >= 0; bits-- {
		p, err := a.Prefix(bits)
		if err != nil {
			return Ban{}, false
		}
		if b, ok := s.nets[p]; ok && !b.over(now) {
			return b, true
		}
	}
	return Ban{}, false
}

// bans lists the bans that have not ended, in the order in which they began.
func (s *state) bans(now time.Time) []Ban {
	out := slices.AppendSeq(slices.Collect(maps.Values(s.keys)), maps.Values(s.nets))
	out = slices.DeleteFunc(out, func(b Ban) bool { return b.over(now) })
	slices.SortFunc(out, func(a, b Ban) int {
		return cmp.Or(a.Since.Compare(b.Since), strings.Compare(a.What(), b.What()))
	})
	return out
}
