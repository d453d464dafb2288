// Converts the worker's looks (W3.1; cmd/host/scene, look.go) to what three.js draws: for each variant one
// geometry with all its parts, so that its actors are one draw call. A server is not trusted: numbers are
// bounded, unknown keys are ignored.

import { BufferAttribute, BufferGeometry, CapsuleGeometry, Color, CylinderGeometry, Matrix4, Quaternion, SphereGeometry, Vector3, BoxGeometry } from "./vendor/three.js";
import { number, text, vector } from "./bounds.js";
import { extents, place, turn } from "./space.js";

// maxParts bounds the parts of a look.
const maxParts = 32;
// smallest is the minimum extent of a shape along an axis, in uu, because nothing is drawn with size zero.
const smallest = 0.1, largest = 20000;
const radians = Math.PI / 180;

// isParam reports whether a value is an element of the actor's params.
export function isParam(v) {
	return v !== null && typeof v === "object" && Number.isInteger(v.p);
}

// valueOf returns a value for an actor: a constant, or an element of its params.
export function valueOf(v, params) {
	return isParam(v) ? params?.[v.p] : v;
}

function isTable(v) {
	return v !== null && typeof v === "object" && !Array.isArray(v);
}

function partsOf(tree) {
	return Array.isArray(tree.parts) ? tree.parts.slice(0, maxParts).filter(isTable) : [];
}

const hex = /^#[0-9a-f]{6}$/i;
// fallback is the color of parts without one.
const fallback = "#c9a36a";

// colorOf writes a color to target; other if v is none.
export function colorOf(v, target, other) {
	return target.set(typeof v === "string" && hex.test(v) ? v : other);
}

// The shapes with size 1 along each axis, as corners of triangles.
const units = new Map();

// unit returns the corners of a shape; null for one without any.
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
	case "sprite": break;
	default: return null;
	}
	let corners = null;
	if (geometry) corners = geometry.toNonIndexed().getAttribute("position").array;
	else if (shape === "sprite") {
		const s = 0.5; // upright, facing the viewer
		corners = new Float32Array([-s, -s, 0, s, -s, 0, s, s, 0, -s, -s, 0, s, s, 0, -s, s, 0]);
	} else {
		// Visible from both sides.
		const s = 0.5, up = [-s, 0, s, s, 0, s, s, 0, -s, -s, 0, s, s, 0, -s, -s, 0, -s];
		const down = [s, 0, s, -s, 0, s, s, 0, -s, s, 0, -s, -s, 0, s, -s, 0, -s];
		corners = new Float32Array([...up, ...down]);
	}
	units.set(shape, corners);
	return corners;
}

const at = new Vector3(), size = new Vector3(), rotation = new Quaternion(), matrix = new Matrix4(), corner = new Vector3(), tint = new Color();

// capsule returns the corners of a capsule with that size and round ends.
function capsule(wide, high, deep) {
	const radius = Math.min(wide, deep) / 2, length = Math.max(0, high - 2 * radius);
	const c = new CapsuleGeometry(radius, length, 4, 12).toNonIndexed().getAttribute("position").array;
	for (let i = 0; i < c.length; i += 3) {
		c[i] *= wide / (2 * radius);
		c[i + 2] *= deep / (2 * radius);
	}
	return c;
}

// Mesher combines shapes.
class Mesher {
	constructor() {
		this.position = [];
		this.color = [];
		this.glow = [];
		this.uv = null; // only of planes, for pictures
	}

