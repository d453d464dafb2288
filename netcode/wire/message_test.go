package wire

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

var update = flag.Bool("update", false, "rewrite the test vectors in docs/protocol.md")

const document = "../../docs/protocol.md"

// readAll reads a datagram or a reliable message whole, as a peer that knows the protocol and no actors does.
func readAll(r *Reader, datagram bool) {
	if datagram {
		r.Header()
	}
	for r.Peek() == ShapeArray {
		kind, n := r.Message()
		switch kind {
		case KindHello:
			r.Hello(n)
		case KindWelcome:
			r.Welcome(n)
		case KindRefuse, KindKick:
			r.Refusal(n)
		case KindTravel:
			r.Travel(n)
		case KindClasses:
			r.Classes(n)
		case KindReady:
			r.Ready(n)
		case KindWant:
			r.Want(n)
		case KindChunk:
			r.Chunk(n)
		case KindOpen:
			m := r.Open(n)
			r.SkipValues(&m.Mask)
		case KindClose:
			r.Close(n)
		case KindCall:
			r.SkipArgs(r.Call(n))
		case KindReceived:
			r.Received(n)
		case KindMove:
			var m [MaxMoves]Move
			r.Moves(n, &m)
		case KindAsk:
			r.Ask(n)
		case KindRole:
			r.Role(n)
		case KindDuty:
			r.Duty(n)
		case KindPace:
			r.Pace(n)
		case KindFault:
			r.Fault(n)
		case KindTell:
			r.Tell(n)
		default:
			if r.Err() == nil {
				panic("a kind without a reader: " + kind.String())
			}
		}
		if r.Err() != nil {
			return
		}
	}
	if datagram && r.More() {
		d := r.Deltas()
		for d.Next() {
			for _, ok := d.Channel(); ok; _, ok = d.Channel() {
				d.SkipActor()
			}
		}
	}
	r.End()
}

func hashOf(c byte) (h Hash) {
	for i := range h {
		h[i] = c
	}
	return h
}

// A vector is a row of docs/protocol.md.
type vector struct {
	name string
	// what it is: "value", "message", "datagram", "file".
	what string
	b    []byte
}

