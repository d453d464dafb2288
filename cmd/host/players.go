package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidelock/tidelock/cmd/host/bind"
	"github.com/tidelock/tidelock/cmd/host/door"
	"github.com/tidelock/tidelock/cmd/host/join"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/cmd/host/query"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/relevancy"
	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/server"
)

// defaultPort is the default port of hosts and clients.
const defaultPort = "7777"

// playerFlags are the flags for players' connections and limits; each is a key of host.toml, too.
type playerFlags struct {
	Mode       string `enum:"dedicated,listen,standalone" default:"dedicated" help:"dedicated, listen (a server with a player of its own), or standalone (a player and no network)."`
	Name       string `default:"Host" help:"Name of the player at this machine, with --mode listen and standalone; name in the URL overrides it."`
	Listen     string `default:"127.0.0.1:7777" placeholder:"[HOST]:PORT" help:"UDP address for players; :7777 admits other machines. Default: port 7777 for this machine only, or the next free port if that is in use. Port 0 uses any free one."`
	Net        int    `default:"30" range:"1,240" help:"Net updates per second, at most --tick."`
	MaxPlayers int    `default:"64" range:"1,1024" help:"Players at once; maxplayers in the URL overrides it."`
	Budget     int    `default:"20000" range:"1000,100000000" help:"Bytes per second to one player, headers included."`
	Password   string `secret:"true" help:"The password that players need to join; better set in a file or the environment than here."`
	TokenKey   string `placeholder:"FILE" help:"Admit only players with a connect token of this key (host token makes both)."`
	HostKey    string `placeholder:"FILE" help:"File of this host's own key, created if it does not exist: players recognize a restarted host by it. Default: one for each port in your cache folder."`
	Title      string `default:"Tidelock" help:"What queries without joining are told as the name of this server; at most 64 bytes."`
	Query      bool   `default:"true" negatable:"" help:"Answer queries without joining (host query): name, level, players, rules."`
	ServerName string `placeholder:"NAME" help:"Name of this server in connect tokens."`
	Access     string `placeholder:"FILE" help:"File with the roles of players, bans and the whitelist. Default: access.toml beside host.toml, or where host.toml would be read."`

	ConnectionsPerAddress int           `default:"64" range:"1,65535" help:"Connections from one address (IPv6: one /64) at once; further ones are refused."`
	HandshakesPerSecond   int           `default:"200" range:"1,100000" help:"Key exchanges per second; beyond that, clients are told to try again."`
	HandshakesPerAddress  int           `default:"50" range:"1,100000" help:"Key exchanges per second from one address."`
	PacketsPerSecond      int           `default:"1000" range:"10,1000000" help:"Packets per second from one player; further ones are dropped, then the player is kicked."`
	BytesPerSecond        int           `default:"65536" range:"1000,100000000" help:"Bytes per second from one player; beyond that, data is dropped and counts as an offence."`
	CallsPerSecond        int           `default:"400" range:"1,1000000" help:"Function calls per second from one player; further ones are dropped and count as an offence."`
	Offences              int           `default:"100" range:"1,1000000" help:"Offence points at which a player is kicked; a fifth of them expires every second."`
	Validation            string        `enum:"kick,drop" default:"kick" help:"When a script's validator refuses a call: kick the player, or drop the call."`
	ReliableQueue         int           `default:"256" range:"16,4096" help:"Reliable calls that may wait for one player (1 024 at most count); beyond that, a player who acknowledges none for two seconds is disconnected."`
	LoginTime             time.Duration `default:"30s" range:"1s,1h" help:"How long joining may take."`
	IdleTime              time.Duration `default:"10s" range:"3s,1h" help:"Silence after which a player is disconnected."`
	DownloadRate          int           `default:"1000000" range:"1000,1000000000" help:"Bytes per second of scripts and levels to one player who joins."`
	DownloadTotal         int           `default:"4000000" range:"1000,1000000000" help:"Bytes per second of scripts and levels to all of them together."`

	RelevantTimeout    time.Duration `default:"5s" range:"2s,10s" help:"How long an actor stays relevant to a player who no longer sees it."`
	Sight              bool          `default:"true" negatable:"" help:"Lines of sight decide which actors are relevant; without them, distance does."`
	DormancyValidation bool          `help:"Report changes that the dirty marks missed; slow, for debugging."`
}

// netMode returns the engine's value of --mode.
func (f *playerFlags) netMode() engine.NetMode {
	switch f.Mode {
	case "listen":
		return engine.NMListenServer
	case "standalone":
		return engine.NMStandalone
	}
	return engine.NMDedicatedServer
}

// check checks what range tags cannot.
func (f *playerFlags) check(tick int) error {
	if f.Net > tick {
		return usageError{fmt.Errorf("--net: %d net updates a second exceed the %d ticks; give at most --tick", f.Net, tick)}
	}
	if err := join.CheckName(f.Name); err != nil {
		return usageError{fmt.Errorf("--name: %w", err)}
	}
	if f.TokenKey != "" && f.Password != "" {
		return usageError{errors.New("--password and --token-key are both given; a token lets in without a password, so give one of them")}
	}
	if len(f.Title) > 64 || !utf8.ValidString(f.Title) {
		return usageError{fmt.Errorf("--title: %d bytes; give at most 64 of UTF-8", len(f.Title))}
	}
	if f.ServerName != "" && f.TokenKey == "" {
		return usageError{errors.New("--server-name is for connect tokens; give --token-key, too")}
	}
	return nil
}

