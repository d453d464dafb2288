// The Worker: it loads the engine, connects, runs the ticks by its own timer, which goes on in a hidden tab, and hands what
// is to be drawn to the page.
//
// To the page:
//	{t:"state", state:"building|connecting|loading|playing|closed", line, via}
//	{t:"level", level}  null for no level; arrays are transferred: positions, normals, uvs; see scene.Level
//	{t:"frame", floats, n}  floats: an ArrayBuffer, transferred, that may be longer than the frame; n: actors
//	{t:"events", list}  see scene.Stage.Frame; and
//		{e:"view", n, pitch, yaw, byPitch, byYaw}  the match turned the view by so much, to there. The page adds byPitch and
//			byYaw to its camera (so that no movement of the mouse is lost), or takes pitch and yaw where n is its first,
//			and sends n as turn with every input from then on
//		{e:"control", by:"you|brain|watch", slot}  who turns the view; where it is not "you" the camera follows the frames
//		{e:"hud", health, armor, weapon, ammo, match, score, hint, scores}, {e:"say", line, fault}
//	{t:"numbers", ping, loss, tickMs, corrections, memory, via, bytesIn, bytesOut, actors}  once a second
// From the page:
//	{t:"start", name, options, password, spectate, auto, skill, via, key}  key: 32 bytes (Uint8Array) or base64
//	{t:"input", forward, right, up, yaw, pitch, buttons, turn}
//	{t:"brain", on}, {t:"leave"}
//	{t:"buffer", floats}  a frame's buffer, back

import { Engine } from "./engine.js";
import { open } from "./carrier.js";

// rate is ticks a second, catchUp how many may be run at once after a delay; the rest is left out.
const rate = 60, catchUp = 8;
// inFlight is how many frames may be with the page; while it has as many, no more are sent.
const inFlight = 3;
// Coming back after a lost connection: the first wait, the longest wait, and for how long to try, in ms.
const again = { first: 500, most: 5000, within: 120000 };
// polling is how often a host that is still building the client is asked, in ms.
const polling = 500;
// viewFloats and actorFloats are the layout of a frame. ORDER: ViewFloats and ActorFloats in cmd/host/scene.
const viewFloats = 8, actorFloats = 11;

const base = globalThis.location?.origin ?? "";
let engine = null, carrier = null, want = null; // want: the start message, null when the player left
let attempt = 0; // counts connections: what comes late of an earlier one is nothing
let state = "", timer = 0, origin = 0, ticks = 0, world = 0;
let spare = [], away = 0, spent = 0, counted = 0, loaded = null;
let lostAt = 0, wait = again.first, played = false, turn = 0;

const tell = (message, transfer) => postMessage(message, transfer ?? []);
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
async function built(mine) {
	for (;;) {
		const join = await description();
		if (mine !== attempt) return null;
		const client = join.client ?? {};
		if (client.state === "ready") return join;
		if (client.state === "failed") throw new Error(client.text || client.line || "the host could not build the client");
		show("building", client.text || client.line || "the host is building the client");
		await pause(polling);
	}
}

// ready loads the engine, once.
function ready(client) {
	loaded ??= Engine.load(new URL(client.wasm, base), new URL(client.exec, base).href, {
		send: (bytes) => carrier?.send(bytes) ?? false,
		close: () => hangUp(),
		ended: (why) => {
			engine = null;
			stop("The client stopped: " + why + ". Reload the page.");
		},
	}).catch((e) => {
		loaded = null;
		throw e;
	});
	return loaded;
}

function hangUp() {
	const old = carrier;
	carrier = null;
	old?.close();
}

function stop(line) {
	clearTimeout(timer);
	attempt++;
	want = null;
	engine?.leave();
	hangUp();
	show("closed", line);
}

