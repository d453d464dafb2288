// The Worker loads the engine and the files of the match as soon as it starts, so that both are ready when
// somebody joins; opens carriers when the engine requests one (the engine decides when to reconnect); runs the
// ticks by its own timer, which also runs in a hidden tab; and passes frames to the page.
//
// To the page:
//	{t:"state", state:"building|connecting|loading|playing|closed", line, via}
//	{t:"world"}  another world begins, in the level that was told last
//	{t:"level", level}  before there is a world, and with one; null for no level; arrays are transferred: positions, normals, uvs; see scene.Level
//	{t:"frame", floats, n}  floats: an ArrayBuffer, transferred, that may be longer than the frame; n: actors
//	{t:"events", list}  see scene.Stage.Frame; and
//		{e:"view", n, pitch, yaw, byPitch, byYaw}  the match turned the view by so much, to there. The page adds byPitch and
//			byYaw to its camera (so that no movement of the mouse is lost), or takes pitch and yaw where n is its first,
//			and sends n as turn with every input from then on
//		{e:"control", by:"you|brain|watch", slot}  who turns the view; where it is not "you" the camera follows the frames
//		{e:"actions", n, list}  what the player can do by keys: {name, label, kind, keys, negative, negativeLabel, buttons, touch, class}
//		{e:"canvas", calls}  what the match's HUD shows from now on: a list of calls, see engine/canvas
//		{e:"say", line, fault}
//	{t:"answer", text, fault}  of a line of the console
//	{t:"alive"}  the answer to the same from the page
//	{t:"mark", what, at}  how far it has come, at: ms since 1970
//	{t:"numbers", ping, loss, tickMs, tickP50, tickP95, corrections, memory, via, bytesIn, bytesOut, actors}  once a second
// From the page:
//	{t:"start", name, options, password, token, spectate, auto, skill, via, key}  key: 32 bytes (Uint8Array) or base64
//	{t:"input", yaw, pitch, turn, set, actions}  actions: values from -1 to 1 in the order of the event "actions" whose n set is
//	{t:"brain", on}, {t:"say", text, team}, {t:"command", text}  a line of the console, {t:"leave"}
//	{t:"buffer", floats}  a frame's buffer, back
//	{t:"alive"}  whether the Worker hangs; the answer is {t:"alive"}

import { Engine } from "./engine.js";
import { open } from "./carrier.js";

// rate is ticks a second, catchUp how many may be run at once after a delay; the rest is left out.
const rate = 60, catchUp = 8;
// inFlight is how many frames may be with the page; while it has as many, no more are sent.
const inFlight = 3;
// polling is how often a host that is still building the client is asked, in ms.
const polling = 500;
// stale is for how long, in ms, what the host said is good enough to dial; maxBatches bounds the files that it may name.
const stale = 5000, maxBatches = 4096;
// viewFloats and actorFloats are the layout of a frame. ORDER: ViewFloats and ActorFloats in cmd/host/scene.
const viewFloats = 8, actorFloats = 11;
// maxSaid bounds what is said, in UTF-16 units.
const maxSaid = 1024;
// maxActions bounds what is handed on of an input; the engine knows how many there are.
const maxActions = 128;

const base = globalThis.location?.origin ?? "";
let engine = null, carrier = null, want = null; // want: the start message, null after the player left
let attempt = 0; // counts players: late answers for an earlier one are ignored
let opening = 0; // counts requested carriers, likewise
let state = "", timer = 0, origin = 0, ticks = 0, world = 0, level = 0; // level: the number of the one that the page has
let spare = [], away = 0, counted = 0, loaded = null;
let told = "", turn = 0;
let stocked = ""; // the manifest whose files are stored and compiled
let stocking = Promise.resolve(); // one at a time
let fresh = null; // the host's last answer, for the first carrier

// pump runs the next beat at once, but after pending events; a timer of 0 ms takes 4.
const pump = new MessageChannel();
pump.port2.onmessage = (e) => beat(e.data);

const times = new Float64Array(rate); // ms of the ticks since the last numbers

const tell = (message, transfer) => postMessage(message, transfer ?? []);
const mark = (what) => tell({ t: "mark", what, at: performance.timeOrigin + performance.now() });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function show(next, line) {
	state = next;
	tell({ t: "state", state: next, line: line ?? "", via: carrier?.via ?? "" });
}

function say(line, fault) {
	tell({ t: "events", list: [{ e: "say", line, fault: Boolean(fault) }] });
}

async function description() {
	const answer = await fetch(new URL("/join.json", base), { cache: "no-store" });
	if (!answer.ok) throw new Error(`the host answered ${answer.status} ${answer.statusText} to /join.json`);
	return answer.json();
}

