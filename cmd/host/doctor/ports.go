package doctor

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tidelock/tidelock/cmd/host/bind"
)

// maxTable bounds how much of a table of sockets is read, in bytes.
const maxTable = 16 << 20

// ports checks whether the ports are free, and who has them if not.
func ports(h *Host, m *Machine) []Result {
	var out []Result
	for _, p := range [...]struct {
		flag, addr string
		chosen     bool
		names      []string
	}{
		{"listen", h.UDP, h.UDPChosen, []string{"UDP"}},
		{"web", h.Web, h.WebChosen, []string{"TCP", "UDP"}},
		{"admin", h.Admin, true, []string{"TCP"}},
	} {
		if p.flag == "admin" && p.addr == "" {
			continue // it is at --web
		}
		if p.addr == "" {
			out = append(out, result(Skip, p.flag, "", "no listener"))
			continue
		}
		bad := false
		for _, name := range p.names {
			network := strings.ToLower(name)
			err := m.Listen(network, p.addr)
			if err == nil {
				continue
			}
			bad = true
			switch by := m.owner(network, p.addr); {
			case !bind.InUse(err):
				out = append(out, result(Fail, p.flag, "give --"+p.flag+" an address of this machine, or :PORT for all of them", "cannot listen on %s %s: %v", name, p.addr, cause(err)))
			case p.chosen:
				out = append(out, result(Fail, p.flag, "stop it, or give --"+p.flag+" another port", "%s %s is in use%s", name, p.addr, by))
			default:
				out = append(out, result(Warn, p.flag, "the host takes the next free port; stop it, or give --"+p.flag, "%s %s is in use%s", name, p.addr, by))
			}
			break
		}
		if !bad {
			out = append(out, result(OK, p.flag, "", "%s %s is free", strings.Join(p.names, " and "), p.addr))
		}
	}
	return out
}

// cause returns the system's part of an error of package net.
func cause(err error) error {
	for {
		op, ok := err.(*net.OpError) //nolint:errorlint // the chain is followed here
		if !ok || op.Err == nil {
			return err
		}
		err = op.Err
	}
}

// addresses says who can reach the host, and what is missing if everybody can.
func addresses(h *Host, _ *Machine) []Result {
	var out []Result
	for _, a := range [...]struct {
		flag, addr string
		web        bool
	}{{"listen", h.UDP, false}, {"web", h.Web, true}} {
		host, _, err := net.SplitHostPort(a.addr)
		switch {
		case a.addr == "" || err != nil: // no listener; ports has reported an address that is none
		case loopback(host):
			out = append(out, result(OK, "reach", "", "--%s %s admits this machine only", a.flag, a.addr))
		case a.web && h.Cert == "":
			out = append(out, result(Warn, "reach", "give --tls-cert and --tls-key, or put a proxy with HTTPS in front", "--web %s admits other machines by plain HTTP, on which browsers have no WebTransport", a.addr))
		case h.Guarded:
			out = append(out, result(OK, "reach", "", "--%s %s admits other machines, with a password or token", a.flag, a.addr))
		default:
			out = append(out, result(OK, "reach", "", "--%s %s admits everybody who reaches this machine", a.flag, a.addr))
		}
	}
	return out
}

// owner names the process that has a port, as " by NAME (process N)"; "" if that is unknown.
func (m *Machine) owner(network, addr string) string {
	_, service, err := net.SplitHostPort(addr)
	if err != nil || m.Proc == "" {
		return ""
	}
	port, err := net.LookupPort(network, service)
	if err != nil {
		return ""
	}
	inodes := map[string]bool{}
	for _, table := range [...]string{network, network + "6"} {
		for _, inode := range sockets(filepath.Join(m.Proc, "net", table), port) {
			inodes["socket:["+inode+"]"] = true
		}
	}
	if len(inodes) == 0 {
		return ""
	}
	list, err := filepath.Glob(filepath.Join(m.Proc, "[0-9]*", "fd", "*"))
	if err != nil {
		return "" // only of a bad pattern
	}
	for _, fd := range list {
		target, err := os.Readlink(fd)
		if err != nil || !inodes[target] { // processes of other users cannot be read
			continue
		}
		dir := filepath.Dir(filepath.Dir(fd))
		name, err := os.ReadFile(filepath.Join(dir, "comm"))
		if err != nil {
			return " by process " + filepath.Base(dir)
		}
		return fmt.Sprintf(" by %q (process %s)", strings.TrimSpace(string(name)), filepath.Base(dir))
	}
	return " by a process of another user"
}

// sockets returns the inodes of the sockets at a port, from a table such as /proc/net/udp. TCP sockets count if they listen.
func sockets(table string, port int) (inodes []string) {
	text, err := os.ReadFile(table)
	if err != nil || len(text) > maxTable {
		return nil
	}
	const local, state, inode, listening = 1, 3, 9, "0A"
	tcp := strings.HasPrefix(filepath.Base(table), "tcp")
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		f := strings.Fields(s.Text())
		if len(f) <= inode || tcp && f[state] != listening {
			continue
		}
		_, hex, _ := strings.Cut(f[local], ":")
		if n, err := strconv.ParseUint(hex, 16, 16); err == nil && int(n) == port && !slices.Contains(inodes, f[inode]) {
			inodes = append(inodes, f[inode])
		}
	}
	return inodes
}
