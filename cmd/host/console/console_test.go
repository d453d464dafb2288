package console_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidelock/tidelock/cmd/host/console"
)

func TestFormats(t *testing.T) {
	var level slog.LevelVar
	var b bytes.Buffer
	console.Logger(&b, console.JSON, &level, true).Info("hello", "actors", 3)
	var line map[string]any
	if err := json.Unmarshal(b.Bytes(), &line); err != nil || line["msg"] != "hello" || line["actors"] != 3.0 {
		t.Errorf("%s: %v", b.Bytes(), err)
	}
	b.Reset()
	l := console.Logger(&b, console.Text, &level, false)
	l.Debug("too quiet")
	l.Info("hello", "actors", 3)
	if s := b.String(); !strings.Contains(s, "INF hello actors=3") || strings.Contains(s, "\x1b") || strings.Contains(s, "quiet") {
		t.Errorf("%q", s)
	}
	level.Set(slog.LevelDebug)
	l.Debug("loud enough")
	if !strings.Contains(b.String(), "loud enough") {
		t.Error("the level did not change while in use")
	}
}

func TestNothingIsATerminalHere(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	for _, x := range []io.Writer{null, w, &bytes.Buffer{}} {
		if console.IsTerminal(x) {
			t.Errorf("%T is no terminal", x)
		}
		if console.HungUp(x) != nil {
			t.Errorf("%T is no terminal that may go", x)
		}
	}
}

// stuck blocks in Write until it is let go.
type stuck struct {
	free chan struct{}
	buf  bytes.Buffer
}

func (s *stuck) Write(p []byte) (int, error) {
	<-s.free
	return s.buf.Write(p)
}

func TestWriterNeverWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stuck{free: make(chan struct{})}
		w := console.NewWriter(s)
		t0 := time.Now()
		const n = 10000
		for i := range n {
			fmt.Fprintf(w, "line %d\n", i)
		}
		if time.Since(t0) != 0 {
			t.Error("writing waited for the reader")
		}
		close(s.free)
		w.Close()
		out := s.buf.String()
		if !strings.HasPrefix(out, "line 0\nline 1\n") && !strings.HasPrefix(out, "line 0\n{") {
			t.Errorf("order: %q", out[:40])
		}
		kept := strings.Count(out, "line ")
		if !strings.Contains(out, fmt.Sprintf(`"lines":%d`, n-kept)) {
			t.Errorf("%d of %d lines kept, but the count of dropped ones is wrong", kept, n)
		}
		fmt.Fprintln(w, "after the end")
	})
}

func TestCloseDoesNotWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stuck{free: make(chan struct{})}
		w := console.NewWriter(s)
		fmt.Fprintln(w, "x")
		t0 := time.Now()
		w.Close()
		if d := time.Since(t0); d == 0 || d > 5*time.Second {
			t.Errorf("closed after %v", d)
		}
		close(s.free) // lets the goroutine end, so that the test may
	})
}
