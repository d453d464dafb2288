package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/tidelock/tidelock/cmd/host/bind"
	"github.com/tidelock/tidelock/cmd/host/console"
	"github.com/tidelock/tidelock/cmd/host/join"
	"github.com/tidelock/tidelock/cmd/host/teleport/place"
	"github.com/tidelock/tidelock/cmd/host/web"
	"github.com/tidelock/tidelock/netcode/carrier"
	"github.com/tidelock/tidelock/netcode/kcplink"
)

// webFlags are the flags for browsers; each is a key of host.toml, too.
type webFlags struct {
	Web             string   `default:"127.0.0.1:7780" placeholder:"[HOST]:PORT" help:"TCP and UDP address for players with a browser, and for join --via ws and wt; :7780 admits other machines, off disables it. Default: port 7780 for this machine only, or the next free port if that is in use; off if this program has no client compiled in, was not built by go install and does not run in a checkout."`
	TLSCert         string   `name:"tls-cert" placeholder:"FILE" help:"With --web: the certificate of a domain, PEM, for https. It is read again when it changes."`
	TLSKey          string   `name:"tls-key" placeholder:"FILE" help:"The certificate's key, PEM."`
	Admin           string   `placeholder:"[HOST]:PORT" help:"An address of its own, TCP, for the inspector, the API and /metrics, which are then not at --web. Default: they are at --web."`
	AdminToken      string   `placeholder:"FILE" help:"File of the token that makes anyone who has it the owner of this host, created if it does not exist (docs/console.md). Default: one for each web port in your cache folder."`
	WebTrustedProxy []string `placeholder:"CIDR" help:"With --web: proxies whose X-Forwarded-For is trusted, such as 10.0.0.0/8."`
}

// webOff is the value of --web for no listener.
const webOff = "off"

// adminFunc is [web.Options].Admin.
type adminFunc = func(w http.ResponseWriter, r *http.Request, client netip.Addr, local bool) bool

// build starts to get the client for browsers; nil if there will be no listener for them. network says that the host has a link, and chosen that
// the user chose the address. show receives lines of progress in place of the log's; it may be nil. playing reports whether somebody plays.
func (f *webFlags) build(network, chosen bool, show func(line string), playing func() bool, log *slog.Logger) *web.Builder {
	from := clientSource()
	if f.Web == webOff || !network || !chosen && f.TLSCert == "" && !web.HasClient(from) { // in the last case there would be nothing to show
		return nil
	}
	return web.NewBuilder(web.BuilderOptions{Source: from, Log: log, Show: show, Playing: playing, Now: time.Now})
}

// open listens for browsers; it returns nil without a client. chosen says that the user chose this
// address: then a failure is an error. Otherwise it is logged in one line, and the host runs without the
// listener. level returns the present level and text what the game shows on the join screen, on any goroutine; they may be nil. The returned function closes the
// listener.
func (f *webFlags) open(l *kcplink.Link, client *web.Builder, name string, level, text func() string, file func(hash [sha256.Size]byte) []byte, files func() [][sha256.Size]byte, hosts func() *web.Hosts, admin adminFunc, chosen bool, log *slog.Logger) (*web.Listener, func() error, error) {
	none := func() error { return nil }
	if client == nil {
		return nil, none, nil
	}
	if (f.TLSCert == "") != (f.TLSKey == "") {
		return nil, nil, usageError{errors.New("--tls-cert and --tls-key belong together; give both or neither")}
	}
	trusted, err := f.trusted()
	if err != nil {
		return nil, nil, err
	}
	start := time.Now()
	strangers := console.Limit(log, func() time.Duration { return time.Since(start) })
	w, err := web.Listen(web.Options{
		Addr: f.Web, Next: !chosen, Link: l, Cert: f.TLSCert, Key: f.TLSKey, TrustedProxy: trusted, Title: func() string { return name }, Level: level, Text: text,
		File: file, Files: files, Hosts: hosts, Admin: admin, Client: client, Log: strangers, Now: time.Now,
	})
	if err != nil {
		var cert *web.CertificateError
		if errors.As(err, new(*bind.Error)) {
			if !chosen {
				log.Warn("No players with a browser: "+err.Error(), "do", "give --web, or --web off")
				return nil, none, nil
			}
			err = usageError{fmt.Errorf("--web: %w", err)}
		} else if errors.As(err, &cert) {
			err = usageError{fmt.Errorf("--tls-cert: %w", err)}
		}
		return nil, nil, err
	}
	if is := strconv.Itoa(int(w.Addr().Port())); !chosen && !strings.HasSuffix(f.Web, ":"+is) {
		log.Warn("TCP or UDP port "+strconv.Itoa(defaultWebPort)+" is in use: browsers find this host at "+w.Addrs()[0], "do", "stop the other host, or give --web")
	}
	return w, w.Close, nil
}

