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

// stream calls on(state) ten times a second and lost(line) when there is nothing to be heard; it comes back by itself.
export async function stream(on, lost) {
	for (let wait = 250; ; wait = Math.min(wait * 2, 4000)) {
		try {
			const response = await fetch(root + "stream", { headers: headers() });
			if (!response.ok) await answered(response);
			const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
			let rest = "";
			for (;;) {
				const { value, done } = await reader.read();
				if (done) break;
				const parts = (rest + value).split("\n\n");
				rest = parts.pop();
				const last = parts.at(-1); // what is older is of no use to anybody
				if (!last) continue;
				wait = 250;
				on(JSON.parse(last.slice(last.indexOf("data: ") + 6)));
			}
			lost("The host has gone; waiting for it.");
		} catch (fault) {
			lost(fault instanceof Fault ? `Not allowed: ${fault.message}` : "The host does not answer; trying again.");
		}
		await new Promise((done) => setTimeout(done, wait));
	}
}
