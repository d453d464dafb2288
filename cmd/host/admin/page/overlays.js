// What overlays draw, as lines in the level: the same for the map and for the 3D view.
import { get } from "./api.js";
import { colorOf } from "./dom.js";
import { look } from "./look.js";

// palette has the colors of overlays on a light and on a dark ground.
const palette = {
	copy: ["#b3261e", "#ff9d93"], box: ["#7c3aed", "#c4a5ff"], body: ["#6b7280", "#8a97a5"], trace: ["#0369a1", "#6cc4f5"], shot: ["#b45309", "#ffb454"], blocked: ["#b3261e", "#ff7a6e"],
	then: ["#be185d", "#ff8cc0"], refused: ["#b3261e", "#ff7a6e"], walk: ["#8cc49c", "#2f6b45"], drop: ["#b45309", "#ffb454"], jump: ["#7c3aed", "#c4a5ff"], lift: ["#0369a1", "#6cc4f5"],
	brush: ["#4b5563", "#7d8b99"], clip: ["#be185d", "#ff8cc0"],
};

export const colorFor = (name, dark) => palette[name][dark ? 1 : 0];

// Lines are segments by color: six numbers each, X, Y and Z of both ends, in uu.
class Lines {
	constructor(dark) {
		this.dark = dark;
		this.by = new Map();
	}

	add(color, a, b) {
		let list = this.by.get(color);
		if (!list) this.by.set(color, (list = []));
		list.push(a[0], a[1], a[2], b[0], b[1], b[2]);
	}

	line(name, a, b) {
		this.add(colorFor(name, this.dark), a, b);
	}

	// cross marks a point.
	cross(name, [x, y, z], r) {
		this.line(name, [x - r, y - r, z], [x + r, y + r, z]);
		this.line(name, [x - r, y + r, z], [x + r, y - r, z]);
	}

	// cylinder is an upright one around a point.
	cylinder(name, [x, y, z], r, half) {
		const corners = 16, at = (i, up) => [x + r * Math.cos((2 * Math.PI * i) / corners), y + r * Math.sin((2 * Math.PI * i) / corners), z + up];
		for (let i = 0; i < corners; i++) {
			this.line(name, at(i, half), at(i + 1, half));
			this.line(name, at(i, -half), at(i + 1, -half));
			if (i % 4 === 0) this.line(name, at(i, -half), at(i, half));
		}
	}

	// solid is a hit box or a cylinder.
	solid(name, s) {
		if (!s.name) {
			this.cylinder(name, s.centre, s.half[0], s.half[2]);
			return;
		}
		const corner = (i) => [0, 1, 2].map((k) => s.centre[k] + [0, 1, 2].reduce((sum, axis) => sum + s.axes[3 * axis + k] * s.half[axis] * (i >> axis & 1 ? 1 : -1), 0));
		for (let i = 0; i < 8; i++) for (const bit of [1, 2, 4]) if (!(i & bit)) this.line(name, corner(i), corner(i | bit));
	}
}

// draws are the overlays that consist of lines; brushes are the level's outlines, for the map alone.
const draws = {
	velocities(lines, state) {
		for (const a of state.actors) {
			if (a.hidden && !a.pawn || !a.velocity.some((v) => v)) continue;
			lines.add(colorOf(a.class, lines.dark), a.at, a.at.map((x, i) => x + a.velocity[i] / 4));
		}
	},
	copies(lines, state) {
		for (const a of state.actors) {
			const copy = look.copies.get(a.id);
			if (!copy?.at || copy.error < 1 || a.hidden) continue;
			lines.cylinder("copy", copy.at, a.radius, a.height);
			lines.line("copy", copy.at, a.at);
		}
	},
	boxes(lines, state) {
		for (const a of state.actors) {
			const solids = look.boxes.get(a.id);
			if (!a.hidden && !a.home && a.radius) lines.cylinder("body", a.at, a.radius, a.height);
			for (const s of solids ?? []) if (s.name) lines.solid("box", s);
		}
	},
	traces(lines) {
		for (const t of look.traces) {
			lines.line(t.blocked ? "blocked" : t.kind === "shot" ? "shot" : "trace", t.from, t.to);
			if (t.blocked) lines.cross("blocked", t.to, 8);
		}
	},
	claims(lines) {
		for (const c of look.claims) {
			lines.line(c.refused ? "refused" : "shot", c.from, c.to);
			lines.cross(c.refused ? "refused" : "shot", c.to, 10);
			for (const t of c.targets) {
				for (const s of t.solids) lines.solid("then", s);
				lines.line("then", t.then, t.now);
				lines.cross("then", t.now, 12);
			}
		}
	},
	navigation(lines) {
		const n = graph.value;
		if (!n) return;
		for (const kind of ["walk", "drop", "jump", "lift"]) {
			const list = n.links[kind] ?? [];
			for (let i = 0; i < list.length; i += 2) lines.line(kind, n.nodes[list[i]], n.nodes[list[i + 1]]);
		}
		for (const at of n.nodes) lines.cross("walk", at, 6);
	},
};

// flat are overlays that belong to the level's surfaces; others are seen through walls.
export const flat = ["navigation"], through = Object.keys(draws).filter((name) => !flat.includes(name));

// gather returns the lines of those of some overlays that are on, by color.
export function gather(state, dark, names = Object.keys(draws)) {
	const lines = new Lines(dark);
	for (const name of names) if (look.on(name)) draws[name](lines, state);
	return lines.by;
}

// graph is the navigation graph of the present level, read once it is wanted and there is one.
const graph = { level: undefined, value: undefined, asked: 0 };

// follow reads what overlays need beside the stream; changed() is called when there is more to draw.
export async function follow(state, changed) {
	if (graph.level !== state.host.level || graph.time > state.host.time) Object.assign(graph, { level: state.host.level, value: undefined, asked: 0 });
	graph.time = state.host.time;
	if (!look.on("navigation") || graph.value || performance.now() - graph.asked < 2000) return;
	graph.asked = performance.now();
	try {
		const n = await get("navigation");
		if (!n.built || graph.level !== state.host.level) return;
		graph.value = n;
		look.nodes = n.nodes.length;
		changed();
	} catch {
		// the status line says that the host has gone
	}
}
