// The level from above, with all actors, as the server has them or as a player's client does.
import { get } from "./api.js";
import { colorOf, element, isDark } from "./dom.js";
import { look } from "./look.js";
import { colorFor, follow, gather } from "./overlays.js";
import "./lookbar.js";

const LEAST = 0.002, MOST = 4; // pixels per uu

class InspectMap extends HTMLElement {
	connectedCallback() {
		this.canvas = element("canvas", { tabindex: "0", "aria-label": "The level from above. Arrows move it, + and - zoom, 0 shows all, Tab and Enter choose an actor in the panel Actors." });
		this.told = element("p", { class: "told" });
		this.cut = element("input", { type: "range", min: "0", max: "1000", value: "1000", oninput: () => ((this.chosen = true), this.draw()) });
		this.bar = element("inspect-look");
		this.list = element("inspect-copies", { hidden: true });
		this.append(
			this.bar,
			element("div", { class: "view" }, element("div", { class: "plan" }, this.canvas, element("div", { class: "tools" }, this.told, element("label", {}, "Cut at height", this.cut))), this.list),
		);
		look.addEventListener("change", () => this.draw());
		this.at = { x: 0, y: 0, scale: 0 };
		this.level = { brushes: [] };
		this.state = { actors: [], connections: [] };
		new ResizeObserver(() => this.draw()).observe(this.canvas);
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
		this.canvas.addEventListener("wheel", (e) => {
			e.preventDefault();
			this.zoom(Math.exp(-e.deltaY / 500), e.offsetX, e.offsetY);
		}, { passive: false });
		this.canvas.addEventListener("pointerdown", (e) => this.grab(e));
		this.canvas.addEventListener("keydown", (e) => this.keyed(e));
	}

	// show takes a state of the stream.
	show(state) {
		this.state = state;
		if (state.host.level !== this.loaded) {
			this.loaded = state.host.level;
			this.highest = undefined;
			this.load();
		}
		this.told.textContent = `${state.actors.length} actors, ${state.connections.length} players`;
		this.dataset.actors = state.actors.length;
		if (this.hidden) return;
		this.bar.show(state);
		this.list.show(state);
		follow(state, () => this.draw());
		this.draw();
	}

	async load() {
		try {
			this.level = await get("level");
			this.at.scale = 0;
			this.chosen = false;
			const tops = this.level.brushes.map((b) => b.top), bottoms = this.level.brushes.map((b) => b.bottom);
			Object.assign(this.cut, { min: Math.floor(Math.min(...bottoms, 0)), max: Math.ceil(Math.max(...tops, 1)) });
			this.dataset.brushes = this.level.brushes.length;
			this.draw();
		} catch {
			this.loaded = undefined; // with the next state again
		}
	}

	fit(width, height) {
		let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
		const note = (x, y) => {
			left = Math.min(left, x), right = Math.max(right, x), low = Math.min(low, y), high = Math.max(high, y);
		};
		for (const b of this.level.brushes) for (const [x, y] of b.corners) note(x, y);
		if (left > right) for (const a of this.state.actors) note(a.at[0], a.at[1]);
		if (left > right) note(-500, -500), note(500, 500);
		this.at = { x: (left + right) / 2, y: (low + high) / 2, scale: Math.min(width / (right - left + 100), height / (high - low + 100)) };
	}

	zoom(by, x, y) {
		const to = Math.min(MOST, Math.max(LEAST, this.at.scale * by));
		const { width, height } = this.canvas.getBoundingClientRect();
		const [dx, dy] = [(x ?? width / 2) - width / 2, (y ?? height / 2) - height / 2];
		this.at.x += dx / this.at.scale - dx / to;
		this.at.y += dy / this.at.scale - dy / to;
		this.at.scale = to;
		this.draw();
	}

