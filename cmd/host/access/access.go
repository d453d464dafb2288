package access

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/link"
)

// Codes of refusals.
const (
	// Banned: the player or their address is banned.
	Banned = "banned"
	// NotWhitelisted: only players of the whitelist may join.
	NotWhitelisted = "not_whitelisted"
)

// Unsaved is a change that holds until the process ends, but is not in the file. Its text is one line that says why,
// and what to do.
type Unsaved struct{ Err error }

func (e *Unsaved) Error() string {
	return fmt.Sprintf("%v; the change holds until the host ends and is not saved: correct that, then change something or have the file read again", e.Err)
}

// Unwrap returns why the file could not be written.
func (e *Unsaved) Unwrap() error { return e.Err }

// List is the roles, bans and whitelist of a host, and their file.
type List struct {
	path  string
	clock func() time.Time
	// sync forces a file or a folder to the disk.
	sync func(*os.File) error
	now  atomic.Pointer[state]
	// version counts changes of now.
	version atomic.Uint64

	mu sync.Mutex // held by changes, with the disk; guards what follows
	// seen is the content of the file as last read or written; nil if there was no file.
	seen []byte
	// gone says that there was a file and there is none now.
	gone bool
	// pending are changes that hold and are not in the file, in order, one for each subject.
	pending []change
}

// change is one change of a list. It is made again to what the file says if somebody has edited it.
type change struct {
	subject string
	make    func(*state) error
}

// Open reads the list at a path. A missing file is an empty list; the first change creates it, with mode 0600. The
// folder must exist. The error is one line: a file that others than its owner may write, one that is broken, with
// the line, or one that cannot be read.
func Open(path string) (*List, error) { return openAt(path, time.Now) }

func openAt(path string, clock func() time.Time) (*List, error) {
	l := &List{path: path, clock: clock, sync: (*os.File).Sync}
	l.now.Store(newState())
	if err := checkFolder(path); err != nil {
		return nil, err
	}
	if err := l.read(); err != nil {
		return nil, err
	}
	return l, nil
}

// Path returns the path of the file.
func (l *List) Path() string { return l.path }

// Version increases with every change of the list, also those that Reload finds. A ban that ends by itself is none.
func (l *List) Version() uint64 { return l.version.Load() }

// Check decides whether a player may come in: nil, or the reason with a code and a line for the player. key is their
// identity as logs show it, "" if they proved none; addr is their address with its port. Keys of a role pass the
// whitelist and bans of networks; a ban of the key itself keeps anyone out. Addresses of this machine are never
// banned.
func (l *List) Check(key, addr string) *link.Reason {
	s := l.now.Load()
	if why := l.barred(s, key, addr); why != nil {
		return why
	}
	if !s.only || s.listed[key] || s.roles[key] != None {
		return nil
	}
	text := "this server admits only players on its list"
	if key != "" {
		text += "; to be added, give its operator your key: " + key
	}
	return &link.Reason{Code: NotWhitelisted, Text: text}
}

// Barred decides whether a player who is in may stay: as Check, without the whitelist, which only decides who comes
// in.
func (l *List) Barred(key, addr string) *link.Reason { return l.barred(l.now.Load(), key, addr) }

func (l *List) barred(s *state, key, addr string) *link.Reason {
	if b, ok := s.banOf(key, addr, l.clock()); ok {
		return &link.Reason{Code: Banned, Text: b.text()}
	}
	return nil
}

// RoleOf returns a player's role, None if they have none.
func (l *List) RoleOf(key string) Role { return l.now.Load().roles[key] }

// Grant is the role of a player.
type Grant struct {
	Key  string
	Role Role
}

// Roles lists all roles other than None: owners first, then by key.
func (l *List) Roles() []Grant {
	var out []Grant
	for key, r := range l.now.Load().roles { // any order: sorted below
		out = append(out, Grant{key, r})
	}
	slices.SortFunc(out, func(a, b Grant) int { return cmp.Or(cmp.Compare(b.Role, a.Role), strings.Compare(a.Key, b.Key)) })
	return out
}

// Bans lists the bans that have not ended, in the order in which they began.
func (l *List) Bans() []Ban { return l.now.Load().bans(l.clock()) }

// Whitelisted returns whether only players of the whitelist may join, and its keys, sorted.
func (l *List) Whitelisted() (on bool, keys []string) {
	s := l.now.Load()
	return s.only, slices.Sorted(maps.Keys(s.listed))
}

// SetRole gives a player a role; None takes it away. An *Unsaved error means that it holds and is not in the file;
// after any other, nothing has changed. The same is true of all changes.
func (l *List) SetRole(key string, r Role) error {
	key, err := CheckKey(key)
	if err != nil {
		return err
	}
	if r >= roles {
		return fmt.Errorf("%v does not exist", r)
	}
	return l.change("role "+key, func(s *state) error { return s.setRole(key, r) })
}

