package access

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

// model is what a list should say, kept in the plainest way.
type model struct {
	roles  map[string]Role
	bans   map[string]Ban // by what they are about
	listed map[string]bool
	only   bool
}

// shown is as the function of that name.
func (m *model) shown(now time.Time) string {
	var grants []Grant
	for _, r := range []Role{Owner, Admin, Moderator} {
		for _, key := range slices.Sorted(maps.Keys(m.roles)) {
			if m.roles[key] == r {
				grants = append(grants, Grant{key, r})
			}
		}
	}
	var bans []Ban
	for _, what := range slices.Sorted(maps.Keys(m.bans)) {
		if b := m.bans[what]; b.Until.IsZero() || b.Until.After(now) {
			bans = append(bans, b)
		}
	}
	slices.SortStableFunc(bans, func(a, b Ban) int { return a.Since.Compare(b.Since) })
	return fmt.Sprint(grants, bans, m.only, slices.Sorted(maps.Keys(m.listed)))
}

// TestRandom makes random changes by two hosts that share a file, which at times cannot be written, while bans end. What
// the lists say is what the model says after each, and the file has it whenever it could be written.
func TestRandom(t *testing.T) {
	keys := []string{ann, bob, cleo, "token-x", "tokenhash-00000000000000000000000000000003"}
	addrs := []string{"192.0.2.7", "192.0.2.0/24", "2001:db8::/64", "2001:db8::/32", "198.51.100.1"}
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 1))
		c := newClock()
		root := t.TempDir()
		dir, away := filepath.Join(root, "conf"), filepath.Join(root, "away")
		must(t, os.Mkdir(dir, 0o700))
		path := filepath.Join(dir, "access.toml")
		hosts := []*List{reopened(t, path, c), reopened(t, path, c)}
		for _, l := range hosts {
			l.sync = func(*os.File) error { return nil } // thousands of changes
		}
		m := &model{roles: map[string]Role{}, bans: map[string]Ban{}, listed: map[string]bool{}}
		gone := false
		for step := range 150 {
			l := hosts[0]
			if !gone { // what could not be saved, no other host can know
				l = hosts[rng.IntN(2)]
			}
			key, what := keys[rng.IntN(len(keys))], ""
			var err error
			ok := true // whether the model expects the change
			switch op := rng.IntN(10); op {
			case 0, 1:
				r := Role(rng.IntN(int(roles)))
				what = fmt.Sprint("role ", key, r)
				err = l.SetRole(key, r)
				if m.roles[key] = r; r == None {
					delete(m.roles, key)
				}
			case 2, 3, 4:
				b := Ban{Key: key, Reason: fmt.Sprint("reason ", step), By: "op", Name: `"x\`}
				if op == 4 {
					b.Key, b.Addr = "", addrs[rng.IntN(len(addrs))]
				}
				if rng.IntN(2) == 0 {
					b.Until = c.now().Add(time.Duration(1+rng.IntN(40)) * time.Second)
				}
				what = fmt.Sprint("ban ", b)
				err = l.Ban(b)
				b.Since, b.Until = second(c.now()), second(b.Until)
				m.bans[b.What()] = b
			case 5, 6:
				who := key
				if op == 6 {
					who = addrs[rng.IntN(len(addrs))]
				}
				what = "unban " + who
				b, had := m.bans[who]
				ok = had && (b.Until.IsZero() || b.Until.After(c.now()))
				delete(m.bans, who)
				_, err = l.Unban(who)
			case 7:
				what = "allow " + key
				err = l.Allow(key)
				m.listed[key] = true
			case 8:
				what = "disallow " + key
				ok = m.listed[key]
				delete(m.listed, key)
				err = l.Disallow(key)
			case 9:
				m.only = !m.only
				what = fmt.Sprint("whitelist ", m.only)
				err = l.Whitelist(m.only)
			}
			var unsaved *Unsaved
			if errors.As(err, &unsaved) != (gone && ok) || (err == nil) != (ok && !gone) {
				t.Fatalf("seed %d, step %d: %s: %v", seed, step, what, err)
			}
			want := m.shown(c.now())
			if got := shown(l); got != want {
				t.Fatalf("seed %d, step %d: %s:\ngot  %s\nwant %s", seed, step, what, got, want)
			}
			if !gone {
				if got := shown(reopened(t, path, c)); got != want && ok {
					t.Fatalf("seed %d, step %d: %s: in the file:\ngot  %s\nwant %s", seed, step, what, got, want)
				}
			}
			if rng.IntN(12) == 0 {
				from, to := dir, away
				if gone {
					from, to = away, dir
				} else {
					must(t, hosts[0].Reload()) // it knows what the other one changed
				}
				must(t, os.Rename(from, to))
				gone = !gone
				if !gone {
					must(t, hosts[0].Reload()) // saves what waits
				}
			}
			c.pass(time.Duration(rng.IntN(3)) * time.Second)
		}
	}
}

// TestConcurrent: many goroutines change and ask at once, and no change is lost.
func TestConcurrent(t *testing.T) {
	l, c, path := opened(t)
	l.sync = func(*os.File) error { return nil }
	const writers, each = 4, 10
	errs := make(chan error, writers*each*4)
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() { // ends by itself; awaited below
			for i := range each {
				key := fmt.Sprintf("token-%d-%d", w, i)
				errs <- errors.Join(l.SetRole(key, Admin), l.Allow(key), l.Ban(Ban{Key: key}), l.Reload())
				_, _, _, _ = l.Check(ann, "192.0.2.7:1"), l.Roles(), l.Bans(), l.RoleOf(bob)
				_, _ = l.Whitelisted()
			}
		})
	}
	all.Wait()
	close(errs)
	for err := range errs {
		must(t, err)
	}
	again := reopened(t, path, c)
	_, keys := again.Whitelisted()
	if shown(again) != shown(l) || len(again.Roles()) != writers*each || len(again.Bans()) != writers*each || len(keys) != writers*each || l.Version() < 3*writers*each {
		t.Errorf("%d roles, %d bans, %d keys, version %d", len(again.Roles()), len(again.Bans()), len(keys), l.Version())
	}
}
