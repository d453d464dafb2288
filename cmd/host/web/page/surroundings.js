// The surroundings of a level: sky, sun, fog and water, from the keys of its worldspawn (W3.3; docs/levels.md).
// Keys of Quake's tools are accepted in addition to ours, so that foreign levels look as intended.

import { Color, Vector3 } from "./vendor/three.js";
import { text } from "./bounds.js";
import { place } from "./space.js";

const radians = Math.PI / 180;
// Fog in Quake's engines is exponential: this is the product of its density and the distance, in uu, at which a
// similar linear fog ends.
const dense = 128;
// Bounds of the distance at which fog ends, in uu: nearer, nothing would be visible; farther, nothing would be
// hidden.
const nearestFog = 256, farthestFog = 200000;

// numbers returns the numbers in a text, null if some are invalid or their count is wrong.
function numbers(v, least, most) {
	const list = text(v).split(/\s+/).filter(Boolean).map(Number);
	return list.length >= least && list.length <= most && list.every(Number.isFinite) ? list : null;
}

// colorOf reads "#rrggbb", or three numbers from 0 to 1 or to 255, as map editors write them; null for neither.
export function colorOf(v) {
	if (/^#[0-9a-f]{6}$/i.test(text(v).trim())) return new Color(text(v).trim());
	const list = numbers(v, 3, 3);
	if (!list || list.some((c) => c < 0)) return null;
	const most = Math.max(...list) > 1 ? 255 : 1;
	return new Color().setRGB(...list.map((c) => Math.min(1, c / most)), "srgb");
}

// share returns a number from 0 to 1; other if v is none.
function share(v, other) {
	const list = numbers(v, 1, 1);
	return list ? Math.min(1, Math.max(0, list[0])) : other;
}

// surroundings reads the keys of a worldspawn. fog is the distance at which fog is complete, in uu, null if it
// depends on the level's size; water and opacity are null if they depend on the kind of liquid. sunward points
// to the sun.
export function surroundings(world) {
	const keys = world !== null && typeof world === "object" ? world : {}, key = (...names) => names.map((n) => (Object.hasOwn(keys, n) ? keys[n] : undefined)).find((v) => v !== undefined);
	const quake = numbers(key("fog", "_fog"), 4, 4), angles = numbers(key("sun_angles"), 2, 2), mangle = numbers(key("_sun_mangle"), 2, 3);
	const [pitch, yaw] = angles ?? (mangle ? [mangle[1], mangle[0]] : [-55.19, -37.87]);
	const horizon = colorOf(key("fog_color")) ?? (quake && colorOf(quake.slice(1).join(" "))) ?? new Color(0xc3d3df);
	const distance = numbers(key("fog_distance"), 1, 1)?.[0] ?? (quake && quake[0] > 0 ? dense / quake[0] : null);
	return {
		zenith: colorOf(key("sky_color")) ?? new Color(0x5d8fbf), horizon, sun: colorOf(key("sun_color", "_sunlight_color")) ?? new Color(0xfff2d8),
		// Light falls along the angles, like a view direction: from above with a negative pitch.
		sunward: place(-Math.cos(pitch * radians) * Math.cos(yaw * radians), -Math.cos(pitch * radians) * Math.sin(yaw * radians), Math.max(0.05, -Math.sin(pitch * radians)), new Vector3()).normalize(),
		fog: distance === null || !(distance > 0) ? null : Math.min(farthestFog, Math.max(nearestFog, distance)),
		water: colorOf(key("water_color")), opacity: share(key("water_opacity", "_wateralpha", "wateralpha"), null),
	};
}
