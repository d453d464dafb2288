// Small helpers to make elements.

// element makes one: element("td", { class: "n" }, "text", child).
export function element(name, attributes = {}, ...children) {
	const e = document.createElement(name);
	for (const [key, value] of Object.entries(attributes)) {
		if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
		else if (value === true) e.setAttribute(key, "");
		else if (value !== false && value !== undefined) e.setAttribute(key, value);
	}
	e.append(...children);
	return e;
}

// bytes writes a number of bytes.
export function bytes(n) {
	if (n < 1000) return `${Math.round(n)} B`;
	if (n < 1e6) return `${(n / 1e3).toFixed(1)} kB`;
	return `${(n / 1e6).toFixed(1)} MB`;
}

// colorOf is the colour of a class, the same everywhere.
export function colorOf(name, dark) {
	let h = 2166136261;
	for (const c of name) h = Math.imul(h ^ c.codePointAt(0), 16777619);
	return `hsl(${((h >>> 0) % 360)} 65% ${dark ? 62 : 40}%)`;
}

export const isDark = () => matchMedia("(prefers-color-scheme: dark)").matches;

// Table is a table whose rows are kept by key, so that focus and selection survive an update.
export class Table {
	// columns: { name, of(row), number, width }; key(row) is unique; pick(row) is called when one is chosen.
	constructor(label, columns, key, pick) {
		this.columns = columns;
		this.key = key;
		this.pick = pick;
		this.rows = new Map();
		this.body = element("tbody");
		const head = element("tr", {}, ...columns.map((c) => element("th", { scope: "col", class: c.number ? "n" : undefined }, c.name)));
		this.table = element("table", { "aria-label": label }, element("thead", {}, head), this.body);
		this.selected = undefined;
	}

	update(list) {
		const seen = new Set();
		let at = this.body.firstElementChild;
		for (const row of list) {
			const key = this.key(row);
			seen.add(key);
			let r = this.rows.get(key);
			if (!r) {
				r = { cells: this.columns.map((c) => element("td", { class: c.number ? "n" : undefined })), row };
				r.line = element("tr", this.pick ? { tabindex: "0" } : {}, ...r.cells);
				if (this.pick) {
					r.line.addEventListener("click", () => this.choose(key));
					r.line.addEventListener("keydown", (e) => this.keyed(e, key));
				}
				this.rows.set(key, r);
			}
			r.row = row;
			this.columns.forEach((c, i) => {
				const text = String(c.of(row) ?? "");
				if (r.cells[i].textContent !== text) r.cells[i].textContent = text;
			});
			if (r.line === at) at = at.nextElementSibling;
			else this.body.insertBefore(r.line, at);
		}
		for (const [key, r] of this.rows) {
			if (seen.has(key)) continue;
			r.line.remove();
			this.rows.delete(key);
		}
	}

	choose(key) {
		this.rows.get(this.selected)?.line.removeAttribute("aria-selected");
		this.selected = key;
		const r = this.rows.get(key);
		if (!r) return;
		r.line.setAttribute("aria-selected", "true");
		this.pick(r.row);
	}

	keyed(e, key) {
		const line = this.rows.get(key).line;
		const to = { ArrowDown: line.nextElementSibling, ArrowUp: line.previousElementSibling, Home: this.body.firstElementChild, End: this.body.lastElementChild }[e.key];
		if (to) to.focus();
		else if (e.key === "Enter" || e.key === " ") this.choose(key);
		else return;
		e.preventDefault();
	}
}
