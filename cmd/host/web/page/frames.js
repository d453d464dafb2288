// Frames keeps the last frames of the worker, one per tick, and finds the two ticks around a moment of drawing.
//
// Frames arrive unevenly, because the worker shares its processor. The picture is therefore drawn one tick
// behind the latest frame that came in time, by a clock that adapts slowly to the arrivals; it never shows more
// than the latest frame.

import { between } from "./space.js";

// The layout of a frame (cmd/host/scene, Stage): the number of values of the view, then of each actor.
export const VIEW = 8, TICK = 0, TIME = 1, EYE = 2, VIEW_PITCH = 5, VIEW_YAW = 6, OWN = 7;
export const ACTOR = 11, SLOT = 0, LOOK = 1, PLACE = 2, PITCH = 5, YAW = 6, ROLL = 7, FLAGS = 8, HEIGHT = 9, AIM = 10;
// Flags of an actor.
export const HIDDEN = 1, OWN_PAWN = 2, CROUCHED = 4, DEAD = 8;

// kept is how many frames are kept: the two around the moment of drawing, and those of a burst after it.
const kept = 4;
// jump is how far, in seconds, the worker's clock may differ from expectation before the page starts anew with it.
const jump = 0.5;
// wrap is the tick after which the worker counts from 0 again: a 32-bit float is exact up to there.
const wrap = 1 << 24;
// memory is the weight of the past when a frame arrives, per length of a tick.
const memory = 0.98;
// calm is the share by which a late frame moves the clock back.
const calm = 0.05;
// changed is the factor by which ticks must be slower or faster than expected, several times in a row, to be those of
// a match that runs at another speed now: slow motion.
const changed = 1.7, inARow = 3;
// burst is the time, in seconds, below which ticks that follow each other come together, at whatever speed.
const burst = 0.002;
// far is a distance, in uu, that nothing moves within a tick: an actor that moves farther was teleported, and
// is not interpolated.
export const far = 512;

export class Frames {
	constructor() {
		this.ring = []; // the oldest first
		this.spare = [];
		this.count = 0; // frames received
		this.received = -Infinity; // arrival of the latest
		this.lag = 0; // seconds from a frame's time to its expected arrival
		// Weighted sums of seconds and ticks between frames, the latest counting most: their quotient is the
		// length of a tick here, at every tick rate and speed of the match.
		this.seconds = 0.2;
		this.ticks = 12;
		// The last ticks that were much slower or faster than that: how many frames, of how many seconds and ticks.
		this.odd = { frames: 0, seconds: 0, ticks: 0 };
		this.eye = [0, 0, 0];
		this.pitch = 0;
		this.yaw = 0;
		// The two frames around the moment, and the position between them.
		this.from = null;
		this.to = null;
		this.part = 1;
	}

	get step() {
		return this.seconds / this.ticks;
	}

	get latest() {
		return this.ring.length ? this.ring[this.ring.length - 1] : null;
	}

	// clear discards all frames, for example when another level begins.
	clear() {
		this.spare.push(...this.ring);
		this.ring.length = 0;
		this.from = this.to = null;
	}

	// push copies a frame of n actors, so that the worker can have its buffer back. now is in seconds. It
	// returns false for a frame that is too short for n actors.
	push(buffer, n, now) {
		const floats = new Float32Array(buffer);
		const size = VIEW + n * ACTOR;
		if (floats.length < size) return false;
		const before = this.latest;
		let ticks = before ? floats[TICK] - before.data[TICK] : 0;
		if (ticks < -wrap / 2) ticks += wrap;
		if (before && ticks === 0) {
			this.fill(before, floats, size, n); // a paused world, or slow motion between two ticks
			return true;
		}
		let time = 0;
		if (ticks > 0 && now - this.received < jump) {
			this.seconds = this.seconds * memory + now - this.received;
			this.ticks = this.ticks * memory + ticks;
			if (this.newSpeed(now - this.received, ticks)) this.clear();
			else time = before.time + ticks * this.step;
			if (Math.abs(now - time - this.lag) > jump) this.clear();
		} else this.clear(); // another match, or nothing arrived for long
		this.received = now;
		const frame = this.spare.pop() ?? { data: new Float32Array(0), n: 0, serial: 0, time: 0, rows: new Map() };
		this.fill(frame, floats, size, n);
		frame.time = time;
		const lag = now - time;
		this.lag = !this.ring.length || lag < this.lag ? lag : this.lag + (lag - this.lag) * calm;
		this.ring.push(frame);
		if (this.ring.length > kept) this.spare.push(this.ring.shift());
		return true;
	}

	// fill copies the values of n actors into a frame.
	fill(frame, floats, size, n) {
		if (frame.data.length < size) frame.data = new Float32Array(size * 2);
		frame.data.set(floats.length === size ? floats : floats.subarray(0, size));
		frame.n = n;
		frame.serial = ++this.count;
		frame.rows.clear();
		for (let i = 0; i < n; i++) frame.rows.set(frame.data[VIEW + i * ACTOR + SLOT], VIEW + i * ACTOR);
	}

	// newSpeed notes how many seconds some ticks took, and returns whether the match runs at another speed now, as
	// in slow motion: that of the last ticks is then the expected one.
	newSpeed(seconds, ticks) {
		const odd = this.odd, factor = seconds / ticks / this.step;
		if (factor < changed && factor > 1 / changed || seconds < ticks * burst) {
			odd.frames = odd.seconds = odd.ticks = 0;
			return false;
		}
		odd.seconds += seconds;
		odd.ticks += ticks;
		if (++odd.frames < inARow || Math.abs(Math.log(odd.seconds / odd.ticks / this.step)) < Math.log(changed)) return false;
		this.seconds = (odd.seconds / odd.ticks) * 12;
		this.ticks = 12;
		odd.frames = odd.seconds = odd.ticks = 0;
		return true;
	}

	// at computes the view at a moment, in seconds; it returns false before the first frame.
	at(now) {
		const ring = this.ring;
		if (!ring.length) return false;
		const time = now - this.lag - this.step;
		let i = ring.length - 1;
		while (i > 0 && ring[i].time > time) i--;
		this.from = ring[i];
		this.to = ring[Math.min(i + 1, ring.length - 1)];
		const a = this.from.data, b = this.to.data, span = this.to.time - this.from.time;
		this.part = span > 0 ? Math.min(1, Math.max(0, (time - this.from.time) / span)) : 1;
		const part = this.part;
		const moved = Math.hypot(b[EYE] - a[EYE], b[EYE + 1] - a[EYE + 1], b[EYE + 2] - a[EYE + 2]);
		const way = moved > far || a[OWN] !== b[OWN] ? 1 : part;
		for (let k = 0; k < 3; k++) this.eye[k] = a[EYE + k] + (b[EYE + k] - a[EYE + k]) * way;
		this.pitch = between(a[VIEW_PITCH], b[VIEW_PITCH], way);
		this.yaw = between(a[VIEW_YAW], b[VIEW_YAW], way);
		return true;
	}
}
