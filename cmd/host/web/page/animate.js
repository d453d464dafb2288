// Montages of bodies and weapons (W3.4): the visible curves of content/animations.
//
// A curve `Recoil` kicks the weapon, as a share of the full kick. A curve `BONE.X`, `.Y` or `.Z` moves a bone
// by so many uu forward, right or up from its pose; so does `Box.BONE.X`, which moves the hit box of that name
// on the server, so that shots hit what is visible. Bones are head, chest, hips, hand, leftHand, foot and
// leftFoot. Other curves are for scripts. Nothing here depends on three.js.

import { number, text } from "./bounds.js";

// Bounds of a file, which comes from a server: files, curves of one, keys of one.
const maxClips = 1024, maxCurves = 64, maxKeys = 512;
// longest is the longest animation that is played, in seconds; farthest how far a curve moves a bone, in uu.
const longest = 600, farthest = 200;

export const bones = ["head", "chest", "hips", "hand", "leftHand", "foot", "leftFoot"];
const axes = ["X", "Y", "Z"];

// curveOf returns a curve with numbers within bounds, null for one without keys.
function curveOf(data, most) {
	const times = [], values = [];
	for (const key of Array.isArray(data.keys) ? data.keys.slice(0, maxKeys) : []) {
		if (!Array.isArray(key)) continue;
		const last = times.length ? times[times.length - 1] : 0;
		times.push(Math.max(last, number(key[0], 0, longest, last)));
		values.push(number(key[1], -most, most, 0));
	}
	return times.length ? { times, values, step: data.step === true } : null;
}

// valueAt returns a curve's value at a time, in seconds: linear between the keys, or stepped.
export function valueAt(curve, time) {
	const { times, values, step } = curve;
	let i = 0;
	while (i < times.length && times[i] <= time) i++;
	if (i === 0) return values[0];
	if (i === times.length || step) return values[i - 1];
	const span = times[i] - times[i - 1];
	return values[i - 1] + (values[i] - values[i - 1]) * ((time - times[i - 1]) / span);
}

// clipOf returns the animation described by the worker, null for one without visible curves.
export function clipOf(data) {
	const clip = { length: number(data.length, 0.01, longest, 1), rate: number(data.rate, 0.01, 100, 1), in: number(data.blend_in, 0, 10, 0), out: number(data.blend_out, 0, 10, 0), recoil: null, moves: [] };
	for (const c of Array.isArray(data.curves) ? data.curves.slice(0, maxCurves) : []) {
		if (c === null || typeof c !== "object") continue;
		const name = text(c.name);
		if (name === "Recoil") {
			clip.recoil = curveOf(c, 4);
			continue;
		}
		const [, bone, axis] = /^(?:Box\.)?(\w+)\.([XYZ])$/.exec(name) ?? [];
		const at = bones.indexOf(bone), curve = at < 0 ? null : curveOf(c, farthest);
		if (curve) clip.moves.push({ at: 3 * at + axes.indexOf(axis), curve });
	}
	return clip.recoil || clip.moves.length ? clip : null;
}

// Clips are the animations by the names of their files.
export class Clips {
	constructor() {
		this.known = new Map();
	}

	// define adds a file; null removes it.
	define(name, data) {
		const clip = data !== null && typeof data === "object" ? clipOf(data) : null;
		if (!clip) this.known.delete(name);
		else if (this.known.size < maxClips || this.known.has(name)) this.known.set(name, clip);
	}

	find(name) {
		return this.known.get(name) ?? null;
	}

	clear() {
		this.known.clear();
	}
}

// Montage is the animation of a body: only the latest one, as in Unreal's default slot. recoil is a share;
// offsets are uu forward, right and up of each bone.
export class Montage {
	constructor() {
		this.clip = null;
		this.time = 0;
		this.recoil = 0;
		this.offsets = new Float32Array(3 * bones.length);
	}

	// play begins a clip; null is one without visible curves, which still ends the present one.
	play(clip) {
		this.clip = clip;
		this.time = 0;
		this.recoil = 0;
		this.offsets.fill(0);
	}

	// step advances by dt seconds.
	step(dt) {
		const clip = this.clip;
		if (!clip) return;
		this.time += dt * clip.rate;
		if (this.time >= clip.length) {
			this.play(null);
			return;
		}
		const share = Math.min(1, clip.in ? this.time / clip.in : 1, clip.out ? (clip.length - this.time) / clip.out : 1);
		if (clip.recoil) this.recoil = valueAt(clip.recoil, this.time);
		for (const { at, curve } of clip.moves) this.offsets[at] = valueAt(curve, this.time) * share;
	}
}
