package doctor

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tidelock/tidelock/netcode/kcplink"
)

const (
	// filesBase are open files that a host has beside its players: sockets, watched folders, requests of monitoring.
	filesBase = 256
	// filesPlayer are those of a player in the worst case: a browser's session and the request for a file.
	filesPlayer = 2
	// leastMemory is how much a host of the sample needs, in bytes, before the first player.
	leastMemory = 256 << 20
	// coarse is the largest step of the clock that a tick can bear.
	coarse = time.Millisecond
	// spins bounds how often the clock is read to find its step.
	spins = 5_000_000
)

// openFiles checks the limit of open files against the players.
func openFiles(h *Host, m *Machine) []Result {
	const check = "files"
	if m.OpenFiles == nil {
		return []Result{result(Skip, check, "", "this system shows no limit of open files")}
	}
	most, err := m.OpenFiles()
	if err != nil {
		return []Result{result(Skip, check, "", "the limit of open files cannot be read: %v", err)}
	}
	need := uint64(filesBase + filesPlayer*h.Players)
	const do = "raise it: ulimit -n, or LimitNOFILE= in a systemd unit"
	switch {
	case most < filesBase:
		return []Result{result(Fail, check, do, "%d open files are allowed, a host needs %d", most, need)}
	case most < need:
		return []Result{result(Warn, check, do, "%d open files are allowed, %d players in browsers may need %d", most, h.Players, need)}
	}
	return []Result{result(OK, check, "", "%d open files are allowed, %d players need at most %d", most, h.Players, need)}
}

// buffers checks which buffer a UDP socket gets.
func buffers(_ *Host, m *Machine) []Result {
	const check = "buffer"
	if m.UDPBuffer == nil {
		return []Result{result(Skip, check, "", "this system shows no buffers of sockets")}
	}
	got, err := m.UDPBuffer(kcplink.SocketBuffer)
	switch {
	case err != nil:
		return []Result{result(Skip, check, "", "the buffer of a socket cannot be read: %v", err)}
	case got < kcplink.SocketBuffer:
		return []Result{result(Warn, check, "sysctl -w net.core.rmem_max="+strconv.Itoa(kcplink.SocketBuffer)+" net.core.wmem_max="+strconv.Itoa(kcplink.SocketBuffer),
			"a UDP socket gets a buffer of %s instead of %s: packets are lost when many players send at once", size(uint64(got)), size(kcplink.SocketBuffer))}
	}
	return []Result{result(OK, check, "", "a UDP socket gets a buffer of %s", size(uint64(got)))}
}

// clocks checks the wall clock and the clocks that only go forward.
func clocks(_ *Host, m *Machine) []Result {
	const check = "clock"
	var out []Result
	t := m.Now()
	if y := t.Year(); y < 2025 || y > 2100 {
		out = append(out, result(Fail, check, "set the clock, for example by NTP", "it is the year %d here: certificates and connect tokens would not be valid", y))
	}
	step := time.Duration(0)
	for range spins {
		if step = m.Now().Sub(t); step > 0 {
			break
		}
	}
	switch {
	case step <= 0:
		out = append(out, result(Fail, check, "restart the machine, or choose another clock source", "the clock stands still"))
	case step > coarse:
		out = append(out, result(Warn, check, "choose another clock source", "the clock advances in steps of %v: ticks will be uneven", step))
	}
	if m.SinceBoot != nil {
		before, err := m.SinceBoot()
		m.Sleep(2 * coarse)
		after, err2 := m.SinceBoot()
		if err == nil && err2 == nil && after <= before {
			out = append(out, result(Fail, check, "restart the machine", "the time since the start of the machine does not advance"))
		}
	}
	if out == nil {
		out = append(out, result(OK, check, "", "the clock advances, its year is %d", t.Year()))
	}
	return out
}

// processors checks how much processor time and memory the process may use.
func processors(_ *Host, m *Machine) []Result {
	out := []Result{}
	cpus := float64(m.CPUs)
	limited := ""
	if quota, ok := m.cpuQuota(); ok && quota < cpus {
		cpus, limited = quota, ", limited by a cgroup"
	}
	if cpus < 1 {
		out = append(out, result(Warn, "cpu", "give the container at least one processor", "%.2g processors%s: ticks wait while the quota is used up", cpus, limited))
	} else {
		out = append(out, result(OK, "cpu", "", "%.3g processors%s", cpus, limited))
	}
	switch most, ok := m.memoryLimit(); {
	case !ok:
	case most < leastMemory:
		out = append(out, result(Warn, "memory", "give the container more", "a cgroup allows %s, a host needs about %s", size(most), size(leastMemory)))
	default:
		out = append(out, result(OK, "memory", "", "a cgroup allows %s", size(most)))
	}
	return out
}

// cpuQuota returns how many processors the cgroup (version 2) of this process allows.
func (m *Machine) cpuQuota() (cpus float64, ok bool) {
	f := strings.Fields(m.cgroup("cpu.max"))
	if len(f) != 2 || f[0] == "max" {
		return 0, false
	}
	quota, err := strconv.ParseFloat(f[0], 64)
	period, err2 := strconv.ParseFloat(f[1], 64)
	if err != nil || err2 != nil || quota <= 0 || period <= 0 {
		return 0, false
	}
	return quota / period, true
}

// memoryLimit returns how many bytes it allows.
func (m *Machine) memoryLimit() (bytes uint64, ok bool) {
	n, err := strconv.ParseUint(strings.TrimSpace(m.cgroup("memory.max")), 10, 64)
	return n, err == nil
}

// cgroup reads a file of the cgroup of this process, "" if there is none. Within a container its own group is the root.
func (m *Machine) cgroup(file string) string {
	if m.Cgroup == "" {
		return ""
	}
	own := "/"
	if text, err := os.ReadFile(filepath.Join(m.Proc, "self", "cgroup")); err == nil && m.Proc != "" {
		for line := range strings.Lines(string(text)) {
			if path, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
				own = path
			}
		}
	}
	for _, dir := range [...]string{filepath.Join(m.Cgroup, filepath.Clean("/"+own)), m.Cgroup} {
		if text, err := os.ReadFile(filepath.Join(dir, file)); err == nil {
			return string(text)
		}
	}
	return ""
}
