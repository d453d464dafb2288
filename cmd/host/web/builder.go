package web

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// phase is the state of a Builder in join.json. It begins as building, becomes ready or failed once, and stays
// so.
type phase string

const (
	building phase = "building"
	ready    phase = "ready"
	failed   phase = "failed"
)

// BuilderOptions of NewBuilder.
type BuilderOptions struct {
	// Module is the folder with the go.mod of a checkout. A binary with a compiled-in client (build tag
	// embedclient) does not use it. Without either the Builder fails at once with a message.
	Module string
	// Dir is the folder for built clients; "" for tidelock/client in the user's cache folder. Several hosts may share it.
	Dir string
	// Log receives the result of the build, and the compiler's output; it may be nil.
	Log *slog.Logger
	// Now is the wall clock; required.
	Now func() time.Time
}

// HasClient reports whether a Builder with this Module can get the client at all: one is compiled in, or there
// is a checkout to build it from.
func HasClient(module string) bool {
	files, err := embedded()
	return module != "" || files != nil || err != nil
}

// Builder provides the client's files: those compiled into the program, those of an earlier build in the cache
// folder, or those that it builds in the background with the Go toolchain that built the program (W5).
//
// A cached build is found by a key over the Go version, the flags and every source file of the client. A source
// that changes after NewBuilder is noticed only at the next start of the host.
//
// Its methods may be called from any goroutine.
type Builder struct {
	opt    BuilderOptions
	cancel context.CancelFunc
	// done is closed when the goroutine of NewBuilder has ended.
	done chan struct{}

	mu      sync.Mutex
	phase   phase
	text    string
	started time.Time
	took    time.Duration // once phase is not building
	client  *client       // nil unless phase is ready
}

// NewBuilder starts to get the client's files and returns at once. It starts one goroutine, which Close stops
// and awaits. It panics if Now is nil.
func NewBuilder(o BuilderOptions) *Builder {
	if o.Now == nil {
		panic("web: BuilderOptions need Now")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancel(context.Background())
	b := &Builder{opt: o, cancel: cancel, done: make(chan struct{}), phase: building, text: "looking for a built client", started: o.Now()}
	go func() {
		defer close(b.done)
		c, text, err := b.obtain(ctx)
		b.end(c, text, err)
	}()
	return b
}

// Close stops a build, including its processes, and waits for its end. Files that are ready stay available.
// Later calls do nothing.
func (b *Builder) Close() {
	b.cancel()
	<-b.done
}

// say sets the text of join.json while the build runs.
func (b *Builder) say(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text = text
}

func (b *Builder) end(c *client, text string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.took = max(0, b.opt.Now().Sub(b.started))
	if err == nil {
		b.phase, b.text, b.client = ready, text, c
		b.opt.Log.Info("Browser client ready: "+text, "seconds", b.took.Seconds())
		return
	}
	b.phase, b.text = failed, oneLine(b.public(err.Error()))
	if errors.Is(err, context.Canceled) {
		b.text = "the host is shutting down"
		return
	}
	var failure *buildError
	if errors.As(err, &failure) {
		b.opt.Log.Error("No browser client: "+err.Error(), "output", failure.output)
		return
	}
	b.opt.Log.Error("No browser client: " + err.Error())
}

// public removes this machine's folders from a text, because join.json is public.
func (b *Builder) public(s string) string {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	module, err := filepath.Abs(b.opt.Module)
	if err != nil || b.opt.Module == "" {
		module = ""
	}
	dir, err := b.dir()
	if err != nil {
		dir = ""
	}
	for _, p := range []struct{ path, name string }{{dir, "(cache folder)"}, {module, "."}, {home, "~"}} {
		if len(p.path) > 1 {
			s = strings.ReplaceAll(s, p.path, p.name)
		}
	}
	return s
}

// maxText bounds a line for people, in bytes.
const maxText = 400

func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxText {
		s = strings.ToValidUTF8(s[:maxText], "") + "…"
	}
	return s
}

