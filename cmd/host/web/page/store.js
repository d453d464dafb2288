// What the page keeps on the player's machine: settings in localStorage, the player's key in IndexedDB. Either may be
// unavailable (a private window, blocked storage); the page plays all the same, and says what it will not keep.

const item = "tidelock.settings";

// The longest name that a host takes, in bytes of UTF-8.
export const maxName = 32;

// Every setting with its default and, for numbers, its bounds. What is kept and lies outside is replaced by the default.
const known = {
	name: { value: "", text: true },
	sensitivity: { value: 1, least: 0.05, most: 10 }, // degrees per 20 counts of the mouse
	fov: { value: 90, least: 60, most: 130 }, // degrees, horizontal on a 16:9 screen
};

// settings reads what is kept.
export function settings() {
	let kept = {};
	try {
		kept = JSON.parse(localStorage.getItem(item) ?? "{}") ?? {};
	} catch {
		// Storage is blocked, or holds no JSON: the defaults apply.
	}
	const out = {};
	for (const [key, rule] of Object.entries(known)) out[key] = allowed(rule, kept[key]) ? kept[key] : rule.value;
	return out;
}

function allowed(rule, value) {
	if (rule.text) return typeof value === "string" && wrongName(value) === "";
	return Number.isFinite(value) && value >= rule.least && value <= rule.most;
}

// bounds are the least and most of a setting that is a number.
export function bounds(key) {
	return known[key];
}

// keep writes the settings; it returns false where the browser refuses.
export function keep(values) {
	try {
		localStorage.setItem(item, JSON.stringify(values));
		return true;
	} catch {
		return false;
	}
}

// wrongName says what is wrong with a player's name, "" if nothing is. An empty name is allowed: the host gives one.
export function wrongName(name) {
	const bytes = new TextEncoder().encode(name).length;
	if (bytes > maxName) return `The name has ${bytes} bytes; shorten it to ${maxName}.`;
	if (/[?=\p{Cc}\p{Cs}]/u.test(name)) return "The name has a character that is not allowed: leave out ?, = and control characters.";
	return "";
}

const base = "tidelock", store = "keys", entry = "player";

// playerKey is the player's key, 32 random bytes. It is made at the first visit and kept, so that a player who comes back
// is the same player; kept is false where the browser refuses to keep it.
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

// guestKey is a key that is not kept.
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
