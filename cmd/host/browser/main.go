//go:build js && wasm

// Program browser is the player's client in a browser's Worker: package session as functions that the Worker's JavaScript
// calls (W1). It is built for GOOS=js GOARCH=wasm and runs by cmd/host/web/page/worker.js.
//
// No value crosses by syscall/js. Input bytes are written to the memory at buffer(length), and the function
// called next gets their number; output bytes are at a pointer and a length that two functions return, valid
// until the next call of any function. No export blocks: all work is done on the calling goroutine.
//
// Guarantees: Exports never block; no call per value.
package main

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"time"
	"unsafe"

	"github.com/tidelock/tidelock/cmd/host/browser/session"
	"github.com/tidelock/tidelock/cmd/host/scene"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/level"
	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/wire"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

const (
	// maxIn bounds what the Worker may write at once, in bytes: a batch of files.
	maxIn = wire.MaxFile
	// keptIn is how much of that buffer is kept for the next call.
	keptIn = 256 << 10
	// slice is the longest time that prepare works.
	slice = 8 * time.Millisecond
)

var (
	in     []byte // what the Worker writes
	out    []byte // what text returns
	player *session.Session
	protos = classfile.NewCache(scriptvm.Natives())
	levels = &level.Cache{}
	files  = session.NewFiles()
	meshes = &scene.Meshes{}
	stock  = session.NewStock(files, protos, levels)
	meta   []byte       // of the level: everything except its arrays
	shown  *scene.Level // the level that meta describes
	levelN int32        // number of levels requested so far
	values []float64    // of input
)

// While files are compiled, which creates much garbage and little lasting data, garbage is collected less
// often: the memory grows to loadingMemory, in bytes, which the world needs later in any case.
const loadingMemory = 48 << 20

// loading is true before the first world.
var loading = true

func main() {
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(loadingMemory)
	select {} // the exports do the work
}

//go:wasmimport tidelock send
func send(line int32, at unsafe.Pointer, length uint32) uint32

// open requests a carrier of a line from the Worker, which calls opened or broke; the text is the place, "" for the page's host.
//
//go:wasmimport tidelock open
func open(line int32, at unsafe.Pointer, length uint32)

//go:wasmimport tidelock close
func hangUp(line int32, at unsafe.Pointer, length uint32)

// carrier passes packets of a line to the Worker.
type carrier int32

func (c carrier) Send(b []byte) bool {
	return len(b) > 0 && send(int32(c), unsafe.Pointer(&b[0]), uint32(len(b))) != 0
}

func (c carrier) Close(why link.Reason) {
	b := []byte(why.Text + "\x00")
	hangUp(int32(c), unsafe.Pointer(&b[0]), uint32(len(b)-1))
}

func newCarrier(line int) kcplink.Carrier { return carrier(line) }

func openCarrier(line int, where string) {
	b := []byte(where + "\x00")
	open(int32(line), unsafe.Pointer(&b[0]), uint32(len(b)-1))
}

//go:wasmexport buffer
func buffer(length int32) unsafe.Pointer {
	if length <= 0 || length > maxIn {
		return nil
	}
	if int(length) > len(in) {
		in = make([]byte, length)
	}
	return unsafe.Pointer(&in[0])
}

// given returns what the Worker wrote.
func given(length int32) []byte {
	if length < 0 || int(length) > len(in) {
		return nil
	}
	return in[:length]
}

// start begins to join with a session.Config; 0 is an error, whose text is then available.
//
//go:wasmexport start
func start(length int32) int32 {
	var c session.Config
	err := json.Unmarshal(given(length), &c)
	if err == nil {
		leave()
		player, err = session.New(session.Options{
			Config: c, Carrier: newCarrier, Open: openCarrier, Protos: protos, Levels: levels, Meshes: meshes, Cache: files, Seed: uint64(time.Now().UnixNano()),
		})
	}
	if err != nil {
		player, out = nil, []byte(err.Error())
		return 0
	}
	return 1
}

// manifest reads the list of the match's files, and returns the number of batches; −1 is an error, whose text
// is then available.
//
//go:wasmexport manifest
func manifest(length int32) int32 {
	err := stock.Manifest(slices.Clone(given(length)))
	if err != nil {
		out = []byte(err.Error())
		return -1
	}
	return int32(stock.Batches())
}

// has reports whether the files of a batch are present: 1, or 0.
//
//go:wasmexport has
func has(batch int32) int32 {
	if stock.Has(int(batch)) {
		return 1
	}
	return 0
}

// batch receives files of the match; the Worker gives the batch's number. 0 is an error, whose text is then
// available.
//
//go:wasmexport batch
func batch(which, length int32) int32 {
	err := stock.Batch(int(which), slices.Clone(given(length)))
	if len(in) > keptIn {
		in = nil
	}
	if err != nil {
		out = []byte(err.Error())
		return 0
	}
	return 1
}

// prepare compiles some of them; 1 means that more work remains.
//
//go:wasmexport prepare
func prepare() int32 {
	if stock.Step(slice) {
		return 1
	}
	return 0
}

//go:wasmexport receive
func receive(line, length int32) {
	if player != nil {
		player.Receive(int(line&1), given(length))
	}
}

// opened reports that the requested carrier of a line is open; the input is the host's expected key, or nothing. 0 is an
// error.
//
//go:wasmexport opened
func opened(line, length int32) int32 {
	if player == nil {
		return 1
	}
	if err := player.Opened(int(line&1), given(length)); err != nil {
		out = []byte(err.Error())
		return 0
	}
	return 1
}

