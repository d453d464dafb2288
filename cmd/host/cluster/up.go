package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// shortLife is how long a process has to live to be started again at once; after shorter lives the pauses grow to longestPause.
	shortLife    = 5 * time.Second
	firstPause   = 200 * time.Millisecond
	longestPause = 5 * time.Second
	// listenWithin is how long hosts wait for the NATS servers at the start.
	listenWithin = 10 * time.Second
	// itself is the name of the lines that are of no process.
	itself = "cluster"
	// DefaultStop is how long hosts may take to end, and NATS servers after them.
	DefaultStop = 15 * time.Second
)

// Options of Up. All but Args, Stop and Started are required.
type Options struct {
	// N is how many hosts and NATS servers run: 1, 3 or 5.
	N int
	// Data is the folder for what they store: a folder below it for each process.
	Data string
	// NATSPort is the TCP port of the first NATS server for hosts; the next ports are those of the others, and as many again for the
	// servers' lines to each other. HostPort is the UDP port for players of the first host.
	NATSPort, HostPort int
	// Name is the cluster's.
	Name string
	// Server is the program nats-server, Host that of the hosts, which is run with the word serve, flags, and Args.
	Server, Host string
	Args         []string
	// Out gets the lines of all processes, each with the name of its process before it.
	Out io.Writer
	// Stop bounds how long hosts, and then NATS servers, may take to end; 0 means DefaultStop.
	Stop time.Duration
	// Started is called with the name and process id of each process that is started, nil for nobody.
	Started func(name string, pid int)
}

// process is one of them.
type process struct {
	name string
	argv []string
	// quiet has only warnings and errors shown; file gets all lines, "" for none.
	quiet bool
	file  string
}

// up is a running cluster.
type up struct {
	opt   Options
	lines chan string
	width int

	starts chan start // to the one thread that starts processes
}

// start is a request to start a process.
type start struct {
	cmd  *exec.Cmd
	done chan started
}

type started struct {
	cmd *exec.Cmd
	err error
}

