package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// Hosts is the list of hosts that players choose from (C5). It is not changed once it is handed over.
type Hosts struct {
	// JSON is the answer at /hosts.json (directory.Listing).
	JSON []byte
	// Pages are the base URLs of other hosts' pages, the most useful ones first. A page of this host may connect to them.
	Pages []string
	// Shared says that this host is one of a cluster, whose hosts send players to each other (C6): their pages may read /join.json and
	// the files of the match, and open sessions for players with a connect token.
	Shared bool
}

// NoHosts is the answer at /hosts.json without a list.
var NoHosts = []byte(`{"self":"","hosts":[]}`)

// HostsPath is where a host has its list of hosts.
const HostsPath = "/hosts.json"

// maxConnect bounds what other hosts add to a Content-Security-Policy, in bytes: proxies refuse long headers. Pages navigate to hosts
// beyond that, and do not measure their ping.
const maxConnect = 3000

// hosts returns the list.
func (l *Listener) hosts() *Hosts {
	if l.opt.Hosts != nil {
		if h := l.opt.Hosts(); h != nil {
			return h
		}
	}
	return &Hosts{JSON: NoHosts}
}

// hostsJSON answers with the list. Players may ask any host, so pages of other origins may read it; it has no secrets.
func (l *Listener) hostsJSON(w http.ResponseWriter, r *http.Request) {
	b := l.hosts().JSON
	h := w.Header()
	forAll(h)
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(b)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(b) // an error means that the client left
	}
}

// forAll lets pages of all origins read an answer that has no secrets.
func forAll(h http.Header) {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
}

// connectTo returns what the policy of a page permits besides its own host: the other hosts as they are now (C6), by HTTP, WebSocket and
// WebTransport.
func connectTo(pages []string) string {
	var b strings.Builder
	for _, p := range pages {
		u, err := url.Parse(p)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || strings.ContainsFunc(u.Hostname(), notInPolicy) {
			continue
		}
		list := " https://" + u.Host + " wss://" + u.Host
		if u.Scheme == "http" {
			list += " http://" + u.Host + " ws://" + u.Host
		}
		if strings.EqualFold(u.Hostname(), "localhost") && u.Port() != "" {
			list += " https://127.0.0.1:" + u.Port() // to which pages go for WebTransport
		}
		if b.Len()+len(list) > maxConnect {
			break
		}
		b.WriteString(list)
	}
	return b.String()
}

// notInPolicy is true for what the grammar of a policy's sources has no place for in a host: IPv6 addresses, underscores.
func notInPolicy(c rune) bool { return notInHost(c) && (c < 'A' || c > 'Z') || c == '_' }
