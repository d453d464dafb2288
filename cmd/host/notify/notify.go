// Package notify tells a service manager how a host is, by the protocol of systemd's sd_notify: datagrams of lines to
// the socket in NOTIFY_SOCKET.
//
// It owns what is said and when: READY=1 when players can join, RELOADING=1 around a reload of the settings, STOPPING=1 at
// the end, WATCHDOG=1 while the world's ticks advance, and a STATUS= line.
//
//	service, err := notify.Open(sys.lookup, os.Getpid()) // nil without a service manager
//	service.Ready()
//	go service.Attend(ctx, board.Healthy, status)
//	service.Stopping()
//
// It deliberately does not: know worlds, or need a library. All methods do nothing on a nil Service. See sd_notify(3)
// and docs/operating.md.
//
// Guarantees: Does nothing without one; a manager that does not read delays no tick.
package notify

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
)

const (
	// statusEvery is how often the status is compared with the one that was sent.
	statusEvery = 5 * time.Second
	// sendWithin bounds one datagram: a service manager that does not read must not hold up the host.
	sendWithin = time.Second
	// maxStatus bounds the status, in bytes.
	maxStatus = 512
)

// Service is the socket of a service manager. Its methods are for any goroutine.
type Service struct {
	conn     *net.UnixConn
	watchdog time.Duration
	// Failed, if not nil, is called with the first error of sending.
	Failed func(error)
	once   sync.Once
}

// Open connects to the service manager that started this process, of which pid is the number; lookup returns variables of
// the environment. Without a service manager both results are nil.
func Open(lookup func(string) (string, bool), pid int) (*Service, error) {
	name, _ := lookup("NOTIFY_SOCKET")
	if name == "" {
		return nil, nil //nolint:nilnil // a nil Service is one that tells nobody
	}
	if !strings.HasPrefix(name, "/") && !strings.HasPrefix(name, "@") { // @ is the abstract namespace
		return nil, fmt.Errorf("NOTIFY_SOCKET: %q is no path of a socket", name)
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		return nil, fmt.Errorf("NOTIFY_SOCKET: %w", err)
	}
	return &Service{conn: conn, watchdog: watchdog(lookup, pid)}, nil
}

// watchdog returns after which silence the service manager ends this process, 0 for never.
func watchdog(lookup func(string) (string, bool), pid int) time.Duration {
	if of, ok := lookup("WATCHDOG_PID"); ok && of != strconv.Itoa(pid) {
		return 0 // it is meant for the process that started this one
	}
	text, _ := lookup("WATCHDOG_USEC")
	usec, err := strconv.ParseInt(text, 10, 64)
	if err != nil || usec <= 0 || usec > int64(365*24*time.Hour/time.Microsecond) {
		return 0
	}
	return time.Duration(usec) * time.Microsecond
}

// Ready says that players can join, for the first time or after Reloading.
func (s *Service) Ready() { s.send("READY=1") }

// Reloading says that settings and scripts are being read again; Ready ends it.
func (s *Service) Reloading() {
	state := "RELOADING=1"
	if usec, ok := monotonic(); ok {
		state += "\nMONOTONIC_USEC=" + strconv.FormatInt(usec, 10)
	}
	s.send(state)
}

// Stopping says that the host ends.
func (s *Service) Stopping() { s.send("STOPPING=1\nSTATUS=Stopping") }

// Attend sends the status when it changes, and signs of life while the world works, until ctx ends. healthy reports whether
// it works, with a line that says why not, which is the status then; status describes it otherwise.
func (s *Service) Attend(ctx context.Context, healthy func() (bool, string), status func() string) {
	if s == nil {
		return
	}
	every := statusEvery
	if s.watchdog > 0 {
		every = min(every, max(s.watchdog/3, time.Millisecond))
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	told, toldAt := "", time.Time{}
	for {
		ok, line := healthy()
		if ok {
			line = status()
		}
		var say []string
		if ok && s.watchdog > 0 {
			say = append(say, "WATCHDOG=1")
		}
		if now := time.Now(); line != told && (now.Sub(toldAt) >= statusEvery || !ok || told == "") {
			told, toldAt = line, now
			say = append(say, "STATUS="+clean(line))
		}
		if say != nil {
			s.send(strings.Join(say, "\n"))
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Close closes the socket.
func (s *Service) Close() error {
	if s == nil {
		return nil
	}
	return s.conn.Close()
}

// send sends one state. A service manager that cannot be told is reported once: the host runs without it.
func (s *Service) send(state string) {
	if s == nil {
		return
	}
	err := s.conn.SetWriteDeadline(time.Now().Add(sendWithin))
	if err == nil {
		_, err = s.conn.Write([]byte(state))
	}
	if err != nil && !errors.Is(err, net.ErrClosed) && s.Failed != nil {
		s.once.Do(func() { s.Failed(err) })
	}
}

// clean makes one short line of a text: another line would be another state.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
	if len(text) > maxStatus {
		text = strings.ToValidUTF8(text[:maxStatus], "")
	}
	return text
}
