package watch_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tidelock/tidelock/cmd/host/watch"
	"github.com/tidelock/tidelock/tests/tier"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// deadline bounds every wait. Nothing here sleeps for a fixed time: tests wait for a set on the channel.
const deadline = time.Minute

// modes are the two ways in which changes are noticed; every behaviour holds in both.
var modes = []struct {
	name string
	opt  watch.Options
}{
	// The poll is too slow to help, so that the events are what is tested.
	{"events", watch.Options{Poll: time.Hour, Debounce: 30 * time.Millisecond}},
	{"polling", watch.Options{NoEvents: true, Poll: 20 * time.Millisecond, Debounce: 30 * time.Millisecond}},
}

func each(t *testing.T, f func(t *testing.T, dir string, w *watch.Watcher)) {
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "A.lua"), "a1")
			write(t, filepath.Join(dir, "core", "B.lua"), "b1")
			opt := m.opt
			opt.Dirs = []string{dir}
			opt.Match = func(n string) bool {
				return filepath.Ext(n) == ".lua" && !strings.HasPrefix(filepath.Base(n), ".")
			}
			w, err := watch.New(opt)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			f(t, dir, w)
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func next(t *testing.T, w *watch.Watcher) watch.Set {
	t.Helper()
	select {
	case s := <-w.C():
		return s
	case <-time.After(deadline):
		t.Fatal("no set came")
		panic("unreachable")
	}
}

// until takes sets until the files of dir are as wanted (path → text), and fails where one in between holds
// anything that never was a whole state.
func until(t *testing.T, w *watch.Watcher, dir string, want map[string]string, whole func(map[string]string) bool) {
	t.Helper()
	for {
		files := next(t, w).Files[dir]
		if fmt.Sprint(files) == fmt.Sprint(want) {
			return
		}
		if whole != nil && !whole(files) {
			t.Fatalf("half a change was delivered: %v", files)
		}
	}
}

func TestSaveInPlace(t *testing.T) {
	each(t, func(t *testing.T, dir string, w *watch.Watcher) {
		write(t, filepath.Join(dir, "A.lua"), "a2")
		s := next(t, w)
		if len(s.Changed) != 1 || !strings.HasSuffix(s.Changed[0], "/A.lua") || len(s.Added)+len(s.Removed) != 0 {
			t.Errorf("%+v", s)
		}
		if s.Files[dir]["A.lua"] != "a2" || s.Files[dir]["core/B.lua"] != "b1" {
			t.Errorf("the set is not the whole tree: %v", s.Files)
		}
	})
}

// A file that grows all the time is not delivered before it has come to rest.
func TestHalfWrittenIsNotDelivered(t *testing.T) {
	each(t, func(t *testing.T, dir string, w *watch.Watcher) {
		f, err := os.Create(filepath.Join(dir, "A.lua"))
		must(t, err)
		var want strings.Builder
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for i := range 60 { // 120 ms of writing: four times as long as the debounce
			<-tick.C
			fmt.Fprintf(&want, "line %d\n", i)
			_, err := fmt.Fprintf(f, "line %d\n", i)
			must(t, err)
			select {
			case s := <-w.C():
				// A machine that stalls for longer than the debounce may see a rest; then it is a true one.
				if text := s.Files[dir]["A.lua"]; text != want.String() {
					t.Fatalf("delivered %d of %d bytes", len(text), want.Len())
				}
			default:
			}
		}
		must(t, f.Close())
		until(t, w, dir, map[string]string{"A.lua": want.String(), "core/B.lua": "b1"}, nil)
	})
}

// One file that never rests does not keep the others back forever, and is never delivered half.
func TestPatience(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "Log.lua"), "0")
	w, err := watch.New(watch.Options{Dirs: []string{dir}, Debounce: 40 * time.Millisecond, Patience: 100 * time.Millisecond})
	must(t, err)
	defer w.Close()
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() { // stopped and awaited below
		for n := 0; ; n++ {
			select {
			case <-stop:
				stopped <- nil
				return
			case <-time.After(5 * time.Millisecond):
				if err := os.WriteFile(filepath.Join(dir, "Log.lua"), []byte(strings.Repeat("x", n)), 0o644); err != nil {
					stopped <- err
					return
				}
			}
		}
	}()
	write(t, filepath.Join(dir, "A.lua"), "a1")
	s := next(t, w)
	for s.Files[dir]["A.lua"] != "a1" {
		s = next(t, w)
	}
	close(stop)
	must(t, <-stopped)
}

