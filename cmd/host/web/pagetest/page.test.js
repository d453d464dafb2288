// Checks of the page's parts that need no browser: node --test, without npm.

import assert from "node:assert/strict";
import test from "node:test";
import { Clips, clipOf, Montage } from "../page/animate.js";
import { Art } from "../page/art.js";
import { synthesize } from "../page/audio.js";
import { CHEST, FOOT, HAND, HEAD, HIP, KNEE, LEFT_FOOT, LEFT_HIP, LEFT_KNEE, Pose, State } from "../page/body.js";
import { Glob } from "../page/bounds.js";
import { effectOf, Particles } from "../page/effects.js";
import { firstOf, Look, valueOf } from "../page/looks.js";
import { JoinScreen } from "../page/join.js";
import { best } from "../page/lobby.js";
import { judge } from "../page/models.js";
import { ACTOR, Frames, OWN, TICK, TIME, VIEW, VIEW_YAW } from "../page/frames.js";
import { divide, edge, Shading } from "../page/shade.js";
import { Solid } from "../page/solid.js";
import { between, extents, orient, place, places, turn } from "../page/space.js";
import { surroundings } from "../page/surroundings.js";
import { END, EVERY, WARN, Watchdog } from "../page/watchdog.js";
import { adviceFor, codeOf, explain } from "../page/words.js";
import { actionsOf, Bindings, KEPT, keyName, ownOf } from "../page/bindings.js";
import { padOf, read, stick } from "../page/gamepad.js";
import { Input } from "../page/input.js";
import { bindings, keepBindings, keyOf, keyText, settings, wrongName } from "../page/store.js";

const vector = () => ({ set(...v) { this.v = v; return this; } });

function near(got, want, what) {
	got.forEach((v, i) => assert.ok(Math.abs(v - want[i]) < 1e-6, `${what}: ${got} instead of ${want}`));
}

// rotate turns a vector by a quaternion.
function rotate([x, y, z, w], [a, b, c]) {
	const tx = 2 * (y * c - z * b), ty = 2 * (z * a - x * c), tz = 2 * (x * b - y * a);
	return [a + w * tx + y * tz - z * ty, b + w * ty + z * tx - x * tz, c + w * tz + x * ty - y * tx];
}

// axes are the engine's (geom.Rotator.Axes).
function axes(pitch, yaw, roll) {
	const [sp, cp, sy, cy, sr, cr] = [Math.sin(pitch), Math.cos(pitch), Math.sin(yaw), Math.cos(yaw), Math.sin(roll), Math.cos(roll)];
	return {
		forward: [cp * cy, cp * sy, sp],
		right: [sr * sp * cy - cr * sy, sr * sp * sy + cr * cy, -sr * cp],
		up: [-(cr * sp * cy + sr * sy), cy * sr - cr * sp * sy, cr * cp],
	};
}

test("the engine's axes are where a person sees them", () => {
	assert.deepEqual(place(1, 0, 0, vector()).v, [0, 0, -1], "forward is where the camera looks");
	near(place(0, 1, 0, vector()).v, [1, 0, 0], "right");
	near(place(0, 0, 1, vector()).v, [0, 1, 0], "up");
	near([...places(new Float32Array([1, 2, 3, 4, 5, 6]))], [2, 3, -1, 5, 6, -4], "arrays");
	assert.deepEqual(extents(1, 2, 3, vector()).v, [2, 3, 1]);
});

test("a turn turns front, right and top as the engine does", () => {
	for (const angles of [[0, 0, 0], [0.4, 0, 0], [0, 0.7, 0], [0, 0, 0.9], [0.3, -2, 0.5], [-1.2, 3, -2.5]]) {
		const q = turn(...angles, vector()).v, want = axes(...angles);
		near(rotate(q, [0, 0, -1]), place(...want.forward, vector()).v, `forward of ${angles}`);
		near(rotate(q, [1, 0, 0]), place(...want.right, vector()).v, `right of ${angles}`);
		near(rotate(q, [0, 1, 0]), place(...want.up, vector()).v, `up of ${angles}`);
	}
});

test("a triangle faces where its normal points", () => {
	// A floor of the engine as cmd/host/scene gives it: (b-a)×(c-a) by the usual formula is up.
	const positions = places(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0])), normals = places(new Float32Array([0, 0, 1, 0, 0, 1, 0, 0, 1]));
	const uvs = new Float32Array([0, 0, 1, 0, 0, 1]);
	assert.equal(orient(positions, normals, uvs), 1, "the space is mirrored, so the corners change");
	const [a, b, c] = [0, 3, 6].map((i) => [...positions.subarray(i, i + 3)]);
	const up = (b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]);
	assert.ok(up > 0, "counterclockwise from above");
	assert.deepEqual([...uvs], [0, 0, 0, 1, 1, 0], "texture coordinates go with their corners");
	assert.equal(orient(positions, normals, uvs), 0);
});

test("angles take the shorter way", () => {
	near([between(3, -3, 0.5)], [Math.PI], "across the back");
	near([between(-0.2, 0.2, 0.25)], [-0.1], "across the front");
});

function frame(tick, x, yaw = 0) {
	const f = new Float32Array(VIEW + ACTOR);
	f[TICK] = tick;
	f[TIME] = tick / 60;
	f[2] = x;
	f[VIEW_YAW] = yaw;
	f[OWN] = 1;
	f[VIEW] = 1;
	return f.buffer;
}

test("what is drawn lies between two ticks and never beyond the latest", () => {
	const frames = new Frames();
	assert.equal(frames.at(0), false);
	for (let i = 0; i < 30; i++) assert.ok(frames.push(frame(1000 + i, 10 * i), 1, i / 60));
	let before = -Infinity;
	for (let k = 0; k <= 40; k++) {
		assert.ok(frames.at(28 / 60 + k / 600));
		assert.ok(frames.eye[0] >= before && frames.eye[0] <= 290, `${frames.eye[0]} after ${before}`);
		before = frames.eye[0];
	}
	assert.equal(before, 290);
	frames.at(29 / 60 + 0.5 / 60);
	near([frames.eye[0]], [285], "half a tick after the latest came, half a tick before it is shown");
});

