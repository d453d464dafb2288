// Where a host sends a player (C6): an address, then options, each with "?" before it. ORDER: cmd/host/teleport/place.

// maxHashes bounds the hashes of certificates.
const maxHashes = 4;

// place reads a place as far as a page needs it: the base address of the host's page, the hashes of its certificates in
// base64, and the token; null for one without a page.
export function place(where) {
	const has = new Map();
	try {
		for (const part of String(where).split("?").slice(1)) {
			const at = part.indexOf("=");
			if (at > 0) has.set(part.slice(0, at), decodeURIComponent(part.slice(at + 1)));
		}
		const web = new URL(has.get("web"));
		if (!/^https?:$/.test(web.protocol) || web.username || web.password) return null;
		const hashes = (has.get("hashes") ?? "").split(",").filter((h) => /^[0-9a-f]{64}$/.test(h)).slice(0, maxHashes);
		return {
			web: web.href.replace(/\/$/, ""), token: has.get("token") ?? "",
			hashes: hashes.map((h) => btoa(String.fromCharCode(...h.match(/../g).map((b) => parseInt(b, 16))))),
		};
	} catch {
		return null;
	}
}
