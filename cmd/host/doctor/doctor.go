// Package doctor checks whether a host can run here as it is configured: ports, limits, clock, folders, secrets.
//
// A check is a function of a [Host], what the host would use, and a [Machine], where it would run; it returns one
// [Result] for each thing that it looked at. What a system does not show is skipped and said so.
//
//	for _, r := range doctor.Check(host, doctor.ThisMachine()) {
//		fmt.Println(r)
//	}
//
// It deliberately does not: read flags or files of settings, load scripts (the command does), need privileges, or leave
// anything behind: a probe file is removed, a probed port is free again.
//
// Guarantees: Each result is one line that says what to do; it leaves nothing behind.
package doctor

import (
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"time"
)

// Grade says how a check ended.
type Grade uint8

// The grades. Only Fail keeps a host from running as it is configured.
const (
	OK Grade = iota
	Skip
	Warn
	Fail
	grades
)

// String returns the word that begins a line.
func (g Grade) String() string { return [grades]string{"ok", "skip", "warn", "fail"}[g] }

// MarshalText implements encoding.TextMarshaler.
func (g Grade) MarshalText() ([]byte, error) { return []byte(g.String()), nil }

// Result is the end of one check.
type Result struct {
	Grade Grade `json:"grade"`
	// Check names what was checked, the same in every version.
	Check string `json:"check"`
	// Text is what was found.
	Text string `json:"text"`
	// Do is what to do about it, "" for nothing.
	Do string `json:"do,omitempty"`
}

// String formats the result as one line.
func (r Result) String() string {
	line := fmt.Sprintf("%-4s  %-9s  %s", r.Grade, r.Check, r.Text)
	if r.Do != "" {
		line += "; " + r.Do
	}
	return line
}

func result(g Grade, check, do, text string, args ...any) Result {
	return Result{Grade: g, Check: check, Text: fmt.Sprintf(text, args...), Do: do}
}

// Host is what a host would use.
type Host struct {
	// UDP and Web are the addresses to listen on, host:port, "" for none. Chosen ones must be free; for others the host
	// would take the next free port.
	UDP, Web             string
	Admin                string // the address of --admin, "" where it is at Web
	UDPChosen, WebChosen bool
	// Players may be in at once.
	Players int
	// Guarded says that players need a password or a token.
	Guarded bool
	// Cert and Key are the PEM files for HTTPS, "" for none.
	Cert, Key string
	// Secrets are files with secrets, Folders those that the host writes to.
	Secrets []Secret
	Folders []Folder
}

// Secret is a file with a secret. A host refuses one that is Refused when others can read it.
type Secret struct {
	What, Path string
	Refused    bool
}

// Folder is a folder that the host writes to, with the bytes that it may need.
type Folder struct {
	What, Path string
	Need       uint64
}

// Machine is where a host would run. A nil function is something that this system does not show.
type Machine struct {
	// Listen opens and closes a socket; network is "udp" or "tcp".
	Listen func(network, addr string) error
	// Proc and Cgroup are the mounts of these file systems, "" for none.
	Proc, Cgroup string
	// OpenFiles is the limit of open files of a process.
	OpenFiles func() (uint64, error)
	// UDPBuffer returns how many bytes the system grants a socket that requests some.
	UDPBuffer func(request int) (granted int, err error)
	// Now is the clock, with its monotonic part, and SinceBoot another one that never goes back.
	Now       func() time.Time
	SinceBoot func() (time.Duration, error)
	Sleep     func(time.Duration)
	// Free returns the bytes that are free for this user where a folder is.
	Free func(dir string) (uint64, error)
	// CPUs is how many processors the process may use.
	CPUs int
}

// Check runs all checks, in a fixed order.
func Check(h Host, m Machine) []Result {
	var out []Result
	for _, check := range [...]func(*Host, *Machine) []Result{ports, addresses, openFiles, buffers, clocks, processors, folders, secrets, certificate} {
		out = append(out, check(&h, &m)...)
	}
	return out
}

// Print writes results, one line each, or as JSON: an object with the list checks and the boolean ok. It reports whether none
// failed.
func Print(w io.Writer, results []Result, asJSON bool) (ok bool, err error) {
	ok = true
	for _, r := range results {
		ok = ok && r.Grade != Fail
	}
	if asJSON {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return ok, e.Encode(struct {
			OK     bool     `json:"ok"`
			Checks []Result `json:"checks"`
		}{ok, results})
	}
	for _, r := range results {
		if _, err := fmt.Fprintln(w, r); err != nil {
			return ok, err
		}
	}
	return ok, nil
}

// loopback reports whether an address admits this machine only.
func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
