// The panel of keys: every action with its bindings; a key is changed by pressing another, and shared keys are
// marked. All names of actions come from a server and are written as text.

import { KEPT, keyName } from "./bindings.js";
import { padOf, read } from "./gamepad.js";
import { keepBindings } from "./store.js";
import { NOTES } from "./words.js";

// far is how far a stick must be pushed to count as a key.
const far = 0.7;

export class Controls {
	// root holds the table, note the line above it; input is the Input whose bindings are shown. rebound() is
	// called after a change.
	constructor(root, note, input, rebound) {
		this.root = root;
		this.note = note;
		this.input = input;
		this.rebound = rebound;
		this.waiting = null; // {name, way, at, button}: the next key is for it
		this.latest = null; // the last binding, until it is shown
		this.focus = null;
		this.layout = null;
		navigator.keyboard?.getLayoutMap?.().then((map) => { this.layout = map; }, () => {});
		addEventListener("keydown", (e) => this.key(e), { capture: true });
		addEventListener("mousedown", (e) => this.mouse(e), { capture: true });
		addEventListener("wheel", (e) => this.wheel(e), { capture: true, passive: false });
	}

	// refresh shows the present bindings.
	refresh() {
		const { actions } = this.input.bindings, groups = new Map();
		for (const a of actions) {
			if (!a.name) continue;
			if (!groups.has(a.from)) groups.set(a.from, []);
			groups.get(a.from).push(a);
		}
		if (!groups.size) {
			const none = document.createElement("p");
			none.textContent = "The match says which actions there are: join, then open this again.";
			this.root.replaceChildren(none);
			return;
		}
		this.focus = null;
		this.root.replaceChildren(...[...groups].map(([from, list]) => this.table(from, list)));
		this.focus?.focus();
		this.latest = null;
	}

	table(from, list) {
		const table = document.createElement("table"), caption = table.createCaption(), head = table.createTHead().insertRow(), body = table.createTBody();
		caption.textContent = from ? `${from}` : "Everywhere";
		for (const title of ["Action", "Keys and mouse", "Gamepad", ""]) {
			const cell = document.createElement("th");
			cell.scope = "col";
			cell.textContent = title;
			head.append(cell);
		}
		for (const a of list) {
			this.row(body, a, "keys", a.label, true);
			if (a.axis) this.row(body, a, "negative", a.negativeLabel || `${a.label}, other way`, false);
		}
		return table;
	}

	row(body, action, way, label, pad) {
		const row = body.insertRow(), head = document.createElement("th"), { bindings } = this.input;
		head.scope = "row";
		head.textContent = label;
		row.append(head);
		this.cell(row.insertCell(), action, way, label);
		const buttons = row.insertCell(), last = row.insertCell();
		if (pad) this.cell(buttons, action, "buttons", label);
		if (pad && bindings.own[action.name]) {
			last.append(this.button("Reset", `Reset the keys of ${label}`, "add", () => {
				bindings.reset(action.name);
				this.done(`${label} has its own keys again.`);
			}));
		}
	}

	cell(cell, action, way, label) {
		const { bindings } = this.input, codes = bindings.bound(action, way), clashes = new Set();
		codes.forEach((code, at) => {
			const chip = document.createElement("span"), others = bindings.conflicts(action.name, way, code), name = keyName(code, this.layout);
			chip.className = "chip";
			chip.classList.toggle("clash", others.length > 0);
			for (const other of others) clashes.add(`${name} is ${other.label}, too`);
			const change = this.button(name, `${label}: ${name}. Change`, "", (e) => this.wait(action.name, way, at, e.currentTarget));
			if (this.latest?.name === action.name && this.latest.way === way && this.latest.at === at) this.focus = change;
			chip.append(change);
			chip.append(this.button("×", `${label}: take ${name} away`, "", () => {
				bindings.unbind(action.name, way, code);
				this.done(`${label} is no longer ${name}.`);
			}));
			cell.append(chip);
		});
		if (codes.length < 4) cell.append(this.button("+", `${label}: add a ${way === "buttons" ? "button" : "key"}`, "add", (e) => this.wait(action.name, way, codes.length, e.currentTarget)));
		if (clashes.size) {
			const p = document.createElement("div");
			p.className = "clashes";
			p.textContent = [...clashes].join("; ");
			cell.append(p);
		}
	}

