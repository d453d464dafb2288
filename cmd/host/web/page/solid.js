// The opaque triangles of a level in a tree of boxes. The third-person camera and the ambient occlusion
// (shade.js) use it. Nothing here depends on three.js.

// leaf is the largest number of triangles in a leaf of the tree. shortest is the least share of a box's
// triangles that each half gets; it bounds the depth of the tree.
const leaf = 8, shortest = 1 / 16, deepest = 512;

// meet returns where a line meets the triangle at p[i], as a share of the line; 2 if it does not (Möller and
// Trumbore, 1997).
function meet(p, i, x, y, z, dx, dy, dz) {
	const ax = p[i + 3] - p[i], ay = p[i + 4] - p[i + 1], az = p[i + 5] - p[i + 2];
	const bx = p[i + 6] - p[i], by = p[i + 7] - p[i + 1], bz = p[i + 8] - p[i + 2];
	const hx = dy * bz - dz * by, hy = dz * bx - dx * bz, hz = dx * by - dy * bx;
	const det = ax * hx + ay * hy + az * hz;
	if (Math.abs(det) < 1e-9) return 2;
	const sx = x - p[i], sy = y - p[i + 1], sz = z - p[i + 2];
	const u = (sx * hx + sy * hy + sz * hz) / det;
	if (u < 0 || u > 1) return 2;
	const qx = sy * az - sz * ay, qy = sz * ax - sx * az, qz = sx * ay - sy * ax;
	const v = (dx * qx + dy * qy + dz * qz) / det;
	if (v < 0 || u + v > 1) return 2;
	const t = (bx * qx + by * qy + bz * qz) / det;
	return t >= 0 ? t : 2;
}

// Solid is made of corners, three numbers each and three a triangle, which it keeps.
export class Solid {
	constructor(positions) {
		this.positions = positions;
		const n = Math.floor(positions.length / 9);
		this.order = new Uint32Array(n);
		for (let i = 0; i < n; i++) this.order[i] = i;
		// For each node the box, and its triangles: those of an inner node belong to its two children.
		this.boxes = [];
		this.nodes = []; // first, count, the node of the second half (0: a leaf)
		this.stack = new Int32Array(deepest);
		if (n) this.split(0, n);
	}

	// split creates the node of a run of the order, and its descendants.
	split(first, count) {
		const p = this.positions, order = this.order, node = this.nodes.length / 3, box = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity], sum = [0, 0, 0];
		for (let i = first; i < first + count; i++) {
			for (let c = 9 * order[i]; c < 9 * order[i] + 9; c += 3) {
				for (let k = 0; k < 3; k++) {
					box[k] = Math.min(box[k], p[c + k]);
					box[3 + k] = Math.max(box[3 + k], p[c + k]);
					sum[k] += p[c + k];
				}
			}
		}
		this.boxes.push(...box);
		this.nodes.push(first, count, 0);
		if (count <= leaf) return;
		let axis = 0;
		for (let k = 1; k < 3; k++) if (box[3 + k] - box[k] > box[3 + axis] - box[axis]) axis = k;
		// Around the mean of the triangles' middles; three times of each, as the corners were summed up.
		const mean = sum[axis] / count;
		let low = first, high = first + count - 1;
		while (low <= high) {
			const c = 9 * order[low] + axis;
			if (p[c] + p[c + 3] + p[c + 6] < mean) low++;
			else {
				[order[low], order[high]] = [order[high], order[low]];
				high--;
			}
		}
		let half = low - first;
		if (Math.min(half, count - half) < count * shortest) half = count >> 1;
		this.split(first, half);
		this.nodes[3 * node + 2] = this.nodes.length / 3;
		this.split(first + half, count - half);
	}

	// free returns the unobstructed share, from 0 to 1, of a line from a place along a vector.
	free(x, y, z, dx, dy, dz) {
		const { nodes, boxes, order, positions: p, stack } = this;
		let free = 1, top = 0;
		if (nodes.length) stack[top++] = 0;
		while (top > 0) {
			const node = stack[--top], b = 6 * node;
			let enter = 0, leave = free;
			for (let k = 0; k < 3 && enter <= leave; k++) {
				const at = k === 0 ? x : k === 1 ? y : z, along = k === 0 ? dx : k === 1 ? dy : dz;
				const low = boxes[b + k] - at, high = boxes[b + 3 + k] - at;
				if (Math.abs(along) < 1e-9) {
					if (low > 0 || high < 0) leave = -1;
					continue;
				}
				const one = low / along, two = high / along;
				enter = Math.max(enter, Math.min(one, two));
				leave = Math.min(leave, Math.max(one, two));
			}
			if (enter > leave) continue;
			const first = nodes[3 * node], second = nodes[3 * node + 2];
			if (second) {
				stack[top++] = second;
				stack[top++] = node + 1;
				continue;
			}
			for (let i = first; i < first + nodes[3 * node + 1]; i++) free = Math.min(free, meet(p, 9 * order[i], x, y, z, dx, dy, dz));
		}
		return free;
	}
}
