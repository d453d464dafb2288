package doctor

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// good is a host and a machine on which every check passes.
func good(t *testing.T) (Host, Machine) {
	t.Helper()
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	boot := time.Hour
	proc := t.TempDir()
	h := Host{
		UDP: "127.0.0.1:7777", Web: "127.0.0.1:7780", Players: 64,
		Folders: []Folder{{"cache", filepath.Join(t.TempDir(), "not", "yet"), 300 << 20}},
	}
	m := Machine{
		Listen: func(string, string) error { return nil }, Proc: proc, Cgroup: t.TempDir(),
		OpenFiles: func() (uint64, error) { return 1024, nil },
		UDPBuffer: func(n int) (int, error) { return n, nil },
		Now: func() time.Time {
			at = at.Add(50 * time.Nanosecond)
			return at
		},
		SinceBoot: func() (time.Duration, error) {
			boot += time.Millisecond
			return boot, nil
		},
		Sleep: func(time.Duration) {},
		Free:  func(string) (uint64, error) { return 50 << 30, nil },
		CPUs:  4,
	}
	return h, m
}

func write(t *testing.T, path, text string, mode os.FileMode) string {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), mode)); err != nil {
		t.Fatal(err)
	}
	return path
}

// inUse is what the system says of a port that another socket has.
var errInUse = &net.OpError{Op: "listen", Net: "udp", Err: os.NewSyscallError("bind", syscall.EADDRINUSE)}

const (
	udpTable = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops\n" +
		"  12: 0100007F:1E61 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 4242 2 0000000000000000 0\n" +
		"  13: 00000000:0035 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 99 2 0000000000000000 0\n"
	tcpTable = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n" +
		"   0: 0100007F:1E64 0100007F:9999 01 00000000:00000000 00:00000000 00000000  1000        0 5555 1 0000000000000000\n" +
		"   1: 0100007F:1E64 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 5656 1 0000000000000000\n"
)

