//go:build unix

package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/cluster/rig"
	"github.com/tidelock/tidelock/tests/port"
	"github.com/tidelock/tidelock/tests/tier"
)

var (
	hopsFor  = flag.Duration("hops", 0, "TestHops: for how long players go from host to host, each every 10 to 30 s; 0: until each went twice, a few seconds after another")
	hopBots  = flag.Int("bots", 6, "TestHops: how many players")
	hopFault = flag.String("kill", "", "TestHops: what is killed at random moments and started again: nodes or hosts; nothing without")
)

// hopMatch sends every player to the other host from time to time, and logs what the test measures by.
const hopMatch = `-- HopMatch: players go from host to host, until Stop.
local HopMatch = class("HopMatch", "GameInfo")
HopMatch.defaults { PlayerStateClass = "HopPlayer", PlayerControllerClass = "HopController" }
HopMatch.properties { Least = float(10), Most = float(30), Stopped = false }
function HopMatch:Stop() self.Stopped = true end
function HopMatch:PostLogin(pc)
	HopMatch.super.PostLogin(self, pc)
	pc.Id = pc.PlayerReplicationInfo.UniqueId
	log("hop enters " .. pc.Id)
end
function HopMatch:Logout(pc)
	log("hop leaves " .. pc.Id)
	HopMatch.super.Logout(self, pc)
end
return HopMatch
`

const hopController = `-- HopController: a player who is sent on.
local HopController = class("HopController", "PlayerController")
HopController.properties { Id = str(""), Next = float(0), Number = int(0), Came = int(0), Spot = vector(0, 0, 0), bPlaced = false }
function HopController:Teleported(data, _, back)
	local hops = self.PlayerReplicationInfo.Hops
	log(("hop in %d %s %s"):format(data and data.Number or 0, tostring(back), data and data.Hops ~= hops and "kept " .. hops .. " of " .. data.Hops or "all"))
	self.Came, self.bPlaced = back and 0 or data.Number, false
end
function HopController:Tick(dt)
	HopController.super.Tick(self, dt)
	local game = world.Game
	if not game then
		return -- a client
	end
	local pawn, now = self.Pawn, world.TimeSeconds
	if self.Came ~= 0 and pawn then
		local at = vector(pawn.Location.X, pawn.Location.Y, 0)
		if not self.bPlaced then
			self.Spot, self.bPlaced = at, true
		elseif (at - self.Spot):Size() > 1 then
			log("hop walks " .. self.Came)
			self.Came = 0
		end
	end
	if self.Next == 0 then
		self.Next = now + game.Least + (game.Most - game.Least) * math.random()
	elseif now >= self.Next and not game.Stopped then
		self.Next = now + game.Least + (game.Most - game.Least) * math.random()
		self:Hop()
	end
end
function HopController:Hop()
	local number, player = math.random(1, 2000000000), self.PlayerReplicationInfo
	player.Hops = player.Hops + 1
	log(("hop call %d %s"):format(number, self.Id))
	self:Teleport("hop", { Number = number, Hops = player.Hops }, function(ok, err)
		log(("hop told %d %s"):format(number, ok and "true" or err))
	end)
end
return HopController
`

const hopPlayer = `-- HopPlayer: a player whose hops are counted for a lifetime.
local HopPlayer = class("HopPlayer", "PlayerState")
HopPlayer.persistent { Hops = int(0) }
return HopPlayer
`

// hopHost is a host of TestHops, which may run several times.
type hopHost struct {
	name, dir, addr, admin string
	args                   []string
	runs                   []*child
	ended                  []time.Time // of each run, when it was killed; the zero time for the last
}

func (h *hopHost) start(t *testing.T) {
	t.Helper()
	h.runs, h.ended = append(h.runs, startProgram(t, h.dir, h.args...)), append(h.ended, time.Time{})
}

// kill kills it as kill -9 does.
func (h *hopHost) kill() {
	p := h.runs[len(h.runs)-1]
	_ = p.cmd.Process.Kill() // it runs
	<-p.done
	h.ended[len(h.ended)-1] = time.Now()
}

// players returns the names of players in the match by their ids; an error while the host does not answer.
func (h *hopHost) players() (map[string]string, error) {
	r, err := (&http.Client{Timeout: 5 * time.Second}).Get("http://" + h.admin + "/api/v1/connections") //nolint:noctx // it has a timeout
	if err != nil {
		return nil, err
	}
	defer r.Body.Close() //nolint:errcheck // it was read
	var list []struct{ Name, Key, Controller string }
	if err := json.NewDecoder(r.Body).Decode(&list); err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, c := range list {
		if c.Controller != "" {
			out[c.Key] = c.Name
		}
	}
	return out, nil
}