// join returns the client's part of join.json.
func (b *Builder) join() JoinClient {
	if b == nil {
		return JoinClient{State: string(failed), Text: "this host has no client for browsers; join it with another program, or ask its operator to start it with one"}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	j := JoinClient{State: string(b.phase), Text: b.text, Seconds: b.took.Seconds()}
	switch b.phase {
	case building:
		j.Seconds = max(0, b.opt.Now().Sub(b.started)).Seconds()
	case ready:
		j.Wasm, j.Exec, j.Size = b.client.root+wasmName, b.client.root+execName, b.client.size
	case failed:
	}
	return j
}

// file returns the file at a path below clientRoot, nil if there is none.
func (b *Builder) file(path string) *asset {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	c := b.client
	b.mu.Unlock()
	if c == nil {
		return nil
	}
	switch path {
	case c.root + wasmName:
		return c.wasm
	case c.root + execName:
		return c.exec
	}
	return nil
}

func (b *Builder) dir() (string, error) {
	if b.opt.Dir != "" {
		return b.opt.Dir, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no cache folder for the built client: %w; set HOME or XDG_CACHE_HOME", err)
	}
	return filepath.Join(dir, "tidelock", "client"), nil
}

// buildTries bounds how often a build is repeated because a source changed while it ran.
const buildTries = 3

// obtain gets the client from wherever it is available, and describes in one line where that was.
func (b *Builder) obtain(ctx context.Context) (*client, string, error) {
	files, err := embedded()
	if err != nil {
		return nil, "", err
	}
	if files != nil {
		c, err := loadClient(files)
		if err != nil {
			return nil, "", fmt.Errorf("the client compiled into this host is unusable: %w; download the host again", err)
		}
		return c, "compiled into the host", nil
	}
	if b.opt.Module == "" {
		return nil, "", errors.New("this host has no client compiled in and knows no checkout to build it from; start it in a checkout, or use a released host")
	}
	dir, err := b.dir()
	if err != nil {
		return nil, "", err
	}
	key, err := sourceKey(b.opt.Module)
	if err != nil {
		return nil, "", err
	}
	if c, ok := b.cached(dir, key); ok {
		return c, "built earlier", nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, "", fmt.Errorf("making the folder for built clients: %w; make it writable", err)
	}
	b.say("waiting for another host that is building the client")
	unlock, err := lock(ctx, filepath.Join(dir, "lock"))
	if err != nil {
		return nil, "", err
	}
	defer unlock()
	// The sources may have changed, and another host may have built this client, while this one waited.
	if key, err = sourceKey(b.opt.Module); err != nil {
		return nil, "", err
	}
	if c, ok := b.cached(dir, key); ok {
		return c, "built by another host", nil
	}
	c, err := b.build(ctx, dir, key)
	return c, "built from source", err
}

// cached loads an entry of the cache folder. A damaged one counts as missing.
func (b *Builder) cached(dir, key string) (*client, bool) {
	entry := filepath.Join(dir, key)
	c, err := loadClient(os.DirFS(entry))
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			b.opt.Log.Warn("Built client in the cache is damaged and will be built again: "+err.Error(), "folder", entry)
		}
		return nil, false
	}
	now := b.opt.Now()
	if err := os.Chtimes(entry, now, now); err != nil { // prune keeps the recently used ones
		b.opt.Log.Debug("web: time of a built client", "err", err)
	}
	return c, true
}

// build compiles the client and keeps it in the cache folder. The caller has the lock.
func (b *Builder) build(ctx context.Context, dir, key string) (*client, error) {
	tool, err := findGo(ctx, b.opt.Module, goVersion(), goCandidates())
	if err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		b.say("compiling the client, which takes a minute or two the first time")
		temp, err := os.MkdirTemp(dir, tempPrefix+"*")
		if err != nil {
			return nil, fmt.Errorf("making a folder to build in: %w; make the cache folder writable", err)
		}
		c, after, err := b.compile(ctx, tool, temp)
		switch {
		case err != nil:
		case after == key:
			err = b.keep(dir, temp, key)
		case try < buildTries:
			b.opt.Log.Info("Sources of the browser client changed while it was built; building again")
			key = after
			c = nil
		default:
			// It can be played with, but belongs to no key.
			b.opt.Log.Warn("Sources of the browser client keep changing; the last build is served and not kept")
		}
		if rmErr := os.RemoveAll(temp); rmErr != nil && err == nil {
			b.opt.Log.Warn("Folder of a build not removed: " + rmErr.Error())
		}
		if err != nil || c != nil {
			return c, err
		}
	}
}

// compile builds into temp. after is the key of the sources after the build.
func (b *Builder) compile(ctx context.Context, tool *toolchain, temp string) (c *client, after string, err error) {
	wasm := filepath.Join(temp, "client.wasm")
	if err := tool.build(ctx, b.opt.Module, wasm); err != nil {
		return nil, "", err
	}
	b.say("compressing the client")
	if err := packClient(ctx, wasm, tool.exec(), temp); err != nil {
		return nil, "", err
	}
	if c, err = loadClient(os.DirFS(temp)); err != nil {
		return nil, "", fmt.Errorf("what was built is unusable: %w; check that the disk is not full", err)
	}
	after, err = sourceKey(b.opt.Module)
	return c, after, err
}

// keep moves a build into its place, and removes old ones.
func (b *Builder) keep(dir, temp, key string) error {
	entry := filepath.Join(dir, key)
	// An existing entry is damaged, or was created just now on a system without locks between processes.
	if _, err := loadClient(os.DirFS(entry)); err != nil {
		if err := os.RemoveAll(entry); err != nil {
			return fmt.Errorf("removing a damaged client: %w; remove it by hand", err)
		}
		if err := os.Rename(temp, entry); err != nil {
			if _, there := loadClient(os.DirFS(entry)); there != nil {
				return fmt.Errorf("keeping the built client: %w; make the cache folder writable", err)
			}
		}
	}
	if err := prune(dir, key, b.opt.Now()); err != nil {
		b.opt.Log.Warn("Old browser clients not removed: " + err.Error())
	}
	return nil
}