// Ban adds a ban, or replaces that of the same key or address.
func (l *List) Ban(b Ban) error {
	b, p, err := sound(b)
	if err != nil {
		return err
	}
	now := l.clock()
	if b.Since.IsZero() {
		b.Since = second(now)
	}
	if b.over(now) {
		return fmt.Errorf("the ban would have ended at %s; give a later time", b.Until.Format(time.RFC3339))
	}
	return l.change("ban "+b.What(), func(s *state) error { return s.ban(b, p) })
}

// Unban lifts the ban of a key, an address or a network, and returns it. An address within a banned network has no
// ban of its own: the error names the network.
func (l *List) Unban(what string) (Ban, error) {
	b, err := Whom(what)
	if err != nil {
		return Ban{}, err
	}
	var p netip.Prefix
	if b.Key == "" {
		if p, err = parseAddr(what); err != nil {
			return Ban{}, err
		}
	}
	var gone Ban
	err = l.change("ban "+b.What(), func(s *state) error {
		var ok bool
		if gone, ok = s.unban(b.Key, p); ok {
			return nil
		}
		if around, is := s.around(p.Addr(), l.clock()); is && b.Key == "" {
			return fmt.Errorf("%s has no ban of its own; it is within %s, which is banned", b.Addr, around.Addr)
		}
		var known []string
		for _, o := range s.bans(l.clock()) {
			known = append(known, o.What())
		}
		return fmt.Errorf("%s is not banned%s", b.What(), engine.Nearest(b.What(), known))
	})
	return gone, err
}

// Whitelist turns the whitelist on or off. Players who are in stay.
func (l *List) Whitelist(on bool) error {
	return l.change("whitelist", func(s *state) error { s.only = on; return nil })
}

// Allow puts a player on the whitelist.
func (l *List) Allow(key string) error {
	key, err := CheckKey(key)
	if err != nil {
		return err
	}
	return l.change("listed "+key, func(s *state) error { return s.allow(key) })
}

// Disallow takes a player off the whitelist. If they are in, they stay.
func (l *List) Disallow(key string) error {
	key, err := CheckKey(key)
	if err != nil {
		return err
	}
	return l.change("listed "+key, func(s *state) error {
		if !s.listed[key] {
			return fmt.Errorf("%s is not on the whitelist%s", key, engine.Nearest(key, slices.Collect(maps.Keys(s.listed))))
		}
		delete(s.listed, key)
		return nil
	})
}

// Reload reads the file again, after somebody edited it. If the file is gone, the list stays and is saved again: a
// folder that is not mounted must not lift all bans; an empty file is an empty list. Changes that are not saved are made to the new content, and
// saved with it; an *Unsaved error means that this failed. After any other error the list is as before.
func (l *List) Reload() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.read(); err != nil {
		return err
	}
	if len(l.pending) > 0 || l.gone {
		if err := l.save(l.now.Load()); err != nil {
			return &Unsaved{err}
		}
	}
	return nil
}

// change makes a change to what the file says now, and saves it.
func (l *List) change(subject string, do func(*state) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	edited := l.read() // an operator may have edited it since; if it is broken, the change is made to what holds
	next := l.now.Load().clone()
	next.expire(l.clock())
	err := do(next)
	i := slices.IndexFunc(l.pending, func(c change) bool { return c.subject == subject })
	switch {
	case err != nil && edited != nil:
		return fmt.Errorf("%w; and %w", err, edited)
	case err != nil:
		return err
	case i >= 0:
		l.pending = slices.Delete(l.pending, i, i+1) // this change replaces it
	case len(l.pending) >= maxPending:
		return fmt.Errorf("%s: %d changes are not saved; correct that first, nothing was changed", l.path, maxPending)
	}
	l.pending = append(l.pending, change{subject, do})
	l.become(next)
	if edited != nil {
		return &Unsaved{edited}
	}
	if err := l.save(next); err != nil {
		return &Unsaved{err}
	}
	return nil
}

func (l *List) become(s *state) {
	l.now.Store(s)
	l.version.Add(1)
}

// read makes the list that of the file, if the file has changed, with the changes that are not saved.
func (l *List) read() error {
	text, err := readFile(l.path)
	if err != nil {
		return err
	}
	if l.gone = text == nil && l.seen != nil; l.gone || bytes.Equal(text, l.seen) && l.seen != nil {
		return nil
	}
	s, err := parse(l.path, text, l.clock())
	if err != nil {
		return err
	}
	for _, c := range l.pending {
		_ = c.make(s) // it no longer applies, as when a ban is lifted that the file no longer has
	}
	l.seen = text
	l.become(s)
	return nil
}

// save writes the file.
func (l *List) save(s *state) error {
	text := render(s, l.clock())
	if err := writeFile(l.path, text, l.sync); err != nil {
		return err
	}
	l.seen, l.pending, l.gone = text, nil, false
	return nil
}
