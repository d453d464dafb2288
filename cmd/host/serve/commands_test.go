package serve_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/serve"
	"github.com/tidelock/tidelock/cmd/host/watch"
	"github.com/tidelock/tidelock/engine"
)

// typed runs a world on lines that come one every two seconds, and gives what was answered and logged.
func typed(t *testing.T, f *fake, after func(*serve.Options), lines ...string) (out, log string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var o, l buffer
		opt := options(t, f, &o, &l)
		opt.RunFor = 30 * time.Second
		in, w := io.Pipe()
		opt.In = in
		if after != nil {
			after(&opt)
		}
		go func() { // ends with its lines
			for _, line := range lines {
				time.Sleep(2 * time.Second)
				_, _ = io.WriteString(w, line+"\n") // nobody reads after quit
			}
			_ = w.Close() // it cannot fail
		}()
		if code := serve.Run(t.Context(), opt); code != serve.ExitOK {
			t.Errorf("exit %d", code)
		}
		_ = in.Close() // it cannot fail
		out, log = o.String(), l.String()
	})
	return out, log
}

func TestCommands(t *testing.T) {
	f := &fake{reloads: make(chan []assets.Script, 5), shown: make(chan serve.Media, 5)}
	out, log := typed(t, f, nil, "help say", "say hello all", "", "relaod", "reload", "reload level")
	if !strings.Contains(out, "say TEXT  Show all players") {
		t.Errorf("answered %s", out)
	}
	if len(f.said) != 1 || f.said[0] != "hello all" || f.begun != 1 || len(f.shown) != 1 || len(f.reloads) != 1 {
		t.Errorf("said %q, begun %d times, %d media, %d scripts", f.said, f.begun, len(f.shown), len(f.reloads))
	}
	if !strings.Contains(log, `did you mean \"reload\"?`) {
		t.Error(log)
	}
	// Its input ended long before the world did.
	if !strings.Contains(log, `why="30 s are over"`) || f.steps < 29*60 {
		t.Errorf("%d ticks: %s", f.steps, log)
	}
}

// A level with an error is not begun again, and the line says why.
func TestReloadLevelIsChecked(t *testing.T) {
	f := &fake{levels: map[string]error{"arena": errors.New("content/levels/arena.map:7: no")}}
	_, log := typed(t, f, nil, "reload level")
	if f.begun != 0 || !strings.Contains(log, "reload level: content/levels/arena.map:7: no; the match goes on as it was") {
		t.Errorf("begun %d times: %s", f.begun, log)
	}
}

// What is no list of commands is not read forever, and the world goes on.
func TestStrangeInput(t *testing.T) {
	f := &fake{}
	_, log := typed(t, f, func(o *serve.Options) { o.In = strings.NewReader(strings.Repeat("y\n", 10000)) })
	if n := strings.Count(log, "unknown command"); n != 100 {
		t.Errorf("%d lines were answered", n)
	}
	if !strings.Contains(log, "100 lines in a row were not commands") || !strings.Contains(log, "30 s are over") {
		t.Error(log[max(0, len(log)-500):])
	}
}

