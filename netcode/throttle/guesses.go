package throttle

import (
	"container/list"
	"net/netip"
	"time"
)

const (
	// FreeGuesses is how many wrong secrets from one network have no consequence: people mistype.
	FreeGuesses = 3
	// guessWait is how long a network waits after the first wrong secret beyond these; it doubles with each, up to longestWait.
	guessWait, longestWait = time.Second, 5 * time.Minute
	// forgetGuesses is how long after the end of its wait a network is forgotten, which restores its free guesses.
	forgetGuesses = 15 * time.Minute
	// maxGuessers bounds the networks that are remembered. When it is full, the one with the oldest guess is
	// forgotten: exploiting that takes as many networks, each of which has a few guesses.
	maxGuessers = 4096
)

// Guesses counts wrong secrets by network, and says how long each network has to wait before another one is checked
// (G16). The zero value is empty. All calls count time from the same origin.
type Guesses struct {
	by    map[netip.Addr]*list.Element // of order
	order list.List                    // of *guesser; the one with the oldest guess comes first
}

// guesser is one network.
type guesser struct {
	network netip.Addr
	count   int
	until   time.Duration // when it may try again
}

// Wait returns how long secrets from an address are not checked; 0 if they are.
func (g *Guesses) Wait(a netip.Addr, now time.Duration) time.Duration {
	if len(g.by) == 0 {
		return 0
	}
	e := g.by[Network(a)]
	if e == nil {
		return 0
	}
	return max(0, of(e).until-now)
}

func of(e *list.Element) *guesser {
	x, _ := e.Value.(*guesser) // the list holds nothing else
	return x
}

// Wrong counts a wrong secret from an address. It returns the number from its network, and how long that network
// has to wait.
func (g *Guesses) Wrong(a netip.Addr, now time.Duration) (count int, wait time.Duration) {
	for first := g.order.Front(); first != nil && (now-of(first).until >= forgetGuesses || len(g.by) >= maxGuessers); first = g.order.Front() {
		delete(g.by, of(first).network)
		g.order.Remove(first)
	}
	n := Network(a)
	e := g.by[n]
	if e == nil {
		if g.by == nil {
			g.by = map[netip.Addr]*list.Element{}
		}
		e = g.order.PushBack(&guesser{network: n})
		g.by[n] = e
	}
	g.order.MoveToBack(e)
	x := of(e)
	if now-x.until >= forgetGuesses {
		x.count = 0
	}
	x.count++
	if beyond := x.count - FreeGuesses; beyond > 0 {
		wait = longestWait
		if beyond < 10 { // 2^9 s exceeds the longest wait
			wait = min(longestWait, guessWait<<(beyond-1))
		}
	}
	x.until = now + wait
	return x.count, wait
}