// TestHops lets the players of `host bots` go from host to host of a cluster for a while: real programs, real sockets, three real NATS
// servers, of which some, or the hosts, may be killed meanwhile. In the end every player is in exactly one world, nobody was in two, and
// nobody is lost (C6, C10). How long each hop took, from the call of Teleport to the pawn walking in the other world, is logged.
func TestHops(t *testing.T) {
	t.Parallel()
	switch *hopFault {
	case "", "nodes", "hosts":
	default:
		t.Fatalf("-kill %s: expected nodes or hosts", *hopFault)
	}
	r := rig.Start(t, 3, rig.Options{})
	least, most := 10.0, 30.0
	if *hopsFor == 0 {
		least, most = 2, 4
	}
	var hosts []*hopHost
	for i := range 2 {
		h := &hopHost{name: fmt.Sprintf("host-%d", i+1), dir: t.TempDir(), addr: port.Reserve(t, 1), admin: port.Reserve(t, 1)}
		game := strings.NewReplacer("float(10)", fmt.Sprintf("float(%g)", least), "float(30)", fmt.Sprintf("float(%g)", most)).Replace(hopMatch)
		for name, text := range map[string]string{"HopMatch": game, "HopController": hopController, "HopPlayer": hopPlayer} { // any order: each a file
			saveFile(t, h.dir, "scripts/"+name+".lua", text)
		}
		h.args = []string{
			"serve", "flat?game=HopMatch?maxplayers=128", "--title", h.name, "--label", "hop", "--listen", h.addr, "--web", "off", "--admin", h.admin, "--log", "json",
			"--connections-per-address", "512", "--cluster", r.URL(), "--cluster-replicas", "3",
		}
		h.start(t)
		h.runs[0].await(`(?m)^ready: `)
		hosts = append(hosts, h)
	}
	n := *hopBots
	list := startProgram(t, t.TempDir(), "bots", hosts[0].addr, "-n", fmt.Sprint(n), "--no-brain", "--profiles", "--every", "0s")
	list.await(`all in: `)
	began := time.Now()
	kills, rng := 0, tier.Rand(t)
	next := began.Add(time.Duration((5 + 20*rng.Float64()) * float64(time.Second)))
	if *hopsFor == 0 {
		next = began.Add(4 * time.Second)
	}
	for end := began.Add(*hopsFor); ; time.Sleep(500 * time.Millisecond) {
		select {
		case <-list.done:
			t.Fatal("the players ended")
		default:
		}
		if *hopFault != "" && time.Now().After(next) {
			kills++
			if *hopFault == "nodes" {
				node := r.Nodes[rng.IntN(len(r.Nodes))]
				node.Kill()
				time.Sleep(time.Duration(rng.Float64() * 4 * float64(time.Second)))
				node.Start()
			} else {
				h := hosts[rng.IntN(len(hosts))]
				h.kill()
				time.Sleep(time.Duration(rng.Float64() * 4 * float64(time.Second)))
				h.start(t)
			}
			next = time.Now().Add(time.Duration((5 + 20*rng.Float64()) * float64(time.Second)))
		}
		if *hopsFor == 0 && time.Since(began) < 5*time.Minute {
			f := hopsOf(t, hosts)
			if len(f.took) < 2*n || *hopFault != "" && kills == 0 {
				continue
			}
		}
		if time.Now().After(end) {
			break
		}
	}
	for _, h := range hosts {
		h.runs[len(h.runs)-1].types("eval world.Game:Stop()")
	}
	settled(t, hosts, n)
	list.signal(syscall.SIGTERM)
	if code := list.code(); code != 0 {
		t.Errorf("the players' exit code is %d", code)
	}
	f := hopsOf(t, hosts)
	f.report(t, time.Since(began), kills)
	if len(f.took) == 0 {
		t.Error("no hop was made")
	}
	for _, line := range f.doubled {
		t.Errorf("in two worlds: %s", line)
	}
	if *hopFault == "" && f.less > 0 {
		t.Errorf("%d players arrived with less than they left with", f.less)
	}
}

// settled waits until all hops have ended and each of n players is in exactly one world.
func settled(t *testing.T, hosts []*hopHost, n int) {
	t.Helper()
	var in map[string]int
	for end := time.Now().Add(3 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
		in = map[string]int{}
		good := true
		for _, h := range hosts {
			players, err := h.players()
			good = good && err == nil
			for _, name := range players { // any order: they are counted
				in[name]++
			}
		}
		for i := range n {
			good = good && in[fmt.Sprintf("Bot%d", i+1)] == 1
		}
		if good && len(in) == n && hopsOf(t, hosts).open == 0 {
			return
		}
		if time.Now().After(end) {
			break
		}
	}
	t.Errorf("not every player is in exactly one world, or %d hops do not end: %v", hopsOf(t, hosts).open, in)
}

