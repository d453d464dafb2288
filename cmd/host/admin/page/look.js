// What the page looks at beside the state, shared by the map and the 3D view: a connection, and overlays. The stream asks for what is
// chosen, so that the host reads and records it only while somebody looks.

const KEPT = "tidelock.inspector.overlays";

// overlays are the overlays by name: what they are called, whether they are on at first, and whether they need a connection.
export const overlays = {
	relevancy: { title: "Relevancy", on: true, connection: true, help: "What is not relevant to the player is faint" },
	copies: { title: "Copies", on: true, connection: true, help: "Where the player's copies are, and a line to the truth" },
	velocities: { title: "Velocities", on: true, help: "Where actors will be in a quarter of a second" },
	boxes: { title: "Hit boxes", help: "Collision cylinders, and what shots can hit of pawns" },
	traces: { title: "Traces", help: "Lines that scripts queried in the last second: traces, lines of sight, shots; red where blocked" },
	claims: { title: "Rewound", help: "Where targets were put for the shots of the last seconds, with a line to where they were by then" },
	navigation: { title: "Navigation", help: "The graph in which bots find their paths: walks, drops, jumps and lifts" },
	brushes: { title: "Collision", help: "The brushes of the level, also those that only stop bodies" },
};

class Look extends EventTarget {
	connection = 0; // number, 0 for the server's own view
	copies = new Map(); // by the actor's number, of that connection
	boxes = new Map(); // the solids of pawns by their numbers
	traces = [];
	claims = [];
	#on = new Set();

	constructor() {
		super();
		let kept = [];
		try {
			kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "null") ?? Object.keys(overlays).filter((name) => overlays[name].on);
		} catch {
			// another version of the page wrote it
		}
		for (const name of kept) if (overlays[name]) this.#on.add(name);
	}

	// on reports whether an overlay is to be drawn.
	on(name) {
		return this.#on.has(name) && (!overlays[name].connection || this.connection > 0);
	}

	chosen(name) {
		return this.#on.has(name);
	}

	set(name, on) {
		if (on) this.#on.add(name);
		else this.#on.delete(name);
		sessionStorage.setItem(KEPT, JSON.stringify([...this.#on]));
		this.changed();
	}

	as(connection) {
		if (connection === this.connection) return;
		this.connection = connection;
		this.copies = new Map();
		this.changed();
	}

	changed() {
		this.dispatchEvent(new Event("change"));
	}

	// parameters are those of the stream.
	parameters() {
		const p = new URLSearchParams();
		for (const name of ["boxes", "traces", "claims"]) if (this.on(name)) p.set(name, "true");
		if (this.connection) p.set("connection", this.connection);
		return String(p);
	}

	// told takes an event of the stream.
	told(name, data) {
		if (name === "copies" && data.connection === this.connection) this.copies = new Map(data.copies.map((c) => [c.id, c]));
		if (name === "boxes") this.boxes = new Map(data.map((b) => [b.id, b.solids]));
		if (name === "traces") this.traces = data;
		if (name === "claims") this.claims = data;
	}

	// check returns to the server's view when the connection is gone.
	check(state) {
		if (this.connection && !state.connections.some((c) => c.id === this.connection)) this.as(0);
	}
}

export const look = new Look();
