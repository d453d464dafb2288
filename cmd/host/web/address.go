package web

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// splitHost parses a Host header or the host of an Origin: a name in lower case or an address without brackets,
// and the port, 0 if none is given. ok is false for anything that is not a host: this strictness makes it safe
// to repeat the host in a Content-Security-Policy.
func splitHost(s string) (host string, port uint16, ok bool) {
	if len(s) > 253+6 {
		return "", 0, false
	}
	digits := ""
	if strings.HasPrefix(s, "[") {
		end := strings.IndexByte(s, ']')
		if end < 0 {
			return "", 0, false
		}
		a, err := netip.ParseAddr(s[1:end])
		if err != nil || !a.Is6() || a.Zone() != "" {
			return "", 0, false
		}
		host = a.String()
		if rest := s[end+1:]; rest != "" {
			if digits, ok = strings.CutPrefix(rest, ":"); !ok || digits == "" {
				return "", 0, false
			}
		}
	} else {
		var colon bool
		host, digits, colon = strings.Cut(strings.ToLower(s), ":")
		if colon && digits == "" || host == "" || strings.ContainsFunc(host, notInHost) {
			return "", 0, false
		}
	}
	if digits != "" {
		n, err := strconv.ParseUint(digits, 10, 16)
		if err != nil || n == 0 {
			return "", 0, false
		}
		port = uint16(n)
	}
	return host, port, true
}

func notInHost(c rune) bool {
	return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '.' && c != '_'
}

// loopbackHost reports whether a host of splitHost is a loopback address or localhost. Names that only resolve
// to loopback do not count: the owner of a name decides what it resolves to, which is how DNS rebinding works.
func loopbackHost(host string) bool {
	if host == "localhost" {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback()
}

// forwarders are headers that proxies add, besides all that begin with X-Forwarded, in lower case with hyphens.
var forwarders = []string{
	"forwarded", "forwarded-for", "via", "x-real-ip", "x-client-ip", "x-cluster-client-ip", "x-original-forwarded-for",
	"x-original-host", "x-proxyuser-ip", "cf-connecting-ip", "true-client-ip", "fastly-client-ip", "x-envoy-external-address",
}

// forwarded reports whether a request has a header that only a proxy adds, even an empty one.
func forwarded(h http.Header) bool {
	for name := range h {
		name = strings.ReplaceAll(strings.ToLower(name), "_", "-")
		if strings.HasPrefix(name, "x-forwarded") || slices.Contains(forwarders, name) {
			return true
		}
	}
	return false
}

// proxies are the addresses whose forwarding headers are believed. They may change while requests are answered.
type proxies struct {
	list atomic.Pointer[[]netip.Prefix] // not changed once it is there; nil for none
}

func (p *proxies) set(list []netip.Prefix) {
	list = slices.Clone(list)
	p.list.Store(&list)
}

// any reports whether there are some.
func (p *proxies) any() bool {
	list := p.list.Load()
	return list != nil && len(*list) > 0
}

func (p *proxies) trusts(a netip.Addr) bool {
	list := p.list.Load()
	if list == nil {
		return false
	}
	a = a.Unmap().WithZone("")
	return slices.ContainsFunc(*list, func(n netip.Prefix) bool { return n.Contains(a) })
}

// client returns the address that a request counts for: the peer, or behind trusted proxies the last address of
// X-Forwarded-For that is not itself a trusted proxy. Entries further left are claims of that client, which are
// never trusted. The port is the peer's.
func (p *proxies) client(r *http.Request) (client netip.AddrPort, proxied bool) {
	peer := peerOf(r)
	if !p.trusts(peer.Addr()) {
		return peer, false
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	at := peer.Addr()
	for n := 0; n < maxForwarded && n < len(hops); n++ {
		hop, ok := parseHop(hops[len(hops)-1-n])
		if !ok {
			break // the proxy that wrote it is the last known one
		}
		if at = hop; !p.trusts(at) {
			break
		}
	}
	return netip.AddrPortFrom(at, peer.Port()), true
}

// parseHop parses an entry of X-Forwarded-For: an address, with or without brackets and port.
func parseHop(s string) (netip.Addr, bool) {
	s = strings.TrimSpace(s)
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return ap.Addr().Unmap().WithZone(""), true
	}
	a, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(s, "["), "]"))
	return a.Unmap().WithZone(""), err == nil
}

// peerOf returns the other end of a request's connection; the zero address if the request has none, as in a
// test.
func peerOf(r *http.Request) netip.AddrPort {
	ap, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.AddrPort{}
	}
	return netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port())
}

// addrPort converts an address of package net to package netip; the zero address for another kind.
func addrPort(a net.Addr) netip.AddrPort {
	var ap netip.AddrPort
	switch a := a.(type) {
	case *net.TCPAddr:
		ap = a.AddrPort()
	case *net.UDPAddr:
		ap = a.AddrPort()
	}
	return netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port())
}

// origin reports whether a request to upgrade comes from a page of this host, or from no page at all, and whether it comes from a page.
// anyPort allows the page's port to differ from the request's.
func origin(r *http.Request, anyPort bool) (same, page bool) {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return true, false // a program, not a page: browsers always send one with an upgrade
	}
	if len(origins) > 1 {
		return false, false
	}
	u, err := url.Parse(origins[0])
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" {
		return false, false
	}
	from, pagePort, ok := splitHost(u.Host)
	if !ok {
		return false, false
	}
	host, port, ok := splitHost(r.Host)
	if !ok {
		return false, false
	}
	byScheme := uint16(80)
	if u.Scheme == "https" {
		byScheme = 443
	}
	if pagePort == 0 {
		pagePort = byScheme
	}
	if port == 0 {
		port = byScheme
	}
	// A page at localhost may connect to 127.0.0.1: both names are this machine, and the port shows that it is
	// the same host.
	return (from == host || loopbackHost(from) && loopbackHost(host)) && (pagePort == port || anyPort), true
}