func TestFoldersComeAndGo(t *testing.T) {
	each(t, func(t *testing.T, dir string, w *watch.Watcher) {
		deep := filepath.Join(dir, "new", "deep")
		write(t, filepath.Join(deep, "C.lua"), "c1")
		s := next(t, w)
		if len(s.Added) != 1 || s.Files[dir]["new/deep/C.lua"] != "c1" {
			t.Fatalf("%+v", s)
		}
		write(t, filepath.Join(deep, "C.lua"), "c2") // the new folder is watched, too
		if s = next(t, w); s.Files[dir]["new/deep/C.lua"] != "c2" {
			t.Fatalf("%+v", s)
		}
		must(t, os.RemoveAll(filepath.Join(dir, "new")))
		s = next(t, w)
		if len(s.Removed) != 1 || len(s.Files[dir]) != 2 {
			t.Fatalf("%+v", s)
		}
		write(t, filepath.Join(deep, "C.lua"), "c3") // and once more under the same name
		until(t, w, dir, map[string]string{"A.lua": "a1", "core/B.lua": "b1", "new/deep/C.lua": "c3"}, nil)
		must(t, os.Rename(filepath.Join(dir, "new"), filepath.Join(dir, "moved")))
		until(t, w, dir, map[string]string{"A.lua": "a1", "core/B.lua": "b1", "moved/deep/C.lua": "c3"}, nil)
		write(t, filepath.Join(dir, "moved", "deep", "C.lua"), "c4")
		until(t, w, dir, map[string]string{"A.lua": "a1", "core/B.lua": "b1", "moved/deep/C.lua": "c4"}, nil)
	})
}

// What editors leave beside the file is no change.
func TestTemporaryFilesAreIgnored(t *testing.T) {
	each(t, func(t *testing.T, dir string, w *watch.Watcher) {
		for _, name := range []string{".A.lua.swp", "A.lua~", ".#A.lua", "4913", "A.lua.bak", ".git/X.lua"} {
			write(t, filepath.Join(dir, name), "junk")
		}
		write(t, filepath.Join(dir, "core", "B.lua"), "b2") // what comes is only this
		s := next(t, w)
		if len(s.Paths()) != 1 || len(s.Files[dir]) != 2 {
			t.Errorf("%v", s.Paths())
		}
	})
}

// A file that is written again with the same text is a save (G3).
func TestSavedUnchanged(t *testing.T) {
	each(t, func(t *testing.T, dir string, w *watch.Watcher) {
		a := filepath.Join(dir, "A.lua")
		write(t, a, "a1")
		later := time.Now().Add(time.Hour) // two writes may fall into one step of a file system's clock
		must(t, os.Chtimes(a, later, later))
		s := next(t, w)
		if len(s.Saved) != 1 || filepath.Base(s.Saved[0]) != "A.lua" || len(s.Paths()) != 1 || len(s.Changed)+len(s.Added)+len(s.Removed) > 0 {
			t.Errorf("%+v", s)
		}
		if s.Files[dir]["A.lua"] != "a1" || s.Files[dir]["core/B.lua"] != "b1" {
			t.Errorf("%+v", s.Files)
		}
	})
}

// The poll sees a change of the same length whose time was set back: content decides, for recent files.
func TestSameSizeSameTime(t *testing.T) {
	dir := t.TempDir()
	a := filepath.Join(dir, "A.lua")
	write(t, a, "one")
	st, err := os.Stat(a)
	must(t, err)
	w, err := watch.New(watch.Options{Dirs: []string{dir}, NoEvents: true, Poll: 10 * time.Millisecond, Debounce: 10 * time.Millisecond})
	must(t, err)
	defer w.Close()
	write(t, a, "two")
	must(t, os.Chtimes(a, st.ModTime(), st.ModTime()))
	until(t, w, dir, map[string]string{"A.lua": "two"}, nil)
}

