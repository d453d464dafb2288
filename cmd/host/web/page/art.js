// Art: recordings, models and pictures (W2.5). The worker lists them by name and hash; each is fetched by its
// hash when it is first needed, and the browser caches it. Nothing here depends on three.js.

import { number, text } from "./bounds.js";

// maxArt bounds the known files, maxBytes the size of a file, maxAtOnce the concurrent requests.
const maxArt = 512, maxBytes = 16 << 20, maxAtOnce = 4;

// Art fetches files. failed is called with one line for a file that could not be fetched.
export class Art {
	constructor(failed, get = (path) => fetch(path)) {
		this.known = new Map(); // { hash, size, bytes } by name; bytes is a promise
		this.failed = failed;
		this.get = get;
		this.free = maxAtOnce;
		this.waiting = [];
	}

	// define stores the description of a file; null removes it. It reports whether the file has changed.
	define(name, data) {
		const hash = text(data?.hash), size = number(data?.size, 1, maxBytes, 0);
		if (!/^[0-9a-f]{64}$/.test(hash) || !size) return this.known.delete(name);
		const before = this.known.get(name);
		if (before?.hash === hash || (!before && this.known.size >= maxArt)) return false;
		this.known.set(name, { hash, size, bytes: null });
		return true;
	}

	// hash returns that of a file, "" for none.
	hash(name) {
		return this.known.get(name)?.hash ?? "";
	}

	// bytes returns a promise of a file's bytes, an ArrayBuffer; null if it cannot be fetched.
	bytes(name) {
		const file = this.known.get(name);
		return file ? (file.bytes ??= this.fetch(name, file)) : Promise.resolve(null);
	}

	async fetch(name, { hash, size }) {
		if (this.free > 0) this.free--;
		else await new Promise((next) => this.waiting.push(next));
		try {
			const answer = await this.get(`/files/${hash}`);
			if (!answer.ok) throw new Error(`the host answered ${answer.status}`);
			const bytes = await answer.arrayBuffer();
			if (bytes.byteLength !== size) throw new Error(`${bytes.byteLength} bytes came, ${size} were promised`);
			return bytes;
		} catch (e) {
			this.failed(`${name} could not be fetched: ${e.message}. It is shown without.`);
			return null;
		} finally {
			const next = this.waiting.shift();
			if (next) next();
			else this.free++;
		}
	}
}
