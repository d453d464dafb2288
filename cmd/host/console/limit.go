package console

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/tidelock/tidelock/netcode/throttle"
)

const (
	// debugRate lines per second of level debug pass a Limit, debugBurst at once.
	debugRate, debugBurst = 20, 100
	// debugEvery is the least time between two reports of dropped lines.
	debugEvery = 5 * time.Second
)

// Limit returns a logger that bounds lines of level debug (G12), because strangers can cause one with every
// packet or request. Dropped lines are counted, and the count is logged before the next line that passes, at
// most every five seconds. Other levels pass. now counts from any origin. Any goroutine may log.
func Limit(log *slog.Logger, now func() time.Duration) *slog.Logger {
	return slog.New(limited{log.Handler(), &limit{now: now}})
}

// limit is the shared state of a limited logger and those derived from it.
type limit struct {
	now     func() time.Duration
	mu      sync.Mutex
	bucket  throttle.Bucket
	dropped int
	since   time.Duration
}

type limited struct {
	next slog.Handler
	*limit
}

func (h limited) Enabled(ctx context.Context, l slog.Level) bool { return h.next.Enabled(ctx, l) }
func (h limited) WithGroup(name string) slog.Handler {
	return limited{h.next.WithGroup(name), h.limit}
}

func (h limited) WithAttrs(as []slog.Attr) slog.Handler {
	return limited{h.next.WithAttrs(as), h.limit}
}

func (h limited) Handle(ctx context.Context, r slog.Record) error {
	if r.Level > slog.LevelDebug {
		return h.next.Handle(ctx, r)
	}
	lines, seconds, ok := h.take()
	if lines > 0 {
		told := slog.NewRecord(r.Time, slog.LevelDebug, "lines of level debug dropped", 0)
		told.AddAttrs(slog.String("event", "dropped"), slog.Int("lines", lines), slog.Float64("seconds", seconds))
		if err := h.next.Handle(ctx, told); err != nil {
			return err
		}
	}
	if !ok {
		return nil
	}
	return h.next.Handle(ctx, r)
}

// take takes a line from the budget, and returns how many were dropped if that is due to be logged.
func (l *limit) take() (lines int, seconds float64, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if ok = l.bucket.Take(now, debugRate, debugBurst); !ok {
		if l.dropped == 0 {
			l.since = now
		}
		l.dropped++
	}
	if passed := now - l.since; l.dropped > 0 && passed >= debugEvery {
		lines, seconds, l.dropped = l.dropped, passed.Seconds(), 0
	}
	return lines, seconds, ok
}