// TestSetPoll: a new interval holds at once, and closing does not wait for anyone who sets one.
func TestSetPoll(t *testing.T) {
	dir := t.TempDir()
	a := filepath.Join(dir, "A.lua")
	write(t, a, "one")
	w, err := watch.New(watch.Options{Dirs: []string{dir}, NoEvents: true, Poll: time.Hour, Debounce: 10 * time.Millisecond})
	must(t, err)
	w.SetPoll(10 * time.Millisecond)
	write(t, a, "two")
	until(t, w, dir, map[string]string{"A.lua": "two"}, nil)
	w.Close()
	w.SetPoll(0)
}

// A folder that vanishes is a lost mount, not the wish to delete everything.
func TestVanishedRootKeepsFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "scripts")
	write(t, filepath.Join(dir, "A.lua"), "a1")
	errs := make(chan error, 10)
	w, err := watch.New(watch.Options{
		Dirs: []string{dir}, Poll: 10 * time.Millisecond, Debounce: 10 * time.Millisecond,
		OnError: func(err error) { errs <- err },
	})
	must(t, err)
	defer w.Close()
	must(t, os.Rename(dir, dir+".away"))
	select {
	case <-errs:
	case s := <-w.C():
		t.Fatalf("%+v", s)
	case <-time.After(deadline):
		t.Fatal("nothing was said about the folder")
	}
	must(t, os.Rename(dir+".away", dir))
	write(t, filepath.Join(dir, "A.lua"), "a2")
	until(t, w, dir, map[string]string{"A.lua": "a2"}, nil)
}

func TestFolderThatComesLater(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "scripts")
	w, err := watch.New(watch.Options{Dirs: []string{dir}, Poll: 10 * time.Millisecond, Debounce: 10 * time.Millisecond})
	must(t, err)
	defer w.Close()
	write(t, filepath.Join(dir, "A.lua"), "a1")
	until(t, w, dir, map[string]string{"A.lua": "a1"}, nil)
}

// A mounted config map changes by turning one link over; the files in it are links themselves.
func TestConfigMap(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "..v1", "A.lua"), "a1")
	if err := os.Symlink("..v1", filepath.Join(dir, "..data")); err != nil {
		t.Skip("no links here: ", err)
	}
	must(t, os.Symlink(filepath.Join("..data", "A.lua"), filepath.Join(dir, "A.lua")))
	w, err := watch.New(watch.Options{Dirs: []string{dir}, Poll: time.Hour, Debounce: 20 * time.Millisecond})
	must(t, err)
	defer w.Close()
	write(t, filepath.Join(dir, "..v2", "A.lua"), "a2")
	must(t, os.Symlink("..v2", filepath.Join(dir, "..tmp")))
	must(t, os.Rename(filepath.Join(dir, "..tmp"), filepath.Join(dir, "..data")))
	until(t, w, dir, map[string]string{"A.lua": "a2"}, nil)
}

// Random saving by all ways at once: in the end the last set is what is on disk, and no set ever holds a text
// that nobody saved.
func TestRandomSaves(t *testing.T) {
	each(t, func(t *testing.T, dir string, w *watch.Watcher) {
		r := tier.Rand(t)
		names := []string{"A.lua", "core/B.lua", "x/C.lua", "x/y/D.lua"}
		saved := map[string]bool{"a1": true, "b1": true, "": true} // "" while a file is being truncated
		for i := range 60 {
			full := filepath.Join(dir, filepath.FromSlash(names[r.IntN(len(names))]))
			text := fmt.Sprintf("text %d of %s", i, full)
			saved[text] = true
			must(t, os.MkdirAll(filepath.Dir(full), 0o755))
			switch r.IntN(4) {
			case 0:
				write(t, full, text)
			case 1:
				write(t, full+".tmp", text)
				must(t, os.Rename(full+".tmp", full))
			case 2:
				_ = os.Remove(full) // it may not be there
				write(t, full, text)
			case 3:
				_ = os.Remove(full)
			}
			select {
			case s := <-w.C():
				for name, text := range s.Files[dir] {
					if !saved[text] {
						t.Fatalf("%s: %q was never saved", name, text)
					}
				}
			default:
			}
		}
		write(t, filepath.Join(dir, "End.lua"), "end") // so that there is a set to wait for
		want := map[string]string{"End.lua": "end"}
		for _, name := range names {
			if b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name))); err == nil {
				want[name] = string(b)
			}
		}
		until(t, w, dir, want, nil)
	})
}