func vectors() []vector {
	e := Values{Names: names{}}
	typed := func(t *engine.Type, words []uint64, strs ...string) []byte {
		t.Layout()
		return e.Append(nil, t, words, strs)
	}
	vec := func(t *engine.Type, x, y, z float64) []byte {
		w := make([]uint64, 3)
		engine.StoreVector(w, geom.V(x, y, z))
		return typed(t, w)
	}
	float := func(f float32) []byte { return AppendFloat(nil, f) }
	mask := func(n ...int) (m Mask) {
		for _, i := range n {
			m.Set(i)
		}
		return m
	}
	anything := func(v engine.Value) []byte {
		return e.AppendValue(nil, &engine.Type{Kind: engine.KindAny}, &v, nil)
	}
	maskOf := func(n ...int) []byte { m := mask(n...); return AppendMask(nil, &m) }
	var everyOther []uint16
	for i := range 20 {
		everyOther = append(everyOther, uint16(100+2*i))
	}
	pointer := &engine.Type{Kind: engine.KindStruct, Fields: []engine.Field{
		{Name: "Who", Type: &engine.Type{Kind: engine.KindRef}},
		{Name: "Cache", Type: &engine.Type{Kind: engine.KindInt}, Local: true},
		{Name: "Hits", Type: &engine.Type{Kind: engine.KindInt}},
	}}
	array := &engine.Type{Kind: engine.KindArray, Elem: &engine.Type{Kind: engine.KindInt}, Len: 4}
	array.Layout()
	var some Elements
	some.Set(1)
	some.Set(3)
	fast := &engine.Type{Kind: engine.KindFastArray, Elem: pointer}
	fast.Layout()

	datagram := func(h Header, parts ...[]byte) []byte { return append(AppendHeader(nil, h), bytes.Join(parts, nil)...) }
	run := func(r ...[]byte) []byte { return append(AppendEpoch(nil, 37), bytes.Join(r, nil)...) }
	base := func(age int, n ...int) []byte { m := mask(n...); return AppendBase(nil, age, &m) }
	rel := func(dx, dy, dz int32) []byte { return AppendRelative(nil, Quantised{dx, dy, dz}, Quantised{}) }

	open := Open{Channel: 5, Net: 500, Class: 12, HasPlace: true, Place: Quantised{-100, 64, 88}, Turns: true, Rotation: geom.Rotator{Yaw: 64 << 8}, Role: engine.RoleSimulatedProxy, From: 7, Mask: mask(0, 3)}
	placed := Open{Channel: 200, Name: []byte("Lift3"), Role: engine.RoleSimulatedProxy}
	part := Open{Channel: 6, Class: 31, Inside: true, Outer: 5, Role: engine.RoleAutonomousProxy, From: 300}

	return []vector{
		{"bool", "value", typed(&engine.Type{Kind: engine.KindBool}, []uint64{1})},
		{"int −1", "value", typed(&engine.Type{Kind: engine.KindInt}, []uint64{^uint64(0)})},
		{"int 1000…1100: 1000", "value", typed(&engine.Type{Kind: engine.KindInt, Ranged: true, Min: 1000, Max: 1100}, []uint64{1000})},
		{"int −200…50: 0", "value", typed(&engine.Type{Kind: engine.KindInt, Ranged: true, Min: -200, Max: 50}, []uint64{0})},
		{"float 100", "value", float(100)},
		{"float 0.5", "value", float(0.5)},
		{"string", "value", AppendString(nil, "añb")},
		{"string, not UTF-8", "value", AppendString(nil, "\xff")},
		{"vector (1.5, −2.5, 0.49)", "value", vec(&engine.Type{Kind: engine.KindVector}, 1.5, -2.5, 0.49)},
		{"vector (30000, −40000, 100)", "value", vec(&engine.Type{Kind: engine.KindVector}, 30000, -40000, 100)},
		{"vector ×10 (12345.67, −1, 0)", "value", vec(&engine.Type{Kind: engine.KindVector, Quant: 10}, 12345.67, -1, 0)},
		{"vector ×10 (1234.5, −1800, 88.1)", "value", vec(&engine.Type{Kind: engine.KindVector, Quant: 10}, 1234.5, -1800, 88.1)},
		{"vector ×10 (4000, −4000, 88.1)", "value", vec(&engine.Type{Kind: engine.KindVector, Quant: 10}, 4000, -4000, 88.1)},
		{"vector ×10 (800000, −800000, 70000)", "value", vec(&engine.Type{Kind: engine.KindVector, Quant: 10}, 800000, -800000, 70000)},
		{"vector ×100 (5000000, −5000000, 700000)", "value", vec(&engine.Type{Kind: engine.KindVector, Quant: 100}, 5e6, -5e6, 7e5)},
		{"normal (0.6, 0.8, 0)", "value", vec(&engine.Type{Kind: engine.KindVector, Unit: true}, 0.6, 0.8, 0)},
		{"rotator, yaw 90°", "value", AppendRotator(nil, geom.Rotator{Yaw: 16384})},
		{"rotator, pitch −45° yaw 180°", "value", AppendRotator(nil, geom.Rotator{Pitch: 57344, Yaw: 32768})},
		{"ref to actor 500", "value", typed(&engine.Type{Kind: engine.KindRef}, []uint64{500})},
		{"struct (actor 500, local, 3)", "value", typed(pointer, []uint64{500, 99, 3})},
		{"array, all of it", "value", e.Append(nil, array, []uint64{1, 2, 3, 4}, nil)},
		{"array, elements 1 and 3", "value", e.AppendElements(nil, array, []uint64{1, 2, 3, 4}, nil, &some)},
		{"fast array: 4 removed, 9 is (actor 500, 3)", "value", e.AppendFastItem(AppendFast(nil, []uint32{4}, 1), fast, &engine.FastItem{Key: 9, Words: []uint64{500, 0, 3}})},
		{"fast array: nothing left", "value", AppendFastWhole(nil, 0)},
		{"any, 0.1", "value", anything(engine.Float(0.1))},
		{"any, vector (1.5, −2.5, 0.49)", "value", anything(engine.Vec(geom.V(1.5, -2.5, 0.49)))},
		{"any, rotator, yaw 90°", "value", anything(engine.Rotation(geom.Rotator{Yaw: 16384}))},
		{"any, ref to actor 500", "value", anything(engine.Value{Kind: engine.KindRef, Ref: 500})},
		{"mask 0", "value", maskOf(0)},
		{"mask 0, 2, 6", "value", maskOf(0, 2, 6)},
		{"mask 20", "value", maskOf(20)},
		{"mask 2, 40", "value", maskOf(2, 40)},
		{"mask 32…47", "value", maskOf(32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47)},
		{"channels 7", "value", AppendChannels(nil, []uint16{7})},
		{"channels 2, 3, 11", "value", AppendChannels(nil, []uint16{2, 3, 11})},
		{"channels 100, 102, … 138", "value", AppendChannels(nil, everyOther)},

		{"hello", "message", AppendHello(nil, &Hello{Version: Version, Agent: "tidelock", Options: "?name=Ann", Cold: true})},
		{"welcome", "message", AppendWelcome(nil, &Welcome{Version: Version, Player: 3, Tick: 60, Net: 30, Time: 5_000_000, Level: "dm4", Game: "DeathMatch", Epoch: 2, Table: hashOf(0xaa), Manifest: hashOf(0xbb)})},
		{"refuse", "message", AppendRefuse(nil, Refusal{"full", "The server is full."})},
		{"kick", "message", AppendKick(nil, Refusal{"idle", "Away too long."})},
		{"travel", "message", AppendTravel(nil, Travel{"e1m2?game=DeathMatch", true, 700})},
		{"classes", "message", AppendClasses(nil, &Classes{Epoch: 3, Table: hashOf(0xcc), Manifest: hashOf(0xdd), Files: []byte{4}})},
		{"ready", "message", AppendReady(nil, 3, 40)},
		{"want, the manifest", "message", AppendWant(nil, &Want{Hash: hashOf(0xdd)})},
		{"want, files 0, 3 and 9", "message", AppendWant(nil, &Want{hashOf(0xdd), []byte{9, 2}})},
		{"chunk, the last of file 2", "message", AppendChunk(nil, &Chunk{Hash: hashOf(0xdd), Files: []byte{4}, Size: 70000, Packed: 16387, Offset: 16384, Data: []byte{1, 2, 3}})},
		{"chunk, as a difference", "message", AppendChunk(nil, &Chunk{Hash: hashOf(0xdd), Base: hashOf(0xbb), Size: 7000, Packed: 30, Data: []byte{1, 2, 3}})},
		{"chunk, of what is not there", "message", AppendChunk(nil, &Chunk{Hash: hashOf(0xdd)})},
		{"open, with variables 0 = 42 and 3 = 100", "message", AppendInt(AppendInt(AppendOpen(nil, &open), 42), 100)},
		{"open, an actor of the level", "message", AppendOpen(nil, &placed)},
		{"open, a component", "message", AppendOpen(nil, &part)},
		{"close, dormant", "message", AppendClose(nil, Close{5, CloseDormant})},
		{"call (3, \"hi\")", "message", AppendString(AppendInt(AppendCall(nil, Call{5, 17, 2}), 3), "hi")},
		{"received", "message", AppendReceived(nil, 700)},
		{"move, two", "message", AppendMoves(nil, []Move{
			{Stamp: 10000, Forward: 127, Buttons: 1, View: geom.Rotator{Yaw: 16384}},
			{Stamp: 10016, Forward: 127, Strafe: -127, View: geom.Rotator{Pitch: 65000, Yaw: 16400}},
		})},
		{"ask", "message", AppendAsk(nil, 1_000_000)},
		{"tell", "message", AppendTell(nil, Tell{1_000_000, 70_000_000, 8_000})},
		{"role", "message", AppendRole(nil, Role{5, engine.RoleAutonomousProxy, true})},
		{"pace, slow motion", "message", AppendPace(nil, Pace{Scale: 250, Time: 70_000_000})},
		{"pace, three steps", "message", AppendPace(nil, Pace{Steps: 3, Time: 70_000_000})},
		{"duty", "message", AppendDuty(nil, []string{"Crate:Tick", "Crate:Open.Code"})},
		{"fault", "message", AppendFault(nil, &Fault{"Rocket:Tick", "scripts/Rocket.lua", 12, "oh"})},

		{"the first, nothing got yet", "datagram", datagram(Header{})},
		{"nothing missing", "datagram", datagram(Header{Seq: 0x1234, Acks: true, Ack: 0x1230})},
		{"the one before is missing", "datagram", datagram(Header{Seq: 2, Acks: true, Ack: 9, Missing: 1})},
		{"an unreliable call and a received", "datagram", datagram(Header{Seq: 3, Acks: true, Ack: 9}, AppendCall(nil, Call{5, 2, 0}), AppendReceived(nil, 4))},
		{"deltas: whole place and an int", "datagram", datagram(Header{Seq: 3, Acks: true, Ack: 9},
			run(maskOf(0, 3), AppendChannels(nil, []uint16{7}), AppendVector(nil, Grid{1, 16}, Quantised{-1000, 2000, 96}), AppendInt(nil, 42)))},
		{"deltas: three that moved", "datagram", datagram(Header{Seq: 70, Acks: true, Ack: 9},
			run(base(3, 0), maskOf(0), AppendChannels(nil, []uint16{2, 3, 11}), rel(10, 5, 0), rel(1, -2, 0), rel(16, -1, 3)))},
		{"deltas: relative, then not, waiting for message 12", "datagram", datagram(Header{Seq: 70, Acks: true, Ack: 9},
			run(base(3, 0), maskOf(0, 2), AppendChannels(nil, []uint16{2}), rel(10, 5, 0), AppendBool(nil, true),
				base(1), AppendAfter(nil, 12), maskOf(0), AppendChannels(nil, []uint16{300}), AppendVector(nil, Grid{1, 16}, Quantised{1, 2, 3})))},

		{"manifest", "file", AppendManifestFile(AppendManifest(nil, 1), "game/Rocket.lua", 1234, ptr(hashOf(0xee)))},
		{"class table", "file", AppendTable(nil, exampleClasses())},
	}
}

