// The Worker loads the engine and the files of the match as soon as it starts, so that both are ready when
// somebody joins; opens carriers when the engine requests one (the engine decides when to reconnect); runs the
// ticks by its own timer, which also runs in a hidden tab; and passes frames to the page.
//
// To the page:
//	{t:"state", state:"building|connecting|loading|playing|closed", line, via}
//	{t:"client", state, text, begun, of, seconds}  how far the host is with building the client, see JoinClient in cmd/host/web; state "ready" is the last
//	{t:"host", web}  the player is at another host now, whose base address is web; files of the match are there
//	{t:"visit", web, token}  the host sends the player to another one, to which this page may not connect; the answer is unvisited, if any
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
//	{t:"unvisited", why}  the page does not go there
//	{t:"brain", on}, {t:"say", text, team}, {t:"command", text}  a line of the console, {t:"leave"}
//	{t:"buffer", floats}  a frame's buffer, back
//	{t:"alive"}  whether the Worker hangs; the answer is {t:"alive"}

import { Engine } from "./engine.js";
import { open } from "./carrier.js";
import { place } from "./place.js";

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
let engine = null, want = null; // want: the start message, null after the player left
let attempt = 0; // counts players: late answers for an earlier one are ignored
// lines are the two connections of the engine: while the player goes to another host, both are open. opening counts
// requested carriers, so that late answers for an earlier one are ignored; web is the base address of the host.
const lines = [0, 1].map(() => ({ carrier: null, opening: 0, web: base }));
let here = 0; // the line of the host where the player is
let blocked = 0; // how often the page's policy forbade a connection
let state = "", timer = 0, origin = 0, ticks = 0, world = 0, level = 0; // level: the number of the one that the page has
let spare = [], away = 0, counted = 0, loaded = null;
let told = "", turn = 0;
let stocked = ""; // the manifest whose files are stored and compiled
let stocking = Promise.resolve(); // one at a time
let fresh = null; // the host's last answer, for the first carrier
let unvisited = () => {}; // called when the page does not go to another host

// pump runs the next beat at once, but after pending events; a timer of 0 ms takes 4.
const pump = new MessageChannel();
pump.port2.onmessage = (e) => beat(e.data);

const times = new Float64Array(rate); // ms of the ticks since the last numbers

const tell = (message, transfer) => postMessage(message, transfer ?? []);
const mark = (what) => tell({ t: "mark", what, at: performance.timeOrigin + performance.now() });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function show(next, line) {
	state = next;
	tell({ t: "state", state: next, line: line ?? "", via: lines[here].carrier?.via ?? "" });
}

function say(line, fault) {
	tell({ t: "events", list: [{ e: "say", line, fault: Boolean(fault) }] });
}

addEventListener("securitypolicyviolation", () => blocked++);

async function description(web = base) {
	const answer = await fetch(new URL("/join.json", web), { cache: "no-store", credentials: "omit" });
	if (!answer.ok) throw new Error(`the host answered ${answer.status} ${answer.statusText} to /join.json`);
	return answer.json();
}

// built waits for a client that the host is still building.
async function built() {
	for (;;) {
		const join = await description();
		const client = join.client ?? {};
		tell({ t: "client", state: client.state, text: client.text, begun: client.begun, of: client.of, seconds: client.seconds });
		if (client.state === "ready") {
			if (state === "building") show("connecting");
			return join;
		}
		if (client.state === "failed") throw new Error(client.text || "the host could not build the client");
		if (want) show("building");
		await pause(polling);
	}
}

// get returns a file of the match, null if it cannot be fetched: then the link sends it.
async function get(path, web) {
	try {
		const answer = await fetch(new URL(path, web), { credentials: "omit" });
		return answer.ok ? new Uint8Array(await answer.arrayBuffer()) : null;
	} catch {
		return null;
	}
}