	button(text, label, kind, press) {
		const button = document.createElement("button");
		button.type = "button";
		button.textContent = text;
		button.setAttribute("aria-label", label);
		if (kind) button.className = kind;
		button.addEventListener("click", press);
		return button;
	}

	// wait assigns the next key, or button, to an action.
	wait(name, way, at, button) {
		this.cancel();
		this.waiting = { name, way, at, button };
		button.classList.add("waiting");
		this.note.classList.add("busy");
		this.note.textContent = way === "buttons" ? "Press a button of the gamepad, or move its left stick. Esc cancels." : "Press a key, a mouse button or turn the wheel. Esc cancels.";
		if (way === "buttons") {
			this.idle = new Set(padOf(navigator.getGamepads?.() ?? []) ? read(padOf(navigator.getGamepads()), 0, 1).down : []);
			this.watch();
		}
	}

	// cancel ends the wait; it reports whether there was one.
	cancel() {
		if (!this.waiting) return false;
		this.waiting.button.classList.remove("waiting");
		this.waiting = null;
		this.note.classList.remove("busy");
		this.note.textContent = "";
		return true;
	}

	take(code) {
		this.latest = this.waiting; // the keyboard stays there
		const { name, way, at } = this.waiting, { bindings } = this.input, action = bindings.actions[bindings.find(name)];
		this.cancel();
		const why = bindings.bind(name, way, at, code);
		if (why) {
			this.done(`That did not work: ${why}.`, true);
			return;
		}
		const others = bindings.conflicts(name, way, code).map((a) => a.label);
		this.done(`${action.label}: ${keyName(code, this.layout)}.${others.length ? ` ${others.join(", ")} has it, too.` : ""}`);
	}

	// done stores and shows the change.
	done(text, unchanged) {
		const kept = unchanged || keepBindings(this.input.bindings.own);
		this.note.textContent = kept ? text : `${text} ${NOTES.settingsNotKept}`;
		this.refresh();
		if (!unchanged) this.rebound();
	}

	resetAll() {
		this.input.bindings.reset();
		this.done("All keys are as the match has them.");
	}

	key(e) {
		if (!this.waiting || e.isComposing) return;
		e.preventDefault();
		e.stopImmediatePropagation();
		if (e.repeat) return;
		if (e.code === "Escape") this.cancel();
		else if (this.waiting.way === "buttons") this.note.textContent = "That is a key. Press a button of the gamepad; Esc cancels.";
		else if (KEPT[e.code]) this.note.textContent = `${keyName(e.code)} cannot be used: ${KEPT[e.code]}. Press another one; Esc cancels.`;
		else if (e.code) this.take(e.code);
	}

	mouse(e) {
		if (!this.waiting || this.waiting.way === "buttons") return;
		e.preventDefault();
		e.stopImmediatePropagation();
		// The click that follows must not press the element below.
		addEventListener("click", (click) => {
			click.preventDefault();
			click.stopImmediatePropagation();
		}, { capture: true, once: true });
		if (e.button <= 4) this.take(`Mouse${e.button}`);
	}

	wheel(e) {
		if (!this.waiting || this.waiting.way === "buttons" || !e.deltaY) return;
		e.preventDefault();
		e.stopImmediatePropagation();
		this.take(e.deltaY > 0 ? "WheelDown" : "WheelUp");
	}

	// watch polls the gamepad until a button is pressed.
	watch() {
		if (this.waiting?.way !== "buttons") return;
		const pad = navigator.getGamepads ? padOf(navigator.getGamepads()) : null;
		if (pad) {
			const now = read(pad, 0, 1);
			for (const name of now.down) {
				if (!this.idle.has(name)) {
					this.take(name);
					return;
				}
			}
			for (const name of [...this.idle]) if (!now.down.has(name)) this.idle.delete(name);
			for (const [name, v] of Object.entries(now.axes)) {
				if (Math.abs(v) > far) {
					this.take(name);
					return;
				}
			}
		}
		requestAnimationFrame(() => this.watch());
	}
}

