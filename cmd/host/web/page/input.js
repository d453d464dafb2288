// Keys and the mouse, as what a player does. A key is known by its place on the keyboard (KeyboardEvent.code), so that
// WASD is under the same fingers on every layout. No default key meets what browsers keep for themselves: crouching is
// not on Ctrl, since Ctrl+W closes the tab.

// BUTTONS are the bits of an input's button mask. ORDER: the Go side of the worker (cmd/host/browser/session) reads the same bits.
export const BUTTONS = Object.freeze({
	jump: 1 << 0,
	crouch: 1 << 1,
	fire: 1 << 2,
	altFire: 1 << 3,
	use: 1 << 4,
	reload: 1 << 5,
	nextWeapon: 1 << 6,
	prevWeapon: 1 << 7,
	weapon1: 1 << 8,
	weapon2: 1 << 9,
	weapon3: 1 << 10,
	weapon4: 1 << 11,
	weapon5: 1 << 12,
	weapon6: 1 << 13,
	weapon7: 1 << 14,
	weapon8: 1 << 15,
	weapon9: 1 << 16,
	run: 1 << 17,
});

// HELD are keys that act while they are held: a button, or a move along an axis.
const HELD = {
	KeyW: { axis: "forward", by: 1 },
	ArrowUp: { axis: "forward", by: 1 },
	KeyS: { axis: "forward", by: -1 },
	ArrowDown: { axis: "forward", by: -1 },
	KeyD: { axis: "right", by: 1 },
	ArrowRight: { axis: "right", by: 1 },
	KeyA: { axis: "right", by: -1 },
	ArrowLeft: { axis: "right", by: -1 },
	Space: { button: "jump", axis: "up", by: 1 },
	KeyC: { button: "crouch", axis: "up", by: -1 },
	ShiftLeft: { button: "run" },
	KeyE: { button: "use" },
	KeyR: { button: "reload" },
};
for (let i = 1; i <= 9; i++) HELD[`Digit${i}`] = { button: `weapon${i}` };

// PRESSED are keys that ask something of the page.
const PRESSED = { KeyV: "thirdPerson", KeyB: "brain", F3: "numbers", Escape: "menu" };

// MOUSE are the mouse's buttons, by MouseEvent.button.
const MOUSE = { 0: "fire", 2: "altFire" };

// HELP is what the join screen says of the keys.
export const HELP = [
	["W A S D, arrows", "move"],
	["mouse", "look; left fires, right fires the other way"],
	["Space", "jump"],
	["C", "crouch"],
	["left Shift", "run, where the match has it"],
	["E, R", "use, reload"],
	["1 to 9, wheel", "weapons"],
	["V", "third person"],
	["B", "let the bots' brain play, or stop it"],
	["Tab", "scores"],
	["F3", "numbers"],
	["Esc", "menu"],
];

// steepest is how far up and down a player can look, in radians.
const steepest = Math.PI / 2;
// perCount is how far one count of the mouse turns the view at sensitivity 1, in radians: 20 counts are a degree.
const perCount = Math.PI / 180 / 20;
// jolt is the largest move of one event, in counts, that is believed: browsers send a huge one at times when the pointer
// is locked.
const jolt = 1000;
// seen is how many ticks a press lasts at least, so that no tap falls between two ticks.
const seen = 2;
// notches is how many turns of the wheel may wait; more are dropped.
const notches = 4;

