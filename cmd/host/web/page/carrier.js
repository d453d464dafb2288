// Carriers of packets: WebTransport datagrams, or binary messages of a WebSocket; one packet each, at most 1200
// bytes. Both may lose packets, and drop them instead of queueing: the protocol above retransmits what matters.

// opening is the timeout of WebTransport before WebSocket is tried, and that of WebSocket, in ms.
const opening = { wt: 4000, ws: 10000 };
// waitingMost is how many bytes may wait in a WebSocket, and packetsMost how many packets in WebTransport.
const waitingMost = 65536, packetsMost = 128;
// largest is the longest accepted packet.
const largest = 2048;

// open connects by the host's join.json. via is "wt" or "ws" for only that, anything else for the best that
// works. on has packet(bytes) and closed(why), which is called at most once, after open returned. note(line) is
// called with the reason why a carrier was not used.
export async function open(join, base, via, on, note) {
	if (via !== "ws" && join.wt) {
		if (globalThis.isSecureContext !== false && typeof WebTransport === "function") {
			try {
				return await openTransport(join.wt, base, on);
			} catch (e) {
				if (via === "wt") throw e;
				note(`WebTransport failed (${e?.message ?? e}); WebSocket is used instead.`);
			}
		} else if (via === "wt") throw new Error("this browser has no WebTransport here: it needs https or localhost");
	}
	return openSocket(new URL(join.ws ?? "/ws", base), on);
}

// within rejects when a promise takes too long.
function within(promise, ms, what) {
	return new Promise((resolve, reject) => {
		const timer = setTimeout(() => reject(new Error(`${what} did not open within ${ms / 1000} s`)), ms);
		promise.then(resolve, reject).finally(() => clearTimeout(timer));
	});
}

async function openTransport(wt, base, on) {
	const hashes = (wt.hashes ?? []).map((text) => ({ algorithm: "sha-256", value: Uint8Array.from(atob(text), (c) => c.charCodeAt(0)) }));
	const at = new URL(wt.url, base);
	at.protocol = "https:";
	// The host listens at 127.0.0.1, and a browser may try ::1 for this name and wait there.
	if (at.hostname === "localhost") at.hostname = "127.0.0.1";
	const session = new WebTransport(at, hashes.length ? { serverCertificateHashes: hashes } : {});
	session.closed.catch(() => {}); // told below, once it is open
	try {
		await within(session.ready, opening.wt, "WebTransport");
	} catch (e) {
		session.close();
		throw e;
	}
	const writer = session.datagrams.writable.getWriter();
	let waiting = 0, over = false;
	const end = (why) => {
		if (over) return;
		over = true;
		on.closed(why);
	};
	session.closed.then((info) => end(info?.reason || "the host closed the session"), (e) => end(e?.message ?? String(e)));
	(async () => {
		const reader = session.datagrams.readable.getReader();
		for (;;) {
			const { value, done } = await reader.read();
			if (done) return;
			if (!over && value.length <= largest) on.packet(value);
		}
	})().catch((e) => end(e?.message ?? String(e)));
	return {
		via: "wt",
		send(bytes) {
			if (over || waiting >= packetsMost) return false;
			waiting++;
			writer.write(bytes.slice()).catch(() => {}).finally(() => waiting--);
			return true;
		},
		close() {
			over = true;
			// Written packets go first: the last ones say goodbye.
			setTimeout(() => session.close(), 50);
		},
	};
}

async function openSocket(url, on) {
	url.protocol = url.protocol === "https:" || url.protocol === "wss:" ? "wss:" : "ws:";
	const socket = new WebSocket(url);
	socket.binaryType = "arraybuffer";
	try {
		await within(new Promise((resolve, reject) => {
			socket.onopen = resolve;
			socket.onerror = socket.onclose = () => reject(new Error("the host refused the WebSocket, or is not there"));
		}), opening.ws, "WebSocket");
	} catch (e) {
		socket.onopen = socket.onerror = socket.onclose = null;
		socket.close();
		throw e;
	}
	let over = false;
	socket.onerror = null;
	socket.onclose = (e) => {
		if (over) return;
		over = true;
		on.closed(e.reason || `the WebSocket closed (code ${e.code})`);
	};
	socket.onmessage = (e) => {
		if (!over && e.data instanceof ArrayBuffer && e.data.byteLength <= largest) on.packet(new Uint8Array(e.data));
	};
	return {
		via: "ws",
		send(bytes) {
			if (over || socket.readyState !== 1 || socket.bufferedAmount > waitingMost) return false;
			socket.send(bytes.slice());
			return true;
		},
		close() {
			over = true;
			socket.close();
		},
	};
}
