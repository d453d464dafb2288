// Looks as the worker tells them (W3.1; cmd/host/scene, look.go), made into what three.js draws: of each variant one geometry
// with all its parts, so that its actors are one draw call. A server is not trusted: numbers are bounded, unknown keys are
// nothing.

import { BufferAttribute, BufferGeometry, CapsuleGeometry, Color, CylinderGeometry, Matrix4, Quaternion, SphereGeometry, Vector3, BoxGeometry } from "./vendor/three.js";
import { extents, place, turn } from "./space.js";

// maxParts bounds the parts of a look, maxText a text, in UTF-16 units.
const maxParts = 32, maxText = 256;
// smallest is the least extent of a shape along an axis, in uu: nothing is drawn with no size at all.
const smallest = 0.1, largest = 20000;
const radians = Math.PI / 180;

// isParam reports whether a value is an element of the actor's params.
export function isParam(v) {
	return v !== null && typeof v === "object" && Number.isInteger(v.p);
}

// valueOf is a value for an actor: a constant, or an element of its params.
export function valueOf(v, params) {
	return isParam(v) ? params?.[v.p] : v;
}

export function number(v, least, most, other) {
	return typeof v === "number" && Number.isFinite(v) ? Math.min(most, Math.max(least, v)) : other;
}

// vector is three numbers within bounds; other where v is none.
export function vector(v, least, most, other) {
	if (!Array.isArray(v) || v.length !== 3) return other;
	return v.map((x, k) => number(x, least, most, other[k]));
}

export function text(v) {
	return typeof v === "string" ? v.slice(0, maxText) : "";
}

const hex = /^#[0-9a-f]{6}$/i;

// colorOf writes a color into target; other where v is none.
export function colorOf(v, target, other) {
	return target.set(typeof v === "string" && hex.test(v) ? v : other);
}

// The shapes with a size of 1 along each axis, as corners of triangles.
const units = new Map();

// unit is the corners of a shape; null for one that has none.
function unit(shape) {
	if (units.has(shape)) return units.get(shape);
	let geometry = null;
	switch (shape) {
	case "box": geometry = new BoxGeometry(1, 1, 1); break;
	case "sphere": geometry = new SphereGeometry(0.5, 14, 9); break;
	case "cylinder": geometry = new CylinderGeometry(0.5, 0.5, 1, 14); break;
	case "cone": geometry = new CylinderGeometry(0, 0.5, 1, 14); break;
	case "capsule": geometry = new CapsuleGeometry(0.5, 1, 4, 12).scale(1, 0.5, 1); break;
	case "plane":
	case "sprite": geometry = null; break;
	}
	let corners = null;
	if (geometry) corners = geometry.toNonIndexed().getAttribute("position").array;
	else if (shape === "plane" || shape === "sprite") {
		// Seen from both sides.
		const s = 0.5, up = [-s, 0, s, s, 0, s, s, 0, -s, -s, 0, s, s, 0, -s, -s, 0, -s];
		const down = [s, 0, s, -s, 0, s, s, 0, -s, s, 0, -s, -s, 0, s, -s, 0, -s];
		corners = new Float32Array([...up, ...down]);
	}
	units.set(shape, corners);
	return corners;
}

const at = new Vector3(), size = new Vector3(), rotation = new Quaternion(), matrix = new Matrix4(), corner = new Vector3(), tint = new Color();

// capsule is the corners of one of that size, whose ends are round.
function capsule(wide, high, deep) {
	const radius = Math.min(wide, deep) / 2, length = Math.max(0, high - 2 * radius);
	const c = new CapsuleGeometry(radius, length, 4, 12).toNonIndexed().getAttribute("position").array;
	for (let i = 0; i < c.length; i += 3) {
		c[i] *= wide / (2 * radius);
		c[i + 2] *= deep / (2 * radius);
	}
	return c;
}

// Mesher puts shapes together.
class Mesher {
	constructor() {
		this.position = [];
		this.color = [];
		this.glow = [];
	}

	add(part, from, extent, white, params) {
		const shape = valueOf(part.shape, params) ?? "box";
		let [forward, right, up] = extent;
		let corners = unit(shape);
		if (!corners) return;
		extents(forward, right, up, size);
		if (shape === "capsule") {
			corners = capsule(size.x, size.y, size.z);
			size.set(1, 1, 1);
		}
		const turned = vector(valueOf(part.rotation, params), -360, 360, [0, 0, 0]);
		turn(turned[0] * radians, turned[1] * radians, turned[2] * radians, rotation);
		matrix.compose(place(...from, at), rotation, size);
		const glow = number(valueOf(part.glow, params), 0, 1, 0), opacity = number(valueOf(part.opacity, params), 0, 1, 1);
		if (white) tint.set(0xffffff);
		else colorOf(valueOf(part.color, params), tint, "#c9a36a");
		for (let i = 0; i < corners.length; i += 3) {
			corner.set(corners[i], corners[i + 1], corners[i + 2]).applyMatrix4(matrix);
			this.position.push(corner.x, corner.y, corner.z);
			this.color.push(tint.r, tint.g, tint.b, opacity);
			this.glow.push(glow);
		}
	}

