package access

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/secret"
)

const (
	ann  = "key-00000000000000000000000000000001"
	bob  = "key-00000000000000000000000000000002"
	cleo = "token-Cleo of the \"Hill\" = a.b"
)

// clock is a time that tests set.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func newClock() *clock { return &clock{at: time.Date(2026, 11, 27, 10, 0, 0, 5, time.UTC)} }

// opened is a list with a file in a folder of its own.
func opened(t *testing.T) (*List, *clock, string) {
	t.Helper()
	c, path := newClock(), filepath.Join(t.TempDir(), "access.toml")
	return reopened(t, path, c), c, path
}

func reopened(t *testing.T, path string, c *clock) *List {
	t.Helper()
	l, err := openAt(path, c.now)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

// shown is everything that a list says, for comparisons.
func shown(l *List) string {
	on, keys := l.Whitelisted()
	return fmt.Sprint(l.Roles(), l.Bans(), on, keys)
}

// TestRoundTrip: what was decided is in the file, with mode 0600 and names that print; TestRandom tries all that can be decided.
func TestRoundTrip(t *testing.T) {
	l, c, path := opened(t)
	if _, err := os.Stat(path); err == nil {
		t.Error("there is a file before the first change")
	}
	must(t, l.Ban(Ban{Key: strings.ToUpper(bob[:3]) + bob[3:], Name: "B\x1b\"ob\\", Reason: "says \"x\"", By: "Ann"}))
	must(t, l.Ban(Ban{Addr: "2001:db8::1:2:3"}))
	must(t, l.Ban(Ban{Addr: "198.51.100.77/24"}))
	if st, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
	again := reopened(t, path, c)
	var what []string
	for _, b := range again.Bans() {
		what = append(what, b.What())
	}
	if want := []string{"198.51.100.0/24", "2001:db8::/64", bob}; !slices.Equal(what, want) || shown(again) != shown(l) {
		t.Errorf("bans of %q, want %q", what, want)
	}
	if b, err := again.Unban(bob); err != nil || b.Name != `B?"ob\` || b.By != "Ann" || !b.Since.Equal(c.now().Truncate(time.Second)) {
		t.Errorf("%+v, %v", b, err)
	}
	for _, addr := range []string{"2001:db8::9", "198.51.100.5/24"} {
		if _, err := again.Unban(addr); err != nil {
			t.Error(err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".access*")); err != nil || len(left) > 0 || len(again.Bans()) > 0 {
		t.Errorf("left in the folder: %q, %v; left: %+v", left, err, again.Bans())
	}
}

// TestCheck: who is kept out, why, and what the player reads.
func TestCheck(t *testing.T) {
	l, c, _ := opened(t)
	check := func(key, addr, code, text string) {
		t.Helper()
		why := l.Check(key, addr)
		if why == nil {
			if code != "" {
				t.Errorf("%s at %s may come in", key, addr)
			}
			return
		}
		if why.Code != code || why.Text != text {
			t.Errorf("%s at %s: %q, %q; want %q, %q", key, addr, why.Code, why.Text, code, text)
		}
	}
	check(ann, "192.0.2.7:1", "", "")
	must(t, l.Ban(Ban{Key: ann, Reason: "spam"}))
	must(t, l.Ban(Ban{Addr: "192.0.2.0/24", Until: c.now().Add(90 * time.Minute)}))
	must(t, l.Ban(Ban{Addr: "192.0.2.7", Reason: "again"}))
	must(t, l.Ban(Ban{Addr: "2001:db8:1:2:3::4"}))
	must(t, l.Ban(Ban{Addr: "0.0.0.0/1"}))
	must(t, l.Ban(Ban{Addr: "::/16"}))
	check(ann, "203.0.113.1:1", Banned, "you are banned from this server: spam")
	check(ann, "127.0.0.1:1", Banned, "you are banned from this server: spam")
	check(ann, "", Banned, "you are banned from this server: spam")
	check(bob, "203.0.113.1:1", "", "")
	check(bob, "192.0.2.8:9", Banned, "your address is banned from this server until 2026-11-27 11:30 UTC")
	check(bob, "192.0.2.7:9", Banned, "your address is banned from this server: again")
	check(bob, "[::ffff:192.0.2.7]:9", Banned, "your address is banned from this server: again")
	check(bob, "[2001:db8:1:2::5]:9", Banned, "your address is banned from this server")
	check(bob, "[2001:db8:1:3::5]:9", "", "")
	check(bob, "7.0.0.1:9", Banned, "your address is banned from this server")
	for _, own := range []string{"127.0.0.1:9", "127.9.9.9:9", "[::1]:9", "the server", "sim:3", ""} {
		check(bob, own, "", "")
	}
	c.pass(2 * time.Hour)
	check(bob, "192.0.2.8:9", "", "")
	if n := len(l.Bans()); n != 5 {
		t.Errorf("%d bans", n)
	}

	// A player with a role cannot be locked out by a network's ban or by the whitelist, only by name of their key.
	must(t, l.SetRole(bob, Moderator))
	check(bob, "192.0.2.7:9", "", "")
	must(t, l.Whitelist(true))
	check(bob, "192.0.2.7:9", "", "")
	check(cleo, "127.0.0.1:9", NotWhitelisted, "this server admits only players on its list; to be added, give its operator your key: "+cleo)
	check("", "127.0.0.1:9", NotWhitelisted, "this server admits only players on its list")
	if l.Barred(cleo, "127.0.0.1:9") != nil || l.Barred(ann, "") == nil {
		t.Error("who may stay is asked by the whitelist, or not by the bans")
	}
	must(t, l.Allow(cleo))
	check(cleo, "127.0.0.1:9", "", "")
	must(t, l.Ban(Ban{Key: bob}))
	check(bob, "192.0.2.7:9", Banned, "you are banned from this server")
}

// The longest text for a player fits the refusal that carries it.
func TestLongestText(t *testing.T) {
	l, c, _ := opened(t)
	long := "token-" + strings.Repeat("x", maxKey-len("token-"))
	must(t, l.Whitelist(true))
	must(t, l.Ban(Ban{Key: ann, Reason: strings.Repeat("ä", MaxReason/2), Until: c.now().Add(time.Hour)}))
	must(t, l.Ban(Ban{Addr: "192.0.2.7", Reason: strings.Repeat("ä", MaxReason/2), Until: c.now().Add(time.Hour)}))
	for _, why := range []*struct{ key, addr string }{{long, ""}, {ann, ""}, {bob, "192.0.2.7:1"}} {
		if r := l.Check(why.key, why.addr); r == nil || len(r.Text) > 255 {
			t.Errorf("%v", r)
		}
	}
}

// TestEdited: an edit by hand counts, before a change and after Reload, and no change loses it.
func TestEdited(t *testing.T) {
	l, c, path := opened(t)
	must(t, l.SetRole(ann, Admin))
	v := l.Version()
	write(t, path, `# mine
whitelist.enabled = true
[roles]
"`+bob+`" = "moderator"
'token-A = "b"' = "owner"
[[bans]]
key = "`+cleo[:10]+`"
until = 2026-12-01 10:00:00
[[bans]]
addr = "192.0.2.7"
until = ""
since = 2026-01-01
[[bans]]
addr = "192.0.2.8"
until = "2026-11-27T10:00:00+02:00"
`)
	must(t, l.Reload())
	if l.Version() == v || l.RoleOf(ann) != None || l.RoleOf(bob) != Moderator || l.RoleOf(`token-A = "b"`) != Owner || len(l.Bans()) != 2 {
		t.Errorf("%s", shown(l))
	}
	v = l.Version()
	must(t, l.Reload())
	if l.Version() != v {
		t.Error("the same file is a change")
	}
	write(t, path, "[roles]\n\""+ann+"\" = \"owner\"\n")
	must(t, l.Allow(bob)) // without having been told to read it again
	if on, keys := l.Whitelisted(); on || !slices.Equal(keys, []string{bob}) || l.RoleOf(ann) != Owner || l.RoleOf(bob) != None {
		t.Errorf("%s", shown(l))
	}
	if again := reopened(t, path, c); shown(again) != shown(l) {
		t.Errorf("the file has %s, the list %s", shown(again), shown(l))
	}
	// A file that is gone, perhaps with its disk, lifts nothing.
	for _, again := range []func() error{l.Reload, func() error { return l.Allow(cleo) }} {
		must(t, os.Remove(path))
		must(t, again())
		if shown(l) != shown(reopened(t, path, c)) || l.RoleOf(ann) != Owner {
			t.Errorf("without a file: %s", shown(l))
		}
	}
	for _, text := range []string{"", "[roles]\n", "bans = []\n", "bans = [{key = \"" + ann + "\"}]\n"} {
		write(t, path, text)
		must(t, l.Reload())
	}
	if l.Check(ann, "") == nil {
		t.Error("a ban in braces does not count")
	}
}

// TestBrokenFile: one line, with the line of the file, and nothing has changed.
func TestBrokenFile(t *testing.T) {
	l, c, path := opened(t)
	must(t, l.SetRole(ann, Admin))
	before := shown(l)
	for text, want := range map[string]string{ // any order: each on its own
		"[roles]\n\"key-1\" = \"admin\"":                                      `:2: [roles] "key-1" is not a player's key; expected one as the log shows it: key- and 32 hexadecimal digits, or token- and a name`,
		"[roles]\n\"" + ann + "\" = \"amin\"":                                 `:2: [roles] ` + ann + `: "amin" is not a role; did you mean "admin"?; the roles are moderator, admin, owner`,
		"\n[roles]\n\"" + ann + "\" = 3":                                      `:3: [roles] ` + ann + `: expected a role in quotation marks: "admin"`,
		"[roles]\n'token-a = b' = 'boss'":                                     `:2: [roles] token-a = b: "boss" is not a role; the roles are moderator, admin, owner`,
		"[roles]\n\"" + ann + "\" = \"\"\n\"KEY" + ann[3:] + "\" = \"admin\"": `:2: [roles] ` + ann + ` is listed twice; remove one of them`,
		"roles = 3":                  `:1: roles: expected a table: [roles], and below it "key-…" = "admin"`,
		"\n[role]\n":                 `:2: unknown key "role"; did you mean "roles"?; the tables are [roles], [whitelist] and [[bans]]`,
		"[roles\n":                   `:2: expected `,
		"[whitelist]\nenabled = 1":   `:2: [whitelist] enabled: expected true or false`,
		"[whitelist]\nenable = true": `:2: unknown key "enable" in [whitelist]; did you mean "enabled"?; the keys are enabled, keys`,
		"[whitelist]\nkeys = [\n\"" + ann + "\",\n\"Ann\"]": `:4: [whitelist] keys: "Ann" is not a player's key; `,
		"[whitelist]\nkeys = [3]":                           `:2: [whitelist] keys: expected players' keys in quotation marks`,
		"whitelist = true":                                  `:1: whitelist: expected a table`,
		"[bans]\nkey = \"x\"":                               `:1: bans: expected a table for each ban: [[bans]]`,
		"[[bans]]\nname = \"Ann\"":                          `:1: [[bans]] a ban has neither a key nor an address; give one of them`,
		"[[bans]]\nkey = \"" + ann + "\"\n[[bans]]\nkey = \"" + ann + "\"\naddr = \"1.2.3.4\"": `:3: [[bans]] a ban has both a key and an address; make two of them`,
		"[[bans]]\nkey = \"" + ann + "\"\n[[bans]]\nkey = \"" + ann + "\"":                     `:3: [[bans]] ` + ann + ` is banned twice; remove one of them`,
		"[[bans]]\naddr = \"192.0.2.1/24\"\n[[bans]]\naddr = \"192.0.2.0/24\"":                 `:3: [[bans]] 192.0.2.0/24 is banned twice; remove one of them`,
		"[[bans]]\naddr = \"127.0.0.1\"":                                                       `:1: [[bans]] "127.0.0.1" is this machine itself, and everybody who comes by a proxy on it; such addresses are never banned: ban the player's key`,
		"[[bans]]\naddr = \"here\"":                                                            `:1: [[bans]] "here" is neither a player's key nor an address; `,
		"[[bans]]\naddr = \"1.2.3.4/33\"":                                                      `:1: [[bans]] "1.2.3.4/33" is not a network; `,
		"[[bans]]\nkey = 3":                                                                    `:2: [[bans]] key: expected a text in quotation marks`,
		"[[bans]]\naddr = \"1.2.3.4\"\nuntil = 3":                                              `:3: [[bans]] until: expected a time such as 2026-12-01T18:00:00Z; leave it out for none`,
		"[[bans]]\naddr = \"1.2.3.4\"\nuntil = 10:00:00":                                       `:3: [[bans]] until: expected a time`,
		"[[bans]]\naddr = \"1.2.3.4\"\nuntl = \"\"":                                            `:3: [[bans]] unknown key "untl"; did you mean "until"?; the keys are addr, by, key, name, reason, since, until`,
		"[[bans]]\naddr = \"1.2.3.4\"\nreason = \"" + strings.Repeat("x", 121) + "\"":          `:1: [[bans]] the reason has 121 bytes; give at most 120`,
		"\xff": `: not UTF-8 text; write it as TOML`,
	} {
		write(t, path, text)
		err := l.Reload()
		if err == nil || !strings.HasPrefix(err.Error(), path+want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s\n%v, want %s", text, err, want)
		}
		if _, err := openAt(path, c.now); err == nil {
			t.Errorf("opened: %s", text)
		}
		if shown(l) != before {
			t.Errorf("%s\nchanged the list to %s", text, shown(l))
		}
	}
	// A change meanwhile holds, does not touch the file, and is in it once somebody has corrected it.
	var unsaved *Unsaved
	write(t, path, "[roles\n")
	if err := l.SetRole(bob, Owner); !errors.As(err, &unsaved) || !strings.Contains(err.Error(), path+":2: ") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
	if _, err := l.Unban(cleo); err == nil || errors.As(err, &unsaved) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "[roles\n" || l.RoleOf(bob) != Owner {
		t.Errorf("%q, %v, %s", got, err, shown(l))
	}
	write(t, path, "[roles]\n\""+ann+"\" = \"moderator\"\n")
	must(t, l.Reload())
	if again := reopened(t, path, c); again.RoleOf(bob) != Owner || again.RoleOf(ann) != Moderator || shown(again) != shown(l) {
		t.Errorf("%s, %s", shown(again), shown(l))
	}
}