test("slow motion is drawn evenly, and a paused world shows what was set", () => {
	for (const every of [4, 10, 2]) {
		const frames = new Frames();
		let tick = 1000, i = 0, before = 0;
		for (; i < 60; i++) frames.push(frame(++tick, 10 * tick), 1, i / 60);
		let least = Infinity, most = -Infinity;
		for (let n = 0; n < 40 * every; n++, i++) {
			if (n % every === 0) tick++;
			assert.ok(frames.push(frame(tick, 10 * tick), 1, i / 60));
			frames.at((i + 0.5) / 60);
			if (n > 10 * every) {
				least = Math.min(least, frames.eye[0] - before);
				most = Math.max(most, frames.eye[0] - before);
			}
			before = frames.eye[0];
		}
		assert.ok(least > 0.6 * 10 / every && most < 1.6 * 10 / every, `one tick in ${every}: ${least} to ${most} a frame, not ${10 / every}`);
		for (let n = 0; n < 60; n++, i++) frames.push(frame(tick, -7), 1, i / 60);
		frames.at(i / 60);
		near([frames.eye[0]], [-7], "what was set while paused");
		for (let n = 0; n < 30; n++, i++) frames.push(frame(++tick, 10 * tick), 1, i / 60);
		frames.at(i / 60);
		assert.ok(Math.abs(frames.eye[0] - 10 * tick) <= 20, `resumed: ${frames.eye[0]} at ${10 * tick}`);
	}
});

test("a burst and a wrapped tick are one movement; a jump is none", () => {
	const frames = new Frames(), wrap = 1 << 24;
	for (let i = 0; i < 4; i++) frames.push(frame((wrap - 2 + i) % wrap, i, Math.PI - 0.1), 1, 1);
	assert.equal(frames.ring.length, 4, "ticks that came together are kept");
	frames.push(frame(2, 5000), 1, 1.02);
	frames.at(1.03);
	assert.ok(frames.eye[0] <= 3 || frames.eye[0] === 5000, `no sliding through ${frames.eye[0]}`);
	frames.push(frame(1, 0), 1, 1.03);
	assert.equal(frames.ring.length, 1, "an earlier tick is another match");
	assert.equal(frames.push(frame(2, 0), 2, 1.04), false, "a frame that is too short is refused");
});

test("names and reasons", () => {
	assert.equal(wrongName(""), "");
	assert.equal(wrongName("Ann"), "");
	for (const name of ["a?b", "a=b", "a\nb", "ä".repeat(17)]) assert.notEqual(wrongName(name), "", JSON.stringify(name));
	assert.equal(codeOf("host refused: the match is full (full)"), "full");
	assert.match(adviceFor("host refused: the match is full (full)"), /leaves/);
	assert.match(adviceFor("something else (constructor)"), /Join/);
});

const finite = (list) => [...list].every((v) => Number.isFinite(v));

test("a body keeps its bones' lengths and its feet above the floor, however it moves and aims", () => {
	const pose = new Pose(), state = new State(), h = 96;
	const far = (a, b) => Math.hypot(...[0, 1, 2].map((k) => pose.at[3 * a + k] - pose.at[3 * b + k]));
	let stepped = 0, last = 0;
	for (let i = 0; i < 400; i++) {
		state.follow(i % 40, (i % 100) - 50, -440, 1 / 60, i > 300);
		pose.make(state, h, i % 30, Math.sin(i) * 1.5, true);
		assert.ok(finite(pose.at), `numbers at ${i}`);
		for (const [a, b, share] of [[HIP, KNEE, 0.26], [KNEE, FOOT, 0.26], [LEFT_HIP, LEFT_KNEE, 0.26], [LEFT_KNEE, LEFT_FOOT, 0.26]]) {
			assert.ok(Math.abs(far(a, b) - share * h) < 0.01 * h, `bone ${a}-${b} at ${i}: ${far(a, b)}`);
		}
		for (const foot of [FOOT, LEFT_FOOT]) assert.ok(pose.at[3 * foot + 1] > -0.05 * h, `a foot at ${pose.at[3 * foot + 1]}`);
		if (i < 300 && Math.sign(pose.at[3 * FOOT + 2]) !== Math.sign(last)) stepped++;
		last = pose.at[3 * FOOT + 2];
	}
	assert.ok(stepped > 10, `the feet swing: ${stepped}`);
	assert.ok(pose.fall > 0.99, "the dead fall");
	state.follow(0, 0, 0, 1 / 60, false);
	pose.make(state, h, 0, 1.2, true);
	const up = pose.at[3 * HAND + 1];
	pose.make(state, h, 0, -1.2, true);
	assert.ok(up > pose.at[3 * HAND + 1] + 0.2 * h, "hands go up with the aim");
	assert.equal(pose.fall, 0);
});

test("particles are bounded, move and end", () => {
	const p = new Particles(4);
	for (let i = 0; i < 9; i++) {
		const k = p.add();
		p.life[k] = 1 + i / 10;
		p.age[k] = 0;
		p.speed[3 * k + 1] = 10;
	}
	assert.equal(p.count, 4, "no more than there is room for");
	p.step(0.5);
	assert.ok(p.place[1] > 4.9 && p.place[1] < 5.1, "they move");
	p.step(10);
	assert.equal(p.count, 0, "they end");
});

test("an effect of a server is kept within bounds", () => {
	const e = effectOf({
		life: 1e9, particles: [...Array(100)].map(() => ({ shape: "constructor", burst: 1e9, rate: NaN, life: [-1, 1e9], size: "x", color: [{}, 7], speed: [Infinity, 0], spread: 1e9 })), beam: {}, light: { radius: 1e9 }, shake: { amount: 1e9 },
	});
	assert.ok(e.particles.length <= 8 && e.life <= 10);
	for (const p of e.particles) assert.ok(p.burst <= 200 && p.rate === 0 && p.life[0] > 0 && p.life[1] <= 10 && finite(p.size) && finite(p.speed) && p.spread <= Math.PI && Number.isInteger(p.shape));
	assert.ok(e.light.radius <= 5000 && e.shake.amount <= 20);
	assert.deepEqual(effectOf({ particles: null, beam: 3 }).particles, []);
});

