package console_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/console"
)

// TestLimit (G12): strangers who cause 1 000 lines of level debug a second are logged 20 a second, the others are counted; lines of
// other levels all come.
func TestLimit(t *testing.T) {
	var b bytes.Buffer
	var now time.Duration
	log := console.Limit(slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug})), func() time.Duration { return now })
	const seconds = 11
	for i := range seconds * 1000 {
		now = time.Duration(i) * time.Millisecond
		log.With("addr", i).Debug("refused")
		if i%100 == 0 {
			log.Warn("own")
		}
	}
	if n := strings.Count(b.String(), "msg=refused"); n < 100 || n > 100+20*seconds {
		t.Errorf("%d lines in %d s", n, seconds)
	}
	if n := strings.Count(b.String(), "event=dropped"); n != 2 {
		t.Errorf("told %d times of dropped lines", n)
	}
	if n := strings.Count(b.String(), "msg=own"); n != 10*seconds {
		t.Errorf("%d of the host's own lines", n)
	}
}
