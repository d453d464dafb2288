// Checks of the page's parts that need no browser: node --test, without npm.

import assert from "node:assert/strict";
import test from "node:test";
import { ACTOR, Frames, OWN, TICK, TIME, VIEW, VIEW_YAW } from "../page/frames.js";
import { between, extents, orient, place, places, turn } from "../page/space.js";
import { adviceFor, codeOf } from "../page/words.js";
import { wrongName } from "../page/store.js";

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