test("a sound is made of its layers, the same every time, and ends without a click", () => {
	const shot = {
		synth: { duration: 0.3 },
		layer: [{ wave: "noise", decay: 0.2, filter: "lowpass", cutoff: [8000, 300] }, { wave: "sine", frequency: [160, 48], decay: 0.1 }],
	};
	const a = synthesize(shot, 24000), b = synthesize(shot, 24000);
	assert.equal(a.length, 7200);
	assert.deepEqual(a, b);
	assert.ok(finite(a) && Math.max(...a) > 0.1 && Math.max(...a.map(Math.abs)) <= 1);
	assert.ok(Math.abs(a[a.length - 1]) < 0.01, "no click at the end");
	const low = synthesize({ ...shot, layer: [{ ...shot.layer[0], cutoff: [200, 200] }] }, 24000), high = synthesize({ ...shot, layer: [{ ...shot.layer[0], filter: "none" }] }, 24000);
	const rough = (s) => s.reduce((sum, v, i) => sum + (i ? Math.abs(v - s[i - 1]) : 0), 0);
	assert.ok(rough(low) < rough(high) / 4, "a lowpass takes the hiss");
	for (const data of [{}, { synth: { duration: 1e9 }, layer: [{ wave: "no", q: 0, cutoff: [0, NaN], frequency: [-5, 1e12], attack: -1, volume: 1e9 }] }, { layer: "x" }]) assert.ok(finite(synthesize(data, 8000)));
});

test("looks of a server are kept within bounds; parts with a joint hang on the body", () => {
	const odd = new Look(1, {}, { shape: "constructor", size: [NaN, -1, 1e12], parts: [null, 3, { shape: "box", size: "x", at: [1e99, 0, 0] }, ...Array(100).fill({ shape: "box" })], light: [], on: 5, spin: "x" });
	assert.ok(odd.solid === null || finite(odd.solid.getAttribute("position").array));
	assert.ok(odd.solid.getAttribute("position").count <= 36 * 32, "no more parts than there may be");
	assert.equal(odd.lamp, null);
	const sized = new Look(2, "Crate", { shape: "box", size: { p: 0 }, color: { p: 1 } });
	assert.ok(sized.loose.length === 1 && !sized.solid, "a shape with parameters is drawn by itself");
	assert.deepEqual(valueOf({ p: 1 }, [1, "#ff0000"]), "#ff0000");
	assert.equal(valueOf({ p: 7 }, [1]), undefined);
	const body = new Look(3, "Pawn", { body: "humanoid", parts: [{ shape: "cone", joint: "head" }, { shape: "box" }] });
	assert.equal(body.joints.length, 1);
	assert.equal(new Look(4, "x", { shape: "none" }).solid, null);
	const clear = new Look(5, "Ghost", { shape: "sphere", size: [9, 9, 9], opacity: 0.4, parts: [{ shape: "box" }] });
	assert.ok(clear.clear && clear.solid, "what is seen through is drawn by itself");
	assert.ok(finite(firstOf(new Look(6, "Gun", { first: { shape: "box", at: [NaN, 1e9, 0] } })).at));
});

test("values of an actor reach every key of a part, and its light", () => {
	const look = new Look(1, "Lamp", {
		shape: "box", color: "#ff0000", light: { color: { p: 2 }, radius: { p: 3 } },
		parts: [{ shape: { p: 0 }, size: { p: 1 }, color: { p: 2 }, glow: { p: 4 }, opacity: 0.5, at: [0, 0, 9] }, { shape: "box", color: "#00ff00" }],
	});
	assert.equal(look.solid.getAttribute("position").count, 72, "what is constant is one geometry");
	assert.equal(look.loose.length, 1);
	const [part] = look.loose, params = ["sphere", [2, 4, 6], "#0000ff", 70, 1];
	const { geometry, clear } = part.form(params);
	assert.ok(clear && geometry.getAttribute("glow").array[0] === 1 && geometry.getAttribute("color").array[3] === 0.5);
	const target = { compose(at, rotation, size) { return [at.toArray(), size.toArray()]; } };
	assert.deepEqual(part.matrix(params, target), [[0, 9, -0], [4, 6, 2]]);
	assert.equal(part.color(params, vector()).v[0], "#0000ff");
	assert.equal(look.lampFor(params).radius, 70);
	assert.equal(look.lampFor(["x"]).radius, 200, "what is missing is as if it had not been said");
	// A server may change its mind in every tick.
	for (let i = 0; i < 1000; i++) part.form([`shape ${i}`, null, 7, {}, Math.random() * 4 - 2]);
	assert.ok(part.forms.size <= 48);
	assert.equal(part.form(["constructor", [NaN, "x", -1]]), null);
});

test("a wheel rolls with the way, whatever its radius is said to be, and parts that turn are drawn by themselves", () => {
	const look = new Look(1, "Cart", { shape: "box", spin: 90, parts: [{ shape: "cylinder", wheel: 20 }, { shape: "box", wheel: { p: 0 } }, { shape: "box" }, { shape: "cone", spin: 90 }] });
	assert.ok(look.rolls && look.loose.length === 3 && look.loose.every((l) => l.turns));
	const angle = () => ({ setFromAxisAngle(_, angle) { return Object.assign(this, { angle }); }, premultiply(q) { return Object.assign(this, { about: q }); } });
	assert.equal(look.loose[0].turn([], 0, 40, angle()).angle, -2, "forwards: its top goes forwards");
	for (const radius of [undefined, 0, -3, NaN, "x", 1e9]) assert.ok(Math.abs(look.loose[1].turn([radius], 0, 40, angle()).angle) < 0.1);
	assert.ok(look.loose[2].turn([], 1, 0, angle()).about, "spin is about its own middle");
	assert.ok(!new Look(2, "Crate", { shape: "box", spin: 9, parts: [{ shape: "box" }] }).rolls);
});

