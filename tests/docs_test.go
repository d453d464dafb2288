package tests

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/scenario"
)

// Documents are run. In README.md and docs/*.md
//
//   - a block ```console holds commands, each on a line after "$ " (longer ones go on after "> "), and below each
//     what it prints, both streams. A line "..." stands for any lines, "..." within a line for any text. The last
//     command must exit with 0, or with N in ```console exit=N;
//   - a command that ends with "&" goes on while the document does. What stands below it must come before the
//     document goes on; a later ```console block without "$" is more of its output;
//   - a block ```lua file=PATH (or another language) is written to that file;
//   - <!-- run: COMMAND --> runs something that readers need not see;
//   - <!-- stop --> is Ctrl-C for the command in the background. What stands in a later block without "$" is still of
//     its output, and another command can go to the background.
//
// Each document runs in a copy of its own of scripts/, content/ and tests/scenarios/, in which `go run ./cmd/host` is
// the host as it is in the tree. `go test ./tests -run TestDocuments -update` writes what came into the documents.
var updateDocs = flag.Bool("update", false, "write what commands print into the documents")

// docDeadline bounds one command, and the wait for one piece of output.
const docDeadline = 3 * time.Minute

func documents(t *testing.T) []string {
	t.Helper()
	docs, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{"../README.md"}, docs...)
}

