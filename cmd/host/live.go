package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/serve"
	"github.com/tidelock/tidelock/cmd/host/settings"
	"github.com/tidelock/tidelock/cmd/host/store"
	"github.com/tidelock/tidelock/cmd/host/watch"
	"github.com/tidelock/tidelock/cmd/host/web"
	"github.com/tidelock/tidelock/netcode/kcplink"
)

// liveHost is what settings that can change while a host runs apply to.
type liveHost struct {
	log      *slog.Logger
	game     *game
	turn     *serve.Turn
	watcher  *watch.Watcher // nil if nothing is watched
	store    *store.Service // nil without one
	link     *kcplink.Link  // nil without a network
	browsers *web.Listener  // nil without one
	admin    *web.Listener  // the inspector at an address of its own, nil without one

	stopWithin atomic.Int64 // a [time.Duration]
	allocate   atomic.Bool  // --agones-allocate
}

// stopsWithin returns the present --stop-within. Any goroutine may call it.
func (h *liveHost) stopsWithin() time.Duration { return time.Duration(h.stopWithin.Load()) }

// apply makes settings and limits of mods and classes those of the running host. Calls must not overlap, nor run on the loop's goroutine:
// one waits for the loop.
func (h *liveHost) apply(c serveCmd, guard *settings.Guard) {
	h.stopWithin.Store(int64(c.StopWithin))
	h.allocate.Store(c.AgonesAllocate)
	h.turn.Retime(serve.Times{CatchUp: c.CatchUp, RunFor: c.RunFor, StopWithin: c.StopWithin})
	if h.watcher != nil {
		h.watcher.SetPoll(c.WatchPoll)
	}
	h.store.SetQuota(c.quota())
	trusted, err := c.trusted()
	if err != nil {
		h.log.Error("web-trusted-proxy not changed: " + err.Error()) // not reached: reconfigure has read it
	}
	for _, l := range []*web.Listener{h.browsers, h.admin} {
		if l != nil && err == nil {
			l.SetTrustedProxy(trusted)
		}
	}
	if err := h.turn.Do(context.Background(), func() error { return h.applyGame(&c, guard) }); err != nil {
		h.log.Error("settings not changed: " + err.Error())
	}
}

// applyGame is the part of apply for the loop's goroutine.
func (h *liveHost) applyGame(c *serveCmd, guard *settings.Guard) error {
	listed, err := c.entry(h.link, h.browsers)
	if err != nil {
		return err
	}
	g := h.game
	g.listed = listed
	g.drain.SetUsual(c.DrainTime)
	g.Relimit(guard.Shares(), guard.Memory(), guard.ActorLimits())
	return errors.Join(g.relimit(&c.playerFlags), g.keeper.SetEvery(c.Autosave.Seconds()))
}

// reconfigure reads the settings again and applies those that can change while a world runs.
func (c *serveCmd) reconfigure(sys *system, p *parsed, a *assets.Assets, level *slog.LevelVar, apply func(serveCmd, *settings.Guard)) (lines []string, then func(), err error) {
	again, err := parse(p.args, sys)
	if err != nil {
		return nil, nil, err
	}
	n := &again.commands.Serve
	if err := n.check(n.Tick); err != nil {
		return nil, nil, err
	}
	if err := n.checkList(); err != nil {
		return nil, nil, err
	}
	if err := n.checkSecrets(again, n.Level); err != nil {
		return nil, nil, err
	}
	if _, err := n.trusted(); err != nil {
		return nil, nil, err
	}
	old, now := reflect.ValueOf(*c), reflect.ValueOf(*n)
	live := false
	for _, s := range again.settings.List(again.ctx) {
		f := fieldOf(old.Type(), s.Name)
		if f == nil || reflect.DeepEqual(old.FieldByIndex(f).Interface(), now.FieldByIndex(f).Interface()) {
			continue
		}
		changes := changesOf(s.Name)
		switch changes {
		case changesLive:
			lines = append(lines, fmt.Sprintf("%s is now %s (%s)", s.Name, s.Value, s.From))
		case changesNextLevel:
			lines = append(lines, fmt.Sprintf("%s = %s (%s) takes effect when the next match begins", s.Name, s.Value, s.From))
		case changesRestart:
			lines = append(lines, fmt.Sprintf("%s = %s (%s) takes effect at the next start", s.Name, s.Value, s.From))
			continue
		}
		reflect.ValueOf(c).Elem().FieldByIndex(f).Set(now.FieldByIndex(f))
		live = true
	}
	guard, before := again.settings.Guard(), p.settings.Guard()
	changes := before.Changes(guard)
	lines = append(lines, changes...)
	return lines, func() {
		level.Set(levelOf(n.LogLevel))
		a.TurnOff(guard.Off) // the scripts are read again after this
		*before = *guard     // so that each change is reported once
		if live || len(changes) > 0 {
			apply(*c, guard)
		}
	}, nil
}

// change says when a new value of a setting takes effect.
type change string

const (
	changesLive      change = "live"
	changesNextLevel change = "next match"
	changesRestart   change = "restart"
)

// changesOf returns it for a setting.
func changesOf(name string) change {
	switch {
	case slices.Contains(liveSettings[:], name):
		return changesLive
	case slices.Contains(levelSettings[:], name):
		return changesNextLevel
	}
	return changesRestart
}

// levelSettings are taken by each world when it begins.
var levelSettings = [...]string{"sight", "dormancy-validation"}

// liveSettings can change while players play (liveHost.apply; log-level by itself).
var liveSettings = [...]string{
	"log-level", "watch-poll", "catch-up", "run-for", "stop-within", "drain-time", "agones-allocate", "label", "public-address", "public-web", "store-quota", "store-keys",
	"max-players", "password", "net", "relevant-timeout", "autosave",
	"budget", "title", "query", "connections-per-address", "handshakes-per-second", "handshakes-per-address", "packets-per-second", "bytes-per-second",
	"web-trusted-proxy", "calls-per-second", "offences", "validation", "reliable-queue", "login-time", "idle-time", "download-rate", "download-total",
}

// fieldOf returns the field of a flag: run-for → RunFor.
func fieldOf(t reflect.Type, flag string) []int {
	f, ok := t.FieldByNameFunc(func(name string) bool {
		return strings.EqualFold(name, strings.ReplaceAll(flag, "-", ""))
	})
	if !ok {
		return nil
	}
	return f.Index
}
