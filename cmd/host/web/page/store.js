// The page's storage on the player's machine: settings in localStorage, the player's key in IndexedDB. Either
// may be unavailable (a private window, blocked storage); the page still works, and says what it cannot store.

import { ownOf } from "./bindings.js";

const item = "tidelock.settings", bound = "tidelock.bindings";
// maxStored bounds the data read back, in UTF-16 units.
const maxStored = 64 << 10;

// The longest name that a host takes, in bytes of UTF-8.
export const maxName = 32;

// Every setting with its default and, for numbers, its bounds. A stored value out of bounds is replaced by the
// default.
const known = {
	name: { value: "", text: true },
	sensitivity: { value: 1, least: 0.05, most: 10 }, // degrees per 20 counts of the mouse
	invert: { value: false }, // the mouse down looks up
	fov: { value: 90, least: 60, most: 130 }, // degrees, horizontal on a 16:9 screen
	volume: { value: 0.8, least: 0, most: 1 },
	quality: { value: "auto", words: ["auto", "best", "good", "plain", "fast"] },
	palette: { value: "match", words: ["match", "deuteranopia", "tritanopia", "contrast"] },
	captions: { value: false },
	motion: { value: "system", words: ["system", "full", "reduced"] },
};

function stored(key) {
	try {
		const raw = localStorage.getItem(key) ?? "{}";
		return (raw.length <= maxStored && JSON.parse(raw)) || {};
	} catch {
		return {}; // storage is blocked, or holds no JSON: the defaults apply
	}
}

function write(key, value) {
	try {
		localStorage.setItem(key, JSON.stringify(value));
		return true;
	} catch {
		return false;
	}
}

// settings reads the stored settings.
export function settings() {
	const kept = stored(item), out = {};
	for (const [key, rule] of Object.entries(known)) out[key] = allowed(rule, kept[key]) ? kept[key] : rule.value;
	return out;
}

function allowed(rule, value) {
	if (rule.text) return typeof value === "string" && wrongName(value) === "";
	if (rule.words) return rule.words.includes(value);
	if (typeof rule.value === "boolean") return typeof value === "boolean";
	return Number.isFinite(value) && value >= rule.least && value <= rule.most;
}

// bounds returns the least and the greatest value of a numeric setting.
export function bounds(key) {
	return known[key];
}

// keep writes the settings; it returns false if the browser refuses.
export function keep(values) {
	return write(item, values);
}

// bindings returns the player's own keys, as bindings.js has them; keepBindings writes them and returns false
// if the browser refuses.
export function bindings() {
	return ownOf(stored(bound));
}

export function keepBindings(own) {
	return write(bound, own);
}

// wrongName returns what is wrong with a player's name, "" if nothing is. An empty name is allowed: the host
// chooses one.
export function wrongName(name) {
	const bytes = new TextEncoder().encode(name).length;
	if (bytes > maxName) return `The name has ${bytes} bytes; shorten it to ${maxName}.`;
	if (/[?=\p{Cc}\p{Cs}]/u.test(name)) return "The name has a character that is not allowed: leave out ?, = and control characters.";
	return "";
}

const base = "tidelock", store = "keys", entry = "player";

// playerKey returns the player's key, 32 random bytes. It is created at the first visit and stored, so that a
// returning player is recognized; kept is false if the browser refuses to store it.
export async function playerKey() {
	const fresh = crypto.getRandomValues(new Uint8Array(32));
	let db;
	try {
		db = await done(indexedDB.open(base, 1), (request) => request.result.createObjectStore(store));
		// Two tabs that start together must agree on one key, so it is looked for and added in one transaction.
		const keys = db.transaction(store, "readwrite").objectStore(store);
		const found = await done(keys.get(entry));
		if (found instanceof Uint8Array && found.length === 32) return { key: found, kept: true };
		await done(keys.put(fresh, entry));
		return { key: fresh, kept: true };
	} catch {
		return { key: fresh, kept: false };
	} finally {
		db?.close();
	}
}

// replaceKey replaces the player's key; it throws if the browser refuses.
export async function replaceKey(key) {
	const db = await done(indexedDB.open(base, 1), (request) => request.result.createObjectStore(store));
	try {
		await done(db.transaction(store, "readwrite").objectStore(store).put(key, entry));
	} finally {
		db.close();
	}
}

const mark = "tidelock-key:";

// keyText returns a key as text for export; keyOf parses it, and returns null for invalid text.
export function keyText(key) {
	return mark + btoa(String.fromCharCode(...key));
}

export function keyOf(written) {
	const found = /^tidelock-key:([A-Za-z0-9+/]{43}=)$/.exec(String(written).trim());
	return found ? Uint8Array.from(atob(found[1]), (c) => c.charCodeAt(0)) : null;
}

// guestKey returns a key that is not stored.
export function guestKey() {
	return { key: crypto.getRandomValues(new Uint8Array(32)), kept: true };
}

function done(request, upgrade) {
	return new Promise((resolve, reject) => {
		request.onsuccess = () => resolve(request.result);
		request.onerror = () => reject(request.error);
		if (upgrade) {
			request.onupgradeneeded = () => upgrade(request);
			request.onblocked = () => reject(new Error("another tab holds an older version of the store"));
		}
	});
}