// TestCannotSave: without a place to write a change holds for the run, and is saved with the next one that can be.
func TestCannotSave(t *testing.T) {
	c, dir := newClock(), filepath.Join(t.TempDir(), "conf")
	must(t, os.Mkdir(dir, 0o700))
	l := reopened(t, filepath.Join(dir, "access.toml"), c)
	must(t, os.Remove(dir))
	for _, change := range []func() error{func() error { return l.SetRole(bob, Owner) }, l.Reload} { // there is nothing to read
		var unsaved *Unsaved
		if err := change(); !errors.As(err, &unsaved) || !errors.Is(err, os.ErrNotExist) || l.RoleOf(bob) != Owner {
			t.Errorf("%v, %s", err, shown(l))
		}
	}
	must(t, os.Mkdir(dir, 0o700))
	must(t, l.Whitelist(true))
	if again := reopened(t, filepath.Join(dir, "access.toml"), c); shown(again) != shown(l) || len(l.pending) != 0 {
		t.Errorf("%s, %s", shown(again), shown(l))
	}
}

// TestModes: who can write the file could make themselves owner.
func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes say nothing there")
	}
	l, c, path := opened(t)
	must(t, l.SetRole(ann, Owner))
	for _, mode := range []os.FileMode{0o620, 0o602, 0o666} {
		must(t, os.Chmod(path, mode))
		_, err := openAt(path, c.now)
		if want := fmt.Sprintf("%s: others than its owner may write it (its mode is %04o); chmod 600 it", path, mode); !errors.Is(err, secret.ErrWritable) || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		if err := l.Reload(); !errors.Is(err, secret.ErrWritable) || l.RoleOf(ann) != Owner {
			t.Errorf("%v, %s", err, shown(l))
		}
	}
	must(t, os.Chmod(path, 0o640))
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(path, link))
	l = reopened(t, link, c)
	must(t, l.SetRole(bob, Admin))
	if st, err := os.Lstat(path); err != nil || st.Mode() != 0o640 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	if reopened(t, path, c).RoleOf(bob) != Admin {
		t.Error("the file behind a link was not written")
	}
	for where, want := range map[string]string{t.TempDir(): "", filepath.Join(t.TempDir(), "none", "a.toml"): ": no such file or directory; name a file in a folder that exists"} {
		if _, err := openAt(where, c.now); err == nil || !strings.HasSuffix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", where, err)
		}
	}
}