// trusted are the proxies whose word counts.
func (f *webFlags) trusted() (out []netip.Prefix, err error) {
	for _, s := range f.WebTrustedProxy {
		p, err := netip.ParsePrefix(s)
		if err != nil {
			return nil, usageError{fmt.Errorf("--web-trusted-proxy: %q is no CIDR; give an address and a length, such as 10.0.0.0/8", s)}
		}
		out = append(out, p.Masked())
	}
	return out, nil
}

// openAdmin listens for the inspector at an address of its own; nil without --admin.
func (f *webFlags) openAdmin(admin adminFunc, log *slog.Logger) (*web.Listener, error) {
	if f.Admin == "" {
		return nil, nil
	}
	trusted, err := f.trusted()
	if err != nil {
		return nil, err
	}
	start := time.Now()
	l, err := web.Listen(web.Options{
		Addr: f.Admin, Cert: f.TLSCert, Key: f.TLSKey, TrustedProxy: trusted, Admin: admin,
		Log: console.Limit(log, func() time.Duration { return time.Since(start) }), Now: time.Now,
	})
	var cert *web.CertificateError
	if errors.As(err, new(*bind.Error)) {
		err = usageError{fmt.Errorf("--admin: %w", err)}
	} else if errors.As(err, &cert) {
		err = usageError{fmt.Errorf("--tls-cert: %w", err)}
	}
	return l, err
}

// clientSource returns where the source of the browser's client is: the version of the module that the go command built this program of, or
// else the checkout in the present folder.
func clientSource() web.Source {
	if b, ok := debug.ReadBuildInfo(); ok && b.Main.Sum != "" { // only a module from the module cache has a sum
		return web.Source{Module: b.Main.Path + "@" + b.Main.Version}
	}
	b, err := os.ReadFile("go.mod")
	if err != nil || !strings.HasPrefix(string(b), "module github.com/tidelock/tidelock\n") {
		return web.Source{}
	}
	return web.Source{Checkout: "."}
}

// viaFlag selects the carrier of a player's packets.
type viaFlag struct {
	Via string `only:"cli" enum:"udp,wt,ws" default:"udp" help:"Transport of packets: udp, or wt (WebTransport) or ws (WebSocket) to the host's --web address, whose default port is 7780."`
}

// defaultWebPort is the default port of a host's web listener for clients.
const defaultWebPort = 7780

// carry completes the options for a carrier other than UDP. secure says that the host's page is at https.
func (f *viaFlag) carry(addr string, secure bool, o *join.Options) {
	via := carrier.Via(f.Via)
	if via == carrier.UDP {
		return
	}
	host, _, _ := strings.Cut(addr, "?")
	if !hasPort(host) {
		o.Shown = host
		o.Addr = netip.AddrPortFrom(o.Addr.Addr(), defaultWebPort)
		host = net.JoinHostPort(strings.Trim(host, "[]"), strconv.Itoa(defaultWebPort))
	}
	f.carryTo(via, host, secure, o)
	o.Elsewhere = func(p *join.Player, text string) {
		p.Go(text, func(to *place.Place, o *join.Options) error {
			u, err := url.Parse(to.Web)
			if err != nil || u.Host == "" {
				return fmt.Errorf("%s has no address for %s; join with --via udp to go there", to.Name, via)
			}
			port := u.Port()
			if port == "" {
				port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
			}
			f.carryTo(via, net.JoinHostPort(u.Hostname(), port), u.Scheme == "https", o)
			return nil
		})
	}
}

// carryTo makes the options reach a host by a carrier; host is HOST:PORT of its page.
func (f *viaFlag) carryTo(via carrier.Via, host string, secure bool, o *join.Options) {
	timeout := o.Timeout
	o.Carry = func(l *kcplink.Link) (*kcplink.Pipe, error) {
		s, err := carrier.Dial(l, carrier.Target{Via: via, Host: host, TLS: secure, Now: time.Now, Timeout: timeout})
		if err != nil {
			return nil, usageError{err}
		}
		return s.Pipe(), nil
	}
}

// hasPort reports whether an address for join.Resolve has a port.
func hasPort(host string) bool {
	i := strings.LastIndexByte(host, ':')
	return i >= 0 && (strings.HasSuffix(host[:i], "]") || !strings.Contains(host[:i], ":"))
}