func TestCheck(t *testing.T) {
	owned := func(m *Machine, pid, name, inode string) {
		write(t, filepath.Join(m.Proc, pid, "comm"), name+"\n", 0o644)
		dir := filepath.Join(m.Proc, pid, "fd")
		if err := errors.Join(os.MkdirAll(dir, 0o755), os.Symlink("socket:["+inode+"]", filepath.Join(dir, "7"))); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name  string
		spoil func(h *Host, m *Machine)
		want  []string // lines that begin so; a line "-CHECK" must not be there
	}{
		{"good", func(*Host, *Machine) {}, []string{
			"ok    listen     UDP 127.0.0.1:7777 is free", "ok    web        TCP and UDP 127.0.0.1:7780 is free",
			"ok    reach      --listen 127.0.0.1:7777 admits this machine only", "ok    reach      --web",
			"ok    files      1024 open files are allowed, 64 players need at most 384", "ok    buffer     a UDP socket gets a buffer of 4096 kB",
			"ok    clock      the clock advances, its year is 2026", "ok    cpu        4 processors", "ok    cache      ", "-admin",
		}},
		{"the inspector's own port is in use", func(h *Host, m *Machine) {
			h.Admin = "127.0.0.1:7781"
			m.Listen = func(_, addr string) error {
				if addr == h.Admin {
					return errInUse
				}
				return nil
			}
		}, []string{"ok    web", "fail  admin      TCP 127.0.0.1:7781 is in use; stop it, or give --admin another port"}},
		{"a chosen port is in use", func(h *Host, m *Machine) {
			h.UDPChosen = true
			m.Listen = func(network, addr string) error {
				if addr == h.UDP {
					return errInUse
				}
				return nil
			}
			write(t, filepath.Join(m.Proc, "net", "udp"), udpTable, 0o644)
			owned(m, "17", "other", "1")
			owned(m, "123", "host", "4242")
		}, []string{`fail  listen     UDP 127.0.0.1:7777 is in use by "host" (process 123); stop it, or give --listen another port`, "ok    web"}},
		{"a default port is in use", func(_ *Host, m *Machine) {
			m.Listen = func(network, _ string) error {
				if network == "tcp" {
					return errInUse
				}
				return nil
			}
			write(t, filepath.Join(m.Proc, "net", "tcp"), tcpTable, 0o644)
			owned(m, "9", "browser", "5555")
		}, []string{"warn  web        TCP 127.0.0.1:7780 is in use by a process of another user; the host takes the next free port"}},
		{"nobody knows who has the port", func(h *Host, m *Machine) {
			h.UDPChosen, m.Proc = true, ""
			m.Listen = func(string, string) error { return errInUse }
		}, []string{"fail  listen     UDP 127.0.0.1:7777 is in use; stop it"}},
		{"no address of this machine", func(_ *Host, m *Machine) {
			m.Listen = func(string, string) error {
				return &net.OpError{Op: "listen", Err: os.NewSyscallError("bind", syscall.EADDRNOTAVAIL)}
			}
		}, []string{"fail  listen     cannot listen on UDP 127.0.0.1:7777: bind: "}},
		{"no listeners", func(h *Host, _ *Machine) { h.UDP, h.Web = "", "" }, []string{"skip  listen", "skip  web", "-reach"}},
		{"open", func(h *Host, _ *Machine) { h.UDP, h.Web = ":7777", "[::]:7780" }, []string{
			"ok    reach      --listen :7777 admits everybody who reaches this machine",
			"warn  reach      --web [::]:7780 admits other machines by plain HTTP",
		}},
		{"open with a password", func(h *Host, _ *Machine) { h.UDP, h.Guarded = "192.0.2.1:7777", true }, []string{"ok    reach      --listen 192.0.2.1:7777 admits other machines, with a password or token"}},
		{"few files", func(h *Host, _ *Machine) { h.Players = 1000 }, []string{"warn  files      1024 open files are allowed, 1000 players in browsers may need 2256; raise it"}},
		{"too few files", func(_ *Host, m *Machine) { m.OpenFiles = func() (uint64, error) { return 64, nil } }, []string{"fail  files      64 open files are allowed, a host needs 384"}},
		{"files unknown", func(_ *Host, m *Machine) { m.OpenFiles = nil }, []string{"skip  files"}},
		{"files not readable", func(_ *Host, m *Machine) { m.OpenFiles = func() (uint64, error) { return 0, syscall.EPERM } }, []string{"skip  files      the limit of open files cannot be read: "}},
		{"small buffer", func(_ *Host, m *Machine) { m.UDPBuffer = func(int) (int, error) { return 212992, nil } }, []string{
			"warn  buffer     a UDP socket gets a buffer of 208 kB instead of 4096 kB: packets are lost when many players send at once; sysctl -w net.core.rmem_max=4194304",
		}},
		{"buffer unknown", func(_ *Host, m *Machine) { m.UDPBuffer = nil }, []string{"skip  buffer"}},
		{"buffer not readable", func(_ *Host, m *Machine) { m.UDPBuffer = func(int) (int, error) { return 0, syscall.EPERM } }, []string{"skip  buffer"}},
		{"year", func(_ *Host, m *Machine) {
			now := m.Now
			m.Now = func() time.Time { return now().AddDate(-56, 0, 0) }
		}, []string{"fail  clock      it is the year 1970 here"}},
		{"stands still", func(_ *Host, m *Machine) {
			at := m.Now()
			m.Now = func() time.Time { return at }
		}, []string{"fail  clock      the clock stands still"}},
		{"coarse", func(_ *Host, m *Machine) {
			at := m.Now()
			m.Now = func() time.Time {
				at = at.Add(16 * time.Millisecond)
				return at
			}
		}, []string{"warn  clock      the clock advances in steps of 16ms"}},
		{"no time since boot", func(_ *Host, m *Machine) { m.SinceBoot = func() (time.Duration, error) { return time.Hour, nil } }, []string{"fail  clock      the time since the start of the machine does not advance"}},
		{"half a processor", func(_ *Host, m *Machine) {
			write(t, filepath.Join(m.Cgroup, "cpu.max"), "50000 100000\n", 0o644)
			write(t, filepath.Join(m.Cgroup, "memory.max"), "134217728\n", 0o644)
		}, []string{"warn  cpu        0.5 processors, limited by a cgroup", "warn  memory     a cgroup allows 128 MB, a host needs about 256 MB"}},
		{"a group of its own", func(_ *Host, m *Machine) {
			write(t, filepath.Join(m.Proc, "self", "cgroup"), "0::/system.slice/tidelock.service\n", 0o644)
			write(t, filepath.Join(m.Cgroup, "cpu.max"), "max 100000\n", 0o644)
			write(t, filepath.Join(m.Cgroup, "system.slice", "tidelock.service", "cpu.max"), "150000 100000\n", 0o644)
			write(t, filepath.Join(m.Cgroup, "system.slice", "tidelock.service", "memory.max"), "2147483648\n", 0o644)
		}, []string{"ok    cpu        1.5 processors, limited by a cgroup", "ok    memory     a cgroup allows 2048 MB"}},
		{"no limits", func(_ *Host, m *Machine) {
			write(t, filepath.Join(m.Cgroup, "cpu.max"), "max 100000\n", 0o644)
			write(t, filepath.Join(m.Cgroup, "memory.max"), "max\n", 0o644)
		}, []string{"ok    cpu        4 processors", "-memory"}},
		{"disk nearly full", func(_ *Host, m *Machine) { m.Free = func(string) (uint64, error) { return 100 << 20, nil } }, []string{"warn  cache      "}},
		{"disk full", func(_ *Host, m *Machine) { m.Free = func(string) (uint64, error) { return 4096, nil } }, []string{"fail  cache      "}},
		{"space unknown", func(_ *Host, m *Machine) { m.Free = nil }, []string{"ok    cache      "}},
		{"space not readable", func(_ *Host, m *Machine) { m.Free = func(string) (uint64, error) { return 0, syscall.EPERM } }, []string{"skip  cache      "}},
		{"a file in the place of a folder", func(h *Host, _ *Machine) {
			h.Folders[0].Path = filepath.Join(write(t, filepath.Join(t.TempDir(), "file"), "", 0o644), "below")
		}, []string{"fail  cache      "}},
		{"secrets", func(h *Host, _ *Machine) {
			dir := t.TempDir()
			h.Secrets = []Secret{
				{"--token-key", write(t, filepath.Join(dir, "good"), "", 0o600), true},
				{"--tls-key", write(t, filepath.Join(dir, "shared"), "", 0o644), true},
				{"the password in", write(t, filepath.Join(dir, "host.toml"), "", 0o640), false},
				{"--token-key", filepath.Join(dir, "none"), true},
			}
		}, []string{"ok    secret     --token-key", "fail  secret     --tls-key", "warn  secret     the password in ", "fail  secret     --token-key"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if runtime.GOOS == "windows" && c.name == "secrets" {
				t.Skip("no modes")
			}
			h, m := good(t)
			c.spoil(&h, &m)
			var lines []string
			for _, r := range Check(h, m) {
				lines = append(lines, r.String())
				if strings.Contains(r.String(), "\n") || r.Grade == Warn && r.Do == "" && r.Check != "secret" {
					t.Errorf("%q is not one line that says what to do", r)
				}
			}
			rest := slices.Clone(lines)
			for _, w := range c.want {
				if check, not := strings.CutPrefix(w, "-"); not {
					if slices.ContainsFunc(lines, func(l string) bool { return strings.Fields(l)[1] == check }) {
						t.Errorf("a line about %s", check)
					}
					continue
				}
				i := slices.IndexFunc(rest, func(l string) bool { return strings.HasPrefix(l, w) })
				if i < 0 {
					t.Errorf("no line %q", w)
					continue
				}
				rest = slices.Delete(rest, i, i+1)
			}
			if t.Failed() {
				t.Log(strings.Join(lines, "\n"))
			}
		})
	}
}