func ptr[T any](v T) *T { return &v }

// exampleClasses is a small set of classes with most types.
func exampleClasses() *engine.Classes {
	player := &engine.Type{Kind: engine.KindRef, Class: "Actor", Wait: true}
	specs := []*engine.ClassSpec{
		{Name: "Actor", Native: engine.NativeActor},
		{
			Name: "Chest", Parent: "Actor",
			Properties: []engine.PropertySpec{
				{Name: "Gold", Type: &engine.Type{Kind: engine.KindInt, Ranged: true, Min: 0, Max: 5000}},
				{Name: "State", Type: &engine.Type{Kind: engine.KindEnum, Enum: []string{"Shut", "Open"}}},
				{Name: "Aim", Type: &engine.Type{Kind: engine.KindVector, Unit: true}},
				{Name: "Slots", Type: &engine.Type{Kind: engine.KindArray, Elem: &engine.Type{Kind: engine.KindInt}, Len: 4}},
				{Name: "Unsent", Type: &engine.Type{Kind: engine.KindBool}},
			},
			Rules: []engine.RuleSpec{{Names: []string{"Gold", "State", "Aim", "Slots"}, NamePos: make([]engine.Pos, 4)}},
			Functions: []engine.FunctionSpec{
				{Name: "ServerTake", Kind: engine.CallServer, Reliable: true, Stated: true, Params: []engine.Param{{Name: "who", Type: player}, {Name: "n", Type: &engine.Type{Kind: engine.KindInt}}}},
				{Name: "Local"},
			},
		},
	}
	for _, s := range specs {
		for i := range s.Properties {
			s.Properties[i].Type.Layout()
		}
	}
	classes, diags := engine.BuildClasses(specs, nil)
	if classes == nil {
		panic(fmt.Sprint(diags))
	}
	return classes
}

