// Keys, the mouse, a gamepad and a touch screen, as the actions of the match (W4.3). A key is identified by its
// position on the keyboard (KeyboardEvent.code), so that WASD is under the same fingers on every layout. The
// worker lists the actions (setActions); the player chooses their keys (bindings.js). Esc, F3 and the key
// below Esc belong to the page.

import { actionsOf, Bindings, ownOf } from "./bindings.js";
import { padOf, read } from "./gamepad.js";

// FIXED maps keys of the page that cannot be bound.
const FIXED = { __proto__: null, F3: "numbers", Backquote: "console", Escape: "menu" };

// steepest limits the pitch of the view, in radians.
const steepest = Math.PI / 2;
// perCount is how far one count of the mouse turns the view at sensitivity 1, in radians: 20 counts are a degree.
const perCount = Math.PI / 180 / 20;
// jolt is the largest accepted move of one event, in counts: browsers sometimes send a huge one when the
// pointer is locked.
const jolt = 1000;
// seen is the least duration of a press in ticks, so that no tap is missed between two ticks.
const seen = 2;
// notches is how many steps of the wheel may wait; more are dropped.
const notches = 4;
// step is the least change of a stick that is sent to the worker.
const step = 1 / 64;

// Input listens to the page. target is the element that is clicked to play; on has functions: act(name) for
// keys of the page, action(name, down) for every action that goes down or up, changed(mouseOnly) after a change
// for the worker, and locked(on, why).
export class Input {
	constructor(target, on, own) {
		this.target = target;
		this.on = on;
		this.active = false; // keys and the mouse play
		this.locked = false; // the mouse is captured
		this.locking = false; // the browser was asked to capture it
		this.lockless = false; // the browser refused to capture it: dragging looks around
		this.sensitivity = 1;
		this.inverted = false;
		this.pitch = 0;
		this.yaw = 0;
		this.set = 0; // number of the actions
		this.bindings = new Bindings([], ownOf(own));
		this.codes = new Set(); // keys and buttons of the mouse that are held
		this.pads = new Set(); // buttons of the gamepad that are held
		this.axes = {}; // of the gamepad
		this.fingers = new Set(); // indices of actions that are touched
		this.thumb = [0, 0]; // of the touch screen's stick, right and forwards
		this.taps = new Map(); // index, or -1 - index for an axis's negative direction → ticks for which it stays down regardless of the key
		this.wheel = 0;
		this.rest = 0; // ticks until the next notch of the wheel counts
		this.padName = "";
		addEventListener("keydown", (e) => this.key(e, true));
		addEventListener("keyup", (e) => this.key(e, false));
		addEventListener("blur", () => this.release());
		document.addEventListener("visibilitychange", () => document.hidden && this.release());
		document.addEventListener("pointerlockchange", () => this.lockChanged());
		target.addEventListener("mousedown", (e) => this.button(e, true));
		addEventListener("mouseup", (e) => this.button(e, false));
		target.addEventListener("mousemove", (e) => this.look(e));
		target.addEventListener("contextmenu", (e) => e.preventDefault());
		target.addEventListener("wheel", (e) => this.turnWheel(e), { passive: false });
	}

	// setActions handles an event "actions". Held actions stay held, if they still exist.
	setActions(number, list) {
		const before = this.bindings;
		this.set = number;
		this.bindings = new Bindings(actionsOf(list), before.own);
		this.taps.clear();
		this.fingers.clear();
		this.on.changed();
	}

	// setActive sets whether keys and the mouse play. Everything held is released.
	setActive(on) {
		if (this.active === on) return;
		this.active = on;
		this.release();
	}

	// release releases everything, for example when the window loses the keyboard, because browsers report no
	// releases then.
	release() {
		for (const code of [...this.codes]) this.press(code, false);
		for (const button of [...this.pads]) this.padPress(button, false);
		this.codes.clear();
		this.pads.clear();
		this.fingers.clear();
		this.taps.clear();
		this.axes = {};
		this.thumb = [0, 0];
		this.wheel = 0;
		this.on.changed();
	}

