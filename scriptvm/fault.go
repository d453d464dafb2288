package scriptvm

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/sandbox"
)

// Bounds of faults.
const (
	// QuarantineFaults within QuarantineSeconds of world time quarantine a class.
	QuarantineFaults  = 3
	QuarantineSeconds = 10
	// maxReports bounds the distinct errors remembered for counting; when full, the oldest is forgotten.
	maxReports = 512
	// maxMessage bounds the text of one error, in bytes.
	maxMessage = 1000
)

// ReportKind says what a Report is about.
type ReportKind uint8

// The kinds of reports.
const (
	ReportError      ReportKind = iota // a script error
	ReportWarning                      // something refused or dropped; not an error of the script
	ReportQuarantine                   // a class was quarantined
)

// Report is one thing that is to be told. Text is the whole line:
// `Class:Function: file:line: what (actor, peer)`.
type Report struct {
	Kind            ReportKind
	Text            string
	Class, Function string
	File            string
	Line            int
	Message         string
	Actor           string
	// Peer is the player whose call was running, "" for none: the fault counts against them (R6.7).
	Peer  string
	Stack []string
	// Count is how often it happened so far. It is told at 1 and then at every power of ten.
	Count int
}

func (r Report) String() string {
	if r.Count > 1 {
		return fmt.Sprintf("%s [%d times]", r.Text, r.Count)
	}
	return r.Text
}

// Fault is the error of a script call.
type Fault struct{ Report Report }

func (f *Fault) Error() string { return f.Report.Text }

type faultBook struct {
	seen  map[string]*Report
	order []string
	stats Stats
}

func (b *faultBook) init() { b.seen = map[string]*Report{} }

// file counts a report and tells whether it is to be shown now.
func (b *faultBook) file(r Report) (Report, bool) {
	key := r.Peer + "\x00" + r.Class + "\x00" + r.Function + "\x00" + r.File + ":" + strconv.Itoa(r.Line) + "\x00" + r.Message
	old := b.seen[key]
	if old == nil {
		if len(b.order) >= maxReports {
			delete(b.seen, b.order[0])
			b.order = b.order[1:]
		}
		r.Count = 1
		b.seen[key] = &r
		b.order = append(b.order, key)
		return r, true
	}
	old.Count++
	n := old.Count
	for n%10 == 0 {
		n /= 10
	}
	return *old, n == 1
}

// fault reports the error of a call and charges it to the class of the innermost function.
func (v *VM) fault(err error, f *engine.Function, a *engine.Actor) error {
	v.faults.stats.Faults++
	e := structured(err)
	msg := e.Message
	if len(msg) > maxMessage {
		msg = msg[:maxMessage] + "…"
	}
	class, function, file, line := f.Class.Name, f.Name, e.File, e.Line
	if f.State != "" {
		function = f.State + "." + f.Name
	}
	if c, fn, fl, ln, ok := v.innermost(e); ok {
		class, function, file, line = c, fn, fl, ln
	}
	where := ""
	if file != "" {
		where = fmt.Sprintf("%s:%d: ", file, line)
	}
	r := Report{
		Kind: ReportError, Class: class, Function: function, File: file, Line: line, Message: msg, Stack: e.Stack,
		Actor: a.String(), Peer: v.peer, Text: fmt.Sprintf("%s:%s: %s%s (%s)", class, function, where, msg, v.who(a)),
	}
	shown, show := v.faults.file(r)
	if show {
		v.opt.Report(shown)
	}
	if v.peer == "" && !v.chargedAlready(e) {
		v.strike(class)
	}
	return &Fault{r}
}

// calledNil is what gopher-lua says of a call of something that is no function; it does not say of what.
const calledNil = "attempt to call a non-function object"

// structured is the sandbox's error of a call.
func structured(err error) *sandbox.Error {
	var e *sandbox.Error
	if errors.As(err, &e) {
		return e
	}
	return &sandbox.Error{Message: err.Error()}
}

// chargedAlready reports whether this fault only follows from one inside it: an inner call spent the
// budget, was charged, and the outer call then ended for want of the same budget.
func (v *VM) chargedAlready(e *sandbox.Error) bool {
	if e.Kind == sandbox.KindScript || e.Kind == sandbox.KindPanic {
		return false
	}
	if v.spentAt == v.faults.stats.Calls && v.world.Time == v.spentTime && v.spentTime > 0 {
		return true
	}
	v.spentAt, v.spentTime = v.faults.stats.Calls, v.world.Time
	return false
}

// who is the actor and the peer, as messages end, and the player whose call it was.
func (v *VM) who(a *engine.Actor) string {
	s := ""
	switch {
	case a == nil:
		s = v.peerName()
	case v.opt.Peer == "":
		s = a.Name
	default:
		s = a.Name + ", " + v.opt.Peer
	}
	if v.peer != "" {
		s += ", called by " + v.peer
	}
	return s
}

