package scriptvm

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/classfile"
	"github.com/tidelock/tidelock/scriptvm/sandbox"
)

// Bounds of faults.
const (
	// maxReports bounds the distinct errors that are counted; when full, the oldest is forgotten.
	maxReports = 512
	// maxMessage bounds the text of one error, in bytes.
	maxMessage = 1000
)

func (r Report) String() string {
	if r.Count > 1 {
		return fmt.Sprintf("%s [%d times]", r.Text, r.Count)
	}
	return r.Text
}

// Fault is the error of a script call.
type Fault struct{ Report Report }

func (f *Fault) Error() string { return f.Report.Text }

func (b *faultBook) init() { b.seen = map[string]*Report{} }

// file counts a report and returns whether it is to be shown now.
func (v *VM) file(r Report) (Report, bool) {
	b := &v.faults
	if v.world != nil {
		r.First, r.Last = v.world.Time, v.world.Time
	}
	key := r.Peer + "\x00" + r.Class + "\x00" + r.Function + "\x00" + r.File + ":" + strconv.Itoa(r.Line)
	if r.Peer == "" { // in a player's call the message may contain what they sent: a place is one error, whatever they send (G18)
		key += "\x00" + r.Message
	}
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
	old.Last, old.Actor = r.Last, r.Actor
	n := old.Count
	for n%10 == 0 {
		n /= 10
	}
	return *old, n == 1
}

// Errors returns the errors and warnings of the match, each place and text once, the latest first. At most 512 are kept; then
// the one that happened first is forgotten.
func (v *VM) Errors() []Report {
	out := make([]Report, 0, len(v.faults.order))
	for _, key := range slices.Backward(v.faults.order) {
		out = append(out, *v.faults.seen[key])
	}
	slices.SortStableFunc(out, func(a, b Report) int { return cmp.Compare(b.Last, a.Last) })
	return out
}

// write formats the line of a report: Class:Function: file:line:column: what, called at … (actor, peer) [layer].
func (b *faultBook) write(r *Report, c *culprit, who string) {
	where := ""
	if r.File != "" {
		where = engine.Pos{File: r.File, Line: r.Line, Column: r.Column}.String() + ": "
	}
	called := ""
	if c.called && (c.path != r.File || c.line != r.Line) {
		called = ", called at " + engine.Pos{File: c.path, Line: c.line, Column: c.column}.String()
	}
	r.Text = fmt.Sprintf("%s:%s: %s%s%s (%s)%s", r.Class, r.Function, where, r.Message, called, who, bracket(r.Trust))
}

// bracket returns the end of a line about code of a layer other than the game's.
func bracket(t classfile.Trust) string {
	if s := t.String(); s != "" {
		return " [" + s + "]"
	}
	return ""
}

// functionName returns the name of a def in lines about faults.
func functionName(d *classfile.Def) string {
	if d.Console != nil {
		return d.String()
	}
	return d.Class + ":" + stateName(d.State, d.Name)
}

// calledNil is gopher-lua's error for a call of something that is not a function; it does not name it.
const calledNil = "attempt to call a non-function object"

// structured returns the sandbox's error of a call.
func structured(err error) *sandbox.Error {
	var e *sandbox.Error
	if errors.As(err, &e) {
		return e
	}
	return &sandbox.Error{Message: err.Error()}
}

// chargedAlready reports whether this fault only follows from one inside it: an inner call spent the budget and was
// charged, and the outer call then ended because the same budget was spent.
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

// who returns the actor and the peer, as messages end, and the player whose call it was.
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
		s += ", called by " + strconv.Quote(v.peer) // an untrusted name (G19)
	}
	return s
}

func (v *VM) peerName() string {
	if v.opt.Peer == "" {
		return "standalone"
	}
	return v.opt.Peer
}

// warn reports something refused that is not a script's error.
func (v *VM) warn(a *engine.Actor, class, function, msg string) {
	r := Report{
		Kind: ReportWarning, Class: class, Function: function, Message: msg, Actor: a.String(),
		Text: fmt.Sprintf("%s:%s: %s (%s)", class, function, msg, v.who(a)),
	}
	if shown, show := v.file(r); show {
		v.report(shown)
	}
}

// reportError reports an error that is not one of a running function.
func (v *VM) reportError(a *engine.Actor, class, function, msg string) {
	r := Report{
		Kind: ReportError, Class: class, Function: function, Message: msg, Actor: a.String(),
		Text: fmt.Sprintf("%s:%s: %s (%s)", class, function, msg, v.who(a)),
	}
	if shown, show := v.file(r); show {
		v.report(shown)
	}
}

// Report receives the engine's messages about gameplay.
func (v *VM) Report(sev engine.Severity, a *engine.Actor, text string) {
	class, trust := "", classfile.Trust{}
	if a != nil {
		class, trust = a.Class.Name, v.trustOfClass(a.Class)
	}
	kind := ReportWarning
	if sev == engine.SevError {
		kind = ReportError
	}
	r := Report{
		Kind: kind, Class: class, Message: text, Actor: a.String(), Trust: trust,
		Text: strings.TrimPrefix(class+": ", ": ") + text + " (" + v.who(a) + ")" + bracket(trust),
	}
	if shown, show := v.file(r); show {
		v.report(shown)
	}
}

// panicPlace returns the file and line of the first function of ours after the panic on a Go stack, "" without one.
func panicPlace(stack string) string {
	_, stack, _ = strings.Cut(stack, "\npanic(")
	for line := range strings.Lines(stack) {
		if !strings.HasPrefix(line, "\t") { // the function; its file is in the next line: /…/engine/world.go:12 +0x1f
			continue
		}
		file, _, _ := strings.Cut(line, " +0x")
		for i := range file {
			for _, room := range [...]string{"/engine/", "/scriptvm/", "/netcode/", "/cmd/"} {
				if strings.HasPrefix(file[i:], room) {
					return strings.TrimSpace(file[i+1:])
				}
			}
		}
	}
	return ""
}

// IsFault reports whether an error came from a script and was reported already.
func IsFault(err error) bool {
	var f *Fault
	return errors.As(err, &f)
}

// report passes on a report, within the bound of the player or class that caused it.
func (v *VM) report(r Report) {
	if v.peer != "" {
		if !v.allowPeerLine(v.peer) {
			return
		}
	} else {
		trust := r.Trust
		if c := v.classes[r.Class]; c != nil && trust == (classfile.Trust{}) {
			trust = v.trustOfClass(c.data)
		}
		if !v.allowLine(r.Class, trust) {
			return
		}
	}
	v.opt.Report(r)
}

// trustOfClass returns the layer of a class's file.
func (v *VM) trustOfClass(ec *engine.Class) classfile.Trust {
	if f := v.program.File(ec.Spec.Pos.File); f != nil {
		return f.Trust
	}
	return classfile.TrustOf(ec.Spec.Pos.File)
}
