package loop_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/tidelock/tidelock/cmd/host/loop"
	"github.com/tidelock/tidelock/tests/tier"
)

var start = time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)

func TestPacerIsExactOverDays(t *testing.T) {
	for _, rate := range []int{1, 7, 20, 30, 60, 64, 144, 1000} {
		p := loop.NewPacer(rate, 10000, start)
		now, ticks := start, 0
		const days = 3
		for now.Before(start.Add(days * 24 * time.Hour)) {
			n, _ := p.Due(now)
			ticks += n
			now = now.Add(777_777_777) // never a whole number of ticks
		}
		n, _ := p.Due(start.Add(days * 24 * time.Hour))
		if want := days*24*3600*rate + 1; ticks+n != want {
			t.Errorf("rate %d: %d ticks in %d days, want %d", rate, ticks+n, days, want)
		}
	}
}

func TestPacerWhenTheClockGoesBack(t *testing.T) {
	p := loop.NewPacer(60, 15, start)
	p.Due(start)
	if n, _ := p.Due(start.Add(-500 * time.Millisecond)); n != 0 {
		t.Errorf("a little back: %d ticks", n)
	}
	if next := p.Next(); !next.After(start) {
		t.Errorf("a little back: next at %v", next.Sub(start))
	}
	back := start.Add(-time.Hour)
	p.Due(back)
	if next := p.Next(); next.After(back.Add(time.Second)) {
		t.Errorf("an hour back: the world would stand still until %v", next)
	}
}

// Whatever the times, ticks run and dropped add up to what time has passed.
func TestPacerLosesNothing(t *testing.T) {
	tier.Check(t, func(t *rapid.T) {
		rate := rapid.IntRange(loop.MinRate, loop.MaxRate).Draw(t, "rate")
		p := loop.NewPacer(rate, rapid.IntRange(1, 100).Draw(t, "catch-up"), start)
		var at time.Duration
		total := 0
		for range rapid.IntRange(1, 50).Draw(t, "looks") {
			at += time.Duration(rapid.Int64Range(0, int64(3*time.Second)).Draw(t, "passed"))
			n, d := p.Due(start.Add(at))
			total += n + d
			if next := p.Next(); !next.After(start.Add(at)) {
				t.Fatalf("the next tick is due already: %v after %v", next.Sub(start), at)
			}
		}
		if want := int(int64(at)*int64(rate)/int64(time.Second)) + 1; total != want && total != want+1 {
			// +1: tick times are rounded down to whole nanoseconds
			t.Fatalf("%d ticks in %v at %d Hz, want %d", total, at, rate, want)
		}
	})
}

// virtual runs a loop for d of virtual time and returns when each tick began.
func virtual(t *testing.T, d time.Duration, opt loop.Options, step func(n int)) (began []time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		t0 := time.Now()
		opt.Step = func(dt float64) {
			if want := 1 / float64(opt.Rate); dt != want {
				t.Errorf("dt %v, want %v", dt, want)
			}
			began = append(began, time.Since(t0))
			if step != nil {
				step(len(began))
			}
		}
		l, err := loop.New(opt)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), d)
		defer cancel()
		if err := l.Run(ctx); err != nil {
			t.Fatal(err)
		}
	})
	return began
}

func TestLoopKeepsItsRate(t *testing.T) {
	began := virtual(t, 10*time.Second-time.Millisecond, loop.Options{Rate: 60}, nil)
	if len(began) != 600 {
		t.Errorf("%d ticks in 10 s", len(began))
	}
	for i, at := range began {
		if want := time.Duration(i) * time.Second / 60; at != want {
			t.Fatalf("tick %d at %v, want %v", i, at, want)
		}
	}
}

// While a loop catches up by ticks that take long, more fall due. None begins later than catch-up allows, and what was dropped is told
// before the tick that comes after it.
func TestLoopIsNeverLaterThanCatchUp(t *testing.T) {
	dropped := 0
	var behind []time.Duration
	opt := loop.Options{Rate: 50, CatchUp: 10, Dropped: func(n int) { dropped += n }}
	var t0 time.Time
	virtual(t, 3*time.Second, opt, func(n int) {
		if n == 1 {
			t0 = time.Now()
		}
		behind = append(behind, time.Since(t0)-time.Duration(n-1+dropped)*time.Second/50)
		switch {
		case n == 2:
			time.Sleep(time.Second)
		case n < 20:
			time.Sleep(50 * time.Millisecond)
		}
	})
	if dropped < 50 {
		t.Errorf("%d ticks were dropped", dropped)
	}
	if last := behind[len(behind)-1]; last != 0 {
		t.Errorf("the last tick was %v late", last)
	}
	for i, d := range behind {
		if d >= 10*time.Second/50 {
			t.Errorf("tick %d began %v after it was due", i+1, d)
		}
	}
}

