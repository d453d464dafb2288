package client

import (
	"fmt"
	"time"

	"github.com/tidelock/tidelock/engine"
)

// Allowance is what a client's scripts may send (R6.5, G10), so that the author of a script that calls too much
// sees an error, instead of the server dropping the calls and counting them as the player's offences
// (server.Limits.CallsPerSecond and BytesPerSecond). Each has a burst of one second. Zeros mean the defaults, which
// are below those limits' defaults.
type Allowance struct {
	// ClassBytes is bytes per second of reliable calls for each class, and for each mod; default 20 000.
	ClassBytes int
	// Bytes per second of reliable calls, and Calls per second of all kinds, bound the total; default 48 000 and
	// 300. An eighth of the bytes and a third of the calls are reserved for core and the game.
	Bytes, Calls int
}

func (a Allowance) withDefaults() Allowance {
	set := func(p *int, v int) {
		if *p <= 0 {
			*p = v
		}
	}
	set(&a.ClassBytes, 20_000)
	set(&a.Bytes, 48_000)
	set(&a.Calls, 300)
	return a
}

// allowance is a token bucket; it may be overdrawn by one call.
type allowance struct {
	tokens float64
	at     time.Duration
}

func (a *allowance) left(now time.Duration, rate float64) float64 {
	a.tokens = min(rate, a.tokens+rate*(now-a.at).Seconds())
	a.at = now
	return a.tokens
}

// payer is the account that a call is charged to: a class, with the mod whose script called another mod's class, or
// with class "" a mod.
type payer struct{ class, mod string }

// allowances holds the buckets of one client. The zero value has sent nothing yet, at time 0.
type allowances struct {
	most         Allowance
	begun        bool
	calls, bytes allowance
	of           map[payer]*allowance
}

// take charges a call to the allowances. Its error says which one is used up; an unreliable call is then lost.
func (a *allowances) take(now time.Duration, k *engine.Class, f *engine.Function, bytes int, by string) error {
	if by == "" {
		by = k.Mod()
	}
	if !a.begun {
		a.begun, a.of = true, map[payer]*allowance{}
		a.calls, a.bytes = allowance{float64(a.most.Calls), now}, allowance{float64(a.most.Bytes), now}
	}
	classBytes, allBytes, allCalls := float64(a.most.ClassBytes), float64(a.most.Bytes), float64(a.most.Calls)
	leastCalls, leastBytes := 1.0, 0.0
	if by != "" {
		leastCalls, leastBytes = allCalls/3+1, allBytes/8
	}
	refuse := func(why string) error {
		return fmt.Errorf("%s:%s: a call of %d bytes cannot go to the server: %s; call less often, or make it one call with more arguments (R6.5)",
			k.Name, f.Name, bytes, why)
	}
	if a.calls.left(now, allCalls) < leastCalls {
		return refuse(fmt.Sprintf("the scripts of this client have used up their %d calls a second", a.most.Calls))
	}
	if f.Reliable {
		class, mod := a.payer(now, payer{k.Name, by}, classBytes), (*allowance)(nil)
		if by != "" {
			mod = a.payer(now, payer{"", by}, classBytes)
		}
		switch {
		case class.left(now, classBytes) <= 0:
			return refuse(fmt.Sprintf("reliable calls of this class have used up their %d bytes a second", a.most.ClassBytes))
		case mod != nil && mod.left(now, classBytes) <= 0:
			return refuse(fmt.Sprintf("reliable calls of mod %s have used up their %d bytes a second", by, a.most.ClassBytes))
		case a.bytes.left(now, allBytes) <= leastBytes:
			return refuse(fmt.Sprintf("the scripts of this client have used up their %d bytes a second", a.most.Bytes))
		}
		class.tokens -= float64(bytes)
		a.bytes.tokens -= float64(bytes)
		if mod != nil {
			mod.tokens -= float64(bytes)
		}
	}
	a.calls.tokens--
	return nil
}

func (a *allowances) payer(now time.Duration, p payer, bytes float64) *allowance {
	x := a.of[p]
	if x == nil {
		x = &allowance{bytes, now}
		a.of[p] = x
	}
	return x
}
