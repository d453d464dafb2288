// The API of the host (docs/console.md). The token is kept for this tab, and sent only in a header.

const root = "/api/v1/";
const kept = "tidelock.inspector.token";

export const token = {
	get: () => sessionStorage.getItem(kept) ?? localStorage.getItem(kept) ?? "",
	set(value) {
		sessionStorage.removeItem(kept);
		if (value) localStorage.setItem(kept, value);
		else localStorage.removeItem(kept);
	},
};

const headers = () => (token.get() ? { Authorization: `Bearer ${token.get()}` } : {});

// Fault is what the host answered instead.
export class Fault extends Error {
	constructor(status, line) {
		super(line);
		this.status = status;
	}
}

async function answered(response) {
	let body;
	try {
		body = await response.json();
	} catch {
		throw new Fault(response.status, `the host answered ${response.status} ${response.statusText}`);
	}
	if (!response.ok) throw new Fault(response.status, body.error ?? `status ${response.status}`);
	return body;
}

export const get = async (path) => answered(await fetch(root + path, { headers: headers() }));

export const post = async (path, body) =>
	answered(await fetch(root + path, { method: "POST", headers: { ...headers(), "Content-Type": "application/json" }, body: JSON.stringify(body) }));

// exec runs a command line and returns its lines.
export const exec = async (line) => (await post("exec", { line })).answer;

// stream calls on(name, data) for what the host tells ten times a second, the newest of each name, and lost(line) when there is
// nothing to be heard; it comes back by itself. parameters() are what it asks for; it returns a function that asks anew.
export function stream(parameters, on, lost) {
	let again;
	const listen = async () => {
		for (let wait = 250; ; wait = Math.min(wait * 2, 4000)) {
			const stop = new AbortController();
			let changed = false;
			again = () => {
				changed = true;
				stop.abort();
			};
			try {
				const query = parameters();
				const response = await fetch(root + "stream" + (query && `?${query}`), { headers: headers(), signal: stop.signal });
				if (!response.ok) await answered(response);
				const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
				let rest = "";
				for (;;) {
					const { value, done } = await reader.read();
					if (done) break;
					const parts = (rest + value).split("\n\n");
					rest = parts.pop();
					const newest = new Map(); // what is older is of no use to anybody
					for (const part of parts) {
						const [head, data] = part.split("\ndata: ");
						newest.set(head.slice("event: ".length), data);
					}
					const state = newest.get("state"); // last: it draws the others
					newest.delete("state");
					for (const [name, data] of newest) on(name, JSON.parse(data));
					if (state) on("state", JSON.parse(state));
					if (state) wait = 250;
				}
				if (!changed) lost("The host has gone; waiting for it.");
			} catch (fault) {
				if (!changed) lost(fault instanceof Fault ? `Not allowed: ${fault.message}` : "The host does not answer; trying again.");
			}
			if (changed) wait = 125; // twice that is the first wait after a fault
			else await new Promise((done) => setTimeout(done, wait));
		}
	};
	listen();
	return () => again();
}