// A tick knows how late it is: the ticks of a catch-up less and less, the others not at all.
func TestLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l *loop.Loop
		var late []time.Duration
		n, told := 0, 0
		l, err := loop.New(loop.Options{Rate: 50, CatchUp: 10, Late: func(n int) { told += n }, Step: func(float64) {
			late = append(late, l.Late())
			if n++; n == 5 {
				time.Sleep(110 * time.Millisecond)
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := l.Run(ctx); err != nil {
			t.Fatal(err)
		}
		if told != 4 { // of five ticks that were due at once
			t.Errorf("%d ticks were late", told)
		}
		for i, d := range late {
			want := time.Duration(0)
			if i >= 5 && i <= 9 { // due 20, 40, … 100 ms after the fifth
				want = 110*time.Millisecond - time.Duration(i-4)*20*time.Millisecond
			}
			if d != want {
				t.Errorf("tick %d was %v late, want %v", i+1, d, want)
			}
		}
	})
}

// A step that always takes longer than a tick must not keep jobs or the end waiting forever.
func TestOverloadedLoopStillListens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, err := loop.New(loop.Options{Rate: 60, Step: func(float64) { time.Sleep(100 * time.Millisecond) }})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- l.Run(ctx) }() // ends by cancel, awaited below
		t0 := time.Now()
		ran := make(chan time.Duration, 1)
		if err := l.Do(ctx, func() { ran <- time.Since(t0) }); err != nil {
			t.Fatal(err)
		}
		if took := <-ran; took > 200*time.Millisecond { // a tick that was under way, and one more
			t.Errorf("a job waited %v", took)
		}
		t0 = time.Now()
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if took := time.Since(t0); took > time.Second {
			t.Errorf("the end waited %v", took)
		}
	})
}

func TestDoRunsBetweenTicksAndInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stepping := false
		l, err := loop.New(loop.Options{Rate: 100, Step: func(float64) {
			stepping = true
			time.Sleep(time.Millisecond)
			stepping = false
		}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- l.Run(ctx) }() // ends by cancel, awaited below
		var got []int
		for i := range 500 {
			err := l.Do(ctx, func() {
				if stepping {
					t.Error("a job ran inside a tick")
				}
				got = append(got, i)
			})
			if err != nil {
				t.Fatal(err)
			}
			if i%50 == 0 {
				time.Sleep(3 * time.Millisecond)
			}
		}
		synctest.Wait()
		cancel()
		<-done
		for i, g := range got {
			if g != i {
				t.Fatalf("job %d came as number %d", g, i)
			}
		}
		if len(got) != 500 {
			t.Errorf("%d of 500 jobs ran", len(got))
		}
		if err := l.Do(t.Context(), func() { t.Error("ran after the end") }); !errors.Is(err, loop.ErrOver) {
			t.Errorf("after the end: %v", err)
		}
	})
}

// Every job whose Do returned nil runs, exactly once, also when the loop ends in the middle; every other Do errs.
func TestDoAtTheEnd(t *testing.T) {
	for range 50 {
		l, err := loop.New(loop.Options{Rate: 1000, Step: func(float64) {}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- l.Run(ctx) }() // ends by cancel, awaited below
		var wg sync.WaitGroup
		var taken, ran [8]int
		for w := range taken {
			wg.Go(func() {
				for {
					if l.Do(t.Context(), func() { ran[w]++ }) != nil {
						return
					}
					taken[w]++
				}
			})
		}
		cancel()
		<-done
		wg.Wait()
		if taken != ran {
			t.Fatalf("taken %v, ran %v", taken, ran)
		}
	}
}

func TestRateOutOfBounds(t *testing.T) {
	for _, r := range []int{-1, 0, loop.MaxRate + 1} {
		if _, err := loop.New(loop.Options{Rate: r}); err == nil {
			t.Errorf("rate %d was taken", r)
		}
	}
}