	key(e, down) {
		if (!this.active || e.isComposing) return;
		// Keys with a modifier belong to the browser or the system; releases still count.
		if (down && (e.ctrlKey || e.metaKey || e.altKey)) return;
		const act = FIXED[e.code];
		if (!act && !this.bindings.keys.has(e.code)) return;
		e.preventDefault();
		if (act) {
			if (down && !e.repeat) this.on.act(act);
			return;
		}
		if (down && e.repeat) return;
		this.press(e.code, down);
		this.on.changed();
	}

	// press handles a key or a mouse button that goes down or up.
	press(code, down) {
		if (down === this.codes.has(code)) return;
		if (down) this.codes.add(code);
		else this.codes.delete(code);
		this.tell(this.bindings.keys.get(code), down);
	}

	padPress(button, down) {
		if (down === this.pads.has(button)) return;
		if (down) this.pads.add(button);
		else this.pads.delete(button);
		this.tell(this.bindings.pad.get(button), down);
	}

	// tell records a press for some ticks, and notifies the page.
	tell(bound, down) {
		for (const { index, sign } of bound ?? []) {
			if (down) this.taps.set(sign > 0 ? index : -1 - index, seen);
			this.on.action(this.bindings.actions[index].name, down);
		}
	}

	button(e, down) {
		const code = `Mouse${e.button}`;
		if (!down) {
			if (this.codes.has(code)) {
				this.press(code, false);
				this.on.changed();
			}
			return;
		}
		if (!this.active) return;
		e.preventDefault();
		this.target.focus({ preventScroll: true });
		if (!this.locked && !this.lockless) {
			this.lock();
			return;
		}
		if (!this.bindings.keys.has(code)) return;
		this.press(code, true);
		this.on.changed();
	}

	look(e) {
		// The document knows about the capture slightly before its event.
		if (!this.active || !(document.pointerLockElement === this.target || (this.lockless && e.buttons))) return;
		if (Math.abs(e.movementX) > jolt || Math.abs(e.movementY) > jolt) return;
		const by = perCount * this.sensitivity;
		this.turn(e.movementX * by, -e.movementY * by);
	}

	// turn turns the view, in radians to the right and upwards.
	turn(yaw, pitch) {
		if (!yaw && !pitch) return;
		this.yaw = wrap(this.yaw + yaw);
		this.pitch = Math.min(steepest, Math.max(-steepest, this.pitch + (this.inverted ? -pitch : pitch)));
		this.on.changed(true);
	}

	turnWheel(e) {
		e.preventDefault();
		if (!this.active || !e.deltaY) return;
		const way = Math.sign(e.deltaY);
		this.wheel = Math.sign(this.wheel) === -way ? way : Math.max(-notches, Math.min(notches, this.wheel + way));
	}

	// poll reads the gamepad; dt is in seconds since the last time.
	poll(dt) {
		const pad = navigator.getGamepads ? padOf(navigator.getGamepads()) : null;
		this.padName = pad?.id ?? "";
		if (!pad || !this.active) return;
		const now = read(pad, dt, this.sensitivity);
		let changed = false;
		for (const button of this.bindings.pad.keys()) {
			const down = now.down.has(button);
			if (down !== this.pads.has(button)) {
				this.padPress(button, down);
				changed = true;
			}
		}
		if (now.down.has("start") && !this.started && !this.bindings.pad.has("start")) this.on.act("menu");
		this.started = now.down.has("start");
		for (const [name, v] of Object.entries(now.axes)) {
			const was = this.axes[name] ?? 0;
			if (Math.abs(v - was) >= step || (v === 0 && was !== 0)) {
				this.axes[name] = v;
				changed = true;
			}
		}
		this.turn(...now.look);
		if (changed) this.on.changed();
	}

	// touch handles a button of the touch screen.
	touch(index, down) {
		if (!this.active || down === this.fingers.has(index)) return;
		if (down) this.fingers.add(index);
		else this.fingers.delete(index);
		this.tell([{ index, sign: 1 }], down);
		this.on.changed();
	}