// TestWrongChanges: one line, and nothing has changed.
func TestWrongChanges(t *testing.T) {
	l, c, _ := opened(t)
	must(t, l.Ban(Ban{Addr: "192.0.2.0/24"}))
	must(t, l.Ban(Ban{Key: ann}))
	must(t, l.Allow(ann))
	before, v := shown(l), l.Version()
	for want, f := range map[string]func() error{ // any order: each on its own
		`"Ann" is not a player's key; `:                                               func() error { return l.SetRole("Ann", Admin) },
		`role 9 does not exist`:                                                       func() error { return l.SetRole(bob, 9) },
		`"" is not a player's key; `:                                                  func() error { return l.Allow("") },
		bob + ` is not on the whitelist; did you mean "` + ann + `"?`:                 func() error { return l.Disallow(bob) },
		bob + ` is not banned; did you mean "` + ann + `"?`:                           func() error { _, err := l.Unban(bob); return err },
		`192.0.2.7 has no ban of its own; it is within 192.0.2.0/24, which is banned`: func() error { _, err := l.Unban("192.0.2.7"); return err },
		`198.51.100.1 is not banned`:                                                  func() error { _, err := l.Unban("198.51.100.1"); return err },
		`"keyless" is not a player's key; `:                                           func() error { _, err := l.Unban("keyless"); return err },
		`"::1" is this machine itself, `:                                              func() error { return l.Ban(Ban{Addr: "::1"}) },
		`"127.0.0.0/8" is this machine itself, `:                                      func() error { return l.Ban(Ban{Addr: "127.0.0.0/8"}) },
		`"::ffff:127.0.0.1" is this machine itself, `:                                 func() error { return l.Ban(Ban{Addr: "::ffff:127.0.0.1"}) },
		`"::ffff:1.2.3.4/90" is not a network; write IPv4 networks `:                  func() error { return l.Ban(Ban{Addr: "::ffff:1.2.3.4/90"}) },
		`a ban has neither a key nor an address; `:                                    func() error { return l.Ban(Ban{Name: "Ann"}) },
		`a ban has both a key and an address; `:                                       func() error { return l.Ban(Ban{Key: ann, Addr: "192.0.2.9"}) },
		`the reason has 130 bytes; give at most 120`:                                  func() error { return l.Ban(Ban{Key: bob, Reason: strings.Repeat("x", 130)}) },
		`the ban would have ended at 2026-11-27T10:00:00Z; `:                          func() error { return l.Ban(Ban{Key: bob, Until: c.now()}) },
	} {
		if err := f(); err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if shown(l) != before || l.Version() != v {
		t.Errorf("changed to %s", shown(l))
	}
	for text, want := range map[string]Role{"": None, "moderator": Moderator, "admin": Admin, "owner": Owner} { // any order: each on its own
		if r, err := ParseRole(text); err != nil || r != want || r.String() != text {
			t.Errorf("%s: %v, %v", text, r, err)
		}
	}
	if _, err := ParseRole("ownr"); err == nil || err.Error() != `"ownr" is not a role; did you mean "owner"?; the roles are moderator, admin, owner` {
		t.Error(err)
	}
	for what, want := range map[string]Ban{ // any order: each on its own
		ann: {Key: ann}, cleo: {Key: cleo}, "[2001:db8::7]:99": {Addr: "2001:db8::/64"}, "2001:db8::/32": {Addr: "2001:db8::/32"}, "2001:db8::7/128": {Addr: "2001:db8::/64"},
		"::ffff:192.0.2.0/120": {Addr: "192.0.2.0/24"}, "192.0.2.1/32": {Addr: "192.0.2.1"},
	} {
		if b, err := Whom(what); err != nil || b != want {
			t.Errorf("%s: %+v, %v", what, b, err)
		}
	}
}

// TestFull: every kind has its bound; what is there may still be changed and removed, and the fullest file is read.
func TestFull(t *testing.T) {
	l, c, path := opened(t)
	s, most := newState(), newState()
	short := func(i int) string { return fmt.Sprint("token-", i) }
	long := func(i int) string { return fmt.Sprintf("token-%s%08d", strings.Repeat(`"`, maxKey-14), i) }
	for i := range MaxEntries {
		s.roles[short(i)], s.listed[short(i)] = Moderator, true
		s.keys[short(i)] = Ban{Key: short(i), Until: second(c.now().Add(time.Hour))}
		most.roles[long(i)], most.listed[long(i)] = Moderator, true
		text := strings.Repeat(`\`, maxName)
		most.keys[long(i)] = Ban{Key: long(i), Name: text, By: text, Reason: text + text[:MaxReason-maxName], Since: second(c.now()), Until: second(c.now().Add(time.Hour))}
	}
	if text := render(most, c.now()); len(text) > maxFile {
		t.Errorf("%d bytes", len(text))
	}
	text := string(render(s, c.now()))
	write(t, path, text)
	must(t, l.Reload())
	for want, f := range map[string]func() error{ // any order: each on its own
		"the access list has 4096 roles, which is the most; remove some first":                 func() error { return l.SetRole(ann, Admin) },
		"the access list has 4096 bans, which is the most; lift some first":                    func() error { return l.Ban(Ban{Addr: "192.0.2.7"}) },
		"the access list has 4096 keys on its whitelist, which is the most; remove some first": func() error { return l.Allow(ann) },
	} {
		if err := f(); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	write(t, path, text+"[[bans]]\nkey = \""+ann+"\"\n")
	if err := l.Reload(); err == nil || !strings.HasSuffix(err.Error(), ": [[bans]] the access list has 4096 bans, which is the most; lift some first") {
		t.Error(err)
	}
	write(t, path, text)
	must(t, l.SetRole(short(7), Owner))
	must(t, l.SetRole(short(8), None))
	must(t, l.SetRole(ann, Admin))
	if n := len(l.Roles()); n != MaxEntries {
		t.Errorf("%d roles", n)
	}
	c.pass(2 * time.Hour) // what has ended makes room
	must(t, l.Ban(Ban{Addr: "192.0.2.7"}))
	if n := len(l.Bans()); n != 1 {
		t.Errorf("%d bans", n)
	}
	write(t, path, strings.Repeat("#", maxFile+1))
	if err := l.Reload(); err == nil || strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
}