	add(part, from, extent, white) {
		const shape = part.shape ?? "box";
		let [forward, right, up] = extent;
		let corners = unit(shape);
		if (!corners) return;
		extents(forward, right, up, size);
		if (shape === "capsule") {
			corners = capsule(size.x, size.y, size.z);
			size.set(1, 1, 1);
		}
		const turned = vector(part.rotation, -360, 360, [0, 0, 0]);
		turn(turned[0] * radians, turned[1] * radians, turned[2] * radians, rotation);
		matrix.compose(place(...from, at), rotation, size);
		const glow = number(part.glow, 0, 1, 0), opacity = number(part.opacity, 0, 1, 1);
		if (white) tint.set(0xffffff);
		else colorOf(part.color, tint, fallback);
		for (let i = 0; i < corners.length; i += 3) {
			corner.set(corners[i], corners[i + 1], corners[i + 2]).applyMatrix4(matrix);
			this.position.push(corner.x, corner.y, corner.z);
			this.color.push(tint.r, tint.g, tint.b, opacity);
			this.glow.push(glow);
			if (this.uv) this.uv.push(corners[i] + 0.5, 0.5 + (shape === "sprite" ? corners[i + 1] : -corners[i + 2]));
		}
	}

	// geometry returns what was added, null for nothing.
	geometry() {
		if (!this.position.length) return null;
		const g = new BufferGeometry();
		g.setAttribute("position", new BufferAttribute(new Float32Array(this.position), 3));
		g.setAttribute("color", new BufferAttribute(new Float32Array(this.color), 4));
		g.setAttribute("glow", new BufferAttribute(new Float32Array(this.glow), 1));
		if (this.uv) g.setAttribute("uv", new BufferAttribute(new Float32Array(this.uv), 2));
		return g;
	}
}

const zero = [0, 0, 0];

function clearOf(part) {
	return number(part.opacity, 0, 1, 1) < 1;
}

// isLoose reports whether a part is drawn separately: some value is a parameter, it has a model or a picture,
// it faces the viewer, or it turns.
function isLoose(part) {
	return part.wheel !== undefined || part.spin !== undefined || part.shape === "sprite" || part.image !== undefined || part.model !== undefined || Object.values(part).some((v) => isParam(v));
}

// steps is the number of levels of a share that is a parameter, one geometry each. maxForms bounds the
// geometries of a part.
const steps = 8, maxForms = 48;

// Loose is a part with a parameter, a model or a picture, or one that faces the viewer or turns: a shape of
// size 1, which each actor places, scales and colors, or a model that each actor fits into its size. root is
// that of the look itself.
export class Loose {
	constructor(part, index, from, extent, models) {
		this.part = part;
		this.models = models;
		this.sprite = part.shape === "sprite";
		this.root = index === 0;
		this.name = `loose ${index}`;
		this.from = from;
		this.extent = extent;
		this.joint = typeof part.joint === "string" ? part.joint : "";
		this.turns = !this.root && (part.wheel !== undefined || part.spin !== undefined);
		this.forms = new Map(); // by name
	}

	// form returns the geometry for an actor, with a name; null if nothing is drawn.
	form(params) {
		const p = this.part, share = (v, other) => Math.round(number(valueOf(v, params), 0, 1, other) * steps);
		const image = text(valueOf(p.image, params)), material = image ? (this.models?.find(image) ?? null) : null;
		const shape = text(valueOf(p.shape, params) ?? (image ? "plane" : "box")), glow = share(p.glow, 0), opacity = share(p.opacity, 1);
		const name = `loose ${shape} ${glow} ${opacity} ${material ? image : ""}`; // parts of the same form are one draw call
		let form = this.forms.get(name);
		if (form !== undefined || this.forms.size >= maxForms) return form ?? null;
		const m = new Mesher();
		if (material) m.uv = [];
		m.add({ shape, glow: glow / steps, opacity: opacity / steps }, zero, [1, 1, 1], true);
		const geometry = m.geometry();
		form = geometry && { name, geometry, material, clear: opacity < steps };
		this.forms.set(name, form);
		return form;
	}