func TestDocuments(t *testing.T) {
	t.Parallel() // beside the scenarios
	if runtime.GOOS == "windows" {
		t.Skip("documents show a POSIX shell")
	}
	for _, file := range documents(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doc := parseDoc(string(text))
		if !doc.runs() {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			r := &docRun{t: t, name: file, doc: doc, dir: workCopy(t), host: builtHost(t)}
			r.run()
			if *updateDocs && r.changed {
				if err := os.WriteFile(file, []byte(doc.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// doc is a document as pieces: text that is only read, and blocks.
type doc struct{ pieces []*piece }

type piece struct {
	line    int // of its first line, from 1
	text    []string
	kind    pieceKind
	file    string // of a file block
	exit    int    // of a console block
	steps   []*consoleStep
	closing string // the fence that ends a block
}

type pieceKind int

const (
	prose pieceKind = iota
	fileBlock
	consoleBlock
	hiddenRun
	stopBackground
)

// consoleStep is a command and what it prints; command is empty where a block goes on with an earlier one's.
type consoleStep struct {
	line    int
	command []string // as written, "$ " and all
	output  []string
}

// shell is the command as the shell gets it.
func (s *consoleStep) shell() string {
	var b strings.Builder
	for i, l := range s.command {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(l[2:])
	}
	return b.String()
}

func (d *doc) runs() bool {
	for _, p := range d.pieces {
		if p.kind == consoleBlock {
			return true
		}
	}
	return false
}

func (d *doc) String() string {
	var lines []string
	for _, p := range d.pieces {
		if p.kind != consoleBlock {
			lines = append(lines, p.text...)
			continue
		}
		lines = append(lines, p.text[0])
		for _, s := range p.steps {
			lines = append(append(lines, s.command...), s.output...)
		}
		lines = append(lines, p.closing)
	}
	return strings.Join(lines, "\n")
}

var (
	fence  = regexp.MustCompile("^(`{3,})([a-z]*)(.*)$")
	hidden = regexp.MustCompile(`^<!-- run: (.*) -->$`)
	option = regexp.MustCompile(`(\w+)=(\S+)`)
)

const stopLine = "<!-- stop -->"

func parseDoc(text string) *doc {
	d := &doc{}
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		if m := hidden.FindStringSubmatch(lines[i]); m != nil {
			d.pieces = append(d.pieces, &piece{
				line: i + 1, text: lines[i : i+1], kind: hiddenRun,
				steps: []*consoleStep{{line: i + 1, command: []string{"$ " + m[1]}}},
			})
			continue
		}
		if lines[i] == stopLine {
			d.pieces = append(d.pieces, &piece{line: i + 1, text: lines[i : i+1], kind: stopBackground})
			continue
		}
		m := fence.FindStringSubmatch(lines[i])
		if m == nil {
			d.pieces = append(d.pieces, &piece{line: i + 1, text: lines[i : i+1]})
			continue
		}
		end := i + 1
		for end < len(lines) && strings.TrimSpace(lines[end]) != m[1] {
			end++
		}
		if end == len(lines) {
			end--
		}
		p := &piece{line: i + 1, text: lines[i : end+1], closing: lines[end]}
		for _, o := range option.FindAllStringSubmatch(m[3], -1) {
			switch o[1] {
			case "file":
				p.kind, p.file = fileBlock, o[2]
			case "exit":
				p.exit, _ = strconv.Atoi(o[2])
			}
		}
		if m[2] == "console" {
			p.kind = consoleBlock
			p.steps = consoleSteps(lines[i+1:end], i+2)
		}
		d.pieces = append(d.pieces, p)
		i = end
	}
	return d
}

func consoleSteps(lines []string, first int) []*consoleStep {
	var steps []*consoleStep
	for i, l := range lines {
		switch {
		case strings.HasPrefix(l, "$ "):
			steps = append(steps, &consoleStep{line: first + i, command: []string{l}})
			continue
		case len(steps) == 0:
			steps = append(steps, &consoleStep{line: first + i})
		}
		s := steps[len(steps)-1]
		if strings.HasPrefix(l, "> ") && len(s.output) == 0 && len(s.command) > 0 {
			s.command = append(s.command, l)
		} else {
			s.output = append(s.output, l)
		}
	}
	return steps
}

// docRun is one document being run.
type docRun struct {
	t         *testing.T
	name      string
	doc       *doc
	dir, host string
	changed   bool
	back      *background
	ports     docPorts
}

// background is a command that goes on while the document does.
type background struct {
	cmd  *exec.Cmd
	out  *liveOutput
	want []string
	done chan struct{} // closed when it ended; then err says how
	err  error
	// ended is set when the command was stopped; its output stays.
	ended bool
}

// liveOutput is output that is read while it is written.
type liveOutput struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write appends.
func (l *liveOutput) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *liveOutput) lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return outputLines(l.b.String())
}

var ansi = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")

func outputLines(s string) []string {
	s = strings.TrimRight(ansi.ReplaceAllString(s, ""), "\n")
	if s == "" {
		return nil
	}
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\r")
	}
	return lines
}

func (r *docRun) run() {
	defer r.stop()
	for _, p := range r.doc.pieces {
		switch p.kind {
		case prose:
		case fileBlock:
			full := filepath.Join(r.dir, filepath.FromSlash(p.file))
			if !filepath.IsLocal(p.file) {
				r.t.Fatalf("%s:%d: file=%s leads out of the copy", r.name, p.line, p.file)
			}
			if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
				r.t.Fatal(err)
			}
			if err := os.WriteFile(full, []byte(strings.Join(p.text[1:len(p.text)-1], "\n")+"\n"), 0o644); err != nil {
				r.t.Fatal(err)
			}
		case hiddenRun:
			if out, code := r.exec(p.steps[0].shell()); code != 0 {
				r.t.Fatalf("%s:%d: exit %d\n%s", r.name, p.line, code, strings.Join(out, "\n"))
			}
		case stopBackground:
			if r.back == nil || r.back.ended {
				r.t.Fatalf("%s:%d: nothing runs in the background", r.name, p.line)
			}
			r.stop()
		case consoleBlock:
			for i, s := range p.steps {
				want := 0
				if i == len(p.steps)-1 {
					want = p.exit
				}
				r.step(s, want)
			}
		}
	}
}

func (r *docRun) step(s *consoleStep, exit int) {
	r.t.Helper()
	if len(s.command) == 0 {
		if r.back == nil {
			r.t.Fatalf("%s:%d: a console block without a command, and nothing runs in the background", r.name, s.line)
		}
		r.await(s)
		return
	}
	command := s.shell()
	if c, ok := strings.CutSuffix(command, " &"); ok {
		r.start(c)
		r.await(s)
		return
	}
	out, code := r.exec(command)
	if code != exit {
		r.t.Errorf("%s:%d: %s: exit %d, want %d\n%s", r.name, s.line, command, code, exit, strings.Join(out, "\n"))
	}
	if !matchLines(trimEmpty(s.output), out) {
		if *updateDocs {
			s.output, r.changed = out, true
			return
		}
		r.t.Errorf("%s:%d: %s printed something else\n--- the document\n%s\n--- it printed\n%s", r.name, s.line, command,
			strings.Join(s.output, "\n"), strings.Join(out, "\n"))
	}
}

func (r *docRun) command(text string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", text)
	cmd.Dir = r.dir
	cmd.Env = append(cleanEnv(), "PATH="+filepath.Dir(r.host)+string(os.PathListSeparator)+os.Getenv("PATH"), "NO_COLOR=1",
		"TIDELOCK_CACHE="+filepath.Join(r.dir, ".cache"), "XDG_CONFIG_HOME="+filepath.Join(r.dir, ".config"))
	// A group of its own, so that a signal reaches what the shell started.
	cmd.SysProcAttr = newGroup()
	return cmd
}

// cleanEnv is the environment without settings of the host.
func cleanEnv() []string {
	var out []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "TIDELOCK_") {
			out = append(out, kv)
		}
	}
	return out
}