// built waits for a client that the host is still building.
async function built() {
	for (;;) {
		const join = await description();
		const client = join.client ?? {};
		if (client.state === "ready") return join;
		if (client.state === "failed") throw new Error(client.text || client.line || "the host could not build the client");
		if (want) show("building", client.text || client.line || "the host is building the client");
		await pause(polling);
	}
}

// get returns a file of the match, null if it cannot be fetched: then the link sends it.
async function get(path) {
	try {
		const answer = await fetch(new URL(path, base));
		return answer.ok ? new Uint8Array(await answer.arrayBuffer()) : null;
	} catch {
		return null;
	}
}

// stock passes the files of the match to the engine and lets it compile them, so that the host need not wait
// after it has admitted the player. loading is the engine, or a promise of it: both are loaded at the same
// time. Missing or invalid files are sent by the link.
function stock(files, loading) {
	stocking = stocking.then(() => take(files, loading));
	return stocking;
}

async function take(files, loading) {
	const [path, ...paths] = Array.isArray(files) ? files.slice(0, maxBatches) : [];
	if (!path || path === stocked) return;
	const manifest = get(path), parts = stocked ? null : paths.map(get);
	let use;
	try {
		use = await loading;
	} catch {
		return; // reported by its caller
	}
	try {
		const list = await manifest;
		if (!list || use.manifest(list) !== paths.length) return;
		await Promise.all(paths.map(async (p, i) => {
			if (use.has(i)) return;
			const bytes = await (parts ? parts[i] : get(p));
			if (bytes && use === engine) use.batch(i, bytes);
		}));
	} catch (e) {
		say(e?.message ?? String(e), true);
	}
	mark("files");
	for (let first = true; use === engine && use.prepare(); first = false) {
		// The level comes first: the page prepares it while the rest is compiled.
		if (first && !world) showLevel();
		await turnOver();
	}
	stocked = path;
	mark("compiled");
}

// turnOver lets pending events run; a timer of 0 ms takes 4.
const over = new MessageChannel();
let turned = null;
over.port2.onmessage = () => turned();
const turnOver = () => new Promise((resolve) => {
	turned = resolve;
	over.port1.postMessage(null);
});

// ready loads the engine and the files of the match, once; after a failure it starts again.
function ready() {
	loaded ??= load().catch((e) => {
		loaded = null;
		throw e;
	});
	return loaded;
}

async function load() {
	const join = await built();
	mark("described");
	const loading = Engine.load(new URL(join.client.wasm, base), new URL(join.client.exec, base).href, {
		send: (bytes) => carrier?.send(bytes) ?? false,
		open: () => openCarrier(),
		close: () => hangUp(),
		ended: (why) => {
			engine = loaded = null;
			stocked = "";
			stop("The client stopped: " + why + ". Reload the page.");
		},
	}).then((made) => {
		mark("engine");
		return (engine = made);
	});
	await stock(join.files, loading);
	await loading;
	fresh = { join, at: performance.now() };
}

function hangUp() {
	opening++;
	const old = carrier;
	carrier = null;
	old?.close();
}

function stop(line) {
	clearTimeout(timer);
	attempt++;
	want = null;
	level = 0; // the page shows none any more
	engine?.leave();
	hangUp();
	show("closed", line);
}

// join loads the engine and begins to play; the engine requests carriers.
async function join() {
	const mine = ++attempt;
	try {
		show("connecting", "");
		await ready();
		if (mine !== attempt) return;
		const key = want.key instanceof Uint8Array ? btoa(String.fromCharCode(...want.key)) : want.key;
		engine.start({
			name: want.name ?? "", options: want.options ?? "", password: want.password ?? "", token: want.token ?? "", spectate: Boolean(want.spectate), auto: Boolean(want.auto),
			skill: want.skill ?? 3, key: key || undefined, host: new URL(base).host,
		});
		world = 0;
		turn = 0;
		origin = performance.now();
		ticks = 0;
		told = "";
		beat(mine);
	} catch (e) {
		if (mine === attempt) stop(e?.message ?? String(e));
	}
}

// openCarrier opens a carrier for the engine. The host is queried again every time: after a restart its
// certificates, and perhaps its key, are different.
async function openCarrier() {
	hangUp();
	const mine = opening;
	try {
		const join = fresh && performance.now() - fresh.at < stale ? fresh.join : await description();
		fresh = null;
		if (mine !== opening) return;
		await stock(join.files, engine);
		if (mine !== opening) return;
		const made = await open(join, base || undefined, want?.via, {
			packet: (bytes) => mine === opening && engine?.receive(bytes),
			closed: (why) => mine === opening && engine?.broke(why),
		}, (line) => say(line));
		if (mine !== opening) {
			made.close();
			return;
		}
		carrier = made;
		mark("carrier");
		engine?.opened(Uint8Array.from(atob(join.key ?? ""), (c) => c.charCodeAt(0)));
		show(state, told);
	} catch (e) {
		if (mine === opening) engine?.broke(e?.message ?? String(e));
	}
}