	grab(e) {
		const start = { x: e.clientX, y: e.clientY, at: { ...this.at } };
		const rect = this.canvas.getBoundingClientRect();
		this.canvas.setPointerCapture(e.pointerId);
		const move = (m) => {
			this.at.x = start.at.x - (m.clientX - start.x) / this.at.scale;
			this.at.y = start.at.y - (m.clientY - start.y) / this.at.scale;
			this.draw();
		};
		this.canvas.addEventListener("pointermove", move);
		this.canvas.addEventListener("pointerup", (u) => {
			this.canvas.removeEventListener("pointermove", move);
			if (Math.hypot(u.clientX - start.x, u.clientY - start.y) < 4) this.pick(u.clientX - rect.left, u.clientY - rect.top, rect);
		}, { once: true });
	}

	// pick chooses the actor under a point.
	pick(x, y, { width, height }) {
		const [wx, wy] = [this.at.x + (x - width / 2) / this.at.scale, this.at.y + (y - height / 2) / this.at.scale];
		let best, least = 14 / this.at.scale;
		for (const a of this.state.actors) {
			const d = Math.hypot(a.at[0] - wx, a.at[1] - wy) - (a.hidden ? 0 : a.radius);
			if (d < least) [best, least] = [a, d];
		}
		if (best) this.dispatchEvent(new CustomEvent("pick", { detail: best.name, bubbles: true }));
	}

	keyed(e) {
		const step = 60 / this.at.scale;
		const does = {
			ArrowLeft: () => (this.at.x -= step), ArrowRight: () => (this.at.x += step), ArrowUp: () => (this.at.y -= step), ArrowDown: () => (this.at.y += step),
			"+": () => this.zoom(1.3), "=": () => this.zoom(1.3), "-": () => this.zoom(1 / 1.3), 0: () => (this.at.scale = 0),
		}[e.key];
		if (!does) return;
		e.preventDefault();
		does();
		this.draw();
	}

	draw() {
		const rect = this.canvas.getBoundingClientRect();
		if (!rect.width || !rect.height) return;
		const ratio = devicePixelRatio || 1;
		if (this.canvas.width !== Math.round(rect.width * ratio) || this.canvas.height !== Math.round(rect.height * ratio)) {
			this.canvas.width = Math.round(rect.width * ratio), this.canvas.height = Math.round(rect.height * ratio);
		}
		if (!this.at.scale) this.fit(rect.width, rect.height);
		const dark = isDark();
		const c = this.canvas.getContext("2d");
		c.setTransform(ratio, 0, 0, ratio, 0, 0);
		c.clearRect(0, 0, rect.width, rect.height);
		const { x, y, scale } = this.at;
		const px = (wx) => (wx - x) * scale + rect.width / 2, py = (wy) => (wy - y) * scale + rect.height / 2;
		this.brushes(c, px, py, dark);
		for (const a of this.state.actors) this.actor(c, a, px(a.at[0]), py(a.at[1]), scale, dark);
		this.overlays(c, px, py, dark);
		this.dataset.drawn = this.state.actors.length;
	}

	// height is where the level is cut: chosen by the slider, or above the highest pawn, so that no roof covers the players.
	height() {
		if (!this.chosen) {
			const pawns = this.state.actors.filter((a) => a.pawn);
			const top = Math.max(this.highest ?? -Infinity, ...pawns.map((a) => a.at[2] + 2 * a.height));
			this.highest = top;
			this.cut.value = Number.isFinite(top) ? top : this.cut.max;
		}
		return Number(this.cut.value);
	}

	brushes(c, px, py, dark) {
		const cut = this.height();
		const list = this.level.brushes.filter((b) => b.bottom < cut);
		const low = list[0]?.top ?? 0, span = Math.max(1, (list.at(-1)?.top ?? 0) - low);
		for (const b of list) {
			if (b.contents === "empty" || b.contents === "clip") continue;
			const t = (b.top - low) / span;
			const hue = { water: 205, slime: 95, lava: 20 }[b.contents];
			c.fillStyle = hue === undefined ? `hsl(212 16% ${dark ? 15 + 22 * t : 93 - 30 * t}%)` : `hsl(${hue} 60% ${dark ? 30 : 70}% / .6)`;
			c.strokeStyle = dark ? "#ffffff18" : "#00000022";
			c.beginPath();
			b.corners.forEach(([wx, wy], i) => (i ? c.lineTo(px(wx), py(wy)) : c.moveTo(px(wx), py(wy))));
			c.closePath();
			c.fill();
			c.stroke();
		}
	}

