// The settings panel: the player's settings on this machine, generated from one list. A setting takes effect at
// once and is stored (store.js).

import { bounds, keep, settings, wrongName } from "./store.js";
import { NOTES } from "./words.js";

const percent = (v) => `${Math.round(100 * v)} %`;

// FIELDS lists the settings in the order of the panel.
const FIELDS = [
	{ key: "name", label: "Name", note: "from the next join on" },
	{ key: "sensitivity", label: "Sensitivity", least: 0.1, most: 5, step: 0.05, show: (v) => v.toFixed(2) },
	{ key: "invert", label: "Mouse down looks up" },
	{ key: "fov", label: "Field of view", step: 1, show: (v) => `${v}°` },
	{ key: "volume", label: "Volume", step: 0.05, show: percent },
	{ key: "captions", label: "Captions of sounds" },
	{ key: "quality", label: "Quality", words: { auto: "As fast as this machine is", best: "Best: full resolution, shadows", good: "Good: 75 %, shadows", plain: "Plain: 75 %, no shadows", fast: "Fast: 50 %, no shadows" } },
	{ key: "palette", label: "Team colors", words: { match: "As the match has them", deuteranopia: "Blue and orange (red-green blindness)", tritanopia: "Red and cyan (blue-yellow blindness)", contrast: "White and black" } },
	{ key: "motion", label: "Motion", words: { system: "As the system is set", full: "Full", reduced: "Reduced: no shaking, no bobbing" } },
];

// PALETTES holds the colors of the first two teams: of a body, and of its clothes. They differ in lightness,
// too.
export const PALETTES = Object.freeze({
	__proto__: null,
	deuteranopia: [["#ffb000", "#7a4f00"], ["#2f5fd0", "#122a66"]],
	tritanopia: [["#ff6f61", "#7d1f18"], ["#007f8c", "#00343a"]],
	contrast: [["#f7f7f2", "#9a9a92"], ["#1c1c24", "#4a4a55"]],
});

export class Settings {
	// root is the panel; changed(key, value) is called for each change, and for every setting once at the
	// beginning.
	constructor(root, changed) {
		this.root = root;
		this.changed = changed;
		this.values = settings();
		this.note = () => {};
		this.system = matchMedia("(prefers-reduced-motion: reduce)");
		this.system.addEventListener("change", () => this.changed("motion", this.values.motion));
		this.fields = new Map();
		const grid = document.createElement("div");
		grid.className = "fields";
		for (const field of FIELDS) grid.append(...this.row(field));
		root.append(grid);
	}

	// reduced reports whether the player wants reduced motion.
	get reduced() {
		return this.values.motion === "reduced" || (this.values.motion === "system" && this.system.matches);
	}

	row(field) {
		const id = `set-${field.key}`, label = document.createElement("label"), output = document.createElement("output");
		label.htmlFor = id;
		label.textContent = field.label;
		output.htmlFor = id;
		let input;
		const value = this.values[field.key];
		if (field.words) {
			input = document.createElement("select");
			for (const [word, text] of Object.entries(field.words)) input.add(new Option(text, word));
			input.addEventListener("change", () => this.set(field.key, input.value));
		} else if (typeof value === "boolean") {
			input = document.createElement("input");
			input.type = "checkbox";
			input.addEventListener("change", () => this.set(field.key, input.checked));
		} else if (typeof value === "number") {
			const { least, most } = bounds(field.key);
			input = document.createElement("input");
			input.type = "range";
			input.min = field.least ?? least;
			input.max = field.most ?? most;
			input.step = field.step;
			input.addEventListener("input", () => this.set(field.key, Number(input.value)));
		} else {
			input = document.createElement("input");
			input.type = "text";
			input.maxLength = 32;
			input.spellcheck = false;
			input.autocomplete = "off";
			input.addEventListener("change", () => this.rename(input.value.trim()));
		}
		input.id = id;
		const out = [label, input, output];
		if (field.key === "name") {
			this.wrong = document.createElement("p");
			this.wrong.className = "note";
			this.wrong.id = "newNameFault";
			this.wrong.textContent = field.note;
			input.setAttribute("aria-describedby", this.wrong.id);
			out.push(this.wrong);
		}
		this.fields.set(field.key, { field, input, output });
		return out;
	}

	rename(name) {
		const wrong = wrongName(name);
		this.wrong.textContent = wrong || FIELDS[0].note;
		this.wrong.setAttribute("role", wrong ? "alert" : "status");
		if (!wrong) this.set("name", name);
	}

	// set sets and stores a value.
	set(key, value) {
		this.values[key] = value;
		this.note(keep(this.values) ? "" : NOTES.settingsNotKept);
		this.show(key);
		this.changed(key, value);
	}

	show(key) {
		const { field, input, output } = this.fields.get(key), value = this.values[key];
		if (typeof value === "boolean") input.checked = value;
		else if (typeof value === "number") input.value = Math.min(Number(input.max), Math.max(Number(input.min), value));
		else if (document.activeElement !== input) input.value = value;
		output.value = field.show ? field.show(value) : "";
	}

	// refresh shows all values again.
	refresh() {
		for (const key of this.fields.keys()) this.show(key);
	}

	// apply calls changed for every setting.
	apply() {
		for (const key of this.fields.keys()) this.changed(key, this.values[key]);
	}
}
