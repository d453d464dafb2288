package fuzz

import (
	"errors"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/bus"
	"github.com/tidelock/tidelock/engine/store"
	"github.com/tidelock/tidelock/scriptvm"
)

// outside is what a world has beyond itself: a store, a bus, profiles and other hosts, which answer between ticks.
type outside struct {
	memory   store.Memory
	client   *store.Client
	requests []store.Request
	cluster  *bus.Client
	later    []func()
	now      time.Duration
}

func newOutside() *outside {
	o := &outside{cluster: &bus.Client{Bus: &bus.Local{}, Host: "fuzz"}}
	o.client = &store.Client{Port: o}
	return o
}

// give sets a world's options.
func (o *outside) give(v *scriptvm.Options) {
	v.Store, v.Cluster, v.Transactor, v.Teleport = o.client, o.cluster, o, o.teleport
}

// Send implements [store.Port].
func (o *outside) Send(r store.Request) { o.requests = append(o.requests, r) }

// Together implements [scriptvm.Transactor].
func (o *outside) Together([]*engine.Actor) error { return nil }

// Fits implements [scriptvm.Transactor].
func (o *outside) Fits([]*engine.Actor) error { return nil }

// Save implements [scriptvm.Transactor].
func (o *outside) Save(_ []*engine.Actor, done func(error)) { o.Later(func() { done(nil) }) }

// Capture implements [scriptvm.Transactor]: nobody has a profile.
func (o *outside) Capture(*engine.Actor) *store.Table { return nil }

// Later implements [scriptvm.Transactor].
func (o *outside) Later(f func()) { o.later = append(o.later, f) }

func (o *outside) teleport(_ *engine.Actor, _ string, _ []byte, done func(error)) {
	o.Later(func() { done(errors.New("there is no other host")) })
}

// turn answers what was requested since the last time.
func (o *outside) turn(v *scriptvm.VM) {
	requests, later := o.requests, o.later
	o.requests, o.later = nil, nil
	for i := range requests {
		o.client.Deliver(store.Answer(&o.memory, &requests[i]))
	}
	for _, f := range later {
		f()
	}
	o.now += time.Second / 60
	o.cluster.Deliver(o.now)
	v.HandleMessages()
}