// connect makes one connection, from the description of the host to the first tick.
async function connect() {
	const mine = ++attempt;
	clearTimeout(timer);
	hangUp();
	try {
		show("connecting", lostAt ? "The connection was lost; coming back." : "");
		const join = await built(mine);
		if (!join) return;
		engine = await ready(join.client);
		if (mine !== attempt) return;
		const made = await open(join, base || undefined, want.via, {
			packet: (bytes) => mine === attempt && engine?.receive(bytes),
			closed: (why) => mine === attempt && engine?.broke(why),
		}, (line) => say(line));
		if (mine !== attempt) {
			made.close();
			return;
		}
		carrier = made;
		const key = want.key instanceof Uint8Array ? btoa(String.fromCharCode(...want.key)) : want.key;
		engine.start({
			name: want.name ?? "", options: want.options ?? "", password: want.password ?? "", spectate: Boolean(want.spectate), auto: Boolean(want.auto),
			skill: want.skill ?? 3, key: key || undefined, serverKey: join.key || undefined, host: new URL(base).host, via: made.via,
		});
		world = 0;
		turn = 0;
		origin = performance.now();
		ticks = 0;
		show("connecting", "");
		beat(mine);
	} catch (e) {
		if (mine === attempt) lost(e?.message ?? String(e), lostAt > 0);
	}
}

// lost ends a connection; where the player was in and may come back, it is made again.
function lost(line, mayReturn) {
	const now = performance.now();
	clearTimeout(timer);
	if (!want || !mayReturn || !played || (lostAt && now - lostAt > again.within)) {
		stop(line);
		return;
	}
	lostAt ||= now;
	const mine = ++attempt;
	engine?.leave();
	hangUp();
	show("connecting", `${line}; coming back.`);
	setTimeout(() => mine === attempt && want && connect(), wait);
	wait = Math.min(again.most, 2 * wait);
}

// beat runs the ticks that are due and sets the timer for the next one; ticks are counted from the origin, so that no delay
// adds up.
function beat(mine) {
	if (mine !== attempt || !engine) return;
	let due = Math.floor(((performance.now() - origin) * rate) / 1000) - ticks;
	if (due > catchUp) {
		ticks += due - catchUp;
		due = catchUp;
	}
	const list = [];
	for (; due > 0 && mine === attempt; due--) {
		const begin = performance.now();
		const at = engine.tick(begin, 1 / rate);
		spent += performance.now() - begin;
		ticks++;
		counted++;
		if (at !== world) {
			world = at;
			if (list.length) tell({ t: "events", list: list.splice(0) });
			const level = engine.level();
			tell({ t: "level", level }, level ? [level.positions.buffer, level.normals.buffer, level.uvs.buffer] : []);
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
	timer = setTimeout(beat, Math.max(0, origin + ((ticks + 1) * 1000) / rate - performance.now()), mine);
}

// check follows the state of the connection; it returns false once that has ended.
function check() {
	const now = engine.state();
	if (now.state === "closed") {
		lost(now.line || "the connection ended", now.again);
		return false;
	}
	if (now.state !== state) show(now.state, "");
	if (now.state === "playing") {
		played = true;
		lostAt = 0;
		wait = again.first;
	}
	return true;
}

function measure() {
	tell({ t: "numbers", ...engine.numbers(), tickMs: spent / counted, memory: engine.size, via: carrier?.via ?? "" });
	spent = counted = 0;
}

const number = (v) => (Number.isFinite(v) ? v : 0);

const handlers = {
	start(m) {
		if (want) return;
		want = m;
		played = false;
		lostAt = 0;
		wait = again.first;
		connect();
	},
	input(m) {
		// A page that does not count turns has seen all that were told.
		turn = Number.isInteger(m.turn) ? m.turn : 1;
		engine?.input({
			forward: number(m.forward), right: number(m.right), up: number(m.up), pitch: number(m.pitch), yaw: number(m.yaw), buttons: number(m.buttons) | 0, turn,
		});
	},
	brain(m) {
		if (want) want.auto = Boolean(m.on);
		engine?.brain(m.on);
	},
	leave() {
		if (want) stop("You left.");
	},
	buffer(m) {
		away = Math.max(0, away - 1);
		if (m.floats instanceof ArrayBuffer && spare.length < inFlight) spare.push(m.floats);
	},
};

onmessage = (e) => {
	const handler = Object.hasOwn(handlers, e.data?.t) ? handlers[e.data.t] : null;
	if (!handler) return;
	try {
		handler(e.data);
	} catch (error) {
		stop(`The client failed: ${error?.message ?? error}. Reload the page.`);
	}
};
