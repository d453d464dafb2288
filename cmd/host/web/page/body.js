// The articulated body of pawns (W3.4): boxes between joints, posed by how the pawn moves, aims, crouches and dies. All boxes
// of all bodies are one draw call.
//
// A pose is computed in the body's own space: right, up, back, in uu, the origin between the feet. Nothing here depends on
// three.js, so that poses are checked in Node alone.

import { bones, Montage } from "./animate.js";

// Shares of the standing height.
const hips = 0.5, neck = 0.84, thigh = 0.26, shin = 0.26, shoulder = 0.8, arm = 0.17;
// stride is how far a foot swings, as a share of the way that the pawn goes in a second; longest is the most, of the height.
const stride = 0.16, longest = 0.2;
// gone is how long a body takes to fall, in seconds.
const gone = 0.7;

// State is what is remembered of a body from frame to frame.
export class State {
	constructor() {
		this.phase = 0; // of the steps, in radians
		this.speed = 0; // uu/s along the ground, smoothed
		this.right = 0; // direction of the way, in the body's space
		this.back = 0;
		this.up = 0; // uu/s, smoothed
		this.air = 0; // 0 on the ground, 1 in the air
		this.dead = 0; // seconds since it died
		this.kick = 0; // of the weapon, from 1 down
		this.hit = 0; // of the body, from 1 down
		this.montage = new Montage();
	}

	// follow takes how the body moved: uu/s along its own axes.
	follow(right, up, back, dt, dead) {
		const soft = Math.min(1, dt * 12), speed = Math.hypot(right, back);
		this.speed += (speed - this.speed) * soft;
		if (speed > 20) {
			this.right += (right / speed - this.right) * soft;
			this.back += (back / speed - this.back) * soft;
		}
		this.up += (up - this.up) * soft;
		const air = Math.abs(this.up) > 90 ? 1 : 0;
		this.air += (air - this.air) * Math.min(1, dt * 9);
		this.phase = (this.phase + dt * Math.min(14, 3 + this.speed * 0.022) * Math.min(1, this.speed / 40)) % (2 * Math.PI);
		this.dead = dead ? this.dead + dt : 0;
		this.kick = Math.max(0, this.kick - dt * 7);
		this.hit = Math.max(0, this.hit - dt * 5);
		this.montage.step(dt);
	}

	// recoil is the share of the full kick: by a curve of the montage, else by a shot.
	get recoil() {
		return Math.max(this.kick, this.montage.recoil);
	}
}

// Joints of a pose, three numbers each.
export const HIPS = 0, CHEST = 1, NECK = 2, HEAD = 3, HAND = 4, LEFT_HAND = 5, FOOT = 6, LEFT_FOOT = 7, KNEE = 8, LEFT_KNEE = 9, HIP = 10, LEFT_HIP = 11,
	SHOULDER = 12, LEFT_SHOULDER = 13, ELBOW = 14, LEFT_ELBOW = 15, joints = 16;

// Where a montage's offsets of a bone begin.
const headAt = 3 * bones.indexOf("head"), chestAt = 3 * bones.indexOf("chest"), hipsAt = 3 * bones.indexOf("hips");
const handAt = [3 * bones.indexOf("hand"), 3 * bones.indexOf("leftHand")], footAt = [3 * bones.indexOf("foot"), 3 * bones.indexOf("leftFoot")];

// Pose is where the joints are.
export class Pose {
	constructor() {
		this.at = new Float32Array(3 * joints);
		this.fall = 0; // 0 upright, 1 on the back
	}

	set(joint, x, y, z) {
		this.at[3 * joint] = x;
		this.at[3 * joint + 1] = y;
		this.at[3 * joint + 2] = z;
	}

	// bend puts the middle of a limb of two parts of the given lengths: towards (bx, by, bz), which need not be of length 1.
	bend(from, middle, to, a, b, bx, by, bz) {
		const p = this.at, f = 3 * from, t = 3 * to, m = 3 * middle;
		let dx = p[t] - p[f], dy = p[t + 1] - p[f + 1], dz = p[t + 2] - p[f + 2];
		let d = Math.hypot(dx, dy, dz) || 1e-6;
		if (d > 0.999 * (a + b)) { // too far: the end comes nearer
			const k = (0.999 * (a + b)) / d;
			dx *= k; dy *= k; dz *= k;
			d *= k;
			p[t] = p[f] + dx; p[t + 1] = p[f + 1] + dy; p[t + 2] = p[f + 2] + dz;
		}
		const along = (a * a - b * b + d * d) / (2 * d), away = Math.sqrt(Math.max(0, a * a - along * along));
		const dot = (bx * dx + by * dy + bz * dz) / (d * d);
		bx -= dot * dx; by -= dot * dy; bz -= dot * dz;
		const l = Math.hypot(bx, by, bz) || 1e-6;
		p[m] = p[f] + (dx / d) * along + (bx / l) * away;
		p[m + 1] = p[f + 1] + (dy / d) * along + (by / l) * away;
		p[m + 2] = p[f + 2] + (dz / d) * along + (bz / l) * away;
	}