// TestContentIsTaken: of saved files, sounds and animations are reloaded, with the scripts that were saved with them or not
// at all, and levels are checked and named.
func TestContentIsTaken(t *testing.T) {
	root := t.TempDir()
	save := func(name string, text ...string) {
		t.Helper()
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("# "+time.Now().String()+"\n"+strings.Join(text, "")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	save("scripts/Rocket.lua")
	save("content/sounds/boom.toml")
	a, err := assets.Open(assets.Options{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	w, err := watch.New(watch.Options{Dirs: append(a.Folders(), a.ContentFolders()...), Match: assets.Watched, Debounce: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	refused := serve.Reloaded{Failed: true, Diagnostics: []engine.Diagnostic{{
		Pos: engine.Pos{File: "scripts/Rocket.lua", Line: 3, Column: 5}, Severity: engine.SevError, Rule: "syntax", Text: "no",
	}}}
	f := &fake{answer: refused, shown: make(chan serve.Media, 10), reloads: make(chan []assets.Script, 10), levels: map[string]error{"pit": errors.New("content/levels/pit.map:3: no")}}
	var out, log buffer
	opt := options(t, f, &out, &log)
	opt.Assets, opt.Watcher = a, w
	in, typing := io.Pipe()
	opt.In = in
	done := make(chan int)
	go func() { done <- serve.Run(t.Context(), opt) }() // ends by quit, awaited below
	wait := func(what string, is func() bool) {
		t.Helper()
		for end := time.Now().Add(time.Minute); !is(); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: not in a minute: %s", what, log.String())
			}
		}
	}
	says := func(text string) func() bool { return func() bool { return strings.Contains(log.String(), text) } }
	save("content/sounds/boom.toml")
	wait("the sound is reloaded", func() bool { return len(f.shown) == 1 })
	if list := <-f.reloads; list != nil {
		t.Error("a sound brought scripts")
	}
	save("content/levels/arena.map")
	wait("the level is named", says("level arena changed: used from the next match; `reload level` loads it now"))
	save("content/levels/other.map")
	wait("another level is named", says("level other changed: used when it is played next"))
	save("content/levels/pit.map")
	wait("a broken level is named", says("level pit: no match can be played there until the file is fixed"))
	if !says("content/levels/pit.map:3: no")() {
		t.Error(log.String())
	}
	if len(f.shown) != 1 || len(f.reloads) != 0 {
		t.Errorf("levels brought %d reloads", len(f.reloads))
	}
	save("content/notes.toml") // nobody's
	save("scripts/Rocket.lua")
	wait("the script is reloaded", func() bool { return len(f.reloads) == 1 })
	list := <-f.reloads
	if !slices.ContainsFunc(list, func(s assets.Script) bool { return strings.HasSuffix(s.Path, "scripts/Rocket.lua") && s.Text != "" }) || len(f.shown) != 1 {
		t.Error("a script brought sounds, or not its text")
	}
	wait("what is refused has its place", says("scripts/Rocket.lua:3:5: error: no [syntax]"))
	wait("and does not run", says("not reloaded"))
	// A mod that is copied in brings its content, too.
	save("scripts/hats/mod.toml", "name = \"hats\"\nversion = \"1.0\"\n")
	wait("the mod is there", says("mod hats 1.0 is new, in "+filepath.ToSlash(filepath.Join(root, "scripts", "hats"))))
	wait("its content is read", func() bool { return len(f.shown) == 2 && len(f.reloads) == 1 })
	save("scripts/hats/mod.toml", "name = \"hats\"\n")
	wait("it is broken", says("mod.toml: version is missing; write which one it is: version = \\\"1.0\\\"; the mod stays as it was until the file is fixed"))
	if err := os.RemoveAll(filepath.Join(root, "scripts", "hats")); err != nil {
		t.Fatal(err)
	}
	wait("it is gone", says("mod hats 1.0 is no longer used"))
	if _, err := io.WriteString(typing, "quit\n"); err != nil {
		t.Fatal(err)
	}
	if code := <-done; code != serve.ExitOK {
		t.Errorf("exit %d", code)
	}
	_ = typing.Close() // it cannot fail
	if !strings.Contains(out.String(), "watching "+filepath.Join(root, "scripts")) || !strings.Contains(out.String(), filepath.Join(root, "content")) {
		t.Error(out.String())
	}
}

// Scripts and sounds that are saved together are taken together: a sound with an error keeps the scripts out.
func TestBrokenMediaKeepsScriptsOut(t *testing.T) {
	f := &fake{mediaError: errors.New("content/sounds/boom.toml:2: no"), reloads: make(chan []assets.Script, 5)}
	_, log := typed(t, f, nil, "reload")
	if len(f.reloads) != 0 || !strings.Contains(log, "content/sounds/boom.toml:2: no") || !strings.Contains(log, "not reloaded") {
		t.Error(len(f.reloads), log)
	}
}

// Each answer of health is about the time since the one before.
func TestHealthIsAsked(t *testing.T) {
	out, log := typed(t, &fake{}, nil, "health", "health")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	found := 0
	for _, l := range lines {
		if strings.HasPrefix(l, "health: ") {
			found++
			if !strings.Contains(l, " ticks in 2.0 s (60.") || !strings.Contains(l, " MB live, ") {
				t.Errorf("answered %s", l)
			}
		}
	}
	if found != 2 {
		t.Errorf("%d answers: %s\n%s", found, out, log)
	}
}