// stock passes the files of the match to the engine and lets it compile them, so that the host need not wait
// after it has admitted the player. loading is the engine, or a promise of it: both are loaded at the same
// time. Missing or invalid files are sent by the link. web is the host's base address.
function stock(files, loading, web = base) {
	stocking = stocking.then(() => take(files, loading, web));
	return stocking;
}

async function take(files, loading, web) {
	const [path, ...paths] = Array.isArray(files) ? files.slice(0, maxBatches) : [];
	if (!path || path === stocked) return;
	const manifest = get(path, web), parts = stocked ? null : paths.map((p) => get(p, web));
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
			const bytes = await (parts ? parts[i] : get(p, web));
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
		send: (line, bytes) => lines[line].carrier?.send(bytes) ?? false,
		open: (line, where) => openCarrier(line, where),
		close: (line) => hangUp(line),
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

function hangUp(line) {
	const at = lines[line], old = at.carrier;
	at.opening++;
	at.carrier = null;
	old?.close();
}

function stop(line) {
	clearTimeout(timer);
	attempt++;
	want = null;
	level = 0; // the page shows none any more
	engine?.leave();
	hangUp(0);
	hangUp(1);
	here = 0;
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
		here = 0;
		beat(mine);
	} catch (e) {
		if (mine === attempt) stop(e?.message ?? String(e));
	}
}

// openCarrier opens a carrier of a line for the engine. The host is queried again every time: after a restart its
// certificates, and perhaps its key, are different.
async function openCarrier(line, where) {
	hangUp(line);
	const at = lines[line], mine = at.opening, to = where ? place(where) : null;
	const late = () => mine !== at.opening;
	try {
		if (where && !to) throw new Error("the host named no place");
		at.web = to?.web ?? base;
		const join = await describe(to, late);
		if (late()) return;
		await stock(join.files, engine, at.web);
		if (late()) return;
		const made = await open(join, at.web || undefined, want?.via, {
			packet: (bytes) => !late() && engine?.receive(line, bytes),
			closed: (why) => !late() && engine?.broke(line, why),
		}, (note) => say(note));
		if (late()) {
			made.close();
			return;
		}
		at.carrier = made;
		mark("carrier");
		// Of another host the engine knows the key: the one who sent the player there named it.
		engine?.opened(line, to ? new Uint8Array(0) : Uint8Array.from(atob(join.key ?? ""), (c) => c.charCodeAt(0)));
		show(state, told);
	} catch (e) {
		if (!late()) engine?.broke(line, e?.message ?? String(e));
	}
}

// describe returns a host's join.json. Where another host has none that this page can read, what the place says is enough;
// where the page's policy has no such host, the page itself goes there.
async function describe(to, late) {
	if (!to) {
		const join = fresh && performance.now() - fresh.at < stale ? fresh.join : await description();
		fresh = null;
		return join;
	}
	const before = blocked;
	try {
		return await description(to.web);
	} catch {
		await turnOver(); // the report of a forbidden connection may come after its error
		if (late()) return {};
		if (blocked !== before) {
			tell({ t: "visit", web: to.web, token: to.token });
			const why = await new Promise((answer) => (unvisited = answer));
			throw new Error(why);
		}
		return { wt: { url: "/wt", hashes: to.hashes }, ws: "/ws" };
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
	if (now.over !== here) {
		here = now.over;
		tell({ t: "host", web: lines[here].web });
	}
	if (now.state !== state || now.line !== told) show(now.state, told = now.line);
	return true;
}

function measure() {
	const tickMs = times.reduce((sum, ms) => sum + ms) / counted;
	times.sort();
	tell({
		t: "numbers", ...engine.numbers(), tickMs, tickP50: times[counted >> 1], tickP95: times[Math.floor(0.95 * counted)], memory: engine.size, via: lines[here].carrier?.via ?? "",
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
	unvisited(m) {
		unvisited(typeof m.why === "string" ? m.why : "");
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
