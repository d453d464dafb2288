// What was sent: over the last minutes as a chart, and since the players joined as a treemap and as a table, by class, and within a class by
// variable and function.
import uPlot from "./vendor/uplot.js";
import { get } from "./api.js";
import { bytes, colorOf, element, isDark, Table } from "./dom.js";

// squarify divides a rectangle among values, in order, so that the parts are as square as can be (Bruls, Huizing, van Wijk).
function squarify(items, x, y, w, h, out = []) {
	const total = items.reduce((s, i) => s + i.bytes, 0);
	let rest = items.filter((i) => i.bytes > 0), left = total;
	while (rest.length) {
		const short = Math.min(w, h), scale = (w * h) / left;
		let row = [], sum = 0, worst = Infinity;
		for (const item of rest) {
			const s = (sum + item.bytes) * scale, most = Math.max(item.bytes, ...row.map((r) => r.bytes)) * scale, least = Math.min(item.bytes, ...row.map((r) => r.bytes)) * scale;
			const ratio = Math.max((short * short * most) / (s * s), (s * s) / (short * short * least));
			if (row.length && ratio > worst) break;
			row.push(item), (sum += item.bytes), (worst = ratio);
		}
		const thick = (sum * scale) / short;
		let along = 0;
		for (const item of row) {
			const long = (item.bytes * scale) / thick;
			out.push(w >= h ? { item, x, y: y + along, w: thick, h: long } : { item, x: x + along, y, w: long, h: thick });
			along += long;
		}
		if (w >= h) (x += thick), (w -= thick);
		else (y += thick), (h -= thick);
		left -= sum;
		rest = rest.slice(row.length);
	}
	return out;
}

// lines are colors that can be told apart, on a light and on a dark ground.
const lines = ["#0f7c7a", "#c2570c", "#6d4fc4", "#b3261e", "#3b7d23", "#0b6bb5", "#a3327f", "#8a6d00"], darkLines = ["#5bc0be", "#ffa45c", "#b49cff", "#ff8a80", "#86d06c", "#6cc4f5", "#f29ad4", "#e0c341"];

const lineColor = (i, name) => (name === "(rest)" ? "#8a97a5" : (isDark() ? darkLines : lines)[i % lines.length]);

