// Who the player is: the key that this browser keeps, or the one that the page of another host brought along (C2, C6).

import { guestKey, playerKey, replaceKey } from "./store.js";

// mark begins the fragment of an address that brings a player along; it is for the page alone, and is removed at once.
const mark = "player=", maxFragment = 4096, maxToken = 1024, kept = "tidelock player";

// fragment returns that of an address which brings a player, {key, guest}, and a token, "" for none.
export function fragment(who, token) {
	return mark + btoa(JSON.stringify({ key: btoa(String.fromCharCode(...who.key)), guest: who.guest, token }));
}

function read(json) {
	const { key, guest, token } = JSON.parse(json);
	const bytes = Uint8Array.from(atob(key), (c) => c.charCodeAt(0));
	return bytes.length === 32 ? { key: bytes, guest: guest === true, token: typeof token === "string" ? token.slice(0, maxToken) : "" } : null;
}

// arrival returns whom another host's page brought along, {key, guest, token}, null for nobody. As long as the tab is open they stay
// the same, without the token.
function arrival() {
	try {
		if (!location.hash.startsWith(`#${mark}`)) {
			const before = sessionStorage.getItem(kept);
			return before ? read(before) : null;
		}
		const json = location.hash.length <= maxFragment ? atob(location.hash.slice(1 + mark.length)) : "";
		history.replaceState(null, "", location.pathname + location.search);
		const who = read(json);
		if (who) sessionStorage.setItem(kept, JSON.stringify({ ...JSON.parse(json), token: "" }));
		return who;
	} catch {
		return null; // not what a page writes, or the browser keeps nothing
	}
}

// arrived is read when the page is loaded.
export let arrived = arrival();

// replace makes the player have another key from now on; it throws if the browser refuses to store it.
export async function replace(key) {
	await replaceKey(key);
	arrived = null;
	try {
		sessionStorage.removeItem(kept);
	} catch {
		// a browser that keeps nothing has nothing to remove
	}
}

let guest = null; // a guest stays the same for as long as the page is open

// identity returns the player's key, and whether they are a guest; kept is false if the browser refuses to store the key.
export async function identity(asGuest) {
	if (arrived) return { key: arrived.key, guest: arrived.guest, kept: true };
	if (asGuest) return { key: (guest ??= guestKey().key), guest: true, kept: true };
	const { key, kept } = await playerKey();
	return { key, guest: !kept, kept };
}