// bind opens the socket. next says that nobody chose the port.
func (f *playerFlags) bind(players int, next bool) (*kcplink.Link, error) {
	s := &kcplink.Server{Password: f.Password, Name: f.ServerName, OwnKey: new([32]byte), Wall: time.Now}
	_, _ = rand.Read(s.OwnKey[:]) // never fails
	if f.TokenKey != "" {
		key, err := readTokenKey(f.TokenKey)
		if err != nil {
			return nil, usageError{fmt.Errorf("--token-key: %w", err)}
		}
		// The list of used tokens is lost with the process, so tokens issued before its start are rejected.
		s.TokenKey, s.TokensSince = &key, time.Now()
	}
	key, err := hostKey(f.HostKey, f.Listen)
	if err != nil {
		return nil, err
	}
	l, err := door.Bind(kcplink.Config{Addr: f.Listen, Key: key, Server: s, Limits: f.limits(players)}, next)
	if errors.As(err, new(*bind.Error)) {
		return nil, usageError{fmt.Errorf("--listen: %w", err)}
	}
	return l, err
}

// about returns what queries are told of the host, nil for no answers.
func (f *playerFlags) about() *query.Description {
	if !f.Query {
		return nil
	}
	return &query.Description{Name: f.Title, Password: f.Password != "", Token: f.TokenKey != ""}
}

// limits returns the configuration of package kcplink.
func (f *playerFlags) limits(players int) kcplink.Limits {
	return kcplink.Limits{
		Conns:                players + spareConns,
		ConnsPerAddress:      f.ConnectionsPerAddress,
		Handshakes:           f.HandshakesPerSecond,
		HandshakesPerAddress: f.HandshakesPerAddress,
		HalfOpenPerAddress:   max(64, f.HandshakesPerAddress),
		PacketsIn:            f.PacketsPerSecond,
		FloodDrops:           2 * f.PacketsPerSecond,
		Silence:              f.IdleTime,
		Heartbeat:            min(3*time.Second, f.IdleTime/4),
	}
}

// spareConns are additional connections, so that the game itself can refuse further players with its own
// message.
const spareConns = 16

// config returns the configuration of package server.
func (f *playerFlags) config(tick int) server.Config {
	return server.Config{
		Tick: tick, Net: f.Net, Validate: f.DormancyValidation,
		Relevancy: relevancy.Config{Timeout: f.RelevantTimeout.Seconds(), NoSight: !f.Sight},
		Limits: server.Limits{
			Budget: f.Budget, LoginTime: f.LoginTime.Seconds(), CallsPerSecond: f.CallsPerSecond, BytesPerSecond: f.BytesPerSecond,
			Offences: f.Offences, KeepOnRefusedCall: f.Validation == "drop", ReliableCalls: f.ReliableQueue, DownloadRate: f.DownloadRate, DownloadTotal: f.DownloadTotal,
		},
	}
}

// players adds maxplayers to a start URL that does not have it, and returns the number.
func (f *playerFlags) players(url string) (string, int) {
	if v, given := match.ParseURL(url).Option("maxplayers"); given {
		if n, err := strconv.Atoi(v); err == nil && n >= 1 && n <= 1024 {
			return url, n
		}
		return url, f.MaxPlayers // the game reports what is wrong with it
	}
	return fmt.Sprintf("%s?maxplayers=%d", url, f.MaxPlayers), f.MaxPlayers
}

// joinCommands returns the commands to join: on this machine and, if the socket accepts other machines, from
// there. open tells how to admit other machines, "" if they can join already.
func joinCommands(program, listen string, port uint16) (join []string, open string) {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return nil, ""
	}
	at := func(host string) string {
		return program + " join " + strings.TrimSuffix(net.JoinHostPort(host, strconv.Itoa(int(port))), ":"+defaultPort)
	}
	ip := net.ParseIP(host)
	switch {
	case host == "localhost" || ip.IsLoopback():
		if ip.To4() != nil {
			host = "localhost"
		}
		return []string{at(host)}, fmt.Sprintf("only this machine; --listen :%d opens it to others", port)
	case host != "" && (ip == nil || !ip.IsUnspecified()):
		return []string{at(host)}, ""
	}
	join = []string{at("localhost")}
	if lan := lanAddress(); lan != "" {
		join = append(join, at(lan))
	}
	return join, ""
}

// openBoth extends open of joinCommands by how to admit browsers of other machines, if the listener at web
// keeps them out.
func openBoth(open string, web netip.AddrPort) string {
	switch {
	case !web.Addr().IsLoopback():
		return open
	case open == "":
		return fmt.Sprintf("browsers on this machine only; --web :%d opens it to others", web.Port())
	}
	return fmt.Sprintf("%s, --web :%d to their browsers", open, web.Port())
}

// lanAddress returns an address by which other machines may reach this one, "" if none is known.
func lanAddress() string {
	list, err := net.InterfaceAddrs()
	if err != nil {
		return ""
	}
	for _, a := range list {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() && n.IP.To4() != nil {
			return n.IP.String()
		}
	}
	return ""
}