// The document has exactly our vectors, byte for byte, and what a decoder that knows nothing reads.
func TestDocumentHasTheVectors(t *testing.T) {
	var sb strings.Builder
	what := ""
	for _, v := range vectors() {
		if v.what != what {
			what = v.what
			fmt.Fprintf(&sb, "\n### %ss\n\n| what | bytes | as any decoder reads it |\n|---|---|---|\n", strings.ToUpper(what[:1])+what[1:])
		}
		fmt.Fprintf(&sb, "| %s | `%s` | `%s` |\n", v.name, hex.EncodeToString(v.b), strings.ReplaceAll(shown(library(t, v.b)...), "|", "\\|"))
	}
	doc, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	const from, to = "<!-- vectors: go test ./netcode/wire -update -->\n", "\n<!-- end of vectors -->"
	i, j := bytes.Index(doc, []byte(from)), bytes.Index(doc, []byte(to))
	if i < 0 || j < i {
		t.Fatal("docs/protocol.md has no place for vectors")
	}
	i += len(from)
	if want := sb.String(); string(doc[i:j]) != want {
		if !*update {
			t.Fatal("the test vectors in docs/protocol.md are not those of the code; go test ./netcode/wire -run Document -update")
		}
		if err := os.WriteFile(document, []byte(string(doc[:i])+want+string(doc[j:])), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// The document names every kind of message, closing and limit as the code has them.
func TestDocumentNamesWhatThereIs(t *testing.T) {
	doc, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	text := string(doc)
	for k := KindHello; k < numKinds; k++ {
		if row := fmt.Sprintf("| %d | %s |", k, k); !strings.Contains(text, row) {
			t.Errorf("the document lacks %q", row)
		}
	}
	for c := Closing(0); c < numClosings; c++ {
		if want := fmt.Sprintf("%d %s", c, c); !strings.Contains(text, want) {
			t.Errorf("the document lacks the closing %q", want)
		}
	}
	for name, n := range map[string]int{
		"Version": Version, "MaxDatagram": MaxDatagram, "MaxDepth": MaxDepth, "MaxNodes": MaxNodes, "MaxVariables": MaxVariables,
		"MaxChannel": MaxChannel, "AckBits": AckBits, "MaxAge": MaxAge, "RelativeBias": RelativeBias, "MaxOptions": MaxOptions, "MaxText": MaxText,
		"NormalScale": NormalScale, "MinScale": MinScale, "MaxScale": MaxScale, "MaxSteps": MaxSteps, "MaxURL": MaxURL, "HashBytes": HashBytes, "MaxChunk": MaxChunk, "MaxFile": MaxFile, "MaxArgs": MaxArgs, "MaxMoves": MaxMoves,
	} {
		if row := fmt.Sprintf("| %s | %d |", name, n); !strings.Contains(text, row) {
			t.Errorf("the document lacks %q", row)
		}
	}
}

// Every message and datagram is read whole, and at no truncation.
func TestTruncatedAtEveryByte(t *testing.T) {
	for _, v := range vectors() {
		if v.what == "value" || v.what == "file" {
			continue
		}
		if err := Guard(v.b); err != nil {
			t.Errorf("%s: %v", v.name, err)
		}
		r := NewReader(v.b)
		if readAll(&r, v.what == "datagram"); r.Err() != nil {
			t.Errorf("%s: % x: %v", v.name, v.b, r.Err())
		}
		for i, may := 0, ends(v); i < len(v.b); i++ {
			r.Reset(v.b[:i])
			if readAll(&r, v.what == "datagram"); r.Err() == nil && !may[i] && (i > 0 || v.what == "datagram") {
				t.Errorf("%s: %d bytes of % x are enough", v.name, i, v.b)
			}
		}
		if n := testing.AllocsPerRun(10, func() { r.Reset(v.b); readAll(&r, v.what == "datagram") }); n > 3 {
			t.Errorf("%s: %v allocations", v.name, n)
		}
	}
}

// ends is where a datagram may as well end: between its parts.
func ends(v vector) map[int]bool {
	at := map[int]bool{}
	if v.what != "datagram" {
		return at
	}
	r := NewReader(v.b)
	r.Header()
	for at[r.Pos()] = true; r.Peek() == ShapeArray; at[r.Pos()] = true {
		r.Skip()
	}
	d := r.Deltas()
	for at[r.Pos()] = true; d.Next(); at[r.Pos()] = true {
		for _, ok := d.Channel(); ok; _, ok = d.Channel() {
			d.SkipActor()
		}
	}
	return at
}

// crosses checks that a message is read as what was written.
func crosses[T any](t *testing.T, b []byte, kind Kind, read func(*Reader, int) T, want T) {
	t.Helper()
	r := NewReader(b)
	k, n := r.Message()
	got := read(&r, n)
	if fmt.Sprint(got) != fmt.Sprint(want) || r.End() != nil || k != kind {
		t.Errorf("%s: %v, %v; want %v", k, got, r.Err(), want)
	}
}

func TestMessagesCross(t *testing.T) {
	long, cut := strings.Repeat("é", 200), strings.Repeat("é", 127)
	hello := Hello{Version, "agent", "?a=b", true}
	crosses(t, AppendHello(nil, &hello), KindHello, (*Reader).Hello, hello)
	welcome := Welcome{1, 9, 60, 20, -5, "l", "g", 127, hashOf(1), hashOf(2)}
	crosses(t, AppendWelcome(nil, &welcome), KindWelcome, (*Reader).Welcome, welcome)
	crosses(t, AppendRefuse(nil, Refusal{"a", "b"}), KindRefuse, (*Reader).Refusal, Refusal{"a", "b"})
	crosses(t, AppendKick(nil, Refusal{"a", long}), KindKick, (*Reader).Refusal, Refusal{"a", cut})
	crosses(t, AppendTravel(nil, Travel{"x", false, 1}), KindTravel, (*Reader).Travel, Travel{"x", false, 1})
	for _, files := range [][]byte{nil, {1, 2}} {
		classes := Classes{5, hashOf(1), hashOf(2), files}
		crosses(t, AppendClasses(nil, &classes), KindClasses, (*Reader).Classes, classes)
	}
	fault := Fault{"Rocket:Tick", "scripts/shooter/Rocket.lua", 12, cut}
	crosses(t, AppendFault(nil, &Fault{fault.Function, fault.File, 12, long}), KindFault, (*Reader).Fault, fault)
	crosses(t, AppendFault(nil, &Fault{Line: -1}), KindFault, (*Reader).Fault, Fault{})
	crosses(t, AppendDuty(nil, nil), KindDuty, (*Reader).Duty, Duty{})
	crosses(t, AppendDuty(nil, []string{"A:B", "C:D"}), KindDuty, (*Reader).Duty, Duty{"A:B\nC:D"})
	crosses(t, AppendDuty(nil, []string{"A:B", strings.Repeat("x", MaxDuty-3)}), KindDuty, (*Reader).Duty, Duty{"A:B"})
	for _, pace := range []Pace{{}, {Steps: MaxSteps, Time: -1}, {Scale: MinScale}, {Scale: NormalScale, Time: 1 << 60}, {Scale: MaxScale}} {
		crosses(t, AppendPace(nil, pace), KindPace, (*Reader).Pace, pace)
	}
	crosses(t, AppendReady(nil, 5, 65535), KindReady, func(r *Reader, n int) [2]int {
		epoch, from := r.Ready(n)
		return [2]int{int(epoch), int(from)}
	}, [2]int{5, 65535})
	for _, want := range []Want{{Hash: hashOf(1)}, {hashOf(1), bytes.Repeat([]byte{255}, MaxFiles/8)}} {
		crosses(t, AppendWant(nil, &want), KindWant, (*Reader).Want, want)
	}
	for _, chunk := range []Chunk{
		{hashOf(1), nil, Hash{}, MaxFile, MaxPacked, MaxPacked - 3, []byte{1, 2, 3}},
		{hashOf(1), []byte{1, 2}, hashOf(3), 1, 13, 10, []byte{1, 2, 3}},
		{hashOf(1), []byte{1}, Hash{}, 0, 0, 0, []byte{}},
	} {
		crosses(t, AppendChunk(nil, &chunk), KindChunk, (*Reader).Chunk, chunk)
	}
	crosses(t, AppendClose(nil, Close{40000, CloseTornOff}), KindClose, (*Reader).Close, Close{40000, CloseTornOff})
	crosses(t, AppendCall(nil, Call{1, 2, 0}), KindCall, (*Reader).Call, Call{1, 2, 0})
	crosses(t, AppendReceived(nil, 65535), KindReceived, (*Reader).Received, 65535)
	crosses(t, AppendAsk(nil, -1), KindAsk, (*Reader).Ask, -1)
	crosses(t, AppendTell(nil, Tell{1, 2, 3}), KindTell, (*Reader).Tell, Tell{1, 2, 3})
	role := Role{65535, engine.RoleAuthority, false}
	crosses(t, AppendRole(nil, role), KindRole, (*Reader).Role, role)
	open := Open{Channel: 1, Net: 1 << 31, Name: []byte("N"), HasPlace: true, Place: Quantised{-32768, 1, 32767}, Turns: true, Rotation: geom.Rotator{Pitch: 256, Yaw: 512, Roll: 768}, Inside: true, Outer: 65535, Role: engine.RoleAuthority, From: 65535}
	crosses(t, AppendOpen(nil, &open), KindOpen, (*Reader).Open, open)

	var moves [MaxMoves + 2]Move
	for i := range moves {
		moves[i] = Move{Stamp: uint32(i*1000 - 3000), Forward: int8(i - 127), Strafe: -127, Up: 127, Buttons: 1 << i, View: geom.Rotator{Pitch: 65535, Yaw: uint16(i)}}
	}
	crosses(t, AppendMoves(nil, moves[:]), KindMove, func(r *Reader, n int) []Move {
		var out [MaxMoves]Move
		return out[:r.Moves(n, &out)]
	}, moves[2:])
}

func TestHostileMessages(t *testing.T) {
	refuses(t, "a message", func(r *Reader) { readAll(r, false) },
		"\x90", "\x91\x00", "\x91\x11", "\x91\xcc\xff", "\x91\x01", "\x91\x12", "\x92\x01\x06", "\x95\x01\x06\xa0\xa0\x01",
		"\x93\x08\xc4\x1f"+strings.Repeat("x", 31)+"\xc0",
		"\x93\x08\xd9\x20"+strings.Repeat("x", 32)+"\xc0",                                  // a hash as text
		"\x93\x08\xc4\x20"+strings.Repeat("x", 32)+"\xc4\x00",                              // none of the files
		"\x93\x08\xc4\x20"+strings.Repeat("x", 32)+"\xa1x",                                 // files as text
		"\x93\x08\xc4\x20"+strings.Repeat("x", 32)+"\xc5\x02\x01"+strings.Repeat("x", 513), // more than there can be
		"\x93\x03\xa1a\xda\x01\x00"+strings.Repeat("x", 256),                               // too long a reason
		"\x93\x0b\x05\x05",                 // an unknown closing
		"\x93\x0b\xce\x00\x01\x00\x00\x00", // a channel too high
		"\x92\x0c\x05",                     // a call of nothing
		"\x97\x0e\x00\x00\x00\x00\x00\x00", // a move too short
		"\x98\x0e\x00\xd0\x80\x00\x00\x00\x00\x00",
		"\x98\x0a\x05\x00\x00\xc0\xc0\xc0\xfe", // an open without its value
		"\x99\x0a\x05\x00\x00\xc0\xc0\xc0\xff\x00",
		"\x98\x0a\x05\x00\xa0\xc0\xc0\xc0\xff", // an empty name
		"\x93\x14\x00\x00",                     // a pace without its time
		"\x94\x14\x01\x00\x00",                 // slower than there is
		"\x94\x14\xcd\x0f\xa1\x00\x00",         // faster than there is
		"\x94\x14\xff\x00\x00",                 // backwards
		"\x94\x14\x00\xcd\x02\x59\x00",         // too many steps
		"\x94\x14\xcd\x03\xe8\x01\x00",         // steps of a world that runs
		"\x94\x14\xca\x3f\x80\x00\x00\x00\x00", // a scale that is no whole number
	)
	for what, chunk := range map[string]Chunk{
		"beyond its archive":              {Size: 20, Packed: 12, Offset: 10, Data: []byte{1, 2, 3}},
		"of an archive that is too large": {Size: 20, Packed: MaxPacked + 1, Data: []byte{1}},
		"of files that are too large":     {Size: MaxFile + 1, Packed: MaxPacked, Data: []byte{1}},
		"of more than DEFLATE can gain":   {Size: 10*1032 + 1, Packed: 10, Data: []byte{1}},
		"of nothing":                      {Size: 0, Packed: 3, Data: []byte{1, 2, 3}},
		"without bytes":                   {Size: 20, Packed: 3},
		"of what is not there, with size": {Size: 20},
		"longer than one may be":          {Size: 1 << 20, Packed: 1 << 20, Data: make([]byte, MaxChunk+1)},
	} {
		r := NewReader(AppendChunk(nil, &chunk))
		if readAll(&r, false); r.Err() != ErrRange {
			t.Errorf("a chunk %s: %v", what, r.Err())
		}
	}
	old := append(appendMessage(nil, KindHello, 3), Version+1, 0xc0, 0x90)
	r := NewReader(old)
	_, n := r.Message()
	if m := r.Hello(n); m.Version != Version+1 || r.End() != nil {
		t.Error("a hello of another version must tell its version", m, r.Err())
	}
}

// Nothing a peer sends makes us allocate more than twice its size: declared lengths, above all.
func TestHostileSizesAllocateNothing(t *testing.T) {
	str := &engine.Type{Kind: engine.KindString, MaxLen: engine.MaxStringBytes}
	big := &engine.Type{Kind: engine.KindArray, Elem: &engine.Type{Kind: engine.KindInt}, Len: 100}
	big.Layout()
	inputs := [][]byte{
		{0xdf, 0xff, 0xff, 0xff, 0xff},
		{0xdd, 0xff, 0xff, 0xff, 0xff},
		{0xc6, 0xff, 0xff, 0xff, 0xff},
		{0xdb, 0xff, 0xff, 0xff, 0xff},
		bytes.Repeat([]byte{0xdd, 0x7f, 0xff, 0xff, 0xff}, 200), bytes.Repeat([]byte{0x91}, MaxDatagram), bytes.Repeat([]byte{0xff}, MaxDatagram),
	}
	var args Args
	words, strs := make([]uint64, 100), make([]string, 1)
	params := []engine.Param{{Type: str}, {Type: big}}
	warm := NewReader(nil)
	args.Read(&warm, params, 2, nil, nil)
	for _, in := range inputs {
		if n := testing.AllocsPerRun(5, func() {
			_ = Guard(in)
			r := NewReader(in)
			readAll(&r, false)
			r.Reset(in)
			readAll(&r, true)
			r.Reset(in)
			args.Read(&r, params, 2, nil, nil)
			r.Reset(in)
			r.Value(str, words, strs, nil)
			r.Reset(in)
			r.Value(big, words, strs, nil)
			var set Elements
			r.Reset(in)
			r.Elements(big, words, strs, nil, &set)
			r.Reset(in)
			d := r.FastDelta()
			for _, ok := d.Item(); ok; _, ok = d.Item() {
				r.Skip()
			}
			r.Reset(in)
			r.Mask()
		}); n != 0 {
			t.Errorf("% x…: %v allocations", in[:5], n)
		}
	}
}

// tableOf reads a class table.
func tableOf(b []byte) (string, error) {
	r := NewReader(b)
	var sb strings.Builder
	for range r.Table() {
		c := r.TableClass()
		fmt.Fprintf(&sb, "%s(%d)", c.Name, c.Parent)
		for range c.Variables {
			name, typ := r.TableVariable()
			fmt.Fprintf(&sb, " %s:%x", name, typ)
		}
		for range r.Array() {
			f := r.TableFunction()
			fmt.Fprintf(&sb, " %s/%s/%v:%x", f.Name, f.Kind, f.Reliable, f.Params)
		}
		sb.WriteString(";")
	}
	return sb.String(), r.End()
}

func TestTable(t *testing.T) {
	b := AppendTable(nil, exampleClasses())
	if !bytes.Equal(b, AppendTable(nil, exampleClasses())) || HashOf(b) == (Hash{}) {
		t.Fatal("two peers with the same classes must have the same table")
	}
	got, err := tableOf(b)
	if want := "Actor(-1);Chest(0) Gold:930200cd1388 State:9305a453687574a44f70656e Aim:9206cd7fff Slots:930b0204 ServerTake/server/true:929309a54163746f72c302;"; got != want || err != nil {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	for i := range b {
		if _, err := tableOf(b[:i]); err == nil {
			t.Errorf("%d bytes are enough", i)
		}
	}
	if err := GuardNodes(b, 1<<20); err != nil {
		t.Error(err)
	}
}

// Kinds and closings: TestDocumentNamesWhatThereIs.
func TestNamesOfEverything(t *testing.T) {
	for s := Shape(0); s < numShapes; s++ {
		if s.String() == "" {
			t.Errorf("shape %d has no name", s)
		}
	}
	for a := Arrival(0); a < numArrivals; a++ {
		if a.String() == "" {
			t.Errorf("arrival %d has no name", a)
		}
	}
}

// Class arguments need classes.
func TestClassArguments(t *testing.T) {
	classes := exampleClasses()
	typ := &engine.Type{Kind: engine.KindClass}
	e, v := Values{}, engine.ClassName("Chest")
	b := e.AppendValue(nil, typ, &v, classes)
	r, args := NewReader(b), Args{}
	got := args.Read(&r, []engine.Param{{Type: typ}}, 1, names{}, classes)
	if r.End() != nil || got[0].Str != "Chest" {
		t.Fatal(got, r.Err())
	}
	r.Reset([]byte{40}) // names{} lets it pass; the classes have two
	if args.Read(&r, []engine.Param{{Type: typ}}, 1, names{}, classes); r.Err() != ErrRange {
		t.Fatal(r.Err())
	}
}
