package tests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/tidelock/tidelock/"

// room is one rule of ARCHITECTURE.md: what the packages below a folder may import. A pattern is a path with all
// below it; "std" is the standard library.
type room struct {
	dir string
	// may, where not empty, are the only imports allowed.
	may []string
	// not are imports forbidden all the same.
	not []string
	// but are folders below that have a rule of their own instead.
	but []string
	why string
}

// The rooms, and which doors there are. Tests obey the same rules but for libraries that only help testing.
var rooms = []room{
	{
		dir: "engine", may: []string{"std", module + "engine"}, not: outside,
		why: "the world is a pure state machine: no Lua, no sockets, no files",
	},
	{
		dir: "engine/relevancy", may: []string{"std", module + "engine"}, not: append([]string{module + "engine/level"}, outside...),
		why: "relevancy reads actors and places; who loads levels and who has connections is not its affair",
	},
	{
		dir: "engine/rewind", may: []string{"std", module + "engine", module + "engine/rewind"}, not: append([]string{module + "engine/level", module + "engine/relevancy"}, outside...),
		why: "the past of pawns is places and brushes; levels, connections and weapons are others' affair",
	},
	{
		dir: "engine/profile", may: []string{"std"}, not: outside,
		why: "where time goes is arithmetic; the clock, the actors and the scripts are others' affair",
	},
	{
		dir: "engine/count", may: []string{"std"}, not: outside,
		why: "every package may count, so it imports none",
	},
	{
		dir: "engine/animation", may: []string{"std", module + "engine/archive"}, not: outside,
		why: "when things happen in a movement is arithmetic; who moves is the world's affair",
	},
	{
		dir: "engine/dynamics",
		may: []string{"std", module + "engine/archive", module + "engine/geom", module + "engine/collision", module + "engine/dynamics"}, not: outside,
		why: "bodies are a matter of shapes and forces; actors are the engine's",
	},
	{
		dir: "engine/navigation",
		may: []string{"std", module + "engine", module + "engine/geom", module + "engine/collision", module + "engine/level"},
		not: append([]string{module + "engine/relevancy"}, outside...),
		why: "ways are a matter of the level and of how bodies move",
	},
	{
		dir: "scriptvm", may: []string{"std", module + "engine", module + "scriptvm", lua}, not: outside,
		why: "scripts know the world and Lua, nothing else, and run in a browser, too",
	},
	{
		dir: "scriptvm/condition", may: []string{"std", module + "engine", module + "scriptvm/condition", module + "scriptvm/syntax", lua + "/ast"}, not: outside,
		why: "what a condition is follows from its syntax and the classes; nothing in it runs in a VM",
	},
	{
		dir: "netcode", may: []string{"std", module + "engine", module + "netcode", kcp, "github.com/vmihailenco/msgpack", "golang.org/x/crypto", "golang.org/x/net", "github.com/flynn/noise"},
		not: append([]string{module + "scriptvm", lua}, "net/http", "os/exec"), but: []string{"netcode/carrier"},
		why: "the network knows the world, not who scripts it",
	},
	{
		dir: "netcode/carrier",
		may: []string{"std", module + "netcode/carrier", module + "netcode/kcplink", module + "netcode/link", module + "netcode/throttle", "github.com/coder/websocket", "github.com/quic-go", "golang.org/x/sys"},
		not: []string{"os", "os/exec", "os/signal", "plugin", "log", "log/slog", "flag", "embed", "C"},
		why: "it moves packets by HTTP's means, and knows links alone",
	},
	{
		dir: "netcode/wire", may: []string{"std", module + "engine", module + "netcode/wire", "github.com/vmihailenco/msgpack"}, not: outside,
		why: "bytes only",
	},
	{
		dir: "netcode/link", may: []string{"std"}, not: outside,
		why: "a contract needs nothing",
	},
	{
		dir: "netcode/throttle", may: []string{"std"}, not: outside,
		why: "how often is arithmetic",
	},
	{
		dir: "netcode/session", may: []string{"std", module + "netcode/session", module + "netcode/link", module + "netcode/wire"}, not: outside,
		why: "numbers and acknowledgements, whatever is in the datagrams",
	},
	{
		dir: "netcode/schema", may: []string{"std", module + "engine", module + "netcode/schema", module + "netcode/wire"}, not: outside,
		why: "classes as the wire knows them, for both ends alike",
	},
	{
		dir: "netcode/server", not: append([]string{module + "netcode/client", module + "netcode/kcplink", module + "netcode/simlink"}, outside...),
		why: "a server knows links by their contract, and no client",
	},
	{
		dir: "netcode/server/shadow", may: []string{"std", module + "engine", module + "netcode/schema", module + "netcode/server/shadow", module + "netcode/wire"}, not: outside,
		why: "workers read it: it leads neither to connections nor to the server",
	},
	{
		dir: "netcode/server/share", may: []string{"std", module + "netcode/server/share"}, not: outside,
		why: "it keeps a rule about any two types, and knows neither",
	},
	{
		dir: "netcode/client", not: append([]string{module + "netcode/server", module + "netcode/kcplink", module + "netcode/simlink"}, outside...),
		why: "a client knows links by their contract, and no server",
	},
	{
		dir: "netcode/client/comeback", may: []string{"std", module + "netcode/client/comeback", module + "netcode/link"}, not: outside,
		why: "when to try again is arithmetic; who dials is another's affair",
	},
	{
		dir: "cmd/host/command", may: []string{"std", module + "cmd/host/command", module + "cmd/host/access", module + "cmd/host/console", module + "engine"}, not: []string{"net", "os", "os/exec", "os/signal", "log/slog"},
		why: "a registry knows lines and roles, not what they do or where they come from",
	},
	{
		dir: "cmd/host/inspect", not: []string{module + "cmd/host/command", module + "cmd/host/control", module + "cmd/host/admin", module + "cmd/host/web", "net", "os", "log/slog"},
		why: "it reads a match and hands out data",
	},
	{
		dir: "cmd/host/control", not: []string{module + "cmd/host/admin", module + "cmd/host/web", module + "cmd/host/serve", "net", "os", "os/exec"},
		why: "what a command does is the same wherever it comes from",
	},
	{
		dir: "cmd/host/rates", may: []string{"std", module + "cmd/host/rates", module + "netcode", module + "engine"}, not: []string{"os", "net", "log/slog"},
		why: "figures over time are those of the counters; who looks at them is others' affair",
	},
	{
		dir: "cmd/host/versions", may: []string{"std", module + "cmd/host/versions", module + "cmd/host/assets", module + "scriptvm/classfile"}, not: []string{"os", "net", "log/slog"},
		why: "which texts run is a list of texts; who reads, writes and runs them are others",
	},
	{
		dir: "cmd/host/directory", may: []string{"std", module + "cmd/host/directory", module + "engine/bus"}, not: []string{"os", "net/http", "sync"},
		why: "who is there follows from messages and the time that it is given; sockets, clocks and worlds are others' affairs",
	},
	{
		dir: "cmd/host/drain", may: []string{"std", module + "cmd/host/drain", module + "cmd/host/teleport/place", module + "netcode/link"}, not: []string{"os", "net/http", "sync"},
		why: "which phase comes next follows from its host and the time that it is given; matches, connections and stores are others' affairs",
	},
	{
		dir: "cmd/host/store/salvage", may: []string{"std", module + "cmd/host/store/salvage"}, not: []string{"os", "net", "log/slog", "unsafe"},
		why: "it reads pages; files, locks and records are others' affairs",
	},
	{
		dir: "cmd/host/admin", not: []string{module + "cmd/host/web", module + "cmd/host/serve", "os/exec"},
		why: "who listens, and who runs the world, are others' affairs",
	},
	{dir: "cmd", not: []string{lua, kcp}, why: "commands use scriptvm and netcode, not what is behind them"},
	{dir: "scripts", may: []string{"std"}, why: "files, nothing else"},
	{dir: "content", may: []string{"std"}, why: "files, nothing else"},
}

