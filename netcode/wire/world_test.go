package wire

import (
	"math"
	"slices"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// The worlds of the comparison with other servers (tests/bench has the program of it): the same integers in
// every implementation. Here only to see what a delta takes.

const (
	worldSide  = 60000
	worldSight = 3286
)

type worldActor struct{ x, y, z, yaw, health, ammo, team, state int32 }

type world struct {
	n, movers, clients, step int
	aoi                      bool
	a                        []worldActor
	seed                     int32
	cos                      [256]int32
}

func (w *world) rnd() uint32 {
	s := w.seed
	s ^= s << 13
	s ^= int32(uint32(s) >> 17)
	s ^= s << 5
	w.seed = s
	return uint32(s)
}

func newWorld(b bool) *world {
	w := &world{seed: 12345, n: 200, movers: 100, clients: 32}
	if b {
		w.n, w.movers, w.clients, w.aoi = 5000, 1000, 100, true
	}
	for i := range w.cos {
		w.cos[i] = int32(math.Floor(1024*math.Cos(2*math.Pi*float64(i)/256) + 0.5))
	}
	w.a = make([]worldActor, w.n)
	for i := range w.a {
		w.a[i] = worldActor{
			x: int32(w.rnd()%worldSide) - worldSide/2, y: int32(w.rnd()%worldSide) - worldSide/2, z: int32(w.rnd() % 1001), yaw: int32(w.rnd()&255) << 8,
			health: int32(w.rnd() % 101), ammo: int32(w.rnd() % 31), team: int32(w.rnd() & 3), state: int32(w.rnd() & 7),
		}
	}
	w.step = w.n / w.movers
	return w
}

func (w *world) tick() {
	const h = worldSide / 2
	for i := 0; i < w.n; i += w.step {
		a := &w.a[i]
		r := w.rnd()
		sp := int32(10 + i%11)
		if r&7 == 0 {
			a.yaw = (a.yaw + (int32(r>>3&15)-8)*256) & 0xffff
		}
		d := a.yaw >> 8
		a.x += (w.cos[d] * sp) >> 10
		a.y += (w.cos[(d-64)&255] * sp) >> 10
		if a.x > h || a.x < -h {
			a.x, a.yaw = min(max(a.x, -h), h), (a.yaw+32768)&0xffff
		}
		if a.y > h || a.y < -h {
			a.y, a.yaw = min(max(a.y, -h), h), (a.yaw+32768)&0xffff
		}
		if r>>7&3 == 0 {
			a.z = max(0, min(1000, a.z+int32(r>>9&7)-3))
		}
		if r>>12&63 == 0 {
			a.health = int32((r >> 18) % 101)
		}
		if r>>18&31 == 0 {
			if a.ammo == 0 {
				a.ammo = 30
			} else {
				a.ammo--
			}
		}
		if r>>23&63 == 0 {
			a.state = int32(r >> 29 & 7)
		}
	}
}

func (w *world) sees(k, i int) bool {
	if !w.aoi {
		return true
	}
	p, a := &w.a[k*(w.movers/w.clients)*w.step], &w.a[i]
	dx, dy := a.x-p.x, a.y-p.y
	return dx <= worldSight && dx >= -worldSight && dy <= worldSight && dy >= -worldSight
}

func worldTypes() []Variable {
	types := []*engine.Type{
		{Kind: engine.KindVector},
		{Kind: engine.KindRotator},
		{Kind: engine.KindInt, Ranged: true, Max: 100},
		{Kind: engine.KindInt, Ranged: true, Max: 30},
		{Kind: engine.KindInt, Ranged: true, Max: 3},
		{Kind: engine.KindInt, Ranged: true, Max: 7},
	}
	var vars []Variable
	at := 0
	for _, t := range types {
		t.Layout()
		vars = append(vars, Variable{Type: t, Word: at})
		at += t.Words()
	}
	return vars
}

func (a *worldActor) words() []uint64 {
	w := make([]uint64, 8)
	engine.StoreVector(w, geom.V(float64(a.x), float64(a.y), float64(a.z)))
	w[3] = geom.Rotator{Yaw: uint16(a.yaw)}.Pack()
	w[4], w[5], w[6], w[7] = uint64(a.health), uint64(a.ammo), uint64(a.team), uint64(a.state)
	return w
}

func (a *worldActor) place() Quantised { return Quantised{a.x, a.y, a.z} }

// served is what the server keeps of an actor for a client: channel, and the datagrams that held its place.
type served struct {
	channel uint16
	sent    []Seq
	// of the client
	words []uint64
	bases Bases
}

// worldBytes plays a world to its clients, acknowledged delay ticks late (0: nothing relative), checks what the last one has,
// and gives the bytes a client and tick, and of deltas alone.
func worldBytes(t *testing.T, w *world, delay, ticks int) (perTick, perMover float64) {
	vars := worldTypes()
	layout := NewLayout(vars)
	var asm Assembler
	e := Values{}
	clients := make([]map[int]*served, w.clients)
	free := make([][]uint16, w.clients)
	for k := range clients {
		clients[k] = map[int]*served{}
	}
	var total, deltas, movers, counted int
	old := make([][]uint64, w.n)
	for i := range old {
		old[i] = w.a[i].words()
	}
	history := make([]Bases, w.n)
	for seq := Seq(0); int(seq) < ticks; seq++ {
		w.tick()
		changed := make([]Mask, w.n)
		for i := range w.a {
			now := w.a[i].words()
			for v, o := range vars {
				if !slices.Equal(now[o.Word:o.Word+o.Type.Words()], old[i][o.Word:o.Word+o.Type.Words()]) {
					changed[i].Set(v)
				}
			}
			old[i] = now
			history[i].Put(seq, w.a[i].place())
		}
		for k := range clients {
			var reliable []byte
			b := AppendHeader(nil, Header{Seq: seq + 1000, Acks: true, Ack: seq + 2000})
			asm.Reset(MaxDatagram - len(b))
			for i := range w.a {
				s := clients[k][i]
				if !w.sees(k, i) {
					if s != nil {
						reliable = AppendClose(reliable, Close{s.channel, CloseIrrelevant})
						free[k] = append(free[k], s.channel)
						delete(clients[k], i)
					}
					continue
				}
				if s == nil {
					s = &served{channel: uint16(len(clients[k]))}
					if n := len(free[k]); n > 0 {
						slices.Sort(free[k])
						s.channel, free[k] = free[k][0], free[k][1:]
					}
					clients[k][i] = s
					open := Open{Channel: s.channel, Net: uint32(i + 1), Class: 40, HasPlace: true, Place: w.a[i].place(), Turns: true, Rotation: geom.UnpackRotator(old[i][3]), Role: engine.RoleSimulatedProxy, Mask: Mask{0b111100}}
					reliable = AppendOpen(reliable, &open)
					reliable = layout.Append(reliable, &e, &Storage{Words: old[i]}, &open.Mask)
					s.words = slices.Clone(old[i])
					continue
				}
				m := changed[i]
				if m.Empty() {
					continue
				}
				key := RunKey{Mask: m}
				var frag []byte
				if m.Has(0) {
					for j := len(s.sent) - 1; j >= 0 && delay > 0; j-- {
						if age := seq.Since(s.sent[j]); age >= delay && age < MaxAge {
							base, ok := history[i].Get(s.sent[j])
							if !ok {
								t.Fatal("no base")
							}
							if q := w.a[i].place(); RelativeSize(q, base) < VectorSize(Grid{1, 16}, q) {
								key.Rel.Set(0)
								key.Age = age
								frag = AppendRelative(nil, q, base)
							}
							break
						}
					}
					s.sent = append(s.sent, seq)
				}
				rest := m
				if key.Age != 0 {
					rest.Clear(0)
				}
				if !asm.Add(s.channel, &key, frag, layout.Append(nil, &e, &Storage{Words: old[i]}, &rest)) {
					t.Fatal("does not fit")
				}
				if int(seq) >= ticks/4 {
					movers++
				}
			}
			head := len(b)
			b = asm.Append(b, 1)
			if int(seq) >= ticks/4 { // past the opening
				total += len(b) + len(reliable)
				deltas += len(b) - head
				counted++
			}
			if k == w.clients-1 {
				readWorld(t, w, clients[k], b, vars, seq)
			}
		}
	}
	return float64(total) / float64(counted), float64(deltas) / float64(movers)
}

// readWorld applies a datagram as a client does, and compares.
func readWorld(t *testing.T, w *world, known map[int]*served, b []byte, vars []Variable, seq Seq) {
	byChannel := map[uint16]*served{}
	for _, s := range known {
		byChannel[s.channel] = s
	}
	if err := Guard(b); err != nil {
		t.Fatal(err)
	}
	r := NewReader(b)
	r.Header()
	if r.More() {
		d := r.Deltas()
		for d.Next() {
			for ch, ok := d.Channel(); ok; ch, ok = d.Channel() {
				s := byChannel[ch]
				for v := range d.Run.Mask.All() {
					if d.Run.Rel.Has(v) {
						base, ok := s.bases.Get(seq - Seq(d.Run.Age))
						if !ok {
							t.Fatalf("tick %d channel %d: no base %d back", seq, ch, d.Run.Age)
						}
						engine.StoreVector(s.words, Grid{1, 16}.Value(r.Relative(Grid{1, 16}, base)))
					} else {
						r.Value(vars[v].Type, s.words[vars[v].Word:], nil, nil)
					}
					if v == 0 {
						q, _ := Grid{1, 16}.Quantise(engine.LoadVector(s.words))
						s.bases.Put(seq, q)
					}
				}
			}
		}
	}
	if err := r.End(); err != nil {
		t.Fatal(err)
	}
	for i, s := range known {
		if !slices.Equal(s.words, w.a[i].words()) {
			t.Fatalf("tick %d actor %d: the client has %v, the server %v", seq, i, s.words, w.a[i].words())
		}
	}
}

// What worlds A and B take, headers of datagrams, opens and closes included, with every place whole, and relative
// to what was acknowledged 1 and 3 ticks ago. Bounds in bytes at 3 ticks: A 702 and 421, B 108.75 and 84.
func TestBytesOfWorlds(t *testing.T) {
	for _, c := range []struct {
		name        string
		b           bool
		ticks       int
		most, other float64
	}{{"A", false, 120, 702, 421}, {"B", true, 48, 108.75, 84}} {
		for _, delay := range []int{0, 1, 3} {
			perTick, perMover := worldBytes(t, newWorld(c.b), delay, c.ticks)
			t.Logf("world %s, base %d ticks back: %.1f bytes a client and tick, %.2f a delta", c.name, delay, perTick, perMover)
			if delay == 3 && (perTick > c.most || perTick > c.other) {
				t.Errorf("world %s takes %.1f bytes, at most %.1f and %.1f are allowed", c.name, perTick, c.most, c.other)
			}
		}
	}
}
