// Where the time of ticks goes: by phase over the last minute, and by class, function and stack of scripts.
import { get } from "./api.js";
import { element, isDark, Table } from "./dom.js";
import "./flame.js";

const ms = (seconds) => (seconds * 1000).toFixed(3);
const percent = (part, whole) => (whole > 0 ? `${((100 * part) / whole).toFixed(1)} %` : "");
const hues = { receive: 210, world: 160, evaluate: 275, encode: 310, send: 340, rest: 220, scripts: 28, movement: 95, profiler: 0 };
const paint = (name, dark) => `hsl(${hues[name] ?? 0} ${name === "rest" ? 12 : 62}% ${dark ? 60 : 46}%)`;
const nameOf = (f) => (f.class ? `${f.class}:${f.name}` : f.name);
const placeOf = (f) => (f.native ? "native" : f.file ? `${f.file}:${f.line}` : "");

class InspectProfile extends HTMLElement {
	connectedCallback() {
		this.hold = element("button", { type: "button", "aria-pressed": "false", onclick: () => this.holds() }, "Hold");
		this.query = element("input", { type: "search", "aria-label": "Search functions and classes", placeholder: "Search", oninput: () => this.searched() });
		this.told = element("p", { class: "told" });
		this.line = element("canvas", { role: "img", "aria-label": "Time of ticks by phase over the last minute; the table beside it has the averages" });
		this.phases = new Table("Phases", [
			{ name: "Phase", of: (p) => p.name }, { name: "ms a tick", number: true, of: (p) => ms(p.time) }, { name: "Of the tick", number: true, of: (p) => percent(p.time, this.report.tick) },
		], (p) => p.name);
		this.flame = element("flame-graph", { "aria-label": "Stacks of scripts by time" });
		this.flame.addEventListener("tell", (e) => this.tell(e.detail));
		this.place = element("p", { class: "place", "aria-live": "polite" }, "Click a box to zoom, or use arrows, Enter and Escape.");
		this.kind = element("select", { "aria-label": "What the table lists", onchange: () => this.tables() }, element("option", { value: "functions" }, "Functions"), element("option", { value: "classes" }, "Classes"));
		const times = [
			{ name: "Self ms", number: true, of: (f) => ms(f.exclusive) }, { name: "Of scripts", number: true, of: (f) => percent(f.exclusive, this.scripts) },
			{ name: "Total ms", number: true, of: (f) => ms(f.inclusive) }, { name: "Calls a tick", number: true, of: (f) => (f.calls ? f.calls.toFixed(2) : "") },
		];
		this.functions = new Table("Functions", [{ name: "Function", of: nameOf }, ...times, { name: "At", of: placeOf }], (f) => `${nameOf(f)} ${f.file ?? ""}`, (f) => this.tell({ function: f }));
		this.classes = new Table("Classes", [{ name: "Class", of: (c) => c.class || "(none)" }, ...times], (c) => c.class, (c) => this.search(c.class));
		this.list = element("div", { class: "list" });
		this.append(
			element("div", { class: "bar" }, this.hold, this.query, this.told),
			element("div", { class: "time" }, this.line, element("div", { class: "phases" }, this.phases.table)),
			element("div", { class: "flame" }, this.flame), this.place,
			element("div", { class: "bar" }, this.kind), this.list,
		);
		new ResizeObserver(() => this.draw()).observe(this.line);
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
	}

	show() {
		if (this.hidden || this.held || this.asked > performance.now() - 1000) return;
		this.refresh();
	}

	async refresh() {
		this.asked = performance.now();
		let report;
		try {
			report = await get("profile");
		} catch {
			return; // the status line says that the host has gone
		}
		if (this.held) return;
		this.report = report;
		this.scripts = report.phases.find((p) => p.name === "scripts").time;
		this.dataset.ticks = report.ticks;
		this.told.textContent = `${ms(report.tick)} ms a tick, the longest ${ms(report.longest)} ms; ${report.samples} samples in ${report.measured} of ${report.ticks} ticks` + (report.cut ? `, ${report.cut} of them cut: too many stacks` : "");
		this.phases.update(report.phases);
		for (const [i, p] of report.phases.entries()) {
			const cell = this.phases.rows.get(p.name).cells[0];
			cell.style.boxShadow = `inset .3rem 0 ${paint(report.phases[i].name, isDark())}`;
		}
		this.draw();
		this.flame.show(this.tree());
		this.tables();
	}