func (v *VM) peerName() string {
	if v.opt.Peer == "" {
		return "standalone"
	}
	return v.opt.Peer
}

// innermost finds the class function in which an error arose: the place in the message, or else the first
// frame of the stack that lies in a class.
func (v *VM) innermost(e *sandbox.Error) (class, function, file string, line int, ok bool) {
	if v.program == nil {
		return
	}
	places := make([]string, 0, 1+len(e.Stack))
	if e.File != "" {
		places = append(places, fmt.Sprintf("%s:%d:", e.File, e.Line))
	}
	places = append(places, e.Stack...)
	for _, p := range places {
		m := placeOf.FindStringSubmatch(p)
		if m == nil {
			continue
		}
		n, _ := strconv.Atoi(m[2])
		if d := v.defAt(m[1], n); d != nil {
			name := d.Name
			if d.State != "" {
				name = d.State + "." + name
			}
			// The place shown is where the error arose, even inside a module.
			if e.File != "" {
				return d.Class, name, e.File, e.Line, true
			}
			return d.Class, name, m[1], n, true
		}
	}
	return
}

var placeOf = regexp.MustCompile(`^\s*(.+?):(\d+):`)

// strike counts a fault against a class and quarantines it at the third within ten seconds.
func (v *VM) strike(name string) {
	c := v.classes[name]
	if c == nil || c.quarantined {
		return
	}
	now := v.world.Time
	kept := c.strikes[:0]
	for _, t := range c.strikes {
		if now-t < QuarantineSeconds {
			kept = append(kept, t)
		}
	}
	c.strikes = append(kept, now)
	if len(c.strikes) < QuarantineFaults {
		return
	}
	c.strikes = nil
	c.quarantined = true
	for _, ec := range v.world.Classes.All() {
		if ec.Descends(c.data) {
			v.refillDispatch(ec)
		}
	}
	v.world.EachActor(func(a *engine.Actor) {
		if o, _ := a.Script.(*object); o != nil && o.latent != nil && o.latent.state.CodeClass == c.data {
			v.stopLatent(o)
			o.halted = true
		}
	})
	v.opt.Report(Report{
		Kind: ReportQuarantine, Class: name, Count: 1, File: c.data.Spec.Pos.File, Line: c.data.Spec.Pos.Line,
		Text: fmt.Sprintf("%s: %s: class quarantined after %d faults in %d s: its functions stop, its actors stay; the next reload lifts it (%s)",
			name, c.data.Spec.Pos.File, QuarantineFaults, QuarantineSeconds, v.peerName()),
	})
}

// refillDispatch remakes a class's tables in place: actors hold them.
func (v *VM) refillDispatch(ec *engine.Class) {
	refill := func(d *engine.Dispatch) {
		t := v.tables[d.Index]
		if t == nil { // not made yet, and made as is right then
			return
		}
		for name, f := range d.Functions { // any order: scripts cannot list the table
			t.RawSetString(name, v.entry(f))
		}
	}
	refill(ec.Dispatch)
	for _, s := range ec.States { // any order: each has a table of its own
		refill(s.Dispatch)
	}
}

// Quarantined lists the classes that are quarantined, parents first.
func (v *VM) Quarantined() []string {
	var out []string
	for _, ec := range v.program.Classes.All() {
		if v.classes[ec.Name].quarantined {
			out = append(out, ec.Name)
		}
	}
	return out
}

// warn tells of something refused that is not a script's error.
func (v *VM) warn(a *engine.Actor, class, function, msg string) {
	r := Report{
		Kind: ReportWarning, Class: class, Function: function, Message: msg, Actor: a.String(),
		Text: fmt.Sprintf("%s:%s: %s (%s)", class, function, msg, v.who(a)),
	}
	if shown, show := v.faults.file(r); show {
		v.opt.Report(shown)
	}
}

// reportError tells of an error that is not one of a running function.
func (v *VM) reportError(a *engine.Actor, class, function, msg string) {
	r := Report{
		Kind: ReportError, Class: class, Function: function, Message: msg, Actor: a.String(),
		Text: fmt.Sprintf("%s:%s: %s (%s)", class, function, msg, v.who(a)),
	}
	if shown, show := v.faults.file(r); show {
		v.opt.Report(shown)
	}
}

// Report takes what the engine has to say about gameplay.
func (v *VM) Report(sev engine.Severity, a *engine.Actor, text string) {
	class := ""
	if a != nil {
		class = a.Class.Name
	}
	kind := ReportWarning
	if sev == engine.SevError {
		kind = ReportError
	}
	r := Report{Kind: kind, Class: class, Message: text, Actor: a.String(), Text: strings.TrimPrefix(class+": ", ": ") + text + " (" + v.who(a) + ")"}
	if shown, show := v.faults.file(r); show {
		v.opt.Report(shown)
	}
}

// IsFault reports whether an error came from a script and was reported already.
func IsFault(err error) bool {
	var f *Fault
	return errors.As(err, &f)
}