test("a montage moves the bones that its curves name, and kicks the weapon", () => {
	const slash = {
		length: 1, rate: 2, blend_in: 0.2, blend_out: 0,
		curves: [{ name: "Box.head.X", keys: [[0, 0], [0.5, 20]] }, { name: "hand.Z", step: true, keys: [[0, 5], [0.5, 9]] }, { name: "Recoil", keys: [[0, 1], [1, 0]] }, { name: "RootX", keys: [[0, 50]] }],
	};
	const clips = new Clips(), state = new State(), pose = new Pose();
	clips.define("animations/slash.toml", slash);
	const still = (frames) => {
		for (let i = 0; i < frames; i++) state.follow(0, 0, 0, 1 / 100, false);
		pose.make(state, 96, 0, 0, true);
		return [...pose.at];
	};
	const before = still(1);
	state.montage.play(clips.find("animations/slash.toml"));
	const during = still(25); // 0.5 s of the animation, which plays at twice its speed
	assert.ok(Math.abs(during[3 * HEAD + 2] - before[3 * HEAD + 2] + 20) < 0.1, "the head goes forward with its hit box");
	assert.ok(Math.abs(during[3 * CHEST + 2] - before[3 * CHEST + 2]) < 1e-4, "what no curve names stays");
	assert.ok(during[3 * HAND + 1] > before[3 * HAND + 1] + 3, "the hand goes up");
	assert.ok(Math.abs(state.recoil - 0.5) < 0.01);
	assert.deepEqual(still(60), before, "it ends");
	assert.equal(state.recoil, 0);
	state.montage.play(clips.find("animations/slash.toml"));
	still(10);
	state.montage.play(null);
	assert.deepEqual(still(1), before, "one of which nothing is seen ends it");
	clips.define("animations/slash.toml", null);
	assert.equal(clips.find("animations/slash.toml"), null);
});

test("an animation of a server is kept within bounds", () => {
	assert.equal(clipOf({}), null);
	assert.equal(clipOf({ curves: [null, 7, { name: {}, keys: "x" }, { name: "head.X", keys: [] }, { name: "toString.X", keys: [[0, 1]] }] }), null);
	const odd = clipOf({ length: 1e99, rate: -1, blend_in: "x", curves: Array(500).fill({ name: "head.X", keys: [[NaN, Infinity], [5, 1e9], [1, -1e9], null] }) });
	assert.ok(odd.moves.length <= 64 && odd.length <= 600 && odd.rate > 0);
	for (const { curve } of odd.moves) assert.ok(finite(curve.values) && curve.values.every((v) => Math.abs(v) <= 200) && curve.times.every((t, i) => !i || t >= curve.times[i - 1]));
	const m = new Montage();
	m.play(odd);
	for (let i = 0; i < 100; i++) m.step(1);
	assert.ok(finite(m.offsets));
	const clips = new Clips();
	for (let i = 0; i < 3000; i++) clips.define(`animations/${i}.toml`, { curves: [{ name: "Recoil", keys: [[0, 1]] }] });
	assert.ok(clips.known.size <= 1024);
});

test("patterns of textures match as a person reads them, and never take long", () => {
	for (const [pattern, name, want] of [["brick*", "Brick4", true], ["*/floor?", "stone/floor1", false], ["*floor*", "stone/floor1", true], ["a.c", "abc", false], ["", "", true], ["*", "x", true], ["b", "brick", false], ["*b", "aab", true], ["a*b*c", "a1b2b3c", true], ["a*b*c", "a1c2b", false]]) {
		assert.equal(new Glob(pattern).test(name), want, `${pattern} on ${name}`);
	}
	// A regular expression with so many stars would not come to an end.
	assert.equal(new Glob("a*".repeat(127) + "b").test("a".repeat(256)), false);
	assert.equal(new Glob({}).test(null), true);
});

// quad is two triangles of three.js's axes, from corners in order.
const quad = (a, b, c, d) => [...a, ...b, ...c, ...a, ...c, ...d];

// random gives numbers from 0 to 1, the same every time.
function random(seed) {
	return () => ((seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32);
}

test("what stops sight is found as if every triangle was tried", () => {
	const next = random(7), n = 300, p = new Float32Array(9 * n);
	for (let i = 0; i < n; i++) {
		const middle = [0, 1, 2].map(() => 1000 * next());
		for (let k = 0; k < 9; k++) p[9 * i + k] = middle[k % 3] + 250 * next();
	}
	const all = new Solid(p), each = Array.from({ length: n }, (_, i) => new Solid(p.slice(9 * i, 9 * i + 9)));
	let stopped = 0;
	for (let i = 0; i < 300; i++) {
		const ray = Array.from({ length: 6 }, (_, k) => (k < 3 ? 1000 * next() : 2000 * next() - 1000));
		if (i % 3 === 0) ray[3] = ray[4] = 0;
		const want = Math.min(...each.map((one) => one.free(...ray)));
		assert.equal(all.free(...ray), want);
		if (want < 1) stopped++;
	}
	assert.ok(stopped > 50 && stopped < 300, `${stopped} rays are stopped`);
	assert.equal(new Solid(new Float32Array(0)).free(0, 0, 0, 1, 1, 1), 1, "nothing stops nothing");
	// All in one place: the tree must not become too deep.
	assert.equal(new Solid(new Float32Array(9 * 5000).map((_, i) => [0, 0, 0, 1, 0, 0, 0, 1, 0][i % 9])).free(0.2, 0.2, 1, 0, 0, -2), 0.5);
});

test("large faces are divided so that neighbors meet, and keep their surface", () => {
	const p = new Float32Array([...quad([0, 0, 0], [1000, 0, 0], [1000, 0, 700], [0, 0, 700]), ...quad([0, 0, 0], [0, 300, 0], [1000, 300, 0], [1000, 0, 0])]);
	const uvs = new Float32Array(p.length / 3 * 2).map((_, i) => p[3 * (i >> 1) + (i & 1 ? 2 : 0)]), runs = [6, 6];
	const area = (q) => {
		let sum = 0;
		for (let i = 0; i < q.length; i += 9) {
			const [a, b] = [3, 6].map((k) => [0, 1, 2].map((c) => q[i + k + c] - q[i + c]));
			sum += Math.hypot(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]) / 2;
		}
		return sum;
	};
	const [q, uv] = divide([[p, 3], [uvs, 2]], runs, 100);
	assert.ok(Math.abs(area(q) - area(p)) < 1);
	assert.equal(3 * (runs[0] + runs[1]), q.length);
	const corners = [new Set(), new Set()];
	for (let i = 0; i < q.length / 3; i++) {
		const t = 9 * Math.floor(i / 3), next = t + 3 * ((i + 1) % 3);
		assert.ok(Math.hypot(q[3 * i] - q[next], q[3 * i + 1] - q[next + 1], q[3 * i + 2] - q[next + 2]) <= 100.01, "no edge is longer");
		assert.ok(Math.abs(uv[2 * i] - q[3 * i]) < 1e-3, "what belongs to a corner goes with it");
		if (q[3 * i + 1] === 0 && q[3 * i + 2] === 0) corners[i < runs[0] ? 0 : 1].add(q[3 * i]);
	}
	assert.deepEqual([...corners[0]].sort(), [...corners[1]].sort(), "both faces have the same corners where they meet");
	const huge = new Float32Array(quad([0, 0, 0], [1e6, 0, 0], [1e6, 0, 1e6], [0, 0, 1e6]));
	assert.ok(divide([[huge, 3]], [6], edge(huge))[0].length / 9 < 120000, "a large level has longer edges");
	assert.ok(divide([[huge, 3]], [6], 1)[0].length / 9 <= 240000, "there is an end to it");
	assert.equal(divide([[new Float32Array(9).fill(NaN), 3]], [3], 64)[0].length, 9);
});