class InspectTraffic extends HTMLElement {
	connectedCallback() {
		this.who = element("select", { "aria-label": "Player", onchange: () => this.refresh() }, element("option", { value: "" }, "All players"));
		this.by = element("select", { "aria-label": "Lines of the chart", onchange: () => this.refresh() }, ...["class", "variable", "function", "connection"].map((by) => element("option", { value: by }, `by ${by}`)));
		this.sum = element("p", { class: "told" });
		this.plot = element("div", { class: "chart", role: "img", "aria-label": "Bytes a second over the last minutes" });
		this.canvas = element("canvas", { role: "img", "aria-label": "Shares of what was sent; the table below has the same figures" });
		this.table = new Table("Traffic", [
			{ name: "What", of: (t) => t.name }, { name: "Kind", of: (t) => t.kind }, { name: "Bytes", number: true, of: (t) => t.Bytes }, { name: "Times", number: true, of: (t) => t.Count },
			{ name: "Lost", number: true, of: (t) => t.Lost }, { name: "Throttled", number: true, of: (t) => t.Throttled }, { name: "Dropped", number: true, of: (t) => t.Dropped },
		], (t) => t.name);
		this.append(element("div", { class: "bar" }, this.who, this.by, this.sum), element("div", { class: "shares" }, this.plot, this.canvas), element("div", { class: "scroll" }, this.table.table));
		this.rows = [];
		new ResizeObserver(() => this.draw()).observe(this.canvas);
		new ResizeObserver(() => this.chart?.setSize(this.size())).observe(this.plot);
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => (this.forget(), this.draw()));
	}

	show(state) {
		if (this.hidden) return;
		const names = state.connections.map((c) => `${c.id} ${c.name}`).join();
		if (names !== this.names) {
			this.names = names;
			const now = this.who.value;
			this.who.replaceChildren(element("option", { value: "" }, "All players"), ...state.connections.map((c) => element("option", { value: c.id }, c.name)));
			this.who.value = state.connections.some((c) => String(c.id) === now) ? now : "";
		}
		if (!(this.asked > performance.now() - 1000)) this.refresh();
	}

	async refresh() {
		this.asked = performance.now();
		try {
			this.rows = await get("traffic" + (this.who.value ? `?connection=${this.who.value}` : ""));
		} catch {
			return; // the status line says that the host has gone
		}
		const total = this.rows.reduce((s, t) => s + t.Bytes, 0);
		this.sum.textContent = `${bytes(total)} of payload since the players joined`;
		this.dataset.bytes = total;
		this.table.update(this.rows);
		this.draw();
		await this.over();
	}

	// over reads the last minutes and draws them.
	async over() {
		const choice = () => `by=${this.by.value}${this.who.value ? `&connection=${this.who.value}` : ""}`;
		const asked = choice();
		let rates;
		try {
			rates = await get(`rates?${asked}`);
		} catch {
			return; // the status line says that the host has gone
		}
		if (this.hidden || asked !== choice()) return;
		this.shown = asked;
		const names = rates.series.map((s) => s.name), data = [rates.times, ...rates.series.map((s) => s.values)];
		this.dataset.seconds = rates.times.length;
		this.dataset.series = names.join(", ");
		if (this.chart && this.named === names.join("\n")) {
			this.chart.setData(data);
			return;
		}
		this.forget();
		this.named = names.join("\n");
		const ink = getComputedStyle(this).getPropertyValue("--dim"), grid = getComputedStyle(this).getPropertyValue("--edge");
		const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 }, font: "11px system-ui, sans-serif" };
		this.chart = new uPlot({
			...this.size(),
			series: [{ label: "Time" }, ...names.map((name, i) => ({ label: name, stroke: lineColor(i, name), width: 1.5, points: { show: false }, value: (_, v) => (v === null || v === undefined ? "" : `${bytes(v)}/s`) }))],
			axes: [{ ...axis, space: 80, values: (_, list) => list.map((t) => new Date(t * 1000).toTimeString().slice(0, 8)) }, { ...axis, size: 64, values: (_, list) => list.map((v) => `${bytes(v)}/s`) }],
			scales: { y: { range: (_, __, high) => [0, Math.max(100, high * 1.05)] } },
			cursor: { drag: { x: false, y: false } },
			legend: { live: true },
		}, data, this.plot);
	}

	forget() {
		this.chart?.destroy();
		this.chart = undefined;
	}

	// size is what the chart's drawing may take; its legend stands below it.
	size() {
		const { width, height } = this.plot.getBoundingClientRect();
		return { width: Math.max(200, width), height: Math.max(90, height - 74) };
	}

	draw() {
		const { width, height } = this.canvas.getBoundingClientRect();
		if (!width || !height) return;
		const ratio = devicePixelRatio || 1, dark = isDark();
		(this.canvas.width = Math.round(width * ratio)), (this.canvas.height = Math.round(height * ratio));
		const c = this.canvas.getContext("2d");
		c.scale(ratio, ratio);
		const classes = new Map();
		for (const t of this.rows) {
			const name = t.name.split(".")[0];
			const k = classes.get(name) ?? { name, bytes: 0, parts: [] };
			(k.bytes += t.Bytes), k.parts.push({ name: t.name.split(".")[1] ?? "opens, closes", bytes: t.Bytes });
			classes.set(name, k);
		}
		const list = [...classes.values()].sort((a, b) => b.bytes - a.bytes);
		for (const k of squarify(list, 0, 0, width, height)) {
			for (const p of squarify(k.item.parts.sort((a, b) => b.bytes - a.bytes), k.x + 1, k.y + 1, k.w - 2, k.h - 2)) {
				c.fillStyle = colorOf(k.item.name, !dark);
				c.globalAlpha = 0.85;
				c.fillRect(p.x + 0.5, p.y + 0.5, Math.max(0, p.w - 1), Math.max(0, p.h - 1));
				c.globalAlpha = 1;
				this.label(c, p, k.item.parts.length > 1 ? `${k.item.name}.${p.item.name}` : k.item.name, dark);
			}
		}
	}

	label(c, { x, y, w, h, item }, name, dark) {
		if (w < 60 || h < 18) return;
		c.save();
		c.beginPath();
		c.rect(x, y, w - 4, h);
		c.clip();
		c.fillStyle = dark ? "#fff" : "#10181f";
		c.font = "12px system-ui, sans-serif";
		c.fillText(name, x + 5, y + 14);
		if (h > 34) c.fillText(bytes(item.bytes), x + 5, y + 29);
		c.restore();
	}
}
customElements.define("inspect-traffic", InspectTraffic);