// TestNotWritable: a folder without permission is a failure; root may write everywhere.
func TestNotWritable(t *testing.T) {
	if os.Getuid() <= 0 {
		t.Skip("root, or a system without users")
	}
	dir := filepath.Join(t.TempDir(), "locked")
	if err := os.Mkdir(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	h, m := good(t)
	h.Folders = []Folder{{"keys", filepath.Join(dir, "keys"), 0}}
	if r := folders(&h, &m)[0]; r.Grade != Fail || !strings.Contains(r.Text, "cannot be written: permission denied") {
		t.Errorf("got %v", r)
	}
}

// TestLeavesNothing: the probe of a folder is removed, and folders that are missing stay so.
func TestLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	h, m := good(t)
	h.Folders = []Folder{{"cache", filepath.Join(dir, "a", "b"), 0}}
	if r := folders(&h, &m)[0]; r.Grade != OK {
		t.Errorf("got %v", r)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
		t.Errorf("left %v, %v", list, err)
	}
}

func TestCertificate(t *testing.T) {
	dir := t.TempDir()
	made := func(name string, from, to time.Time) (cert, key string) {
		k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: from, NotAfter: to}
		c, err := x509.CreateCertificate(rand.Reader, template, template, &k.PublicKey, k)
		if err != nil {
			t.Fatal(err)
		}
		der, err := x509.MarshalPKCS8PrivateKey(k)
		if err != nil {
			t.Fatal(err)
		}
		return write(t, filepath.Join(dir, name+".crt"), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c})), 0o644),
			write(t, filepath.Join(dir, name+".key"), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), 0o600)
	}
	h, m := good(t)
	now := m.Now()
	day := 24 * time.Hour
	for name, c := range map[string]struct { // any order: each on its own
		from, to time.Duration
		want     string
	}{
		"valid":   {-day, 90 * day, "ok    tls        %s is valid until 2026-07-30"},
		"soon":    {-day, 10 * day, "warn  tls        %s expires on 2026-05-11; renew it"},
		"expired": {-9 * day, -2 * day, "fail  tls        %s has expired on 2026-04-29; renew it"},
		"early":   {day, 9 * day, "fail  tls        %s is valid from 2026-05-02 on; check the clock"},
	} {
		h.Cert, h.Key = made(name, now.Add(c.from), now.Add(c.to))
		if got, want := fmt.Sprint(certificate(&h, &m)[0]), fmt.Sprintf(c.want, h.Cert); !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	h.Key = write(t, filepath.Join(dir, "broken.key"), "no key", 0o600)
	if r := certificate(&h, &m)[0]; r.Grade != Fail {
		t.Errorf("a broken key: %v", r)
	}
}