const (
	lua = "github.com/yuin/gopher-lua"
	kcp = "github.com/xtaci/kcp-go"
)

// outside is what only cmd/ may touch: it does not build for a browser, or lets the world in.
var outside = []string{"net", "os", "os/exec", "os/signal", "syscall", "plugin", "log", "log/slog", "flag", "embed", "go.etcd.io/bbolt", "unsafe", "C"}

// testOnly are libraries that help testing, and what tests may use of the outside.
var testOnly = []string{
	module + "tests/heap", module + "tests/port", module + "tests/tier", "pgregory.net/rapid", "go.uber.org/goleak", "github.com/rogpeppe/go-internal", "os", "os/exec", "flag", "embed", "log", "unsafe",
}

// single are modules that one folder alone may import.
var single = []struct{ module, dir, why string }{
	{kcp, "netcode/kcplink", "its hazards are handled in one place"},
	{lua, "scriptvm", "nobody else holds a Lua value"},
	{"github.com/nats-io", "cmd/host/nats", "its buffers, lost answers and reconnections are handled in one place"},
	{"go.etcd.io/bbolt", "cmd/host/store", "its panics and faults are handled in one place"},
}

// exempt are imports that break a rule for a reason.
var exempt = map[string]string{
	"scriptvm/condition/bench_test.go " + lua:                        "what is compiled is compared with the VM",
	"scriptvm/condition/vm_test.go " + module + "scriptvm":           "what is compiled is held to the VM",
	"scriptvm/condition/vm_test.go " + module + "scriptvm/classfile": "what is compiled is held to the VM",
	"scriptvm/condition/vm_test.go " + module + "scriptvm/api":       "natives of conditions are held to the registry",
	"cmd/host/store/salvage/salvage_test.go go.etcd.io/bbolt":        "bbolt writes the files that are damaged",
	"engine/relevancy/rules_test.go " + module + "engine/level":      "what hides an actor is a level's brush",
	"netcode/client/refs_test.go " + module + "netcode/simlink":      "a test needs some link",
	"netcode/server/await_test.go " + module + "netcode/simlink":     "a test needs some link",
	"engine/relevancy/scene_test.go " + module + "engine/level":      "what hides an actor is a level's brush",
	"engine/rewind/scene_test.go " + module + "engine/level":         "what stops a shot is a level's brush",
}