	actor(c, a, x, y, scale, dark) {
		if (a.hidden && !a.pawn) return;
		const r = Math.max(2.5, a.radius * scale), copy = look.copies.get(a.id);
		const lacks = look.on("relevancy") && (!copy || copy.state === "waiting");
		const ink = dark ? "#dde6ee" : "#22303d", late = dark ? "#ffb454" : "#b45309";
		c.globalAlpha = lacks ? 0.18 : 1;
		c.fillStyle = c.strokeStyle = colorOf(a.class, dark);
		c.beginPath();
		c.arc(x, y, r, 0, 2 * Math.PI);
		if (a.pawn) c.fill();
		else c.stroke();
		if (a.pawn) {
			const yaw = (a.yaw / 65536) * 2 * Math.PI;
			c.beginPath();
			c.moveTo(x, y);
			c.lineTo(x + Math.cos(yaw) * (r + 8), y + Math.sin(yaw) * (r + 8));
			c.stroke();
		}
		if (look.on("relevancy") && copy && (copy.throttled || copy.state !== "open")) { // waits for bandwidth, or sleeps
			c.globalAlpha = 1;
			c.strokeStyle = copy.throttled || copy.state === "waiting" ? late : ink;
			c.setLineDash(copy.throttled || copy.state === "waiting" ? [] : [2, 3]);
			c.beginPath();
			c.arc(x, y, r + 3, 0, 2 * Math.PI);
			c.stroke();
			c.setLineDash([]);
		}
		c.globalAlpha = lacks ? 0.4 : 1;
		if (a.name === this.selected) {
			c.strokeStyle = dark ? "#fff" : "#000";
			c.lineWidth = 2;
			c.beginPath();
			c.arc(x, y, r + 4, 0, 2 * Math.PI);
			c.stroke();
			c.lineWidth = 1;
		}
		if (a.pawn) {
			c.fillStyle = ink;
			c.font = "11px system-ui, sans-serif";
			c.fillText(a.player || a.name, x + r + 4, y - r - 2);
		}
		c.globalAlpha = 1;
	}

	// overlays draws the lines of overlays.
	overlays(c, px, py, dark) {
		let drawn = 0;
		for (const [color, list] of gather(this.state, dark)) {
			c.strokeStyle = color;
			c.beginPath();
			for (let i = 0; i < list.length; i += 6) {
				c.moveTo(px(list[i]), py(list[i + 1]));
				c.lineTo(px(list[i + 3]), py(list[i + 4]));
			}
			c.stroke();
			drawn += list.length / 6;
		}
		if (look.on("brushes")) drawn += this.outlines(c, px, py, dark);
		this.dataset.lines = drawn;
	}

	// outlines draws all brushes, also those that are never seen; what only stops bodies is dashed.
	outlines(c, px, py, dark) {
		const cut = this.height();
		const list = this.level.brushes.filter((b) => b.bottom < cut);
		for (const b of list) {
			const clip = b.contents === "clip" || b.contents === "empty";
			c.strokeStyle = colorFor(clip ? "clip" : "brush", dark);
			c.setLineDash(clip ? [5, 4] : []);
			c.beginPath();
			b.corners.forEach(([wx, wy], i) => (i ? c.lineTo(px(wx), py(wy)) : c.moveTo(px(wx), py(wy))));
			c.closePath();
			c.stroke();
		}
		c.setLineDash([]);
		return list.length;
	}
}
customElements.define("inspect-map", InspectMap);
