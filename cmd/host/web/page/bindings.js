// What a player's keys do: the actions that the match declares (content/input.toml, .actions of classes), and what the player bound
// to them instead. Nothing here knows the page; input.js presses the keys, controls.js shows them.
//
// A way is one of the lists of an action: its keys, the keys of an axis's negative direction, its gamepad
// buttons.

export const WAYS = Object.freeze(["keys", "negative", "buttons"]);

// most bounds the entries of one list, maxActions the displayed actions, maxKept those with stored bindings.
const most = 4, maxActions = 128, maxKept = 256, maxLabel = 60;
const isName = /^[A-Z][A-Za-z0-9]{0,31}$/;
const isKey = /^[A-Z][A-Za-z0-9]{0,24}$/;

// PAD lists the buttons of a gamepad in the standard layout (Gamepad API), by their index; STICKS its axes,
// with their signs.
export const PAD = Object.freeze(["a", "b", "x", "y", "lb", "rb", "lt", "rt", "back", "start", "ls", "rs", "up", "down", "left", "right"]);
export const STICKS = Object.freeze({ lx: [0, 1], ly: [1, -1] });

// KEPT maps keys that no action can have, because the browser, the system or the page reserves them, to the
// reason for the player.
export const KEPT = Object.freeze({
	__proto__: null,
	ControlLeft: "with Ctrl+W the browser closes the tab", ControlRight: "with Ctrl+W the browser closes the tab",
	AltLeft: "Alt opens menus of the browser", AltRight: "Alt opens menus of the browser",
	MetaLeft: "this key belongs to the system", MetaRight: "this key belongs to the system", ContextMenu: "this key belongs to the system",
	Escape: "Esc opens the menu", F1: "F1 opens the browser's help", F3: "F3 shows the numbers", Backquote: "this key opens the console", F5: "F5 loads the page again", F6: "F6 belongs to the browser",
	F11: "F11 belongs to the browser", F12: "F12 belongs to the browser",
});

