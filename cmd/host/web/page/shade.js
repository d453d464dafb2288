// Ambient occlusion of a level, baked into its corners when it is loaded (W3.6): corners between walls, and
// surfaces close to others, receive less light from the sky. Large faces are divided first, because a corner
// can only have one shade. The work is done in slices, so that no frame waits for it. This file does not depend
// on three.js.

// finest is the shortest edge, in uu, that faces are divided to; mostTriangles bounds the triangles of a
// divided level: a level with more surface has longer edges.
const finest = 64, mostTriangles = 60000;
// perTriangle is the mean surface of a divided triangle, as a share of the square of the longest edge.
const perTriangle = 0.17;
// reach is the distance at which a surface darkens, in uu; rays is the number of directions that are tested;
// off is the distance of a corner's test point from its face, and from the face's edges.
const reach = 200, rays = 16, off = 1.5;
// atOnce is how many corners are shaded between two readings of the clock.
const atOnce = 32;

// edge returns the length of the edges of a divided level, in uu.
export function edge(positions) {
	let area = 0;
	for (let i = 0; i + 9 <= positions.length; i += 9) {
		const ax = positions[i + 3] - positions[i], ay = positions[i + 4] - positions[i + 1], az = positions[i + 5] - positions[i + 2];
		const bx = positions[i + 6] - positions[i], by = positions[i + 7] - positions[i + 1], bz = positions[i + 8] - positions[i + 2];
		area += Math.hypot(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx) / 2;
	}
	return Math.max(finest, Math.sqrt(area / (perTriangle * mostTriangles)));
}

const squared = (p, a, b) => (p[a] - p[b]) ** 2 + (p[a + 1] - p[b + 1]) ** 2 + (p[a + 2] - p[b + 2]) ** 2;

function larger(array) {
	const twice = new Float32Array(2 * array.length);
	twice.set(array);
	return twice;
}

// divide cuts triangles until no edge is longer than `longest`, each edge in its middle, so that neighbors
// match. runs are the numbers of corners of its groups, which it changes. columns are [numbers of all corners,
// numbers a corner]: positions first. It returns them divided; if there would be far too many triangles, the
// others are not divided.
export function divide(columns, runs, longest) {
	const width = columns.reduce((sum, [, n]) => sum + n, 0), three = 3 * width, limit = longest * longest;
	const source = columns[0][0].length / 3, most = Math.max(source, 3 * 4 * mostTriangles);
	let out = new Float32Array(width * Math.max(3, 2 * source)), count = 0, from = 0;
	let stack = new Float32Array(64 * three); // triangles that may be too large
	for (let r = 0; r < runs.length; r++) {
		const begin = count, end = from + runs[r];
		for (; from < end; from += 3) {
			for (let c = 0, at = 0; c < 3; c++) {
				for (const [values, n] of columns) for (let k = 0; k < n; k++) stack[at++] = values[n * (from + c) + k];
			}
			for (let top = 1; top > 0; ) {
				const t = three * (top - 1), first = squared(stack, t, t + width), second = squared(stack, t + width, t + 2 * width), third = squared(stack, t + 2 * width, t);
				const side = first >= second && first >= third ? 0 : second >= third ? 1 : 2;
				// NaN is not longer, either.
				if (!((side === 0 ? first : side === 1 ? second : third) > limit) || count + 3 * (top + 1) + (source - from) > most) {
					if (width * (count + 3) > out.length) out = larger(out);
					for (let k = 0, to = width * count; k < three; k++) out[to + k] = stack[t + k];
					count += 3;
					top--;
					continue;
				}
				if (three * (top + 1) > stack.length) stack = larger(stack);
				stack.copyWithin(t + three, t, t + three);
				const a = t + width * side, b = t + width * ((side + 1) % 3);
				for (let k = 0; k < width; k++) stack[b + k] = stack[a + three + k] = (stack[a + k] + stack[b + k]) / 2;
				top++;
			}
		}
		runs[r] = count - begin;
	}
	let at = 0;
	return columns.map(([, n]) => {
		const column = new Float32Array(n * count);
		for (let i = 0; i < count; i++) for (let k = 0; k < n; k++) column[n * i + k] = out[width * i + at + k];
		at += n;
		return column;
	});
}

// directions are distributed over the hemisphere above a face, more of them straight up, because a face
// receives more light from there.
const directions = new Float32Array(3 * rays);
for (let i = 0; i < rays; i++) {
	const r = Math.sqrt((i + 0.5) / rays), turn = i * Math.PI * (3 - Math.sqrt(5));
	directions.set([r * Math.cos(turn), Math.sqrt(1 - r * r), r * Math.sin(turn)], 3 * i);
}

// Shading bakes corners. shades has a byte for each: 255 is open to the sky.
export class Shading {
	constructor(positions, normals, solid) {
		this.positions = positions;
		this.normals = normals;
		this.solid = solid;
		this.shades = new Uint8Array(positions.length / 3).fill(255);
		this.next = 0;
		this.known = new Map(); // corners that several triangles have
	}

	get done() {
		return this.next >= this.shades.length;
	}

	// step works for the given ms, measured by clock. It returns whether everything is done.
	step(ms, clock) {
		const until = clock() + ms;
		while (!this.done) {
			for (let i = 0; i < atOnce && !this.done; i++, this.next++) this.shades[this.next] = this.shade(this.next);
			if (clock() >= until) break;
		}
		if (this.done) this.known.clear();
		return this.done;
	}

	shade(corner) {
		const p = this.positions, i = 3 * corner, t = 9 * Math.floor(corner / 3), nx = this.normals[i], ny = this.normals[i + 1], nz = this.normals[i + 2];
		const key = `${Math.round(p[i])} ${Math.round(p[i + 1])} ${Math.round(p[i + 2])} ${Math.round(8 * nx)} ${Math.round(8 * ny)} ${Math.round(8 * nz)}`;
		const known = this.known.get(key);
		if (known !== undefined) return known;
		// From just above the face, towards its middle.
		let x = (p[t] + p[t + 3] + p[t + 6]) / 3 - p[i], y = (p[t + 1] + p[t + 4] + p[t + 7]) / 3 - p[i + 1], z = (p[t + 2] + p[t + 5] + p[t + 8]) / 3 - p[i + 2];
		const inward = off / Math.max(off, Math.hypot(x, y, z));
		x = p[i] + x * inward + nx * off;
		y = p[i + 1] + y * inward + ny * off;
		z = p[i + 2] + z * inward + nz * off;
		// Two directions along the face.
		let ux = Math.abs(ny) < 0.9 ? nz : 0, uy = Math.abs(ny) < 0.9 ? 0 : -nz, uz = Math.abs(ny) < 0.9 ? -nx : ny;
		const l = Math.hypot(ux, uy, uz) || 1;
		ux /= l; uy /= l; uz /= l;
		const vx = ny * uz - nz * uy, vy = nz * ux - nx * uz, vz = nx * uy - ny * ux;
		let dark = 0;
		for (let d = 0; d < directions.length; d += 3) {
			const a = directions[d] * reach, b = directions[d + 1] * reach, c = directions[d + 2] * reach;
			dark += 1 - this.solid.free(x, y, z, a * ux + b * nx + c * vx, a * uy + b * ny + c * vy, a * uz + b * nz + c * vz);
		}
		const shade = Math.round(255 * (1 - dark / rays));
		this.known.set(key, shade);
		return shade;
	}
}
