package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/cluster/rig"
	"github.com/tidelock/tidelock/tests/port"
)

const keepingMatch = `-- KeepingMatch: every player earns something each second, and the game stores and publishes something.
local KeepingMatch = class("KeepingMatch", "GameInfo")
KeepingMatch.defaults { PlayerStateClass = "KeepingPlayer" }
KeepingMatch.properties { Next = float(0), Heard = int(0), Failed = int(0) }
function KeepingMatch:StartPlay()
	KeepingMatch.super.StartPlay(self)
	cluster:Subscribe("seconds", function(n) self.Heard = n end)
end
function KeepingMatch:Tick(dt)
	KeepingMatch.super.Tick(self, dt)
	if world.TimeSeconds < self.Next then
		return
	end
	self.Next = world.TimeSeconds + 1
	for _, player in ipairs(self:ActorsOf("KeepingPlayer")) do
		player.Gold = player.Gold + 1
	end
	if STORES then
		store:Increment("seconds", 1, function(_, err) self.Failed = self.Failed + (err and 1 or 0) end)
		cluster:Publish("seconds", math.floor(world.TimeSeconds))
	end
end
return KeepingMatch
`

const keepingPlayer = `-- KeepingPlayer: a player with gold.
local KeepingPlayer = class("KeepingPlayer", "PlayerState")
KeepingPlayer.KIND { Gold = int(0) }
return KeepingPlayer
`

// BenchmarkKeeping runs two hosts of the real program beside each other for 10 seconds each turn, with 16 players who walk around in each: one by itself, which
// keeps nothing, and one in a cluster of three NATS servers with profiles, a store, messages, the directory and autosave. It reports what a tick
// takes of the processor in both, all threads included (C9: at most 0.2 ms more).
//
//	go test ./cmd/host -run - -bench Keeping -benchtime 6x
func BenchmarkKeeping(b *testing.B) {
	r := rig.Start(b, 3, rig.Options{})
	const players, seconds, rate = 16, 10, 60
	var pids []int
	for i, stores := range []string{"false", "true"} {
		dir, addr := b.TempDir(), port.Reserve(b, 1)
		must(b, os.MkdirAll(filepath.Join(dir, "scripts"), 0o755))
		kind := []string{"properties", "persistent"}[i]
		for name, text := range map[string]string{ // any order: each a file
			"KeepingMatch": strings.ReplaceAll(keepingMatch, "STORES", stores), "KeepingPlayer": strings.ReplaceAll(keepingPlayer, "KIND", kind),
		} {
			must(b, os.WriteFile(filepath.Join(dir, "scripts", name+".lua"), []byte(text), 0o644))
		}
		args := []string{"serve", "arena?game=KeepingMatch", "--listen", addr, "--web", "off", "--log", "json"}
		more := []string{"--store", "off"}
		if stores == "true" {
			more = []string{"--cluster", r.URL(), "--cluster-replicas", "3", "--autosave", "60s"}
		}
		host := startProgram(b, dir, append(args, more...)...)
		host.await(`(?m)^ready: `)
		pids = append(pids, host.cmd.Process.Pid)
		startProgram(b, b.TempDir(), "bots", addr, "-n", strconv.Itoa(players), "--no-brain", "--profiles", "--every", "0s").await(`all in: `)
	}
	used := [2]float64{}
	for b.Loop() {
		before := [2]float64{processorTime(b, pids[0]), processorTime(b, pids[1])}
		time.Sleep(seconds * time.Second)
		for i, pid := range pids {
			used[i] += processorTime(b, pid) - before[i]
		}
	}
	ticks := float64(b.N * seconds * rate)
	b.ReportMetric(used[0]/ticks, "alone-ms/tick")
	b.ReportMetric(used[1]/ticks, "kept-ms/tick")
	b.ReportMetric((used[1]-used[0])/ticks, "more-ms/tick")
}

// processorTime returns what a process has used, in milliseconds: the sum of its threads, of which none ends in a host.
func processorTime(b *testing.B, pid int) float64 {
	b.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(threads) == 0 {
		b.Fatal("no thread of the host: ", err)
	}
	total := 0.0
	for _, file := range threads {
		text, err := os.ReadFile(file)
		must(b, err)
		ns, err := strconv.ParseFloat(strings.Fields(string(text))[0], 64)
		must(b, err)
		total += ns / 1e6
	}
	return total
}