// showLevel sends the present level to the page, if the page has another one.
function showLevel() {
	const n = engine.levelNumber();
	if (n === level) return;
	level = n;
	const data = n ? engine.level() : null;
	tell({ t: "level", level: data }, data ? [data.positions.buffer, data.normals.buffer, data.uvs.buffer] : []);
}

// beat runs the ticks that are due and sets the timer for the next one; ticks are counted from the origin, so
// that delays do not add up.
function beat(mine) {
	if (mine !== attempt || !engine) return;
	let due = Math.floor(((performance.now() - origin) * rate) / 1000) - ticks;
	if (due > catchUp) {
		ticks += due - catchUp;
		due = catchUp;
	}
	// The engine compiles in slices, one per tick: during loading there is nothing else to do, so ticks do not
	// wait.
	if (state === "loading" && due < 1) {
		due = 1;
		ticks--;
	}
	const list = [];
	for (; due > 0 && mine === attempt; due--) {
		const begin = performance.now();
		const at = engine.tick(begin, 1 / rate);
		times[counted++] = performance.now() - begin;
		ticks++;
		if (at !== world) {
			if (!world) {
				mark("world");
				tell({ t: "mark", what: "accepted", at: performance.timeOrigin + begin });
			}
			world = at;
			if (list.length) tell({ t: "events", list: list.splice(0) });
			showLevel();
			tell({ t: "world" });
		}
		list.push(...engine.events());
		if (counted >= rate) measure();
		if (!check()) break;
	}
	if (list.length) tell({ t: "events", list });
	if (mine !== attempt || !engine) return;
	if (world && state === "playing" && away < inFlight) {
		const { buffer, floats } = engine.frame(spare.pop());
		if (floats >= viewFloats) {
			away++;
			tell({ t: "frame", floats: buffer, n: (floats - viewFloats) / actorFloats }, [buffer]);
		}
	}
	if (state === "loading") {
		pump.port1.postMessage(mine);
		return;
	}
	timer = setTimeout(beat, Math.max(0, origin + ((ticks + 1) * 1000) / rate - performance.now()), mine);
}

// check follows the state of the player; it returns false once that is closed.
function check() {
	const now = engine.state();
	if (now.state === "closed") {
		stop(now.line || "the connection ended");
		return false;
	}
	if (now.state !== state || now.line !== told) show(now.state, told = now.line);
	return true;
}

function measure() {
	const tickMs = times.reduce((sum, ms) => sum + ms) / counted;
	times.sort();
	tell({
		t: "numbers", ...engine.numbers(), tickMs, tickP50: times[counted >> 1], tickP95: times[Math.floor(0.95 * counted)], memory: engine.size, via: carrier?.via ?? "",
	});
	counted = 0;
}

const number = (v) => (Number.isFinite(v) ? v : 0);

const handlers = {
	start(m) {
		if (want) return;
		want = m;
		join();
	},
	input(m) {
		// A page that does not count turns has received all of them.
		turn = Number.isInteger(m.turn) ? m.turn : 1;
		engine?.input({ pitch: number(m.pitch), yaw: number(m.yaw), turn, set: number(m.set) | 0, actions: Array.isArray(m.actions) ? m.actions.slice(0, maxActions) : [] });
	},
	brain(m) {
		if (want) want.auto = Boolean(m.on);
		engine?.brain(m.on);
	},
	say(m) {
		if (typeof m.text === "string" && m.text.length <= maxSaid) engine?.say(m.text, Boolean(m.team));
	},
	command(m) {
		if (typeof m.text !== "string" || m.text.length > maxSaid || !engine) return;
		tell({ t: "answer", ...engine.obey(m.text) });
	},
	leave() {
		if (want) stop("You left.");
	},
	alive() {
		tell({ t: "alive" });
	},
	buffer(m) {
		away = Math.max(0, away - 1);
		if (m.floats instanceof ArrayBuffer && spare.length < inFlight) spare.push(m.floats);
	},
};

// Everybody who opens the page will join: loading begins at once. Errors are reported when they join.
ready().catch(() => {});

onmessage = (e) => {
	const handler = Object.hasOwn(handlers, e.data?.t) ? handlers[e.data.t] : null;
	if (!handler) return;
	try {
		handler(e.data);
	} catch (error) {
		stop(`The client failed: ${error?.message ?? error}. Reload the page.`);
	}
};