// goFile is one file of the tree with its imports.
type goFile struct {
	path    string // from the root, with slashes
	test    bool
	file    *ast.File
	set     *token.FileSet
	imports []string
}

// goFiles parses all Go files below the root. Hidden folders, testdata and modules of their own are left out.
func goFiles(t *testing.T, mode parser.Mode) []goFile {
	t.Helper()
	var out []goFile
	root := os.DirFS("..")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := path.Base(name); name != "." && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata") {
				return fs.SkipDir
			}
			if _, err := fs.Stat(root, path.Join(name, "go.mod")); err == nil && name != "." {
				return fs.SkipDir // a module of its own
			}
			return nil
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, filepath.Join("..", filepath.FromSlash(name)), nil, mode)
		if err != nil {
			return err
		}
		g := goFile{path: name, test: strings.HasSuffix(name, "_test.go"), file: f, set: set}
		for _, imp := range f.Imports {
			p, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				return err
			}
			g.imports = append(g.imports, p)
		}
		out = append(out, g)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// within reports whether an import is a pattern or below it.
func within(imp, pattern string) bool {
	if pattern == "std" {
		first, _, _ := strings.Cut(imp, "/")
		return !strings.Contains(first, ".")
	}
	imp, pattern = strings.TrimSuffix(imp, "/"), strings.TrimSuffix(pattern, "/")
	return imp == pattern || strings.HasPrefix(imp, pattern+"/")
}

func anyOf(imp string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return within(imp, p) })
}

// exactly is for standard packages, whose children are other things: net, but not net/netip.
func exactly(imp string, list []string) bool {
	return slices.ContainsFunc(list, func(p string) bool {
		if within(p, "std") && !strings.Contains(p, ".") {
			return imp == p || p == "net" && imp == "net/http"
		}
		return within(imp, p)
	})
}