	// make poses a body of a standing height, now so much lower, that aims up by an angle in radians. armed holds a weapon
	// in both hands.
	make(state, height, lower, aim, armed) {
		const h = height, s = state, limp = Math.min(1, s.dead / gone);
		const walk = Math.min(1, s.speed / 60) * (1 - s.air) * (1 - limp);
		const swing = Math.min(longest * h, s.speed * stride) * walk;
		const run = Math.min(1, s.speed / 420) * (1 - limp);
		const sink = lower * 0.95 + 0.03 * h * run + 0.05 * h * s.air;
		const bob = Math.abs(Math.cos(s.phase)) * 0.025 * h * walk;
		const lean = (0.07 * run + 0.25 * (lower / h)) * h; // forward
		const side = s.right * 0.04 * h * run;
		const m = s.montage.offsets; // uu forward, right, up
		const hy = hips * h - sink + bob;
		this.set(HIPS, side * 0.3 + m[hipsAt + 1], hy + m[hipsAt + 2], lean * 0.25 - m[hipsAt]);
		const cx = side + m[chestAt + 1], cy = hy + (neck - hips) * h * 0.62 + m[chestAt + 2], cz = -lean * 0.35 + s.hit * 0.05 * h - m[chestAt];
		this.set(CHEST, cx, cy, cz);
		const ny = hy + (neck - hips) * h * (1 - 0.1 * (lower / h)) + m[chestAt + 2], nz = -lean * 0.8 + s.hit * 0.08 * h - m[chestAt];
		this.set(NECK, side * 1.2 + m[chestAt + 1], ny, nz);
		this.set(HEAD, side * 1.2 + m[headAt + 1], ny - m[chestAt + 2] + 0.085 * h + m[headAt + 2], nz + m[chestAt] - 0.02 * h - Math.sin(aim) * 0.03 * h - m[headAt]);
		// Legs: each foot swings along the way that the body goes, half a turn after the other.
		const wide = 0.065 * h;
		for (let k = 0; k < 2; k++) {
			const x = k ? -wide : wide, phase = s.phase + k * Math.PI, c = Math.sin(phase);
			const lift = Math.max(0, Math.cos(phase)) * (0.05 + 0.1 * run) * h * walk + s.air * (k ? 0.17 : 0.08) * h;
			const tuck = s.air * (k ? 0.08 : -0.05) * h;
			this.set(k ? LEFT_HIP : HIP, side * 0.3 + x + m[hipsAt + 1], hy - 0.02 * h + m[hipsAt + 2], lean * 0.25 - m[hipsAt]);
			const f = footAt[k];
			this.set(k ? LEFT_FOOT : FOOT, x + s.right * swing * c + m[f + 1], Math.max(0, 0.035 * h + lift + limp * 0.02 * h + m[f + 2]), s.back * swing * c + tuck - m[f]);
			this.bend(k ? LEFT_HIP : HIP, k ? LEFT_KNEE : KNEE, k ? LEFT_FOOT : FOOT, thigh * h, shin * h, k ? -0.25 : 0.25, 0, -1);
		}
		// Arms: both hands at the weapon, which points where the view does; else they swing.
		const sy = hy + (shoulder - hips) * h, reach = 0.24 * h, sw = 0.12 * h;
		const cos = Math.cos(aim), sin = Math.sin(aim), kick = s.recoil * 0.05 * h;
		for (let k = 0; k < 2; k++) {
			const x = k ? -sw : sw, o = handAt[k];
			this.set(k ? LEFT_SHOULDER : SHOULDER, cx * 1.1 + x, sy, cz);
			if (armed && limp === 0) {
				const forward = reach * (k ? 1.25 : 0.85) - kick, across = k ? 0.02 * h : 0.06 * h;
				this.set(k ? LEFT_HAND : HAND, cx + across + m[o + 1], sy - 0.09 * h + sin * forward + m[o + 2], cz - cos * forward - m[o]);
			} else {
				const c = Math.sin(s.phase + (k ? 0 : Math.PI)) * 0.12 * h * walk, out = limp * 0.14 * h;
				this.set(k ? LEFT_HAND : HAND, cx + x * 1.2 + (k ? -out : out), sy - 0.31 * h + limp * 0.12 * h + m[o + 2], cz + c - 0.04 * h - m[o]);
			}
			this.bend(k ? LEFT_SHOULDER : SHOULDER, k ? LEFT_ELBOW : ELBOW, k ? LEFT_HAND : HAND, arm * h, arm * h, k ? -0.5 : 0.5, -1, 0.2);
		}
		this.fall = limp * limp * (3 - 2 * limp);
	}
}
