// What was sent, as a treemap and as a table: by class, and within a class by variable and function.
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

class InspectTraffic extends HTMLElement {
	connectedCallback() {
		this.who = element("select", { "aria-label": "Player", onchange: () => this.refresh() }, element("option", { value: "" }, "All players"));
		this.sum = element("p", { class: "told" });
		this.canvas = element("canvas", { role: "img", "aria-label": "Shares of what was sent; the table below has the same figures" });
		this.table = new Table("Traffic", [
			{ name: "What", of: (t) => t.name }, { name: "Kind", of: (t) => t.kind }, { name: "Bytes", number: true, of: (t) => t.Bytes }, { name: "Times", number: true, of: (t) => t.Count },
			{ name: "Lost", number: true, of: (t) => t.Lost }, { name: "Throttled", number: true, of: (t) => t.Throttled }, { name: "Dropped", number: true, of: (t) => t.Dropped },
		], (t) => t.name);
		this.append(element("div", { class: "bar" }, this.who, this.sum), this.canvas, element("div", { class: "scroll" }, this.table.table));
		this.rows = [];
		new ResizeObserver(() => this.draw()).observe(this.canvas);
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
			// What waits is counted where it belongs; its row is for who compares with the bytes of the connections.
			this.rows = (await get("traffic" + (this.who.value ? `?connection=${this.who.value}` : ""))).filter((t) => t.kind !== "waiting");
		} catch {
			return; // the status line says that the host has gone
		}
		const total = this.rows.reduce((s, t) => s + t.Bytes, 0);
		this.sum.textContent = `${bytes(total)} sent since the players joined`;
		this.dataset.bytes = total;
		this.table.update(this.rows);
		this.draw();
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