test("a corner between walls is darker than the open floor, whatever the slices", () => {
	const p = new Float32Array([...quad([0, 0, 0], [0, 0, 1000], [1000, 0, 1000], [1000, 0, 0]), ...quad([0, 0, 0], [0, 500, 0], [0, 500, 1000], [0, 0, 1000])]);
	const normals = p.map((_, i) => (i < 18 ? [0, 1, 0] : [1, 0, 0])[i % 3]), runs = [6, 6];
	const [q, n] = divide([[p, 3], [normals, 3]], runs, 64), solid = new Solid(p);
	const whole = new Shading(q, n, solid), sliced = new Shading(q, n, solid);
	assert.ok(whole.step(1, () => 0), "a clock that stands still lets it finish");
	let slices = 0, now = 0;
	while (!sliced.step(1, () => (now += 1))) slices++;
	assert.ok(slices > 10);
	assert.deepEqual(sliced.shades, whole.shades);
	const at = (x, z) => {
		let best = 0, least = Infinity;
		for (let i = 0; i < runs[0]; i++) {
			const d = Math.hypot(q[3 * i] - x, q[3 * i + 2] - z);
			if (d < least) [best, least] = [i, d];
		}
		return whole.shades[best];
	};
	assert.equal(at(700, 500), 255, "open");
	assert.ok(at(0, 500) < 180, `at the wall: ${at(0, 500)}`);
	assert.ok(at(125, 500) > at(0, 500) && at(125, 500) < 255, "less so further away");
});

test("what lies around a level follows from the keys of its worldspawn", () => {
	const plain = surroundings({});
	assert.ok(Math.abs(plain.sunward.y - 0.82) < 0.01 && plain.fog === null && plain.water === null && plain.opacity === null);
	const own = surroundings({ sky_color: "#ff0000", fog_color: "0 255 0", fog_distance: "3000", sun_angles: "-90 0", water_color: "0 0 1", water_opacity: "0.5" });
	assert.deepEqual([own.zenith.getHexString(), own.horizon.getHexString(), own.water.getHexString()], ["ff0000", "00ff00", "0000ff"]);
	assert.ok(own.fog === 3000 && own.opacity === 0.5 && own.sunward.y > 0.999);
	const quake = surroundings({ fog: "0.05 0.5 0.5 0.5", _sun_mangle: "90 -45 0", wateralpha: "0.7" });
	assert.ok(quake.fog > 2000 && quake.fog < 3000 && quake.opacity === 0.7);
	near(quake.sunward.toArray(), [-Math.SQRT1_2, Math.SQRT1_2, 0], "the sun stands against the way its light falls, to the right of which is Y");
	for (const odd of [null, 7, { fog: "1 2", fog_distance: "-5", sky_color: "x".repeat(1e6), sun_angles: "NaN 1e999", water_opacity: {} }, { __proto__: null, fog: "1e-300 1 1 1", fog_distance: "1e300" }]) {
		const s = surroundings(odd);
		assert.ok((s.fog === null || s.fog <= 200000) && finite(s.sunward.toArray()) && finite(s.zenith.toArray()));
	}
});

const told = [
	{ name: "MoveForward", label: "Forward", negativeLabel: "Back", kind: "axis", keys: ["KeyW"], negative: ["KeyS"], buttons: ["ly"], touch: "stick-y" },
	{ name: "MoveUp", label: "Rise", kind: "axis", keys: ["Space"], negative: ["KeyC"], buttons: ["a"] },
	{ name: "Jump", label: "Jump", kind: "button", keys: ["Space"], buttons: ["a"], touch: "button" },
	{ name: "Fire", label: "Fire", kind: "button", keys: ["Mouse0"], buttons: ["rt"] },
	{ name: "NextWeapon", label: "Next", kind: "button", keys: ["WheelDown"], buttons: [] },
	{ name: "Horn", label: "Horn", kind: "button", keys: ["KeyH"], buttons: ["ls"], class: "Buggy" },
];

