package control

import (
	"cmp"
	"fmt"
	"time"

	"github.com/tidelock/tidelock/cmd/host/access"
	"github.com/tidelock/tidelock/cmd/host/command"
	"github.com/tidelock/tidelock/cmd/host/console"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/server"
)

// accessCommands are those about who may play and who may do what. What they change is in a file, so they work outside
// of turns; the door closes the connections of who is banned.
func (c control) accessCommands(player command.Param) []command.Command {
	whom := command.Param{Name: "PLAYER|KEY|ADDRESS", Values: c.players}
	banned := command.Param{Name: "KEY|ADDRESS", Values: func([]string) (out []string) {
		for _, b := range c.Access.Bans() {
			out = append(out, b.What())
		}
		return out
	}}
	roles := command.Param{Name: "ROLE", Values: func([]string) []string { return []string{"admin", "moderator", "none", "owner"} }}
	reason := command.Param{Name: "REASON", Kind: command.Text, Optional: true}
	return []command.Command{
		{Name: "kick", Params: []command.Param{player, reason}, Needs: access.Moderator, Help: "Disconnect a player, who is told why; they may come back.", Run: c.turn(c.kick)},
		{Name: "ban", Params: []command.Param{whom, {Name: "MINUTES", Kind: command.Int, Min: 0, Max: 5256000, Optional: true}, reason}, Needs: access.Moderator, Help: "Keep a player or an address out, for some minutes or, with 0 or without, forever; the reason is shown to them.", Run: c.ban},
		{Name: "unban", Params: []command.Param{banned}, Needs: access.Moderator, Help: "Lift a ban.", Run: c.unban},
		{Name: "bans", Needs: access.Moderator, Help: "List who is banned, by whom, why and until when.", Run: c.bans},
		{Name: "whitelist", Params: []command.Param{{Name: "ON", Kind: command.Switch}}, Needs: access.Admin, Help: "Admit only players of the whitelist, or everybody; players who are in stay.", Run: func(call *command.Call) ([]string, error) {
			return nil, c.Access.Whitelist(call.Switch(0, true))
		}},
		{Name: "whitelist add", Params: []command.Param{{Name: "PLAYER|KEY", Values: c.players}}, Needs: access.Admin, Help: "Put a player on the whitelist.", Run: c.withKey(func(_ *command.Call, key string) error { return c.Access.Allow(key) })},
		{Name: "whitelist remove", Params: []command.Param{{Name: "PLAYER|KEY", Values: c.listed}}, Needs: access.Admin, Help: "Take a player off the whitelist.", Run: c.withKey(func(_ *command.Call, key string) error { return c.Access.Disallow(key) })},
		{Name: "whitelist list", Needs: access.Moderator, Help: "Show whether the whitelist is on, and who is on it.", Run: c.whitelisted},
		{Name: "role", Params: []command.Param{{Name: "PLAYER|KEY", Values: c.players}, roles}, Needs: access.Owner, Help: "Give a player a role, or none.", Run: c.withKey(c.role)},
		{Name: "roles", Needs: access.Moderator, Help: "List who has a role.", Run: func(*command.Call) ([]string, error) {
			rows := [][]string{{"role", "key"}}
			for _, g := range c.Access.Roles() {
				rows = append(rows, []string{g.Role.String(), g.Key})
			}
			if len(rows) == 1 {
				return []string{"nobody has a role but the owner at the host's terminal"}, nil
			}
			return console.Table(rows, 2), nil
		}},
	}
}

func (c control) kick(call *command.Call, m *match.Match, s *server.Server) ([]string, error) {
	conn, err := connectionOf(m, s, call.Text(0))
	if err != nil {
		return nil, err
	}
	s.Kick(func(o *server.Conn) bool { return o == conn }, link.Reason{Code: "kicked", Text: cmp.Or(call.Text(1), "an operator has disconnected you")})
	return nil, nil
}

// person is a player who is in.
type person struct{ name, key string }

// personOf finds a player who is in by what an operator names; ok is false if nobody is called so.
func (c control) personOf(call *command.Call, what string) (p person, ok bool, err error) {
	var found person
	err = c.Turns.Do(call.Context, func() error {
		m, s := c.Host.Current()
		if conn, err := connectionOf(m, s, what); err == nil {
			found, ok = person{conn.Name, conn.Key()}, true
		}
		return nil
	})
	if err != nil {
		return person{}, false, err
	}
	return found, ok, nil
}

func (c control) ban(call *command.Call) ([]string, error) {
	p, in, err := c.personOf(call, call.Text(0))
	if err != nil {
		return nil, err
	}
	b := access.Ban{Key: p.key, Name: p.name}
	if !in {
		if b, err = access.Whom(call.Text(0)); err != nil {
			return nil, fmt.Errorf("no player is called %q, and it is neither a key nor an address: %w", call.Text(0), err)
		}
	} else if p.key == "" {
		return nil, fmt.Errorf("%q has proved no key; ban their address", p.name)
	}
	if own := c.Access.RoleOf(b.Key); b.Key != "" && own >= call.Caller.Role && call.Caller.Role != access.Owner {
		return nil, fmt.Errorf("%s has the role %s; only a higher one may ban them", b.Key, own)
	}
	b.By, b.Reason = call.Caller.Name, call.Text(2)
	if n := call.Int(1, 0); n > 0 {
		b.Until = time.Now().Add(time.Duration(n) * time.Minute)
	}
	if err := c.Access.Ban(b); err != nil {
		return nil, err
	}
	return []string{"banned " + b.What()}, nil
}

func (c control) unban(call *command.Call) ([]string, error) {
	b, err := c.Access.Unban(call.Text(0))
	if err != nil {
		return nil, err
	}
	return []string{fmt.Sprintf("%s is no longer banned", b.What())}, nil
}

func (c control) bans(*command.Call) ([]string, error) {
	rows := [][]string{{"banned", "name", "by", "until", "why"}}
	for _, b := range c.Access.Bans() {
		until := "forever"
		if !b.Until.IsZero() {
			until = b.Until.UTC().Format("2006-01-02 15:04 UTC")
		}
		rows = append(rows, []string{b.What(), b.Name, b.By, until, b.Reason})
	}
	if len(rows) == 1 {
		return []string{"nobody is banned"}, nil
	}
	return console.Table(rows, 5), nil
}

func (c control) whitelisted(*command.Call) ([]string, error) {
	on, keys := c.Access.Whitelisted()
	head := "the whitelist is off: everybody may join"
	if on {
		head = "the whitelist is on"
	}
	return append([]string{head}, keys...), nil
}

func (c control) listed([]string) []string {
	_, keys := c.Access.Whitelisted()
	return keys
}

// withKey runs a command with the key of its first argument: a player who is in, or a key.
func (c control) withKey(f func(call *command.Call, key string) error) func(*command.Call) ([]string, error) {
	return func(call *command.Call) ([]string, error) {
		p, in, err := c.personOf(call, call.Text(0))
		switch {
		case err != nil:
			return nil, err
		case in && p.key == "":
			return nil, fmt.Errorf("%q has proved no key", p.name)
		case in:
			return nil, f(call, p.key)
		}
		key, err := access.CheckKey(call.Text(0))
		if err != nil {
			return nil, fmt.Errorf("no player is called %q: %w", call.Text(0), err)
		}
		return nil, f(call, key)
	}
}

func (c control) role(call *command.Call, key string) error {
	text := call.Text(1)
	if text == "none" {
		text = ""
	}
	r, err := access.ParseRole(text)
	if err != nil {
		return err
	}
	return c.Access.SetRole(key, r)
}