func (r *docRun) exec(text string) (lines []string, code int) {
	r.t.Helper()
	cmd := r.command(r.ports.actual(r.t, text))
	var b liveOutput
	cmd.Stdout, cmd.Stderr = &b, &b
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	timer := time.AfterFunc(docDeadline, func() { _ = signalGroup(cmd, syscall.SIGKILL) })
	err := cmd.Wait()
	if !timer.Stop() {
		r.t.Fatalf("%s: %s did not end within %v\n%s", r.name, text, docDeadline, strings.Join(b.lines(), "\n"))
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.t.Fatal(err)
	}
	lines = r.ports.shown(b.lines())
	if m := listenFlag.FindStringSubmatch(text); m != nil { // it got port 0, and says so
		for i, l := range lines {
			lines[i] = strings.ReplaceAll(l, ":0 ", ":"+m[2]+" ")
		}
	}
	return lines, cmd.ProcessState.ExitCode()
}

func (r *docRun) start(text string) {
	r.t.Helper()
	if r.back != nil && !r.back.ended {
		r.t.Fatalf("%s: one command in the background at a time", r.name)
	}
	b := &background{cmd: r.command(r.ports.listening(text)), out: &liveOutput{}, done: make(chan struct{})}
	b.cmd.Stdout, b.cmd.Stderr = b.out, b.out
	if err := b.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	go func() { // ends with the command, which stop ends
		b.err = b.cmd.Wait()
		close(b.done)
	}()
	r.back = b
}

// lines is what the background command has printed, as the document would show it.
func (r *docRun) lines() []string {
	lines := r.back.out.lines()
	r.ports.learn(lines)
	return r.ports.shown(lines)
}

// await waits until the background command has printed what the document says so far.
func (r *docRun) await(s *consoleStep) {
	r.t.Helper()
	b := r.back
	b.want = append(b.want, trimEmpty(s.output)...)
	want := append(append([]string(nil), b.want...), "...")
	deadline := time.After(docDeadline)
	for ended := b.ended; !matchLines(want, r.lines()); {
		how := ""
		switch {
		case ended:
			how = fmt.Sprintf("the command ended (%v) before this came", b.err)
		default:
			select {
			case <-b.done: // what it printed last is looked at once more
				ended = true
			case <-time.After(20 * time.Millisecond):
			case <-deadline:
				how = fmt.Sprintf("this did not come within %v", docDeadline)
			}
		}
		if how != "" {
			r.t.Fatalf("%s:%d: %s\n--- the document\n%s\n--- it printed\n%s", r.name, s.line, how, strings.Join(b.want, "\n"), strings.Join(r.lines(), "\n"))
		}
	}
}