test("a player binds keys, sees what two actions share, and gets back what the match has", () => {
	const b = new Bindings(actionsOf(told), {});
	assert.deepEqual(b.keys.get("Space"), [{ index: 1, sign: 1 }, { index: 2, sign: 1 }]);
	assert.deepEqual(b.conflicts("Jump", "keys", "Space"), [], "what the match lets two actions share is no conflict");
	assert.equal(b.bind("Horn", "keys", 0, "KeyW"), "");
	assert.deepEqual(b.conflicts("Horn", "keys", "KeyW").map((a) => a.name), ["MoveForward"]);
	assert.deepEqual(b.conflicts("MoveForward", "keys", "KeyW").map((a) => a.name), ["Horn"]);
	assert.equal(b.keys.has("KeyH"), false);
	assert.equal(b.bind("Horn", "keys", 1, "Mouse1"), "");
	assert.deepEqual(b.own, { Horn: { keys: ["KeyW", "Mouse1"] } });
	b.unbind("Horn", "keys", "KeyW");
	b.unbind("Horn", "keys", "Mouse1");
	assert.deepEqual(b.own, { Horn: { keys: [] } }, "nothing is a choice, too");
	b.reset("Horn");
	assert.deepEqual(b.own, {});
	b.bind("Horn", "keys", 0, "KeyJ");
	b.bind("Horn", "keys", 0, "KeyH");
	assert.deepEqual(b.own, {}, "what is as the match has it need not be kept");
	for (const code of ["ControlLeft", "F5", "Escape"]) assert.match(b.bind("Horn", "keys", 0, code), /cannot be used/);
	assert.match(b.bind("Nothing", "keys", 0, "KeyJ"), /no such action/);
	for (let i = 1; i < 4; i++) assert.equal(b.bind("Horn", "keys", 9, `Digit${i}`), "");
	assert.match(b.bind("Horn", "keys", 9, "Digit9"), /at most 4/);
	b.reset();
	assert.equal(keyName("KeyW"), "W");
	assert.equal(keyName("KeyW", new Map([["KeyW", "z"]])), "Z", "what stands on the key");
	assert.equal(keyName("Mouse1"), "middle mouse");
});

test("actions of a server and keys from the store are kept within bounds", () => {
	const odd = actionsOf([null, 7, { name: "x" }, { name: "A".repeat(99) }, { name: "Ok", label: "l".repeat(999), keys: ["KeyA", 3, null, "ControlLeft", "__proto__", "KeyB", "KeyC", "KeyD", "KeyE"], buttons: ["a", "nope"], touch: {} }, ...Array(500).fill({ name: "More" })]);
	assert.equal(odd.length, 128, "the order stays, since values go by it");
	assert.equal(odd[0].name + odd[2].name + odd[3].name, "");
	assert.ok(odd[4].label.length <= 60);
	assert.deepEqual(odd[4].keys, ["KeyA", "KeyB", "KeyC", "KeyD"]);
	assert.deepEqual(odd[4].buttons, ["a"]);
	assert.deepEqual(actionsOf("no list"), []);
	assert.deepEqual(ownOf({ Fire: { keys: ["KeyF", "F5", 1], nope: 1 }, "bad name": { keys: [] }, Use: null }), { Fire: { keys: ["KeyF"] } });
	for (const none of [null, [], "x", 7]) assert.deepEqual(ownOf(none), {});
	for (const code of Object.keys(KEPT)) assert.ok(!new Bindings(actionsOf([{ name: "A", keys: [code] }]), {}).keys.has(code), code);
});

// page is as much of a page as Input listens to.
function page() {
	const none = () => {};
	globalThis.addEventListener = none;
	globalThis.document = { addEventListener: none, pointerLockElement: null };
	const calls = [];
	const input = new Input({ addEventListener: none, focus: none }, {
		act: (name) => calls.push(name), action: (name, down) => calls.push(`${name}${down ? "+" : "-"}`), changed: none, locked: none,
	}, {});
	input.setActions(5, told);
	input.setActive(true);
	const key = (code, more) => ({ code, preventDefault: none, ...more });
	return { input, calls, key };
}

test("keys, the wheel and a gamepad are values of actions, in the order of the match", () => {
	const { input, calls, key } = page();
	const values = () => input.state().actions;
	assert.deepEqual({ ...input.state() }, { set: 5, actions: [0, 0, 0, 0, 0, 0], yaw: 0, pitch: 0 });
	input.key(key("KeyW"), true);
	input.key(key("Space"), true);
	assert.deepEqual(values(), [1, 1, 1, 0, 0, 0]);
	input.key(key("KeyS"), true);
	for (let i = 0; i < 3; i++) input.ticked();
	assert.deepEqual(values(), [0, 1, 1, 0, 0, 0], "both ways are none");
	for (const code of ["KeyW", "KeyS", "Space"]) input.key(key(code), false);
	assert.deepEqual(values(), [0, 0, 0, 0, 0, 0]);
	// A tap between two ticks lasts for two.
	input.key(key("KeyH"), true);
	input.key(key("KeyH"), false);
	assert.equal(values()[5], 1);
	input.ticked();
	assert.equal(values()[5], 1);
	input.ticked();
	assert.equal(values()[5], 0);
	// A notch of the wheel is a press, and the next one another.
	input.turnWheel({ deltaY: 9, preventDefault() {} });
	input.turnWheel({ deltaY: 9, preventDefault() {} });
	let presses = 0, last = 0;
	for (let i = 0; i < 30; i++) {
		input.ticked();
		const now = values()[4];
		presses += now && !last ? 1 : 0;
		last = now;
	}
	assert.equal(presses, 2);
	// What belongs to the browser, and what is bound to nothing, is left alone.
	let kept = 0;
	input.key(key("KeyW", { ctrlKey: true, preventDefault: () => kept++ }), true);
	input.key(key("KeyQ", { preventDefault: () => kept++ }), true);
	assert.equal(kept + values()[0], 0);
	calls.length = 0;
	input.key(key("F3"), true);
	input.key(key("Escape"), true);
	input.key(key("KeyH"), true);
	input.setActive(false);
	assert.deepEqual(calls, ["numbers", "menu", "Horn+", "Horn-"], "what is held is let go");
	assert.deepEqual(values(), [0, 0, 0, 0, 0, 0]);
	// Another set of actions: what is still held counts where it stands now.
	input.setActive(true);
	input.key(key("KeyH"), true);
	input.setActions(6, [told[5], told[0]]);
	assert.deepEqual(input.state().actions, [1, 0]);
	assert.equal(input.state().set, 6);
});