	// tree is the stacks as a tree below one root, siblings by name so that they stay where they are.
	tree() {
		const { stacks, functions } = this.report;
		const share = (t) => `${ms(t)} ms a tick, ${percent(t, this.scripts)} of scripts`;
		const root = { name: "scripts", key: "", total: 0, children: [] };
		const nodes = stacks.map((s) => {
			const f = functions[s.function];
			return { name: nameOf(f), key: `${nameOf(f)} ${f.file ?? ""}`.replaceAll("/", "|"), color: f.class || f.name, function: f, self: s.self, total: s.total, text: share(s.total), children: [] };
		});
		nodes.forEach((n, i) => (nodes[stacks[i].parent] ?? root).children.push(n));
		for (const n of [root, ...nodes]) n.children.sort((a, b) => (a.key < b.key ? -1 : 1));
		root.total = root.children.reduce((sum, n) => sum + n.total, 0);
		root.text = share(root.total);
		return root;
	}

	tables() {
		if (!this.report) return;
		const text = this.query.value.trim().toLowerCase(), table = this[this.kind.value];
		table.update(this.report[this.kind.value].filter((x) => `${x.name === undefined ? x.class : nameOf(x)} ${x.file ?? ""}`.toLowerCase().includes(text)));
		if (this.list.firstChild !== table.table) this.list.replaceChildren(table.table);
	}

	searched() {
		this.flame.search(this.query.value);
		this.tables();
	}

	search(text) {
		this.query.value = text;
		this.searched();
	}

	holds() {
		this.held = !this.held;
		this.hold.setAttribute("aria-pressed", String(this.held));
		this.hold.textContent = this.held ? "Held" : "Hold";
		if (!this.held) this.refresh();
	}

	// tell names a function with its place.
	tell(node) {
		const f = node.function;
		const self = node.self ?? f?.exclusive, total = node.total ?? f?.inclusive;
		this.place.textContent = f ? `${nameOf(f)} (${placeOf(f)}): ${ms(self)} ms by itself, ${ms(total)} ms in all, ${percent(total, this.scripts)} of scripts` : `${node.name}: ${node.text}`;
	}

	// draw draws the last minute: a column a second, the phases on top of one another, and a tick for the longest.
	draw() {
		const { width, height } = this.line.getBoundingClientRect();
		if (!width || !height || !this.report) return;
		const ratio = devicePixelRatio || 1, dark = isDark(), { timeline, phases } = this.report;
		(this.line.width = Math.round(width * ratio)), (this.line.height = Math.round(height * ratio));
		const c = this.line.getContext("2d");
		c.scale(ratio, ratio);
		const sums = timeline.map((m) => m.phases.reduce((a, b) => a + b, 0)), most = Math.max(1e-6, ...sums) * 1.15;
		const left = 52, step = (width - left) / 60, y = (t) => height - 16 - (t / most) * (height - 22);
		c.font = "11px system-ui, sans-serif";
		c.fillStyle = c.strokeStyle = getComputedStyle(this).getPropertyValue("--dim");
		for (const part of [0, 0.5, 1]) {
			const t = (most / 1.15) * part;
			c.globalAlpha = 0.3;
			c.fillRect(left, y(t), width - left, 1);
			c.globalAlpha = 1;
			c.fillText(`${(t * 1000).toFixed(2)} ms`, 2, y(t) + 4);
		}
		c.fillText("1 minute ago", left, height - 3);
		c.fillText("now", width - 24, height - 3);
		timeline.forEach((m) => {
			let sum = 0;
			const x = left + (59 - m.ago) * step;
			phases.forEach((p, i) => {
				const from = y(sum);
				sum += m.phases[i];
				c.fillStyle = paint(p.name, dark);
				c.fillRect(x + 0.5, y(sum), Math.max(1, step - 1), from - y(sum));
			});
		});
	}
}
customElements.define("inspect-profile", InspectProfile);