func TestPrint(t *testing.T) {
	list := []Result{{OK, "a", "fine", ""}, {Warn, "b", "<odd>", "look"}}
	var text, asJSON bytes.Buffer
	if ok, err := Print(&text, list, false); !ok || err != nil || text.String() != "ok    a          fine\nwarn  b          <odd>; look\n" {
		t.Errorf("%v %v\n%s", ok, err, &text)
	}
	ok, err := Print(&asJSON, append(list, Result{Fail, "c", "bad", "mend"}), true)
	var got struct {
		OK     bool
		Checks []map[string]string
	}
	if err := errors.Join(err, json.Unmarshal(asJSON.Bytes(), &got)); err != nil {
		t.Fatal(err)
	}
	if ok || got.OK || len(got.Checks) != 3 || got.Checks[2]["grade"] != "fail" || got.Checks[1]["do"] != "look" {
		t.Errorf("got %s", &asJSON)
	}
}

// TestThisMachine: the real machine answers every question without an error that a user would have to know.
func TestThisMachine(t *testing.T) {
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close() //nolint:errcheck // the test is over
	h, _ := good(t)
	h.UDP, h.UDPChosen, h.Web = c.LocalAddr().String(), true, ""
	for _, r := range Check(h, ThisMachine()) {
		if r.Check == "listen" {
			if r.Grade != Fail || runtime.GOOS == "linux" && !strings.Contains(r.Text, fmt.Sprintf("(process %d)", os.Getpid())) {
				t.Errorf("a port of this process: %v", r)
			}
			continue
		}
		if r.Grade == Fail {
			t.Errorf("%v", r)
		}
	}
}
