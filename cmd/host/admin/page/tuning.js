// Tuning: the defaults of a class, changed while all play, and what can be taken back or written into the files.
import { exec, get } from "./api.js";
import { element } from "./dom.js";

const WAIT = 80; // ms between two changes while a slider is moved

class InspectTuning extends HTMLElement {
	connectedCallback() {
		this.filter = element("input", { type: "search", placeholder: "Class", "aria-label": "Class", list: "tunedClasses", onchange: () => this.choose(this.filter.value) });
		this.names = element("datalist", { id: "tunedClasses" });
		this.search = element("input", { type: "search", placeholder: "Variable", "aria-label": "Variable", oninput: () => this.sift() });
		const button = (name, line, help) => element("button", { type: "button", title: help, onclick: () => this.run(line) }, name);
		this.rows = element("div", { class: "rows" });
		this.told = element("p", { role: "status", class: "told" });
		this.fault = element("p", { role: "alert" });
		this.notes = element("ul", { class: "notes" });
		this.append(
			element("div", { class: "bar" }, this.filter, this.names, this.search,
				button("Undo", "undo", "Run the scripts as they were before the last change"), button("Redo", "redo", "Bring back what was undone"),
				button("Unset all", "unset", "Take back everything that was set"), button("Write to files", "write", "Write what was set into the Lua files")),
			this.notes, this.told, this.fault, element("div", { class: "scroll" }, this.rows));
		this.classes = [];
		this.shown = new Map();
	}

	show(state) {
		if (this.hidden) return;
		const notes = state.notes.join("\n");
		if (notes !== this.noted) {
			this.noted = notes;
			this.notes.replaceChildren(...state.notes.map((n) => element("li", {}, n)));
			this.load();
		} else if (!(this.asked > performance.now() - 3000)) this.load();
	}

	async load() {
		this.asked = performance.now();
		try {
			this.classes = await get("classes");
		} catch {
			return; // the status line says that the host has gone
		}
		if (this.names.childElementCount !== this.classes.length) this.names.replaceChildren(...this.classes.map((c) => element("option", { value: c.name })));
		if (!this.name) {
			const own = this.classes.filter((c) => c.actors && /scripts\/(?!core)/.test(c.file));
			this.choose((own.find((c) => c.name.endsWith("Pawn")) ?? own[0] ?? this.classes[0]).name);
		} else this.list();
	}

	choose(name) {
		const c = this.classes.find((x) => x.name.toLowerCase() === name.trim().toLowerCase());
		if (!c) return;
		this.name = this.filter.value = c.name;
		this.rows.replaceChildren();
		this.shown.clear();
		this.list();
	}

	list() {
		const c = this.classes.find((x) => x.name === this.name);
		if (!c) return;
		this.told.textContent = `${c.name}${c.parent ? ` < ${c.parent}` : ""}, ${c.file}, ${c.actors} ${c.actors === 1 ? "actor" : "actors"}`;
		const lineage = [];
		for (let k = c; k; k = this.classes.find((x) => x.name === k.parent)) lineage.push(k.name);
		// What the class itself declares first, what every actor has last.
		for (const d of c.defaults.toSorted((a, b) => lineage.indexOf(a.class) - lineage.indexOf(b.class))) {
			if (!this.shown.has(d.name)) this.add(d);
			this.shown.get(d.name).set(d);
		}
		this.sift();
	}

	sift() {
		const want = this.search.value.trim().toLowerCase();
		for (const [name, row] of this.shown) row.line.hidden = !name.toLowerCase().includes(want);
	}

	// add makes the row of a variable: a switch, a slider with a number, or a text.
	add(d) {
		const id = `tune-${d.name}`, row = {};
		const text = element("input", { id, type: "text", spellcheck: "false", autocomplete: "off" });
		const label = element("label", { for: id }, d.name, element("small", {}, d.class === this.name ? "" : ` ${d.class}`));
		let slider;
		if (d.kind === "bool") {
			const box = element("input", { id, type: "checkbox", onchange: () => this.change(d.name, String(box.checked)) });
			row.set = (x) => (box.checked = x.value === "true");
			row.line = element("div", { class: "row" }, label, box);
		} else {
			text.addEventListener("change", () => this.change(d.name, text.value));
			row.line = element("div", { class: "row" }, label, text);
			if (d.kind === "int" || d.kind === "float") {
				const v = Number(d.value);
				// Without bounds a slider goes from nothing to four times the default.
				const [min, max] = d.ranged && d.max - d.min < 1e6 ? [d.min, d.max] : v < 0 ? [4 * v, 0] : [0, 4 * v || 1];
				slider = element("input", { type: "range", min, max, step: d.kind === "int" ? 1 : "any", "aria-label": d.name, oninput: () => this.slide(d, slider, text) });
				row.line.append(slider);
			}
			row.set = (x) => {
				if (document.activeElement !== text) text.value = x.value;
				if (slider && document.activeElement !== slider) slider.value = Number(x.value);
			};
		}
		row.line.dataset.variable = d.name;
		this.shown.set(d.name, row);
		this.rows.append(row.line);
	}

	slide(d, slider, text) {
		const v = Number(slider.value);
		text.value = d.kind === "int" ? v : Number(v.toPrecision(4));
		this.next = [d.name, text.value];
		this.timer ??= setTimeout(() => {
			this.timer = undefined;
			this.change(...this.next);
		}, WAIT);
	}

	change(variable, value) {
		return this.run(`set ${this.name}.${variable} ${value}`);
	}

	async run(line) {
		this.fault.textContent = "";
		try {
			await exec(line);
		} catch (fault) {
			this.fault.textContent = fault.message;
			if (fault.status === 401) this.dispatchEvent(new CustomEvent("needsrole", { bubbles: true }));
		}
		this.load();
	}
}
customElements.define("inspect-tuning", InspectTuning);