	// matrix returns the transform for an actor, in the actor's space; for a part that faces the viewer, its
	// turn is about the line of sight.
	matrix(params, target) {
		const p = this.part, turned = vector(valueOf(p.rotation, params), -360, 360, zero), scale = number(valueOf(p.scale, params), 0.01, 100, 1);
		turn(turned[0] * radians, turned[1] * radians, turned[2] * radians, rotation);
		extents(...vector(valueOf(p.size, params), smallest, largest, this.extent), size).multiplyScalar(scale);
		return target.compose(place(...vector(valueOf(p.at, params), -largest, largest, this.from), at), rotation, size);
	}

	// turn returns how far a turning part has turned, about its own center, for an actor that has moved the
	// given distance forward, in uu.
	turn(params, now, gone, target) {
		const radius = number(valueOf(this.part.wheel, params), 0, 1000, 0), spin = number(valueOf(this.part.spin, params), -3600, 3600, 0) * radians;
		target.setFromAxisAngle(at.set(1, 0, 0), radius > 0 ? -gone / radius : 0);
		return spin ? target.premultiply(rotation.setFromAxisAngle(at.set(0, 1, 0), -spin * now)) : target;
	}

	// model returns the model for an actor and its name; null if there is none, or if it is not ready.
	model(params) {
		const file = text(valueOf(this.part.model, params)), model = file ? (this.models?.find(file) ?? null) : null;
		return model && { file, model };
	}

	// fit returns the transform of a model for an actor, in the actor's space.
	fit(model, params, target) {
		const p = this.part, turned = vector(valueOf(p.rotation, params), -360, 360, zero), scale = number(valueOf(p.scale, params), 0.01, 100, 1);
		model.fit(extents(...vector(valueOf(p.size, params), smallest, largest, this.extent), size), target);
		turn(turned[0] * radians, turned[1] * radians, turned[2] * radians, rotation);
		return target.premultiply(matrix.compose(place(...vector(valueOf(p.at, params), -largest, largest, this.from), at), rotation, size.setScalar(scale)));
	}

	// forget drops what was made with a picture that has changed.
	forget(file) {
		for (const [name, form] of this.forms) {
			if (!form?.material || !name.endsWith(` ${file}`)) continue;
			form.geometry.dispose();
			this.forms.delete(name);
		}
	}

	color(params, target) {
		return colorOf(valueOf(this.part.color, params), target, fallback);
	}

	dispose() {
		for (const form of this.forms.values()) form?.geometry.dispose();
	}
}

// Look is a variant. solid and clear are its geometries, null for none; loose holds the parts drawn separately.
// models finds the models and pictures that are ready; until then the shape is shown.
export class Look {
	constructor(n, cls, tree, models) {
		this.n = n;
		this.class = text(cls);
		this.tree = isTable(tree) ? tree : {};
		const t = this.tree;
		this.hull = t.shape === "hull";
		this.body = t.body === "humanoid";
		this.on = isTable(t.on) ? t.on : {};
		this.hold = isTable(t.hold) ? t.hold : null;
		this.first = isTable(t.first) ? t.first : null;
		this.firstLoose = this.first !== null && (isLoose(this.first) || partsOf(this.first).some(isLoose));
		this.lamp = isTable(t.light) && !isParam(t.light) ? (isLoose(t.light) ? lampOf : lampOf(t.light, t.color)) : null;
		this.joints = []; // { joint, geometry } of the parts attached to a body
		this.loose = [];
		const solid = new Mesher(), clear = new Mesher();
		// The root's own keys that shape it; others may be parameters without making it loose.
		this.rolls = partsOf(t).some((p) => p.wheel !== undefined);
		const root = { shape: t.shape, size: t.size, rotation: t.rotation, at: t.at, color: t.color, glow: t.glow, opacity: t.opacity };
		for (const key of ["image", "model"]) if (t[key] !== undefined) root[key] = t[key];
		const offset = vector(t.at, -largest, largest, zero), shaped = !this.body && t.shape !== "none" && t.shape !== undefined;
		if (!this.hull && (shaped || root.model !== undefined)) {
			if (this.body || isLoose(root)) this.loose.push(new Loose(shaped ? root : { ...root, shape: "none" }, 0, offset, [16, 16, 16], models));
			else (clearOf(t) ? clear : solid).add(t, offset, vector(t.size, smallest, largest, [16, 16, 16]), false);
		}
		for (const [i, p] of partsOf(t).entries()) {
			const scale = isLoose(p) ? 1 : number(p.scale, 0.01, 100, 1), extent = vector(p.size, smallest, largest, [8, 8, 8]).map((x) => x * scale), from = vector(p.at, -largest, largest, zero);
			if (isLoose(p)) this.loose.push(new Loose(p, i + 1, from, extent, models));
			else if (this.body && typeof p.joint === "string") {
				const m = new Mesher();
				m.add(p, from, extent, false);
				const geometry = m.geometry();
				if (geometry) this.joints.push({ name: `joint ${i}`, joint: p.joint, geometry });
			} else (clearOf(p) ? clear : solid).add(p, from, extent, false);
		}
		this.solid = solid.geometry();
		this.clear = clear.geometry();
	}