// Input listens to the page. target is the element that is clicked to play; on has functions: act(name) for keys of the
// page, scores(shown), changed(mouseOnly) after whatever the worker should
// know, and locked(on, why).
export class Input {
	constructor(target, on) {
		this.target = target;
		this.on = on;
		this.active = false; // keys and the mouse play
		this.locked = false; // the mouse is captured
		this.lockless = false; // the browser refused to capture it: dragging looks around
		this.sensitivity = 1;
		this.pitch = 0;
		this.yaw = 0;
		this.codes = new Set(); // keys that are held
		this.mouse = new Set(); // buttons of the mouse that are held
		this.taps = new Map(); // bit → ticks for which it stays down whatever the key does
		this.wheel = 0;
		this.rest = 0; // ticks until the next notch of the wheel counts
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

	// setActive says whether keys and the mouse play. What is held is let go.
	setActive(on) {
		if (this.active === on) return;
		this.active = on;
		this.release();
	}

	// release lets go of everything, as when the window loses the keyboard: no browser tells of what was let go since.
	release() {
		if (this.codes.has("Tab")) this.on.scores(false);
		this.codes.clear();
		this.mouse.clear();
		this.taps.clear();
		this.wheel = 0;
		this.on.changed();
	}

	key(e, down) {
		if (!this.active || e.isComposing) return;
		// What has a modifier belongs to the browser or the system; letting go counts all the same.
		if (down && (e.ctrlKey || e.metaKey || e.altKey)) return;
		if (e.code === "Tab") {
			e.preventDefault();
			if (down && !e.repeat) {
				this.codes.add(e.code);
				this.on.scores(true);
			} else if (!down && this.codes.delete(e.code)) this.on.scores(false);
			return;
		}
		const act = PRESSED[e.code], held = HELD[e.code];
		if (!act && !held) return;
		e.preventDefault();
		if (act) {
			if (down && !e.repeat) this.on.act(act);
			return;
		}
		if (down) {
			if (e.repeat) return;
			this.codes.add(e.code);
			if (held.button) this.taps.set(BUTTONS[held.button], seen);
		} else this.codes.delete(e.code);
		this.on.changed();
	}

	button(e, down) {
		const name = MOUSE[e.button];
		if (!name) return;
		if (!down) {
			if (this.mouse.delete(name)) this.on.changed();
			return;
		}
		if (!this.active) return;
		e.preventDefault();
		this.target.focus({ preventScroll: true });
		if (!this.locked && !this.lockless) {
			this.lock();
			return;
		}
		this.mouse.add(name);
		this.taps.set(BUTTONS[name], seen);
		this.on.changed();
	}

	look(e) {
		if (!this.active || !(this.locked || (this.lockless && e.buttons))) return;
		if (Math.abs(e.movementX) > jolt || Math.abs(e.movementY) > jolt) return;
		const by = perCount * this.sensitivity;
		this.yaw = wrap(this.yaw + e.movementX * by);
		this.pitch = Math.min(steepest, Math.max(-steepest, this.pitch - e.movementY * by));
		this.on.changed(true);
	}

	turnWheel(e) {
		e.preventDefault();
		if (!this.active || !e.deltaY) return;
		const way = Math.sign(e.deltaY);
		this.wheel = Math.sign(this.wheel) === -way ? way : Math.max(-notches, Math.min(notches, this.wheel + way));
	}

	// lock captures the mouse, without the system's acceleration where the browser can. It may only be called from a click
	// or a key.
	async lock() {
		if (!this.target.requestPointerLock) {
			this.refuse("This browser cannot capture the mouse: hold a button and drag to look around.");
			return;
		}
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
		}
	}

	unlocked(why) {
		// Browsers refuse for a second after Esc, and where the click is long ago; the next click captures the mouse.
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

	// face turns the view to where the match wants the player to look.
	face(pitch, yaw) {
		this.pitch = Math.min(steepest, Math.max(-steepest, pitch));
		this.yaw = wrap(yaw);
	}

	// ticked is called once a tick of the engine: taps end, and the next notch of the wheel counts.
	ticked() {
		let changed = false;
		for (const [bit, left] of this.taps) {
			if (left > 1) this.taps.set(bit, left - 1);
			else {
				this.taps.delete(bit);
				changed = true;
			}
		}
		if (this.rest > 0) this.rest--;
		else if (this.wheel) {
			this.taps.set(this.wheel > 0 ? BUTTONS.nextWeapon : BUTTONS.prevWeapon, seen);
			this.wheel -= Math.sign(this.wheel);
			// A notch is down for as long as a tap, and up as long, so that the next one is another press.
			this.rest = 2 * seen;
			changed = true;
		}
		if (changed) this.on.changed();
	}

	// state is what the worker is told.
	state() {
		const axes = { forward: 0, right: 0, up: 0 };
		let buttons = 0;
		for (const code of this.codes) {
			const held = HELD[code];
			if (held?.axis) axes[held.axis] += held.by;
			if (held?.button) buttons |= BUTTONS[held.button];
		}
		for (const name of this.mouse) buttons |= BUTTONS[name];
		for (const bit of this.taps.keys()) buttons |= bit;
		const unit = (v) => Math.max(-1, Math.min(1, v));
		return { forward: unit(axes.forward), right: unit(axes.right), up: unit(axes.up), yaw: this.yaw, pitch: this.pitch, buttons };
	}
}

// wrap brings an angle into [-π, π).
function wrap(a) {
	return a - 2 * Math.PI * Math.floor((a + Math.PI) / (2 * Math.PI));
}
