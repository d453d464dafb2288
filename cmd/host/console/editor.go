package console

import (
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

const (
	// prompt stands before what is typed.
	prompt = "> "
	// statusRoom is how many characters a status leaves for what is typed.
	statusRoom = 12
	// foregroundPause is how often an editor in the background looks whether it has the terminal again.
	foregroundPause = 500 * time.Millisecond
)

// Editor reads lines from a terminal as a shell does: keys move the cursor and go through earlier lines, Tab completes. What
// is written through it appears above the line that is being typed. Ctrl-C, Ctrl-Z and Ctrl-\ are still signals; in the background it leaves
// the terminal as it is, and what is written goes through as it is. Close restores the terminal.
//
// Read is for one goroutine, the others for any.
type Editor struct {
	in, out *os.File
	lines   *term.Terminal
	told    func(line string) []string // completions

	turn chan struct{} // full while a goroutine writes to the terminal or changes its mode; it guards what follows
	on   bool          // the keys are read one by one
	over bool
	mode mode
	kept bool // mode has what is to be restored

	rest  string // of the present line; for Read alone
	ended chan struct{}
	once  sync.Once
}

// OpenEditor edits lines of a terminal. complete lists whole lines that begin with a typed one. It returns false if in and out are
// no terminals whose keys can be read one by one while signals stay what they are.
func OpenEditor(in io.Reader, out io.Writer, complete func(line string) []string) (*Editor, bool) {
	i, ok := in.(*os.File)
	o, also := out.(*os.File)
	if !edits || !ok || !also || !term.IsTerminal(int(i.Fd())) || !term.IsTerminal(int(o.Fd())) {
		return nil, false
	}
	e := &Editor{in: i, out: o, told: complete, turn: make(chan struct{}, 1), ended: make(chan struct{})}
	readInBackground()
	e.lines = term.NewTerminal(e.ends(), prompt)
	e.lines.AutoCompleteCallback = e.complete
	e.resize()
	go e.watch() // ends with Close
	return e, true
}

// ends are both ends of the terminal, for the line editor.
func (e *Editor) ends() io.ReadWriter {
	return struct {
		io.Reader
		io.Writer
	}{keys{e}, e.out}
}

// keys reads keys while the program has the terminal.
type keys struct{ *Editor }

func (k keys) Read(p []byte) (int, error) {
	for {
		if k.enter() {
			k.show()
		}
		n, err := k.in.Read(p)
		switch {
		case n > 0 || !refused(err):
			return n, err
		case !term.IsTerminal(int(k.in.Fd())):
			return 0, io.EOF
		}
		k.lost()
		select {
		case <-k.ended:
			return 0, io.EOF
		case <-time.After(foregroundPause):
		}
	}
}

// Read implements io.Reader: one line after the other, each with its end. A closed terminal is the end, and Ctrl-D is not.
func (e *Editor) Read(p []byte) (int, error) {
	for e.rest == "" {
		e.enter() // before the prompt invites to type
		line, err := e.lines.ReadLine()
		switch {
		case errors.Is(err, io.EOF) && term.IsTerminal(int(e.in.Fd())) && !e.closed():
			_, _ = io.WriteString(e, "Ctrl-C ends the host; help lists the commands\n") // a closed terminal shows nothing
			continue
		case err != nil && !errors.Is(err, term.ErrPasteIndicator):
			return 0, err
		}
		e.rest = line + "\n"
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

func (e *Editor) closed() bool {
	select {
	case <-e.ended:
		return true
	default:
		return false
	}
}

// Write implements io.Writer: whole lines, which appear above the one that is being typed.
func (e *Editor) Write(p []byte) (int, error) {
	e.turn <- struct{}{}
	defer func() { <-e.turn }()
	if e.on {
		return e.lines.Write(p)
	}
	return e.out.Write(p)
}

// Status shows a line before the prompt, in the place of the one before; "" shows none. What is too long for the terminal is cut.
func (e *Editor) Status(line string) {
	e.turn <- struct{}{}
	defer func() { <-e.turn }()
	if width, _, ok := Size(e.out); ok {
		line = line[:min(len(line), max(0, width-statusRoom))]
	}
	if line != "" {
		line += " "
	}
	e.lines.SetPrompt(line + prompt)
	if e.on {
		_, _ = e.lines.Write(nil) // draws the line that is being typed; a closed terminal shows nothing
	}
}

// enter takes control of the terminal if the program has it and did not before. It reports whether it had been lost meanwhile.
func (e *Editor) enter() (again bool) {
	e.turn <- struct{}{}
	defer func() { <-e.turn }()
	if e.over || e.on || !foreground(e.in) {
		return false
	}
	again = e.kept
	e.mode.keys(e.in, !e.kept)
	e.on, e.kept = true, true
	return again
}

// show draws the line that is being typed.
func (e *Editor) show() {
	e.resize()
	_, _ = e.lines.Write(nil) // a closed terminal shows nothing
}

// lost notes that another program has the terminal.
func (e *Editor) lost() {
	e.turn <- struct{}{}
	e.on = false
	<-e.turn
}

// leave restores the terminal; the caller has the turn.
func (e *Editor) leave() {
	if e.on {
		e.on = false
		e.mode.restore(e.in)
	}
}

// resize tells the line editor how wide the terminal is.
func (e *Editor) resize() {
	if width, height, ok := Size(e.out); ok {
		_ = e.lines.SetSize(width, height) // it only draws
	}
}

// Close restores the terminal and ends Read with its next key. It may be called again.
func (e *Editor) Close() {
	e.once.Do(func() {
		close(e.ended)
		select {
		case e.turn <- struct{}{}:
			if e.on {
				_, _ = io.WriteString(e.out, "\r\x1b[K") // the prompt; a closed terminal shows nothing
			}
			e.leave()
			e.over = true
			<-e.turn
		case <-time.After(leaveWithin): // the terminal is blocked; the shell still needs its mode
			e.mode.restore(e.in)
		}
	})
}

// complete is called for every key; Tab is replaced by what the line can go on with.
func (e *Editor) complete(line string, pos int, key rune) (string, int, bool) {
	if key != '\t' {
		return "", 0, false
	}
	head, tail := line[:pos], line[pos:]
	list := e.told(head)
	if len(list) == 0 {
		return line, pos, true
	}
	all := list[0]
	for _, l := range list[1:] {
		n := 0
		for n < len(all) && n < len(l) && all[n] == l[n] {
			n++
		}
		all = all[:n]
	}
	switch {
	case len(list) == 1:
		all += " "
	case len(all) <= len(head):
		width, _, ok := Size(e.out)
		if !ok {
			width = 80
		}
		_, _ = io.WriteString(e, inColumns(list, width)) // a closed terminal shows nothing
		return line, pos, true
	}
	return all + strings.TrimPrefix(tail, " "), len(all), true
}

// inColumns lays words out in lines of a width, in the order of reading.
func inColumns(words []string, width int) string {
	widest := 0
	for _, w := range words {
		widest = max(widest, len(w))
	}
	each := max(1, width/(widest+2))
	var b strings.Builder
	for i, w := range words {
		if b.WriteString(w); i%each == each-1 || i == len(words)-1 {
			b.WriteByte('\n')
		} else {
			b.WriteString(strings.Repeat(" ", widest+2-len(w)))
		}
	}
	return b.String()
}
