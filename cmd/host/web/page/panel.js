// The panel of F3: figures of the drawing, the engine and the connection, once per second (W4.6).

import { text } from "./bounds.js";

// maxClasses bounds the classes of the table.
const maxClasses = 8;

const kb = (v) => ((Number(v) || 0) < 1000 ? `${Math.round(Number(v) || 0)} B/s` : `${(v / 1000).toFixed(1)} kB/s`);
const ms = (v) => `${(Number(v) || 0).toFixed(1)} ms`;

export class Panel {
	constructor(root) {
		this.root = root;
		this.list = root.querySelector("dl");
		this.table = root.querySelector("tbody");
		this.cells = new Map();
	}

	toggle() {
		this.root.hidden = !this.root.hidden;
	}

	// show displays the worker's figures and the page's own: frame and draw in ms, and lines of name and text.
	show(m, page) {
		if (this.root.hidden) return;
		this.pairs([
			["frame", `${ms(page.frame)}, drawing ${ms(page.draw)}`],
			["tick", `${ms(m.tickMs)}, 95 % within ${ms(m.tickP95)}`],
			["ping", ms(m.ping)],
			["loss", `${(100 * (Number(m.loss) || 0)).toFixed(1)} %`],
			["corrections", String(Number(m.corrections) || 0)],
			["in, out", `${kb(m.bytesIn)}, ${kb(m.bytesOut)}`],
			["carrier", { wt: "WebTransport", ws: "WebSocket" }[m.via] ?? text(m.via)],
			["memory", `${((Number(m.memory) || 0) / 1e6).toFixed(1)} MB, of it heap ${((Number(m.heap) || 0) / 1e6).toFixed(1)} MB${page.heap ? `, page ${(page.heap / 1e6).toFixed(1)} MB` : ""}`],
			...page.lines,
		]);
		this.classes(Array.isArray(m.byClass) ? m.byClass : []);
	}

	pairs(list) {
		for (const [name, value] of list) {
			let cell = this.cells.get(name);
			if (!cell) {
				const term = document.createElement("dt");
				term.textContent = name;
				cell = document.createElement("dd");
				this.list.append(term, cell);
				this.cells.set(name, cell);
			}
			if (cell.textContent !== value) cell.textContent = value;
		}
	}

	// classes shows which classes the received bytes belong to.
	classes(list) {
		const rows = list.slice(0, maxClasses).filter((c) => c !== null && typeof c === "object");
		while (this.table.rows.length > rows.length) this.table.deleteRow(-1);
		while (this.table.rows.length < rows.length) {
			const row = this.table.insertRow(), head = document.createElement("th");
			head.scope = "row";
			row.append(head);
			row.insertCell();
		}
		rows.forEach((c, i) => {
			this.table.rows[i].cells[0].textContent = text(c.class);
			this.table.rows[i].cells[1].textContent = kb(c.bytes);
		});
		this.table.parentElement.hidden = rows.length === 0;
	}
}