	// geometry is what was added, null for nothing.
	geometry() {
		if (!this.position.length) return null;
		const g = new BufferGeometry();
		g.setAttribute("position", new BufferAttribute(new Float32Array(this.position), 3));
		g.setAttribute("color", new BufferAttribute(new Float32Array(this.color), 4));
		g.setAttribute("glow", new BufferAttribute(new Float32Array(this.glow), 1));
		return g;
	}
}

const zero = [0, 0, 0];

export function clearOf(part) {
	return number(part.opacity, 0, 1, 1) < 1;
}

// Look is a variant. solid and clear are its geometries, null for none; stretched is the shape of one whose size is a
// parameter, drawn as a shape of size 1.
export class Look {
	constructor(n, cls, tree) {
		this.n = n;
		this.class = text(cls);
		this.tree = tree !== null && typeof tree === "object" ? tree : {};
		const t = this.tree;
		this.hull = t.shape === "hull";
		this.body = t.body === "humanoid";
		this.tinted = isParam(t.color);
		this.sized = isParam(t.size);
		this.spin = number(t.spin, -3600, 3600, 0) * radians;
		this.bob = number(t.bob, 0, 100, 0);
		this.trail = text(t.trail);
		this.on = t.on !== null && typeof t.on === "object" ? t.on : {};
		this.hold = t.hold !== null && typeof t.hold === "object" ? t.hold : null;
		this.first = t.first !== null && typeof t.first === "object" ? t.first : null;
		this.lamp = lampOf(t.light, t.color);
		this.joints = []; // { joint, geometry } of the parts that hang on a body
		const parts = Array.isArray(t.parts) ? t.parts.slice(0, maxParts).filter((p) => p !== null && typeof p === "object") : [];
		const solid = new Mesher(), clear = new Mesher(), stretched = new Mesher();
		this.offset = vector(t.at, -largest, largest, zero);
		if (!this.body && !this.hull && t.shape !== "none" && t.shape !== undefined) {
			const to = this.sized ? stretched : clearOf(t) ? clear : solid;
			to.add(t, this.offset, this.sized ? [1, 1, 1] : vector(t.size, smallest, largest, [16, 16, 16]), this.tinted);
		}
		for (const p of parts) {
			const extent = vector(p.size, smallest, largest, [8, 8, 8]), from = vector(p.at, -largest, largest, zero);
			if (this.body && typeof p.joint === "string") {
				const m = new Mesher();
				m.add(p, from, extent, false);
				const geometry = m.geometry();
				if (geometry) this.joints.push({ joint: p.joint, geometry });
			} else (clearOf(p) ? clear : solid).add(p, from, extent, false);
		}
		this.solid = solid.geometry();
		this.clear = clear.geometry();
		this.stretched = stretched.geometry();
	}

	dispose() {
		for (const g of [this.solid, this.clear, this.stretched, ...this.joints.map((j) => j.geometry)]) g?.dispose();
	}
}

// lampOf is the light of a look: { color, radius, intensity }, null for none.
function lampOf(light, color) {
	if (light === null || typeof light !== "object" || Array.isArray(light)) return null;
	return {
		color: colorOf(light.color, new Color(), typeof color === "string" && hex.test(color) ? color : "#ffffff"),
		radius: number(light.radius, 1, 5000, 200), intensity: number(light.intensity, 0, 10, 1),
	};
}

// firstOf is the geometry of a view model, about the eye, null for none.
export function firstOf(look) {
	const f = look.first, m = new Mesher();
	const scale = number(f.scale, 0.01, 100, 1);
	const from = vector(f.at, -200, 200, [30, 12, -12]);
	if (f.shape !== "none") m.add(f, zero, vector(f.size, smallest, 200, [30, 6, 8]), false);
	for (const p of Array.isArray(f.parts) ? f.parts.slice(0, maxParts) : []) {
		if (p !== null && typeof p === "object") m.add(p, vector(p.at, -200, 200, zero), vector(p.size, smallest, 200, [4, 4, 4]), false);
	}
	const geometry = m.geometry();
	if (geometry && scale !== 1) geometry.scale(scale, scale, scale);
	return geometry && { geometry, at: from };
}