test("a gamepad has a dead zone, a curve and triggers, and turns the view by time", () => {
	assert.deepEqual(stick(0.1, 0.1), [0, 0]);
	assert.deepEqual(stick(NaN, 1), [0, 0]);
	near(stick(0, 1), [0, 1], "all of it");
	near(stick(1, 1).map((v) => v * Math.SQRT2), [1, 1], "round");
	assert.ok(stick(0.5, 0, 1.7)[0] < stick(0.5, 0)[0], "fine in the middle");
	const button = (value) => ({ value, pressed: value > 0.9 });
	const pad = { connected: true, mapping: "standard", id: "p", buttons: [button(1), button(0), button(0), button(0), button(0), button(0), button(0), button(0.5)], axes: [0, -1, 1, 0] };
	assert.equal(padOf([null, { connected: true, mapping: "" }, pad]), pad);
	assert.equal(padOf(undefined), null);
	const now = read(pad, 0.1, 1);
	assert.deepEqual([...now.down], ["a", "rt"]);
	assert.equal(now.axes.ly, 1, "up is forwards");
	assert.ok(now.look[0] > 0.1 && now.look[1] === 0 && read(pad, 0.2, 1).look[0] > 1.9 * now.look[0]);
	const { input } = page();
	Object.defineProperty(globalThis, "navigator", { value: { getGamepads: () => [pad] }, configurable: true });
	input.poll(0.1);
	assert.deepEqual(input.state().actions, [1, 1, 1, 1, 0, 0]);
	assert.ok(input.yaw > 0.1);
	pad.axes[1] = -0.58;
	pad.buttons[0] = button(0);
	input.poll(0);
	for (let i = 0; i < 3; i++) input.ticked();
	const [forward, , jump] = input.state().actions;
	assert.ok(forward > 0.4 && forward < 0.7 && jump === 0);
});

test("settings and keys are kept where the browser keeps something, and read with care", () => {
	const kept = new Map();
	globalThis.localStorage = { getItem: (k) => kept.get(k) ?? null, setItem: (k, v) => kept.set(k, v) };
	assert.equal(settings().quality, "auto");
	kept.set("tidelock.settings", JSON.stringify({ quality: "best", palette: "nope", volume: 7, captions: "yes", fov: 100, motion: "reduced", name: "a?b" }));
	const { quality, palette, volume, captions, fov, motion, name } = settings();
	assert.deepEqual([quality, palette, volume, captions, fov, motion, name], ["best", "match", 0.8, false, 100, "reduced", ""]);
	assert.ok(keepBindings({ Fire: { keys: ["KeyF"] } }));
	assert.deepEqual(bindings(), { Fire: { keys: ["KeyF"] } });
	for (const odd of ["[1]", "null", "{", JSON.stringify({ x: "y".repeat(1 << 17) })]) {
		kept.set("tidelock.bindings", odd);
		assert.deepEqual(bindings(), {});
	}
	globalThis.localStorage = { getItem() { throw new Error("blocked"); }, setItem() { throw new Error("blocked"); } };
	assert.equal(keepBindings({}), false);
	assert.equal(settings().fov, 90);
	const key = Uint8Array.from({ length: 32 }, (_, i) => 7 * i);
	assert.deepEqual(keyOf(` ${keyText(key)}\n`), key);
	for (const text of ["", "tidelock-key:", "tidelock-key:AAAA", keyText(key).slice(0, -2), `${keyText(key)}x`]) assert.equal(keyOf(text), null);
});

test("what ended a match is said in words, with what to do and where", () => {
	const why = explain("here refused: the password is wrong or missing (password)");
	assert.deepEqual(why, { title: "Wrong password", text: "here refused: the password is wrong or missing", advice: "This host has a password. Type it below and press Join again.", field: "password" });
	assert.equal(explain("here refused: the server wants a connect token (token_needed)").field, "token");
	for (const code of ["version", "full", "banned", "not_whitelisted", "kick", "kicked", "replaced", "timeout", "lost", "offences", "stopping", "draining"]) {
		const { title, advice } = explain(`what happened (${code})`);
		assert.ok(title && advice && title !== "That did not work", code);
	}
	assert.match(explain("here: the connection ended: too loud (kick)").text, /too loud/);
	assert.equal(explain("The client failed. Load the page again.").advice, "", "the line says it already");
	assert.ok(explain("x (__proto__)").title);
});

test("the join screen shows how far a build is, and why there is no client", () => {
	const part = () => ({ removeAttribute: () => (bar.value = null) }), [title, bar, detail] = [part(), part(), part()];
	const box = { children: [title, bar, detail], classList: { toggle: (name, on) => (box[name] = on) } };
	globalThis.document = { getElementById: () => box };
	const show = (...client) => JoinScreen.prototype.client.call({}, ...client);
	show("building", "linking", 0, 0, 0.4);
	assert.ok(box.hidden, "nothing is compiled: over at once");
	show("building", "compiling, 6 of 24 packages", 6, 24, 0.6);
	assert.deepEqual([box.hidden, bar.hidden, bar.value, bar.max, detail.textContent], [false, false, 6, 24, "compiling, 6 of 24 packages, 1 s"]);
	show("building", "linking", 0, 0, 30);
	assert.deepEqual([box.hidden, bar.value], [false, null], "how far is unknown");
	show("failed", "install Go", 0, 0, 0);
	assert.deepEqual([box.hidden, box.failed, bar.hidden, detail.textContent], [false, true, true, "install Go"]);
	show("ready", "", 0, 0, 31);
	assert.ok(box.hidden);
	delete globalThis.document;
});

const tick = () => new Promise((done) => setImmediate(done));