const named = {
	__proto__: null,
	Mouse0: "left mouse", Mouse1: "middle mouse", Mouse2: "right mouse", Mouse3: "mouse 4", Mouse4: "mouse 5", WheelUp: "wheel up", WheelDown: "wheel down",
	ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", ShiftLeft: "left Shift", ShiftRight: "right Shift", Space: "Space", Backquote: "`", Minus: "-", Equal: "=",
	BracketLeft: "[", BracketRight: "]", Backslash: "\\", Semicolon: ";", Quote: "'", Comma: ",", Period: ".", Slash: "/", CapsLock: "Caps Lock", PageUp: "Page Up", PageDown: "Page Down",
	a: "A", b: "B", x: "X", y: "Y", lb: "left bumper", rb: "right bumper", lt: "left trigger", rt: "right trigger", back: "Back", start: "Start", ls: "left stick pressed",
	rs: "right stick pressed", up: "pad up", down: "pad down", left: "pad left", right: "pad right", lx: "left stick ↔", ly: "left stick ↕",
};

// keyName returns the name of a key or a button for people. layout, if it is given, maps keys to their labels
// (navigator.keyboard).
export function keyName(code, layout) {
	const printed = layout?.get?.(code);
	if (printed && /^Key|^Digit/.test(code)) return printed.toUpperCase();
	if (named[code]) return named[code];
	return code.replace(/^Key|^Digit/, "").replace(/^Numpad/, "number pad ");
}

const list = (v, ok) => (Array.isArray(v) ? v.filter((x) => typeof x === "string" && ok(x)).slice(0, most) : []);
const isPad = (b) => PAD.includes(b) || Object.hasOwn(STICKS, b);
const label = (v, other) => (typeof v === "string" && v ? v.slice(0, maxLabel) : other);

// actionsOf reads the list of an event "actions". A server is not trusted: an invalid action keeps its index
// and does nothing.
export function actionsOf(told) {
	return (Array.isArray(told) ? told.slice(0, maxActions) : []).map((a) => {
		const ok = a !== null && typeof a === "object" && typeof a.name === "string" && isName.test(a.name);
		if (!ok) a = {};
		const name = ok ? a.name : "";
		return {
			name, label: label(a.label, name), negativeLabel: label(a.negativeLabel, ""), axis: a.kind === "axis", touch: typeof a.touch === "string" ? a.touch : "",
			keys: list(a.keys, (k) => isKey.test(k) && !KEPT[k]), negative: list(a.negative, (k) => isKey.test(k) && !KEPT[k]), buttons: list(a.buttons, isPad),
			from: label(a.class, ""),
		};
	});
}

// ownOf reads a player's stored bindings: {Fire: {keys: ["KeyF"]}}. Invalid ones are dropped.
export function ownOf(kept) {
	const own = {};
	if (kept === null || typeof kept !== "object" || Array.isArray(kept)) return own;
	for (const [name, ways] of Object.entries(kept).slice(0, maxKept)) {
		if (!isName.test(name) || ways === null || typeof ways !== "object") continue;
		for (const way of WAYS) {
			if (Array.isArray(ways[way])) (own[name] ??= {})[way] = list(ways[way], way === "buttons" ? isPad : (k) => isKey.test(k) && !KEPT[k]);
		}
	}
	return own;
}

export class Bindings {
	// actions are those of actionsOf, own those of ownOf.
	constructor(actions, own) {
		this.actions = actions;
		this.own = own;
		this.make();
	}

	// bound returns the present bindings of an action in a list.
	bound(action, way) {
		return this.own[action.name]?.[way] ?? action[way];
	}

	make() {
		this.keys = new Map(); // code → [{index, sign}]
		this.pad = new Map(); // button → the same
		const add = (map, code, index, sign) => {
			if (!map.has(code)) map.set(code, []);
			map.get(code).push({ index, sign });
		};
		this.actions.forEach((a, index) => {
			if (!a.name) return;
			for (const code of this.bound(a, "keys")) add(this.keys, code, index, 1);
			if (a.axis) for (const code of this.bound(a, "negative")) add(this.keys, code, index, -1);
			for (const code of this.bound(a, "buttons")) add(this.pad, code, index, 1);
		});
	}

	find(name) {
		return this.actions.findIndex((a) => a.name === name);
	}

	// bind gives an action another key in a list: in place of the at'th, or as an additional one. It returns
	// why that is impossible, "" on success.
	bind(name, way, at, code) {
		const action = this.actions[this.find(name)];
		if (!action) return "the match has no such action now";
		if (way !== "buttons" && KEPT[code]) return `${keyName(code)} cannot be used: ${KEPT[code]}`;
		const now = [...this.bound(action, way)].filter((c, i) => c !== code || i === at);
		if (at < now.length) now[at] = code;
		else if (now.length < most) now.push(code);
		else return `at most ${most} of a kind; take one away first`;
		this.set(action, way, now);
		return "";
	}

	// unbind removes a key.
	unbind(name, way, code) {
		const action = this.actions[this.find(name)];
		if (action) this.set(action, way, this.bound(action, way).filter((c) => c !== code));
	}

	set(action, way, codes) {
		const own = { ...this.own[action.name] };
		if (codes.join() === action[way].join()) delete own[way];
		else own[way] = codes;
		if (Object.keys(own).length) this.own[action.name] = own;
		else delete this.own[action.name];
		this.make();
	}

	// reset restores the match's bindings, of one action, or of all.
	reset(name) {
		if (name === undefined) this.own = {};
		else delete this.own[name];
		this.make();
	}

	// conflicts returns the other actions with the same key. Two that share it as the match declares them are
	// intended.
	conflicts(name, way, code) {
		const mine = this.actions[this.find(name)];
		if (!mine) return [];
		const has = (a, get) => (way === "buttons" ? get(a, "buttons") : [...get(a, "keys"), ...get(a, "negative")]).includes(code);
		const declared = (a, w) => a[w], now = (a, w) => this.bound(a, w);
		return this.actions.filter((a) => a.name && a !== mine && has(a, now) && !(has(a, declared) && has(mine, declared)));
	}
}
