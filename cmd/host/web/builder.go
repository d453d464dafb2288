package web

import (
	"context"
	"errors"
	"fmt"
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
	// Source is where the client is built from. A program with a compiled-in client (build tag embedclient) does not use it. Without
	// either the Builder fails at once with a message.
	Source Source
	// Dir is the folder for what a next start can use; "" for tidelock/client in the user's cache folder. Several hosts may share it, and
	// build one after the other.
	Dir string
	// Log receives the progress and the result of the build, and the compiler's output; it may be nil.
	Log *slog.Logger
	// Show, if not nil, receives the progress in place of most lines of the log: a line that takes the place of the one before, "" at the
	// end. It is called on one goroutine.
	Show func(line string)
	// Playing reports whether anybody plays. From then on a build runs at low priority. Nil: nobody plays.
	Playing func() bool
	// Now is the wall clock; required.
	Now func() time.Time
}

// HasClient reports whether there is a client to serve: one is compiled in, or this Source can be built.
func HasClient(from Source) bool {
	files, err := embedded()
	return from != Source{} || files != nil || err != nil
}

// Builder provides the client's files: those compiled into the program, or those that it builds in the background with a Go toolchain (W5).
//
// Every start builds. The go command's build cache makes that half a second if no source has changed, and makes sure that the client is
// never older than its source. A source that changes after NewBuilder is noticed only at the next start of the host.
//
// Its methods may be called from any goroutine.
type Builder struct {
	opt    BuilderOptions
	cancel context.CancelFunc
	tool   toolchain
	// done is closed when the goroutine of NewBuilder has ended.
	done chan struct{}

	mu    sync.Mutex
	phase phase
	// text is a line for people; while the client is compiled, begun of its packages are compiled or being compiled.
	text      string
	begun, of int
	started   time.Time
	took      time.Duration // once phase is not building
	client    *client       // nil unless phase is ready
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
	b := &Builder{opt: o, cancel: cancel, done: make(chan struct{}), phase: building, text: "preparing", started: o.Now()}
	go func() {
		defer close(b.done)
		obtained, told := make(chan struct{}), make(chan struct{})
		go func() { // tells the progress: ends with obtain, awaited below
			defer close(told)
			b.tell(obtained)
		}()
		c, text, err := b.obtain(ctx)
		close(obtained)
		<-told
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

// say sets what is being done.
func (b *Builder) say(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text, b.begun, b.of = text, 0, 0
}

// compiling sets how many packages have begun to be compiled, as toolchain.build tells.
func (b *Builder) compiling(n, of int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if of == 0 || n > of {
		b.text, b.begun, b.of = "linking", 0, 0
		return
	}
	b.text, b.begun, b.of = fmt.Sprintf("compiling, %d of %d packages", n, of), n, of
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
	module, err := filepath.Abs(b.opt.Source.Checkout)
	if err != nil || b.opt.Source.Checkout == "" {
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
		j.Begun, j.Of = b.begun, b.of
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
	if b.opt.Source == (Source{}) {
		return nil, "", errors.New("this host has no client compiled in and knows no checkout to build it from; start it in a checkout, or use a released host")
	}
	if err := b.tool.find(); err != nil {
		return nil, "", err
	}
	dir, err := b.dir()
	if err != nil {
		return nil, "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, "", fmt.Errorf("making the folder for built clients: %w; make it writable", err)
	}
	b.say("waiting for another host that builds it")
	unlock, err := lock(ctx, filepath.Join(dir, "lock"))
	if err != nil {
		return nil, "", err
	}
	defer unlock()
	return b.build(ctx, dir)
}

// build builds the client. The caller has the lock of the folder dir.
func (b *Builder) build(ctx context.Context, dir string) (c *client, text string, err error) {
	temp, err := os.MkdirTemp("", "tidelock-client-")
	if err != nil {
		return nil, "", fmt.Errorf("making a folder to build in: %w; make the folder for temporary files writable", err)
	}
	defer func() {
		if rmErr := os.RemoveAll(temp); rmErr != nil {
			b.opt.Log.Warn("Folder of a build not removed: " + rmErr.Error())
		}
	}()
	b.say("finding its source")
	module, err := b.tool.folder(ctx, b.opt.Source, temp)
	if err != nil {
		return nil, "", err
	}
	text = "as it was built before"
	wasm := filepath.Join(temp, wasmName)
	glue, err := b.tool.build(ctx, module, wasm, func(n, of int) {
		if n == 0 && of > 0 {
			text = "built from source"
			b.opt.Log.Info(fmt.Sprintf("Browser client: compiling %d packages; the page waits for it", of))
		}
		b.compiling(n, of)
	})
	if err != nil {
		return nil, "", err
	}
	b.say("compressing")
	if c, err = builtClient(wasm, glue, dir); err != nil {
		return nil, "", err
	}
	return c, text, ctx.Err()
}