// broke reports that the carrier of a line ended, or could not be opened, and why.
//
//go:wasmexport broke
func broke(line, length int32) {
	if player != nil {
		player.Broke(int(line&1), string(given(length)))
	}
}

// input sets the person's input: the values of the actions, little-endian 32-bit floats, in the order of the
// event "actions" whose number is set.
//
//go:wasmexport input
func input(length int32, pitch, yaw float64, turn, set int32) {
	if player == nil {
		return
	}
	b := given(length)
	values = values[:0]
	for ; len(b) >= 4 && len(values) <= engine.MaxActiveActions; b = b[4:] {
		values = append(values, float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
	}
	player.SetInput(session.Input{Pitch: finite(pitch), Yaw: finite(yaw), Turn: max(0, int(turn)), Actions: values, Set: int(set)})
}

func finite(v float64) float64 {
	if v-v != 0 {
		return 0
	}
	return max(-1e6, min(1e6, v))
}

//go:wasmexport brain
func brain(on int32) {
	if player != nil {
		player.SetBrain(on != 0)
	}
}

// say makes the player send the written text, to all or to the team.
//
//go:wasmexport say
func say(length, team int32) {
	if player != nil {
		player.Say(string(given(length)), team != 0)
	}
}

// obey runs a line of the player's console; its answer is then available as text. 0 is an error, whose text is.
//
//go:wasmexport obey
func obey(length int32) int32 {
	out = out[:0]
	if player == nil {
		return 1
	}
	answer, err := player.Obey(string(given(length)))
	if err != nil {
		out = append(out, err.Error()...)
		return 0
	}
	out = append(out, answer...)
	return 1
}

// tick runs one tick; now is in ms from any origin, seconds the length of the tick. It returns the number of
// the world, 0 before there is one.
//
//go:wasmexport tick
func tick(now, seconds float64) int32 {
	if player == nil {
		return 0
	}
	player.Tick(time.Duration(now*float64(time.Millisecond)), seconds)
	if loading && player.Worlds > 0 {
		loading = false
		debug.SetGCPercent(100)
		debug.SetMemoryLimit(math.MaxInt64)
	}
	return int32(player.Worlds)
}

// leave says goodbye.
//
//go:wasmexport leave
func leave() {
	if player != nil {
		_ = player.Leave() // there is no socket that could fail to close
		player = nil
	}
}

// state writes text: the state, whether the player lost the connection and is reconnecting, over which line they are
// connected, and the line of text, as JSON.
//
//go:wasmexport state
func state() {
	word, line, away, over := "closed", "", false, 0
	if player != nil {
		word, line, away = player.State()
		over = player.At()
	}
	out = append(out[:0], `{"state":"`+word+`","away":`+strconv.FormatBool(away)+`,"over":`+strconv.Itoa(over)+`,"line":`...)
	b, err := json.Marshal(line)
	if err != nil {
		b = []byte(`""`)
	}
	out = append(append(out, b...), '}')
}

// numbers writes text: session.Numbers as JSON, with heap, the bytes of the Go heap that are in use or not yet
// collected.
//
//go:wasmexport numbers
func numbers() {
	out = append(out[:0], "{}"...)
	if player != nil {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if b, err := json.Marshal(struct {
			session.Numbers
			Heap uint64 `json:"heap"`
		}{player.Numbers(), m.HeapInuse}); err == nil {
			out = b
		}
	}
}

// Parts of the output.
const (
	partText = iota
	partFloats
	partEvents
	partLevel
	partPositions
	partNormals
	partUVs
)

// part returns the bytes of a part of the output.
func part(which int32) []byte {
	if which == partText {
		return out
	}
	if which >= partLevel && shown != nil {
		return partOfLevel(which)
	}
	if player == nil {
		return nil
	}
	switch which {
	case partFloats:
		return bytesOf(player.Floats)
	case partEvents:
		return player.Events
	}
	return nil
}

// partOfLevel returns the bytes of a part of the level that level numbered.
func partOfLevel(which int32) []byte {
	switch which {
	case partLevel:
		return meta
	case partPositions:
		return bytesOf(shown.Positions)
	case partNormals:
		return bytesOf(shown.Normals)
	case partUVs:
		return bytesOf(shown.UVs)
	}
	return nil
}

// levelNumber returns the number of the present level, of the world or, before there is one, of the received
// files; 0 for none. A level keeps its number until another one is requested.
//
//go:wasmexport level
func levelNumber() int32 {
	var l *scene.Level
	if player != nil && player.Worlds > 0 {
		l = player.Level
	} else {
		l = meshes.Of(stock.Level())
	}
	if l == nil {
		shown, meta = nil, nil
		return 0
	}
	if l != shown {
		b, err := json.Marshal(l)
		if err != nil {
			b = nil // it consists of strings and finite numbers
		}
		shown, meta = l, b
		levelN++
	}
	return levelN
}

func bytesOf(f []float32) []byte {
	if len(f) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&f[0])), 4*len(f))
}

//go:wasmexport at
func at(which int32) unsafe.Pointer {
	b := part(which)
	if len(b) == 0 {
		return nil
	}
	return unsafe.Pointer(&b[0])
}

//go:wasmexport size
func size(which int32) int32 { return int32(len(part(which))) }