// hop is a hop as the hosts' logs tell it.
type hop struct {
	player                string
	call, told, in, walks time.Time
	back, ok              bool
	why                   string
	open                  bool // its source runs, and has not told its end
}

// hopFigures are those of all hops.
type hopFigures struct {
	calls, open, back, less, untold int             // untold: the source was killed
	took                            []time.Duration // from the call to the pawn walking in the other world
	came                            []time.Duration // from the call to the other world's Teleported: the rest is until it walks
	until                           []time.Duration // from the call to the answer of those that failed
	why                             map[string]int
	doubled                         []string
}

// hopsOf reads the hosts' logs.
func hopsOf(t *testing.T, hosts []*hopHost) hopFigures {
	t.Helper()
	f := hopFigures{why: map[string]int{}}
	all := map[string]*hop{}
	get := func(number string) *hop {
		if all[number] == nil {
			all[number] = &hop{}
		}
		return all[number]
	}
	type stay struct {
		host     string
		from, to time.Time
	}
	stays := map[string][]*stay{}
	for _, h := range hosts {
		for i, run := range h.runs {
			end := h.ended[i]
			if end.IsZero() {
				end = time.Now()
			}
			here := map[string]*stay{}
			for line := range strings.SplitSeq(run.text(), "\n") {
				var e struct {
					Time time.Time
					Msg  string
				}
				if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &e) != nil {
					continue
				}
				w := strings.Fields(e.Msg)
				if len(w) < 3 || w[0] != "hop" {
					continue
				}
				switch w[1] {
				case "enters":
					here[w[2]] = &stay{host: h.name, from: e.Time, to: end}
					stays[w[2]] = append(stays[w[2]], here[w[2]])
				case "leaves":
					if s := here[w[2]]; s != nil {
						s.to = e.Time
					}
				case "call":
					x := get(w[2])
					x.call, x.player, x.open = e.Time, w[3], h.ended[i].IsZero()
				case "told":
					x := get(w[2])
					x.told, x.ok, x.why, x.open = e.Time, w[3] == "true", strings.Join(w[3:], " "), false
				case "in":
					x := get(w[2])
					x.in, x.back = e.Time, w[3] == "true"
					if w[4] != "all" {
						f.less++
					}
				case "walks":
					get(w[2]).walks = e.Time
				}
			}
		}
	}
	for number, x := range all { // any order: sums
		if number == "0" || x.call.IsZero() {
			continue
		}
		f.calls++
		if x.open && x.in.IsZero() { // a controller that has arrived elsewhere is gone, and gets no answer
			f.open++
		}
		switch {
		case x.back:
			f.back++
		case !x.walks.IsZero():
			f.took = append(f.took, x.walks.Sub(x.call))
			f.came = append(f.came, x.in.Sub(x.call))
		case x.told.IsZero():
			f.untold++
		case !x.ok:
			f.why[x.why]++
			f.until = append(f.until, x.told.Sub(x.call))
		}
	}
	for id, list := range stays { // any order: each by itself
		slices.SortFunc(list, func(a, b *stay) int { return a.from.Compare(b.from) })
		for i := 1; i < len(list); i++ {
			if a, b := list[i-1], list[i]; b.from.Before(a.to) {
				f.doubled = append(f.doubled, fmt.Sprintf("%s in %s until %s and in %s from %s", id, a.host, a.to.Format("15:04:05.000"), b.host, b.from.Format("15:04:05.000")))
			}
		}
	}
	return f
}

// report logs the figures.
func (f *hopFigures) report(t *testing.T, d time.Duration, kills int) {
	t.Helper()
	slow, failed := 0, f.back
	for _, d := range f.took {
		if d > 2*time.Second {
			slow++
		}
	}
	for why, n := range f.why { // any order: for a person
		failed += n
		t.Logf("%d× %s", n, why)
	}
	quantile := func(list []time.Duration, q float64) float64 {
		if slices.Sort(list); len(list) == 0 {
			return 0
		}
		return float64(list[int(q*float64(len(list)-1))].Microseconds()) / 1000
	}
	t.Logf("hops: %d players, %.0f s, %d kills (%q): %d calls, %d arrived and walk: p50 %.0f ms, p95 %.0f ms, longest %.0f ms (until Teleported: p50 %.0f ms, "+
		"p95 %.0f ms), %d of more than 2 s; %d failed, the longest after %.0f ms, %d of them back at the source; %d whose source was killed before it knew; "+
		"%d arrived with less", *hopBots, d.Seconds(), kills, *hopFault, f.calls, len(f.took), quantile(f.took, 0.5), quantile(f.took, 0.95), quantile(f.took, 1),
		quantile(f.came, 0.5), quantile(f.came, 0.95), slow, failed, quantile(f.until, 1), f.back, f.untold, f.less)
}