test("art is fetched by its hash once, four at a time, and what is not as promised is not shown", async () => {
	const asked = [], said = [], open = [];
	const art = new Art((line) => said.push(line), (path) => {
		asked.push(path);
		return new Promise((answer) => open.push(answer));
	});
	const hash = (c) => c.repeat(64);
	assert.equal(art.define("models/a.glb", { hash: hash("a"), size: 3 }), true);
	assert.equal(art.define("models/a.glb", { hash: hash("a"), size: 3 }), false, "the same again");
	for (const data of [{ hash: "../x", size: 3 }, { hash: hash("g"), size: 3 }, { hash: hash("b"), size: 0 }, { hash: hash("b"), size: "3" }, null, 7]) art.define("models/b.glb", data);
	assert.equal(art.hash("models/b.glb"), "");
	assert.equal(await art.bytes("models/b.glb"), null);
	const first = art.bytes("models/a.glb");
	assert.equal(art.bytes("models/a.glb"), first);
	for (const c of "bcdef") art.define(`images/${c}.png`, { hash: hash(c), size: 3 });
	const rest = [..."bcdef"].map((c) => art.bytes(`images/${c}.png`));
	await tick();
	assert.deepEqual(asked, [..."abcd"].map((c) => `/files/${hash(c)}`));
	open[0]({ ok: true, arrayBuffer: async () => new ArrayBuffer(3) });
	open[1]({ ok: true, arrayBuffer: async () => new ArrayBuffer(4) });
	open[2]({ ok: false, status: 404 });
	await tick();
	await tick();
	assert.equal(asked.length, 6);
	for (const answer of open.slice(3)) answer({ ok: true, arrayBuffer: async () => new ArrayBuffer(3) });
	const got = await Promise.all([first, ...rest]);
	assert.deepEqual(got.map((b) => b?.byteLength ?? null), [3, null, null, 3, 3, 3]);
	assert.equal(said.length, 2);
	assert.match(said.sort()[0], /images\/b.png could not be fetched: 4 bytes came, 3 were promised/);
	for (let i = 0; i < 2000; i++) art.define(`models/${i}.glb`, { hash: hash("a"), size: 3 });
	assert.ok(art.known.size <= 512);
});

test("a model of a server is judged before anything is made of it", () => {
	const glb = (file, magic = 0x46546c67, version = 2) => {
		const json = typeof file === "string" ? file : JSON.stringify(file), bytes = new ArrayBuffer(20 + json.length), view = new DataView(bytes);
		[magic, version, bytes.byteLength, json.length, 0x4e4f534a].forEach((v, i) => view.setUint32(4 * i, v, true));
		new Uint8Array(bytes).set(new TextEncoder().encode(json), 20);
		return bytes;
	};
	assert.equal(judge(glb({ asset: { version: "2.0" } })), "");
	assert.match(judge(new ArrayBuffer(3)), /no glTF binary/);
	assert.match(judge(glb({}, 1)), /no glTF binary/);
	assert.match(judge(glb("{")), /cannot be read/);
	assert.match(judge(glb({ buffers: [{ uri: "https://elsewhere.example/x.bin" }] })), /refers to other files/);
	assert.match(judge(glb({ images: [{ uri: "x.png" }] })), /refers to other files/);
	assert.match(judge(glb({ extensionsRequired: ["KHR_draco_mesh_compression"] })), /needs KHR_draco/);
	assert.match(judge(glb({ accessors: [{ count: 1e9 }], meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }] })), /corners/);
	assert.match(judge(glb({ nodes: new Array(2000).fill({}) })), /nodes/);
	for (const odd of [null, 7, [], { meshes: 3, nodes: {}, buffers: "x" }]) assert.equal(typeof judge(glb(odd)), "string");
});

// dog is a watchdog whose worker answers or not, and what it called.
function dog(answers) {
	const said = [];
	const w = new Watchdog({
		ask: () => answers() && w.heard(),
		late: (s) => said.push(`late ${s}`), back: () => said.push("back"), gone: (s) => said.push(`gone ${s}`),
	});
	const pass = (ms) => { for (let t = 0; t < ms; t += EVERY) w.tick(); };
	return { w, said, pass };
}

test("a worker that hangs is told of, and ended", () => {
	const { w, said, pass } = dog(() => false);
	w.start();
	pass(WARN);
	assert.deepEqual(said, [], "not before its time");
	pass(EVERY);
	assert.deepEqual(said, [`late ${WARN / 1000}`]);
	pass(END);
	assert.deepEqual(said, [`late ${WARN / 1000}`, `gone ${END / 1000}`], "once each");
	pass(2 * END);
	assert.equal(said.length, 2, "an ended worker is watched no more");
});

test("a worker that answers is left alone, and one that comes back is welcome", () => {
	let answers = true;
	const { w, said, pass } = dog(() => answers);
	pass(2 * END);
	w.start();
	pass(2 * END);
	assert.deepEqual(said, []);
	answers = false;
	pass(WARN + 2 * EVERY);
	answers = true;
	pass(END);
	assert.deepEqual(said, [`late ${WARN / 1000}`, "back"]);
});

test("whatever the worker says is an answer", () => {
	const { w, said, pass } = dog(() => false);
	w.start();
	for (let i = 0; i < 100; i++) {
		pass(WARN - EVERY);
		w.heard(); // a frame
	}
	assert.deepEqual(said, []);
});

test("Play takes a host with room, the label and the lowest ping", () => {
	const host = (id, more) => ({ id, name: id, web: `http://${id}`, labels: [], players: 0, room: 1, draining: false, private: false, ...more });
	const pings = new Map([["a", 30], ["b", 10], ["c", 20], ["full", 1], ["draining", 1], ["locked", 1], ["bare", 1]]);
	const hosts = [
		host("a", { labels: ["eu"] }), host("b"), host("c", { labels: ["eu"] }), host("silent", { labels: ["eu", "far"] }), host("full", { room: 0, labels: ["eu"] }),
		host("draining", { draining: true, labels: ["eu"] }), host("locked", { private: true, labels: ["eu", "locked"] }), host("bare", { web: "", labels: ["eu", "bare"] }),
	];
	for (const [label, want] of [["", "b"], ["eu", "c"], ["far", "silent"], ["locked", "locked"], ["bare", undefined], ["none", undefined]]) assert.equal(best(hosts, label, pings, "a")?.id, want, label);
	assert.equal(best(hosts, "bare", pings, "bare")?.id, "bare", "this host needs no page");
});