// Up runs hosts and NATS servers until the context ends; a process that ends before is started again. Then first the hosts end and save
// what they have, and after them the servers. All are in one process group. An error is one of the start.
func Up(ctx context.Context, o Options) error {
	if o.Stop <= 0 {
		o.Stop = DefaultStop
	}
	u := &up{opt: o, width: len(itself), lines: make(chan string, 256), starts: make(chan start)}
	nodes, addresses, err := u.nodes()
	if err != nil {
		return err
	}
	hosts := u.hosts(addresses)
	for _, p := range append(append([]process{}, nodes...), hosts...) {
		u.width = max(u.width, len(p.name))
	}
	var printer, starter sync.WaitGroup
	printer.Go(u.print)
	starter.Go(u.startAll)
	serversLive, stopServers := context.WithCancel(context.WithoutCancel(ctx))
	var servers, players sync.WaitGroup
	for i := range nodes {
		servers.Go(func() { u.keep(serversLive, &nodes[i]) })
	}
	if err = u.awaitServers(ctx, addresses); err == nil {
		for i := range hosts {
			players.Go(func() { u.keep(ctx, &hosts[i]) })
		}
		<-ctx.Done()
		u.say("stopping the hosts, then the NATS servers")
	}
	players.Wait()
	stopServers()
	servers.Wait()
	close(u.starts)
	starter.Wait()
	close(u.lines)
	printer.Wait()
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// nodes writes the servers' configurations.
func (u *up) nodes() (list []process, addresses []string, err error) {
	o := &u.opt
	var peers []string
	for i := range o.N {
		addresses = append(addresses, loopback(o.NATSPort+i))
		peers = append(peers, loopback(o.NATSPort+o.N+i))
	}
	for _, a := range append(append([]string{}, addresses...), peers...) {
		l, err := net.Listen("tcp", a)
		if err != nil {
			return nil, nil, fmt.Errorf("NATS servers need the TCP ports %d to %d, and %s is in use; stop what uses it, or give --nats-port", o.NATSPort, o.NATSPort+2*o.N-1, a)
		}
		if err := l.Close(); err != nil {
			return nil, nil, err
		}
	}
	for i := range o.N {
		n := Node{Name: "nats-" + strconv.Itoa(i+1), Listen: addresses[i]}
		n.Folder = filepath.Join(o.Data, n.Name)
		if o.N > 1 {
			n.Cluster, n.Peers = o.Name, peers[i]
			for j, p := range peers {
				if j != i {
					n.Routes = append(n.Routes, p)
				}
			}
		}
		conf, err := n.Write()
		if err != nil {
			return nil, nil, err
		}
		list = append(list, process{name: n.Name, argv: []string{o.Server, "-c", conf}, quiet: true, file: filepath.Join(n.Folder, "nats.log")})
	}
	return list, addresses, nil
}

// hosts describes the hosts. They run in the present folder, whose scripts, content and settings are theirs.
func (u *up) hosts(addresses []string) (list []process) {
	o := &u.opt
	urls := make([]string, len(addresses))
	for i, a := range addresses {
		urls[i] = "nats://" + a
	}
	for i := range o.N {
		p := process{name: "host-" + strconv.Itoa(i+1)}
		p.argv = append([]string{
			o.Host, "serve", "--title", p.name, "--listen", loopback(o.HostPort + i), "--cluster", strings.Join(urls, ","), "--cluster-name", o.Name,
			"--cluster-replicas", strconv.Itoa(o.N), "--log", "text",
		}, o.Args...)
		list = append(list, p)
	}
	return list
}

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// awaitServers waits until all NATS servers take connections.
func (u *up) awaitServers(ctx context.Context, addresses []string) error {
	ctx, cancel := context.WithTimeout(ctx, listenWithin)
	defer cancel()
	for _, a := range addresses {
		for {
			c, err := (&net.Dialer{}).DialContext(ctx, "tcp", a)
			if err == nil {
				_ = c.Close() // nothing was sent
				break
			}
			if !pause(ctx, 20*time.Millisecond) {
				return fmt.Errorf("the NATS server at %s did not start within %v; its lines are in nats.log below %s", a, listenWithin, u.opt.Data)
			}
		}
	}
	return nil
}

// pause waits, and returns false if the context ends before.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// keep runs a process, starts it again when it ends, and ends it when the context does.
func (u *up) keep(ctx context.Context, p *process) {
	wait := firstPause
	for {
		began := time.Now()
		why := u.run(ctx, p)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > shortLife {
			wait = firstPause
		}
		u.say(fmt.Sprintf("%s ended (%v); it is started again in %v", p.name, why, wait))
		if !pause(ctx, wait) {
			return
		}
		wait = min(2*wait, longestPause)
	}
}

// run runs a process until it ends or the context does.
func (u *up) run(ctx context.Context, p *process) error {
	c := exec.Command(p.argv[0], p.argv[1:]...) //nolint:gosec // our programs
	out := &prefixed{up: u, process: p}
	if p.file != "" {
		f, err := os.OpenFile(p.file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer f.Close() //nolint:errcheck // a log
		out.file = f
	}
	c.Stdout, c.Stderr = out, out // the same writer: one goroutine copies
	c.WaitDelay = time.Second
	s := start{c, make(chan started, 1)}
	u.starts <- s
	got := <-s.done
	if got.err != nil {
		return got.err
	}
	c = got.cmd
	if u.opt.Started != nil {
		u.opt.Started(p.name, c.Process.Pid)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }() // ends with the process, which is awaited below
	select {
	case err := <-ended:
		if err == nil {
			err = errors.New("exit status 0")
		}
		return err
	case <-ctx.Done():
	}
	if err := terminate(c.Process); err == nil {
		t := time.NewTimer(u.opt.Stop)
		defer t.Stop()
		select {
		case err := <-ended:
			return err
		case <-t.C:
			u.say(fmt.Sprintf("%s did not end within %v; it is killed", p.name, u.opt.Stop))
		}
	}
	_ = c.Process.Kill() // it may have ended just now
	return <-ended
}

// startAll starts processes on one thread that lives as long as they do: where the system kills children with their parent, it means
// the thread that made them.
func (u *up) startAll() {
	runtime.LockOSThread() // never unlocked: the thread ends with this goroutine, after all processes
	group := 0             // that of the processes, which is the id of the first one
	for s := range u.starts {
		inGroup(s.cmd, group)
		err := s.cmd.Start()
		if err != nil && group != 0 && !groupLives(group) { // all of the group have ended
			group = 0
			again := exec.Command(s.cmd.Path)
			again.Args, again.Stdout, again.Stderr, again.WaitDelay = s.cmd.Args, s.cmd.Stdout, s.cmd.Stderr, s.cmd.WaitDelay
			s.cmd = again
			inGroup(s.cmd, group)
			err = s.cmd.Start()
		}
		if err == nil && group == 0 {
			group = s.cmd.Process.Pid
		}
		s.done <- started{s.cmd, err}
	}
}

// say prints a line of the cluster itself.
func (u *up) say(line string) { u.lines <- fmt.Sprintf("%-*s | %s", u.width, itself, line) }

// print writes lines, one after another.
func (u *up) print() {
	for line := range u.lines {
		_, _ = fmt.Fprintln(u.opt.Out, line) // there is nobody else to tell
	}
}

// prefixed writes the lines of a process with its name.
type prefixed struct {
	up      *up
	process *process
	file    io.Writer
	part    []byte
}

// maxLine bounds a line, in bytes; a longer one is divided.
const maxLine = 4096

func (w *prefixed) Write(b []byte) (int, error) {
	if w.file != nil {
		if _, err := w.file.Write(b); err != nil {
			return 0, err
		}
	}
	w.part = append(w.part, b...)
	for {
		line, rest, ok := strings.Cut(string(w.part), "\n")
		if !ok && len(line) < maxLine {
			return len(b), nil
		}
		w.part = []byte(rest)
		if line = strings.TrimSpace(line); line == "" || w.process.quiet && !worth(line) {
			continue
		}
		w.up.lines <- fmt.Sprintf("%-*s | %s", w.up.width, w.process.name, line)
	}
}

// worth reports whether a line of a NATS server is of interest to somebody who does not look for the fault there.
func worth(line string) bool {
	for _, usual := range []string{"trying to connect to route", "Metalayer blocking snapshot"} { // at every start and end
		if strings.Contains(line, usual) {
			return false
		}
	}
	return strings.Contains(line, "[WRN]") || strings.Contains(line, "[ERR]") || strings.Contains(line, "[FTL]")
}