	// slide handles the stick of the touch screen.
	slide(right, forward) {
		if (!this.active || (this.thumb[0] === right && this.thumb[1] === forward)) return;
		this.thumb = [right, forward];
		this.on.changed();
	}

	// lock captures the mouse, without the system's acceleration where the browser can. It may only be called from a click
	// or a key.
	async lock() {
		if (!this.target.requestPointerLock) {
			this.refuse("This browser cannot capture the mouse: hold a button and drag to look around.");
			return;
		}
		if (this.locking) return; // a browser refuses a second request before it has answered
		this.locking = true;
		try {
			await this.target.requestPointerLock({ unadjustedMovement: true });
		} catch (raw) {
			if (raw?.name !== "NotSupportedError") {
				this.unlocked(raw);
				return;
			}
			try {
				await this.target.requestPointerLock();
			} catch (plain) {
				this.unlocked(plain);
			}
		} finally {
			this.locking = false;
		}
	}

	unlocked(why) {
		// Browsers refuse for a second after Esc, and long after a click; the next click captures the mouse.
		if (why?.name === "SecurityError" || why?.name === "NotAllowedError" || why?.name === "InvalidStateError") this.on.locked(false, "Click to play.");
		else this.refuse(`The browser did not capture the mouse (${why?.name ?? "unknown"}): hold a button and drag to look around.`);
	}

	refuse(why) {
		this.lockless = true;
		this.on.locked(false, why);
	}

	unlock() {
		if (document.pointerLockElement) document.exitPointerLock();
	}

	lockChanged() {
		this.locked = document.pointerLockElement === this.target;
		if (!this.locked) this.release();
		this.on.locked(this.locked, "");
	}

	// face turns the view to the direction that the match requests.
	face(pitch, yaw) {
		this.pitch = Math.min(steepest, Math.max(-steepest, pitch));
		this.yaw = wrap(yaw);
	}

	// ticked is called once a tick of the engine: taps end, and the next notch of the wheel counts.
	ticked() {
		let changed = false;
		for (const [index, left] of this.taps) {
			if (left > 1) this.taps.set(index, left - 1);
			else {
				this.taps.delete(index);
				changed = true;
			}
		}
		if (this.rest > 0) this.rest--;
		else if (this.wheel) {
			const bound = this.bindings.keys.get(this.wheel > 0 ? "WheelDown" : "WheelUp");
			this.wheel -= Math.sign(this.wheel);
			this.tell(bound, true);
			this.tell(bound, false);
			// A step is down as long as a tap, and up as long, so that the next one is another press.
			this.rest = 2 * seen;
			changed = true;
		}
		if (changed) this.on.changed();
	}

	// state returns the input for the worker.
	state() {
		const { actions, keys, pad } = this.bindings;
		const values = new Array(actions.length).fill(0);
		const add = (bound, by) => {
			for (const { index, sign } of bound ?? []) values[index] += sign * by;
		};
		for (const code of this.codes) add(keys.get(code), 1);
		for (const button of this.pads) add(pad.get(button), 1);
		for (const [name, v] of Object.entries(this.axes)) add(pad.get(name), v);
		for (const index of this.fingers) values[index] = 1;
		for (const key of this.taps.keys()) {
			const index = key >= 0 ? key : -1 - key;
			if (values[index] === 0) values[index] = key >= 0 ? 1 : -1;
		}
		actions.forEach((a, i) => {
			if (a.touch === "stick-x") values[i] += this.thumb[0];
			else if (a.touch === "stick-y") values[i] += this.thumb[1];
			values[i] = a.axis ? Math.max(-1, Math.min(1, values[i])) : Number(values[i] > 0);
		});
		return { set: this.set, actions: values, yaw: this.yaw, pitch: this.pitch };
	}
}

// wrap normalizes an angle to [-π, π).
function wrap(a) {
	return a - 2 * Math.PI * Math.floor((a + Math.PI) / (2 * Math.PI));
}