	// corners returns its share of maxCorners in actors.js.
	get corners() {
		return [this.solid, this.clear, ...this.joints.map((j) => j.geometry)].reduce((sum, g) => sum + (g?.getAttribute("position").count ?? 0), 0);
	}

	// lampFor returns the light of an actor, null for none.
	lampFor(params) {
		if (this.lamp !== lampOf) return this.lamp;
		const { color, radius, intensity } = this.tree.light;
		return lampOf({ color: valueOf(color, params), radius: valueOf(radius, params), intensity: valueOf(intensity, params) }, valueOf(this.tree.color, params));
	}

	dispose() {
		for (const g of [this.solid, this.clear, ...this.joints.map((j) => j.geometry)]) g?.dispose();
		for (const l of this.loose) l.dispose();
	}
}

// lampOf returns the light of a look: { color, radius, intensity }, null for none.
function lampOf(light, color) {
	return {
		color: colorOf(light.color, new Color(), typeof color === "string" && hex.test(color) ? color : "#ffffff"),
		radius: number(light.radius, 1, 5000, 200), intensity: number(light.intensity, 0, 10, 1),
	};
}

// resolved returns a table with an actor's values in place of parameters.
function resolved(table, params) {
	return Object.fromEntries(Object.entries(table).map(([key, v]) => [key, valueOf(v, params)]));
}

// firstOf returns a view model, relative to the eye: a geometry, and parts of a model with their matrices; null
// for none. A model with bones is shown unposed.
export function firstOf(look, params, models) {
	const f = resolved(look.first, params), m = new Mesher();
	const scale = number(f.scale, 0.01, 100, 1);
	const from = vector(f.at, -200, 200, [30, 12, -12]);
	const model = models?.find(text(f.model)) ?? null;
	if (f.shape !== "none" && !model) m.add(f, zero, vector(f.size, smallest, 200, [30, 6, 8]), false);
	for (const part of partsOf(look.first)) {
		const p = resolved(part, params);
		m.add(p, vector(p.at, -200, 200, zero), vector(p.size, smallest, 200, [4, 4, 4]), false);
	}
	const geometry = m.geometry();
	if (geometry && scale !== 1) geometry.scale(scale, scale, scale);
	const pieces = model ? model.pieces.map((p) => ({ ...p, matrix: new Matrix4() })) : [];
	for (const p of pieces) {
		const turned = vector(f.rotation, -360, 360, zero);
		turn(turned[0] * radians, turned[1] * radians, turned[2] * radians, rotation);
		model.fit(extents(...vector(f.size, smallest, 200, [30, 6, 8]), size), p.matrix);
		p.matrix.premultiply(matrix.compose(at.set(0, 0, 0), rotation, size.setScalar(scale)));
	}
	return geometry || pieces.length ? { geometry, pieces, at: from } : null;
}
