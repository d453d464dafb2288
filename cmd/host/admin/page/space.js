// The match in three dimensions: the level's triangles, actors as in the map, the same overlays. It draws with the modules of the
// browser client (client/, which the host serves from there), only while it is visible and only when something changed.
import { get } from "./api.js";
import { colorOf, element, isDark } from "./dom.js";
import { look } from "./look.js";
import { colorFor, flat, follow, gather, through } from "./overlays.js";

const NEAR = 60, FAR = 60000; // of the distance to what the camera turns around, in uu
const most = 1024; // actors of one shape
const LIQUIDS = { water: 0x3f86a8, slime: 0x6d8a3a, lava: 0xd9541e };
const UNSEEN = new Set(["clip", "empty", "origin", "portal"]);

let three, toThree; // loaded when the panel is first shown

// paint sets a color of three.js from one of CSS; it knows no hsl without commas.
function paint(color, css) {
	const hsl = /^hsl\(([\d.]+) ([\d.]+)% ([\d.]+)%\)$/.exec(css);
	return hsl ? color.setHSL(hsl[1] / 360, hsl[2] / 100, hsl[3] / 100) : color.set(css);
}

class InspectSpace extends HTMLElement {
	connectedCallback() {
		this.canvas = element("canvas", {
			tabindex: "0",
			"aria-label": "The match in three dimensions. W, A, S, D fly, Q and E lower and raise, arrows turn, + and - come nearer, 0 shows all, N and P go to the next and the last player, Enter opens them in the panel Actors.",
		});
		this.labels = element("div", { class: "labels", "aria-hidden": "true" });
		this.told = element("p", { class: "told", role: "status" }, "Loading…");
		this.cut = element("input", { type: "range", min: "0", max: "1000", value: "1000", oninput: () => ((this.chosen = true), this.build(), this.draw()) });
		this.bar = element("inspect-look");
		this.list = element("inspect-copies", { hidden: true });
		this.append(this.bar, element("div", { class: "view" }, element("div", { class: "plan" }, this.canvas, this.labels, element("div", { class: "tools" }, this.told, element("label", {}, "Cut at height", this.cut))), this.list));
		this.state = { actors: [], connections: [], host: {} };
		this.camera = undefined;
		this.held = new Set();
		this.frames = 0;
		look.addEventListener("change", () => this.draw());
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => (this.build(), this.draw()));
		new ResizeObserver(() => this.draw()).observe(this.canvas);
		this.canvas.addEventListener("pointerdown", (e) => this.grab(e));
		this.canvas.addEventListener("contextmenu", (e) => e.preventDefault());
		this.canvas.addEventListener("wheel", (e) => {
			e.preventDefault();
			this.nearer(Math.exp(e.deltaY / 500));
		}, { passive: false });
		this.canvas.addEventListener("keydown", (e) => this.keyed(e));
		this.canvas.addEventListener("keyup", (e) => this.held.delete(e.key.toLowerCase()));
		this.canvas.addEventListener("blur", () => this.held.clear());
	}

	show(state) {
		this.state = state;
		if (this.hidden) return;
		this.bar.show(state);
		this.list.show(state);
		follow(state, () => this.draw());
		if (!this.began) this.begin();
		const followed = this.follows && state.actors.find((a) => a.name === this.follows);
		if (followed && this.camera) this.camera.at = [...followed.at];
		if (this.view && state.host.level !== this.loaded) this.load(state.host.level);
		this.draw();
	}

	// begin loads the renderer.
	async begin() {
		this.began = true;
		try {
			[three, toThree] = await Promise.all([import("./client/vendor/three.js"), import("./client/space.js")]);
			const renderer = new three.WebGLRenderer({ canvas: this.canvas, antialias: true });
			const scene = new three.Scene();
			const sun = new three.DirectionalLight(0xffffff, 1.3);
			toThree.place(-0.4, 0.3, 1, sun.position);
			scene.add(new three.HemisphereLight(0xffffff, 0x8a8f96, 1.5), sun);
			this.view = { renderer, scene, camera: new three.PerspectiveCamera(60, 1, NEAR, FAR), level: new three.Group(), movers: [], sets: {} };
			scene.add(this.view.level);
			const shapes = { pawn: new three.CylinderGeometry(1, 1, 2, 14), thing: new three.BoxGeometry(2, 2, 2) };
			for (const [shape, geometry] of Object.entries(shapes)) {
				for (const faint of [false, true]) {
					const m = new three.InstancedMesh(geometry, new three.MeshLambertMaterial(faint ? { transparent: true, opacity: 0.18, depthWrite: false } : {}), most);
					m.frustumCulled = false;
					m.setColorAt(0, new three.Color()); // makes room for colors
					scene.add(m);
					this.view.sets[shape + (faint ? "Faint" : "")] = m;
				}
			}
			this.show(this.state);
		} catch (fault) {
			this.told.textContent = `No 3D here: ${fault.message}`;
			this.dataset.fault = fault.message;
		}
	}

	async load(level) {
		this.loaded = level;
		try {
			this.mesh = await get("mesh");
			const { positions } = this.mesh;
			let [low, high] = [0, 1];
			for (let i = 2; i < positions.length; i += 3) (low = Math.min(low, positions[i])), (high = Math.max(high, positions[i]));
			Object.assign(this.cut, { min: Math.floor(low), max: Math.ceil(high) + 1 });
			this.chosen = false;
			this.camera = undefined;
			this.highest = -Infinity;
			this.build();
			this.draw();
		} catch {
			this.loaded = undefined; // with the next state again
		}
	}

	// bounds of the level, or of the actors.
	bounds() {
		const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
		const note = (p) => p.forEach((x, k) => ((low[k] = Math.min(low[k], x)), (high[k] = Math.max(high[k], x))));
		for (const g of this.mesh?.groups ?? []) if (g.model < 0) for (let i = 3 * g.first; i < 3 * (g.first + g.count); i += 3) note(this.mesh.positions.slice(i, i + 3));
		if (low[0] > high[0]) for (const a of this.state.actors) note(a.at);
		if (low[0] > high[0]) note([-500, -500, 0]), note([500, 500, 500]);
		return { low, high };
	}

	// build makes the meshes of the level, without what is above the cut.
	build() {
		if (!this.view || !this.mesh) return;
		const { level } = this.view, dark = isDark(), cut = Number(this.cut.value);
		for (const m of [...level.children, ...this.view.movers.map((x) => x.mesh)]) {
			m.removeFromParent();
			m.geometry.dispose();
			m.material.dispose();
		}
		this.view.movers = [];
		this.view.edges = undefined;
		const color = new three.Color(), { low, high } = this.bounds();
		let triangles = 0;
		const make = (groups, model, material, tint) => {
			const corners = [], colors = [];
			for (const g of groups) {
				for (let i = g.first; i < g.first + g.count; i += 3) {
					const t = this.mesh.positions.slice(3 * i, 3 * i + 9);
					if (model < 0 && Math.min(t[2], t[5], t[8]) >= cut) continue;
					corners.push(t[0], t[1], t[2], t[6], t[7], t[8], t[3], t[4], t[5]); // three.js wants the other direction (client/space.js)
					tint(color, (Math.max(t[2], t[5], t[8]) - low[2]) / Math.max(1, high[2] - low[2]), g.contents);
					for (let k = 0; k < 3; k++) colors.push(color.r, color.g, color.b);
				}
			}
			if (!corners.length) return undefined;
			const geometry = new three.BufferGeometry();
			toThree.places(corners);
			geometry.setAttribute("position", new three.Float32BufferAttribute(corners, 3));
			geometry.setAttribute("color", new three.Float32BufferAttribute(colors, 3));
			geometry.computeVertexNormals(); // no corner is shared, so that faces are flat
			triangles += corners.length / 9;
			return new three.Mesh(geometry, material);
		};
		const groups = this.mesh.groups.filter((g) => !UNSEEN.has(g.contents));
		const wall = (c, t) => c.setHSL(212 / 360, 0.14, dark ? 0.2 + 0.25 * t : 0.86 - 0.28 * t);
		const liquid = (c, _, contents) => c.set(LIQUIDS[contents]);
		const opaque = () => new three.MeshLambertMaterial({ vertexColors: true });
		const parts = [
			make(groups.filter((g) => g.model < 0 && !LIQUIDS[g.contents]), -1, opaque(), wall),
			make(groups.filter((g) => g.model < 0 && LIQUIDS[g.contents]), -1, new three.MeshLambertMaterial({ vertexColors: true, transparent: true, opacity: 0.55, depthWrite: false }), liquid),
		];
		level.add(...parts.filter(Boolean));
		this.mesh.models.forEach((m, i) => {
			const mesh = make(groups.filter((g) => g.model === i), i, opaque(), (c) => paint(c, colorOf(m.class, dark)));
			if (!mesh) return;
			this.view.movers.push({ mesh, model: m });
			this.view.scene.add(mesh);
		});
		this.view.renderer.setClearColor(new three.Color(dark ? 0x0d141b : 0xf2f5f7));
		this.dataset.triangles = triangles;
	}

	// edges are those of the level's brushes, also of the ones that are never seen.
	edges(dark) {
		if (this.view.edges) return this.view.edges;
		const out = new Map();
		for (const g of this.mesh?.groups ?? []) {
			if (g.model >= 0) continue;
			const faces = new Map(); // by edge: the normals of its triangles
			for (let i = g.first; i < g.first + g.count; i += 3) {
				const t = [0, 1, 2].map((k) => this.mesh.positions.slice(3 * (i + k), 3 * (i + k) + 3));
				const [u, v] = [1, 2].map((k) => t[k].map((x, j) => x - t[0][j]));
				const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
				const size = Math.hypot(...n) || 1;
				for (let k = 0; k < 3; k++) {
					const ends = [t[k], t[(k + 1) % 3]].sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
					const key = ends.join();
					if (!faces.has(key)) faces.set(key, { ends, normals: [] });
					faces.get(key).normals.push(n.map((x) => x / size));
				}
			}
			const color = colorFor(g.contents === "clip" || g.contents === "empty" ? "clip" : "brush", dark);
			if (!out.has(color)) out.set(color, []);
			for (const { ends, normals } of faces.values()) {
				const flat = normals.length === 2 && normals[0].every((x, k) => Math.abs(x - normals[1][k]) < 1e-3); // within a face
				if (!flat) out.get(color).push(...ends[0], ...ends[1]);
			}
		}
		return (this.view.edges = out);
	}

	// fit looks at all of the level.
	fit() {
		const { low, high } = this.bounds();
		const size = Math.hypot(...high.map((x, k) => x - low[k]));
		this.camera = { at: low.map((x, k) => (x + high[k]) / 2), yaw: -Math.PI / 2, pitch: -0.95, far: size * 0.66 };
	}

	// forward is the direction of the camera.
	forward() {
		const { yaw, pitch } = this.camera;
		return [Math.cos(pitch) * Math.cos(yaw), Math.cos(pitch) * Math.sin(yaw), Math.sin(pitch)];
	}

	eye() {
		return this.camera.at.map((x, k) => x - this.forward()[k] * this.camera.far);
	}

	nearer(by) {
		if (!this.camera) return;
		this.camera.far = Math.min(30000, Math.max(80, this.camera.far * by));
		this.draw();
	}

	// move shifts what the camera looks at: forward along the ground, right, up, in shares of its distance.
	move(ahead, right, up) {
		const { yaw } = this.camera, step = this.camera.far;
		this.follows = undefined;
		this.camera.at[0] += (Math.cos(yaw) * ahead - Math.sin(yaw) * right) * step;
		this.camera.at[1] += (Math.sin(yaw) * ahead + Math.cos(yaw) * right) * step;
		this.camera.at[2] += up * step;
	}

	turn(yaw, pitch) {
		this.camera.yaw += yaw;
		this.camera.pitch = Math.min(1.55, Math.max(-1.55, this.camera.pitch + pitch));
	}

	grab(e) {
		if (!this.camera) return;
		this.canvas.setPointerCapture(e.pointerId);
		this.canvas.focus();
		const shift = e.button !== 0 || e.shiftKey;
		let moved = 0, [x, y] = [e.clientX, e.clientY];
		const move = (m) => {
			const [dx, dy] = [m.clientX - x, m.clientY - y];
			(moved += Math.hypot(dx, dy)), ([x, y] = [m.clientX, m.clientY]);
			if (shift) this.move(dy / 600, -dx / 600, 0);
			else this.turn(dx / 200, -dy / 200);
			this.draw();
		};
		this.canvas.addEventListener("pointermove", move);
		this.canvas.addEventListener("pointerup", (u) => {
			this.canvas.removeEventListener("pointermove", move);
			if (moved < 4 && !shift) this.pick(u.clientX, u.clientY);
		}, { once: true });
	}

	keyed(e) {
		if (!this.camera || e.ctrlKey || e.metaKey || e.altKey) return;
		const key = e.key.toLowerCase();
		const does = {
			arrowleft: () => this.turn(-0.08, 0), arrowright: () => this.turn(0.08, 0), arrowup: () => this.turn(0, 0.06), arrowdown: () => this.turn(0, -0.06),
			"+": () => this.nearer(1 / 1.2), "=": () => this.nearer(1 / 1.2), "-": () => this.nearer(1.2), 0: () => this.fit((this.follows = undefined)), n: () => this.next(1), p: () => this.next(-1),
			enter: () => this.selected && this.dispatchEvent(new CustomEvent("pick", { detail: this.selected, bubbles: true })),
		}[key];
		if (does) does();
		else if ("wasdqe".includes(key) && key.length === 1) this.fly(key);
		else return;
		e.preventDefault();
		this.draw();
	}

	// fly moves for as long as a key is held.
	fly(key) {
		const flying = this.held.size > 0;
		this.held.add(key);
		if (flying) return;
		let last = performance.now() - 16;
		const step = (now) => {
			const t = Math.min(0.1, (now - last) / 1000) * 0.9, has = (k) => (this.held.has(k) ? t : 0);
			last = now;
			if (!this.camera) return;
			this.move(has("w") - has("s"), has("d") - has("a"), has("e") - has("q"));
			this.draw();
			if (this.held.size && !this.hidden) requestAnimationFrame(step);
		};
		step(performance.now());
	}

	// next goes to the next pawn.
	next(by) {
		const pawns = this.state.actors.filter((a) => a.pawn);
		if (!pawns.length) return;
		const at = pawns.findIndex((a) => a.name === this.selected);
		const a = pawns[at < 0 ? 0 : (at + by + pawns.length) % pawns.length];
		this.selected = this.follows = a.name;
		Object.assign(this.camera, { at: [...a.at], far: Math.min(this.camera.far, 600), pitch: Math.min(this.camera.pitch, -0.4) });
	}

	// ray is from the eye through a point of the canvas.
	ray(x, y) {
		const rect = this.canvas.getBoundingClientRect();
		const f = this.forward(), { yaw } = this.camera, right = [-Math.sin(yaw), Math.cos(yaw), 0];
		const up = [right[1] * f[2] - right[2] * f[1], right[2] * f[0] - right[0] * f[2], right[0] * f[1] - right[1] * f[0]].map((v) => -v);
		const tan = Math.tan((60 * Math.PI) / 360), [u, v] = [((x - rect.left) / rect.width) * 2 - 1, 1 - ((y - rect.top) / rect.height) * 2];
		const d = f.map((n, k) => n + right[k] * u * tan * (rect.width / rect.height) + up[k] * v * tan), size = Math.hypot(...d);
		return d.map((n) => n / size);
	}

	// spot is where a place is on the screen, undefined behind the camera.
	spot(at) {
		const v = toThree.place(...at, new three.Vector3()).project(this.view.camera), rect = this.canvas.getBoundingClientRect();
		return v.z > 1 ? undefined : { x: rect.left + ((v.x + 1) / 2) * rect.width, y: rect.top + ((1 - v.y) / 2) * rect.height };
	}

	// pick opens the actor under a point.
	pick(x, y) {
		const d = this.ray(x, y), eye = this.eye();
		let best, least = Infinity;
		for (const a of this.state.actors) {
			if (a.hidden && !a.pawn || a.home) continue;
			const to = a.at.map((n, k) => n - eye[k]), along = to.reduce((s, n, k) => s + n * d[k], 0);
			if (along < 0 || along > least) continue;
			const away = Math.hypot(...to.map((n, k) => n - along * d[k]));
			if (away < Math.max(a.radius, a.height, along * 0.015)) [best, least] = [a, along];
		}
		if (best) this.dispatchEvent(new CustomEvent("pick", { detail: best.name, bubbles: true }));
	}

	// draw draws with the next frame, if anybody sees it.
	draw() {
		if (this.hidden || !this.view || this.due) return;
		this.due = true;
		requestAnimationFrame(() => {
			this.due = false;
			if (!this.hidden) this.frame();
		});
	}

	frame() {
		const rect = this.canvas.getBoundingClientRect();
		if (!rect.width || !rect.height) return;
		if (!this.chosen) this.follow();
		if (!this.camera) this.fit();
		const { renderer, scene, camera } = this.view, dark = isDark();
		renderer.setPixelRatio(Math.min(devicePixelRatio || 1, 2));
		renderer.setSize(rect.width, rect.height, false);
		camera.aspect = rect.width / rect.height;
		camera.near = Math.max(2, this.camera.far / 200);
		camera.updateProjectionMatrix();
		toThree.place(...this.eye(), camera.position);
		toThree.turn(this.camera.pitch, this.camera.yaw, 0, camera.quaternion);
		camera.updateMatrixWorld();
		this.actors(dark);
		this.overlays(dark);
		renderer.render(scene, camera);
		this.names();
		this.dataset.frames = ++this.frames;
		this.told.textContent = `${this.state.actors.length} actors, ${this.dataset.triangles ?? 0} triangles`;
	}

	// follow cuts the level above the highest pawn, until the slider says otherwise.
	follow() {
		const top = Math.max(this.highest ?? -Infinity, ...this.state.actors.filter((a) => a.pawn).map((a) => a.at[2] + 2 * a.height));
		if (!Number.isFinite(top) || top === this.highest) return;
		this.highest = top;
		this.cut.value = top;
		this.build();
	}

	actors(dark) {
		const { sets, movers } = this.view, counts = {}, matrix = new three.Matrix4(), place = new three.Vector3(), turn = new three.Quaternion(), size = new three.Vector3(), color = new three.Color();
		for (const name of Object.keys(sets)) counts[name] = 0;
		const found = new Map();
		let shown = 0;
		for (const a of this.state.actors) {
			if (a.hidden && !a.pawn) continue;
			const copy = look.copies.get(a.id), lacks = look.on("relevancy") && (!copy || copy.state === "waiting");
			const yaw = (a.yaw / 65536) * 2 * Math.PI;
			if (a.home) {
				found.set(a.home.join(), { a, yaw, lacks });
				continue;
			}
			const name = (a.pawn ? "pawn" : "thing") + (lacks ? "Faint" : ""), set = sets[name];
			if (counts[name] === most) continue;
			toThree.place(...a.at, place);
			toThree.turn(0, yaw, 0, turn);
			const [r, h] = a.pawn ? [a.radius, a.height] : [Math.max(6, Math.min(a.radius, 60)), Math.max(6, Math.min(a.height, 60))];
			toThree.extents(r, r, h, size);
			set.setMatrixAt(counts[name], matrix.compose(place, turn, size));
			set.setColorAt(counts[name]++, paint(color, colorOf(a.class, dark)));
			shown++;
		}
		for (const [name, set] of Object.entries(sets)) {
			set.count = counts[name];
			set.instanceMatrix.needsUpdate = set.instanceColor.needsUpdate = true;
		}
		for (const { mesh, model } of movers) {
			const of = found.get(model.origin.join());
			mesh.visible = Boolean(of);
			if (!of) continue;
			toThree.place(...of.a.at, mesh.position);
			toThree.turn(0, of.yaw, 0, mesh.quaternion);
			mesh.material.transparent = of.lacks;
			mesh.material.opacity = of.lacks ? 0.18 : 1;
			shown++;
		}
		this.dataset.actors = shown;
	}

	// overlays draws the lines of overlays.
	overlays(dark) {
		const { view } = this, color = new three.Color();
		let positions = [], colors = [];
		const take = (by) => {
			for (const [text, list] of by) {
				paint(color, text);
				for (const x of list) positions.push(x);
				for (let i = 0; i < list.length / 3; i++) colors.push(color.r, color.g, color.b);
			}
		};
		const lines = (name, seen) => {
			view[name]?.removeFromParent();
			view[name]?.geometry.dispose();
			const geometry = new three.BufferGeometry();
			geometry.setAttribute("position", new three.Float32BufferAttribute(toThree.places(positions), 3));
			geometry.setAttribute("color", new three.Float32BufferAttribute(colors, 3));
			view[name + "Paint"] ??= new three.LineBasicMaterial({ vertexColors: true, depthTest: !seen, transparent: seen }); // transparent ones are drawn last
			view[name] = new three.LineSegments(geometry, view[name + "Paint"]);
			view[name].frustumCulled = false;
			view.scene.add(view[name]);
			const drawn = positions.length / 6;
			(positions = []), (colors = []);
			return drawn;
		};
		take(gather(this.state, dark, flat));
		if (look.on("brushes")) take(this.edges(dark));
		let drawn = lines("flat", false);
		take(gather(this.state, dark, through));
		for (const a of this.state.actors) { // where pawns look, and which one is chosen
			if (!a.pawn) continue;
			const yaw = (a.yaw / 65536) * 2 * Math.PI, far = a.radius + 40;
			take([[colorOf(a.class, dark), [...a.at, a.at[0] + Math.cos(yaw) * far, a.at[1] + Math.sin(yaw) * far, a.at[2]]]]);
			if (a.name === this.selected) take([[dark ? "#ffffff" : "#000000", [a.at[0], a.at[1], a.at[2] + a.height + 20, a.at[0], a.at[1], a.at[2] + a.height + 200]]]);
		}
		drawn += lines("through", true);
		this.dataset.lines = drawn;
	}

	// names writes the names of pawns beside them.
	names() {
		const rect = this.canvas.getBoundingClientRect(), pawns = this.state.actors.filter((a) => a.pawn);
		while (this.labels.childElementCount < pawns.length) this.labels.append(element("span"));
		while (this.labels.childElementCount > pawns.length) this.labels.lastElementChild.remove();
		pawns.forEach((a, i) => {
			const label = this.labels.children[i], at = this.spot([a.at[0], a.at[1], a.at[2] + a.height]);
			label.hidden = !at || at.x < rect.left || at.x > rect.right - 20 || at.y < rect.top || at.y > rect.bottom;
			if (label.hidden) return;
			label.textContent = a.player || a.name;
			label.classList.toggle("faint", look.on("relevancy") && !look.copies.has(a.id));
			label.style.transform = `translate(${(at.x - rect.left).toFixed(1)}px, ${(at.y - rect.top).toFixed(1)}px) translate(-50%, -110%)`;
		});
	}
}
customElements.define("inspect-space", InspectSpace);