// stop ends the background command as a user would.
func (r *docRun) stop() {
	b := r.back
	if b == nil || b.ended {
		return
	}
	b.ended = true
	_ = signalGroup(b.cmd, os.Interrupt) // it may have ended by itself
	select {
	case <-b.done:
	case <-time.After(docDeadline):
		_ = signalGroup(b.cmd, syscall.SIGKILL)
		<-b.done
		r.t.Errorf("%s: the command in the background did not end", r.name)
	}
}

func trimEmpty(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// matchLines compares output with what a document shows of it.
func matchLines(want, got []string) bool {
	for len(want) > 0 && want[0] != "..." {
		if len(got) == 0 || !matchLine(strings.TrimRight(want[0], " \t"), got[0]) {
			return false
		}
		want, got = want[1:], got[1:]
	}
	if len(want) == 0 {
		return len(got) == 0
	}
	for i := 0; i <= len(got); i++ {
		if matchLines(want[1:], got[i:]) {
			return true
		}
	}
	return false
}

// matchLine compares one line; "..." in it stands for any text.
func matchLine(want, got string) bool {
	parts := strings.Split(want, "...")
	if len(parts) == 1 {
		return want == got
	}
	if !strings.HasPrefix(got, parts[0]) {
		return false
	}
	got = got[len(parts[0]):]
	last := len(parts) - 1
	for _, p := range parts[1:last] {
		i := strings.Index(got, p)
		if i < 0 {
			return false
		}
		got = got[i+len(p):]
	}
	return strings.HasSuffix(got, parts[last])
}

// workCopy is a fresh folder with what the host needs of the tree, and no more.
func workCopy(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, folder := range []string{"scripts", "content", "tests/scenarios"} {
		for _, file := range tracked(t, folder) {
			if filepath.Ext(file) == ".go" {
				continue
			}
			b, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(file)))
			if errors.Is(err, os.ErrNotExist) {
				continue // deleted, not yet committed
			}
			if err != nil {
				t.Fatal(err)
			}
			full := filepath.Join(dir, filepath.FromSlash(file))
			if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(full, b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// hostBuild builds the host once for all documents. The folder's name makes the host say `go run ./cmd/host` where it
// tells what to type, as it does for readers.
var hostBuild struct {
	once sync.Once
	path string
	err  error
}

func builtHost(t *testing.T) string {
	t.Helper()
	hostBuild.once.Do(func() {
		tmp, err := os.MkdirTemp("", "tidelock-docs-")
		if err != nil {
			hostBuild.err = err
			return
		}
		dir := filepath.Join(tmp, "go-build")
		hostBuild.path = filepath.Join(dir, "host")
		cmd := exec.Command("go", "build", "-o", hostBuild.path, "./cmd/host")
		cmd.Dir = ".."
		if out, err := cmd.CombinedOutput(); err != nil {
			hostBuild.err = fmt.Errorf("%w\n%s", err, out)
			return
		}
		shim := "#!/bin/sh\n" +
			`if [ "$1 $2" = "run ./cmd/host" ]; then shift 2; exec "` + hostBuild.path + `" "$@"; fi` + "\n" +
			`echo "documents run only: go run ./cmd/host" >&2; exit 97` + "\n"
		hostBuild.err = os.WriteFile(filepath.Join(dir, "go"), []byte(shim), 0o755)
	})
	if hostBuild.err != nil {
		t.Fatal(hostBuild.err)
	}
	return hostBuild.path
}

func TestMain(m *testing.M) {
	flag.Parse()
	sideBySide()
	scenario.CollectLess() // most of the time goes into running scenarios
	code := m.Run()
	if hostBuild.path != "" {
		_ = os.RemoveAll(filepath.Dir(filepath.Dir(hostBuild.path))) // a temporary folder
	}
	os.Exit(code)
}

// sideBySide runs more tests at once than there are processors, unless -parallel says how many: the consoles of documents
// mostly wait for a host that runs for some seconds, and would keep a processor from the scenarios.
func sideBySide() {
	f := flag.Lookup("test.parallel")
	if f.Value.String() != f.DefValue {
		return
	}
	if err := f.Value.Set(strconv.Itoa(runtime.GOMAXPROCS(0) + 2)); err != nil {
		panic(err) // a number is one
	}
}

func TestMatchLines(t *testing.T) {
	for _, c := range []struct {
		want, got string
		ok        bool
	}{
		{"a\nb", "a\nb", true},
		{"a\nb", "a\nc", false},
		{"a", "a\nb", false},
		{"a\n...", "a\nb\nc", true},
		{"...\nc", "a\nb\nc", true},
		{"a\n...\nc\n...\ne", "a\nc\nx\nc\ne", true},
		{"... INF reloaded files=... ms=...", "12:00:00.000 INF reloaded files=x ms=1.5", true},
		{"... INF reloaded", "12:00:00.000 ERR reloaded", false},
		{"a...a", "a", false},
		{"", "", true},
		{"...", "", true},
	} {
		if got := matchLines(outputLines(c.want), outputLines(c.got)); got != c.ok {
			t.Errorf("%q against %q: %v", c.want, c.got, got)
		}
	}
}

// A document comes out of parsing as it went in, and its pieces are what they look like.
func TestParseDoc(t *testing.T) {
	text := "# T\n<!-- run: true -->\n<!-- stop -->\n```lua file=scripts/A.lua\nreturn 1\n```\ntext\n```console exit=1\n$ a \\\n> b\nout\n\n$ c\n```\n```sh\n$ no\n```\n"
	d := parseDoc(text)
	if d.String() != text {
		t.Errorf("%q", d.String())
	}
	var kinds []pieceKind
	for _, p := range d.pieces {
		if p.kind != prose {
			kinds = append(kinds, p.kind)
		}
		if p.kind == consoleBlock && (p.exit != 1 || len(p.steps) != 2 || p.steps[0].shell() != "a \\\nb" || len(p.steps[0].output) != 2) {
			t.Errorf("%+v", p.steps[0])
		}
	}
	if fmt.Sprint(kinds) != fmt.Sprint([]pieceKind{hiddenRun, stopBackground, fileBlock, consoleBlock}) {
		t.Errorf("%v", kinds)
	}
}

// The README's two commands are what set-up needs, word for word.
func TestReadmeCommands(t *testing.T) {
	b, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []string{"go run ./cmd/host", "go test ./..."} {
		if !regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(c)+`\b`).Match(b) && !bytes.Contains(b, []byte("\n"+c+"\n")) {
			t.Errorf("README.md does not show %q on a line of its own", c)
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)\s#]*)(#[^)\s]*)?\)`)

// docs/README.md is the index of docs/, and README.md leads to it.
func TestDocumentsAreListed(t *testing.T) {
	index, err := os.ReadFile("../docs/README.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../docs/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if b := filepath.Base(f); b == "pictures" || b == "README.md" { // each picture is in the document that shows it (TestLinks)
			continue
		}
		if name := "(" + filepath.Base(f) + ")"; !bytes.Contains(index, []byte(name)) {
			t.Errorf("docs/README.md has no link %s", name)
		}
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(readme, []byte("(docs/README.md)")) {
		t.Error("README.md has no link (docs/README.md)")
	}
}

// Links between documents lead somewhere, to a heading where they name one.
func TestLinks(t *testing.T) {
	files, err := filepath.Glob("../*.md")
	if err != nil {
		t.Fatal(err)
	}
	headings := map[string]map[string]bool{}
	for _, file := range append(files, documents(t)...) {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(b), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			to := file
			if m[1] != "" {
				to = filepath.Join(filepath.Dir(file), m[1])
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s: link to %s, which is not there", file, m[1])
				continue
			}
			if m[2] == "" || filepath.Ext(to) != ".md" {
				continue
			}
			if headings[to] == nil {
				headings[to] = headingsOf(t, to)
			}
			if !headings[to][m[2][1:]] {
				t.Errorf("%s: link to %s%s, and no heading there is that", file, m[1], m[2])
			}
		}
	}
}

// headingsOf are the anchors of a document's headings.
func headingsOf(t *testing.T, file string) map[string]bool {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(string(b), -1) {
		out[anchor(m[1])] = true
	}
	return out
}
