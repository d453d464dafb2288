// A gamepad (Gamepad API, standard layout): its buttons and its left stick are bound to actions, the right one looks around.

import { PAD, STICKS } from "./bindings.js";

// dead is the share of a stick's deflection that counts as none, full the share that counts as all.
const dead = 0.16, full = 0.95;
// curve bends the range in between, so that small turns are precise.
const curve = 1.7;
// pressed is the position of a trigger from which it counts as pressed.
const pressed = 0.35;
// turnRate is how fast the right stick turns the view at sensitivity 1, in radians per second.
const turnRate = 3.4;

// stick returns a stick's position without its dead zone, of a length up to 1: round, so that all directions
// are equal.
export function stick(x, y, bend) {
	const length = Math.hypot(x, y);
	if (!(length > dead)) return [0, 0];
	const share = Math.min(1, (length - dead) / (full - dead)) ** (bend ?? 1);
	return [(x / length) * share, (y / length) * share];
}

// padOf returns the first gamepad with the standard layout, null for none.
export function padOf(list) {
	for (const pad of list ?? []) if (pad && pad.connected && pad.mapping === "standard") return pad;
	return null;
}

// read returns the state of a gamepad: down, the names of its pressed buttons; axes, values of its sticks by
// name; look, how far the view turns in dt seconds, yaw and pitch in radians.
export function read(pad, dt, sensitivity) {
	const down = new Set(), axes = {};
	PAD.forEach((name, i) => {
		const button = pad.buttons[i];
		if (button && (button.pressed || button.value >= pressed)) down.add(name);
	});
	const left = stick(pad.axes[0] ?? 0, pad.axes[1] ?? 0);
	for (const [name, [axis, sign]] of Object.entries(STICKS)) axes[name] = sign * left[axis] || 0;
	const [x, y] = stick(pad.axes[2] ?? 0, pad.axes[3] ?? 0, curve);
	return { down, axes, look: [x * turnRate * sensitivity * dt, -y * turnRate * 0.7 * sensitivity * dt] };
}