func TestImportsGoDownward(t *testing.T) {
	for _, f := range goFiles(t, parser.ImportsOnly) {
		for _, r := range rooms {
			inside := func(dir string) bool { return strings.HasPrefix(f.path, dir+"/") }
			if !inside(r.dir) || slices.ContainsFunc(r.but, inside) {
				continue
			}
			for _, imp := range f.imports {
				if exempt[f.path+" "+imp] != "" || f.test && anyOf(imp, testOnly) {
					continue
				}
				embedding := imp == "embed" && (r.dir == "scripts" || r.dir == "content")
				if exactly(imp, r.not) && !embedding || len(r.may) > 0 && !anyOf(imp, r.may) {
					t.Errorf("%s imports %q: %s", f.path, imp, r.why)
				}
			}
		}
		for _, s := range single {
			inside := func(imp string) bool { return within(imp, s.module) }
			if !strings.HasPrefix(f.path, s.dir+"/") && slices.ContainsFunc(f.imports, inside) {
				t.Errorf("%s imports %s; only %s may: %s", f.path, s.module, s.dir, s.why)
			}
		}
	}
}

// What a rule is about must be there: a table that names a folder long gone checks nothing.
func TestImportRulesAreAlive(t *testing.T) {
	for _, r := range rooms {
		if _, err := os.Stat(filepath.Join("..", r.dir)); err != nil && r.dir != "netcode" {
			t.Errorf("rule for a folder that is not there: %v", err)
		}
	}
	for key, why := range exempt {
		file, imp, _ := strings.Cut(key, " ")
		found := false
		for _, f := range goFiles(t, parser.ImportsOnly) {
			found = found || f.path == file && slices.Contains(f.imports, imp)
		}
		if !found || why == "" {
			t.Errorf("exemption that exempts nothing: %s", key)
		}
	}
}

// mostLines is how long a Go file may be, tests and generated files excepted.
const mostLines = 600

// TestSize holds the length of files.
func TestSize(t *testing.T) {
	for _, f := range goFiles(t, parser.ParseComments|parser.PackageClauseOnly) {
		if n := f.set.File(f.file.Package).LineCount(); n > mostLines && !f.test && !ast.IsGenerated(f.file) {
			t.Errorf("%s has %d lines, at most %d: divide it by what it is about", f.path, n, mostLines)
		}
	}
}

// forbidden are calls that only cmd/ may make: time is a parameter below it, and nobody but main ends the process.
var forbidden = map[string]string{
	"time.Now": "", "time.Since": "", "time.Until": "", "time.Sleep": "", "time.After": "", "time.AfterFunc": "",
	"time.Tick": "", "time.NewTimer": "", "time.NewTicker": "",
	"os.Exit": "", "fmt.Print": "", "fmt.Printf": "", "fmt.Println": "", "log.Fatal": "", "log.Fatalf": "", "log.Panic": "",
}

func TestNoWallClockBelowCommands(t *testing.T) {
	for _, f := range goFiles(t, parser.SkipObjectResolution) {
		if f.test || strings.HasPrefix(f.path, "cmd/") || slices.ContainsFunc([]string{"tests/bench/", "tests/hostile/", "tests/long/", "tests/program/", "tests/report/"}, func(dir string) bool { return strings.HasPrefix(f.path, dir) }) { // commands, and what measures them
			continue
		}
		ast.Inspect(f.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok {
					if _, bad := forbidden[x.Name+"."+n.Sel.Name]; bad {
						t.Errorf("%s: %s.%s below cmd/", f.set.Position(n.Pos()), x.Name, n.Sel.Name)
					}
				}
			case *ast.GoStmt:
				if strings.HasPrefix(f.path, "engine/") || strings.HasPrefix(f.path, "scriptvm/") {
					t.Errorf("%s: a goroutine in a room that has none", f.set.Position(n.Pos()))
				}
			case *ast.FuncDecl:
				if n.Name.Name == "init" && n.Recv == nil {
					t.Errorf("%s: init(); make it a value or a constructor", f.set.Position(n.Pos()))
				}
			}
			return true
		})
	}
}

// Every package says what it is for.
func TestPackagesHaveDocs(t *testing.T) {
	docs, files := map[string]bool{}, map[string]bool{}
	for _, f := range goFiles(t, parser.ParseComments|parser.PackageClauseOnly) {
		if f.test {
			continue
		}
		dir := path.Dir(f.path)
		files[dir] = true
		docs[dir] = docs[dir] || f.file.Doc != nil
	}
	for dir := range files {
		if !docs[dir] {
			t.Errorf("package %s has no comment that says what it is for", dir)
		}
	}
}
