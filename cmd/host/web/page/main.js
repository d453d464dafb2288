// The page: it starts the worker, which runs the engine and the network, and draws what the worker sends. The
// camera turns with the mouse at once; everything else is drawn between the two latest ticks (frames.js).
//
// Other modules: picture.js, join.js, menu.js, settings.js, controls.js (the keys), panel.js (F3), canvas.js
// (the match's HUD), chat.js, console.js, hud.js.
//
// Address: ?name=Ann  a name; ?auto=1  the bots' brain plays; ?spectate=1  watch; each of them joins without a
// click. A password in it is removed and not used. ?guest=1  a key that is not stored, for a second player on
// one machine; ?via=ws or wt  that carrier only; ?draw=0  nothing is drawn, for tests and many players on one
// machine.

import { Clips } from "./animate.js";
import { Art } from "./art.js";
import { Audio } from "./audio.js";
import { text } from "./bounds.js";
import { Layer } from "./canvas.js";
import { Captions } from "./captions.js";
import { Chat } from "./chat.js";
import { Console } from "./console.js";
import { EYE, FLAGS, Frames, HIDDEN, OWN, OWN_PAWN, PLACE, TICK } from "./frames.js";
import { clean, Hud } from "./hud.js";
import { arrived, identity } from "./identity.js";
import { Input } from "./input.js";
import { JoinScreen } from "./join.js";
import { visit } from "./lobby.js";
import { Menu } from "./menu.js";
import { Models } from "./models.js";
import { Panel } from "./panel.js";
import { at, Picture } from "./picture.js";
import { PALETTES, Settings } from "./settings.js";
import { place } from "./space.js";
import { bindings } from "./store.js";
import { Vector3 } from "./vendor/three.js";
import { EVERY, Watchdog } from "./watchdog.js";
import { codeOf, LACKS, NOTES } from "./words.js";

const find = (id) => document.getElementById(id);

// goodbye is how long the worker has to leave before it is terminated, in ms.
const goodbye = 3000;
// maxErrors bounds the errors that are stored for tests.
const maxErrors = 50;
// loading records the progress of the page, in ms since it was opened; maxMarks bounds it.
const loading = { script: Math.round(performance.now()) }, maxMarks = 20;

const there = new Vector3(); // location of what is heard

const query = new URLSearchParams(location.search);
const flag = (name) => query.get(name) === "1";
const auto = flag("auto");
const undrawn = query.get("draw") === "0";
const via = ["ws", "wt"].includes(query.get("via")) ? query.get("via") : "";

const hud = new Hud(), canvas = find("canvas");
const frames = new Frames();
const view = find("view");

let worker = null, failed = false; // failed: the worker can no longer be used
let state = "join", line = "", carrier = "", playing = false, leaving = false, leaveTimer = 0;
let joinAs = null; // "play" or "watch" while the worker connects
let turns = 0, brain = false, numbers = {};
let sent = "", looked = false;
const errors = [];
const counts = { receivedFrames: 0, events: 0, contextsLost: 0, droppedEvents: 0 };
let levelName = "", lastTick = 0, lastPlace = [0, 0, 0];

function remember(text) {
	if (errors.length < maxErrors) errors.push(clean(text));
}
addEventListener("error", (e) => remember(`${e.message} (${e.filename?.split("/").pop() ?? ""}:${e.lineno ?? 0})`));
addEventListener("unhandledrejection", (e) => remember(String(e.reason?.message ?? e.reason)));

// --- What the browser must have.

// missing returns which required feature the browser lacks, "" for none.
function missing() {
	if (typeof WebAssembly !== "object" || typeof WebAssembly.instantiateStreaming !== "function") return LACKS.wasm;
	if (typeof Worker !== "function") return LACKS.workers;
	if (typeof crypto?.getRandomValues !== "function") return LACKS.random;
	return "";
}

// newWorker starts the worker; it returns an error, "" for none.
function newWorker() {
	worker?.terminate();
	let modules = false;
	try {
		// A browser without module workers does not read the type.
		worker = new Worker(new URL("./worker.js", import.meta.url), { get type() { modules = true; return "module"; } });
	} catch (e) {
		return `The browser did not start the page's worker: ${e.message}. Load the page again.`;
	}
	if (!modules) {
		worker.terminate();
		worker = null;
		return LACKS.modules;
	}
	const mine = worker;
	failed = false;
	watchdog.start();
	worker.onmessage = (e) => {
		if (mine !== worker) return;
		watchdog.heard();
		receive(e.data);
	};
	worker.onerror = (e) => {
		e.preventDefault?.();
		remember(`worker: ${e.message ?? "it could not be loaded"}`);
		if (mine === worker) crashed(e.message ? `The client failed: ${e.message}.` : NOTES.workerMissing);
	};
	worker.onmessageerror = () => mine === worker && crashed(NOTES.workerOdd);
	return "";
}

function crashed(what) {
	failed = true;
	watchdog.stop();
	ended(`${what} Load the page again.`);
}

// The page is the worker's watchdog. A hanging worker can only be terminated; the next join starts another one.
const watchdog = new Watchdog({
	ask: () => worker?.postMessage({ t: "alive" }),
	late: (seconds) => hud.say(NOTES.silent(seconds), true),
	back: () => hud.say(NOTES.back, false),
	gone(seconds) {
		remember(`worker: no answer for ${seconds} s`);
		worker?.terminate();
		worker = null;
		failed = true;
		ended(NOTES.hung(seconds));
	},
});
setInterval(() => watchdog.tick(), EVERY);

// --- Picture and sound.

let host = ""; // the base address of the host where the player is, "" for the page's own
const clips = new Clips(), art = new Art(lack, (path) => fetch(host + path, { credentials: "omit" })), audio = new Audio(art), layer = new Layer(canvas, art);
const models = new Models(art, (name) => {
	actors.remodel(name);
	picture.viewModel.remodel();
}, lack);
for (const gesture of ["pointerdown", "keydown"]) addEventListener(gesture, () => audio.unlock(), { capture: true, passive: true });

let drawnAt = 0;
function loop(now) {
	requestAnimationFrame(loop);
	const took = now - drawnAt;
	drawnAt = now;
	if (!playing) return;
	input.poll(Math.min(0.1, Math.max(0, took / 1000)));
	if (looked) sendInput();
	if (undrawn) return;
	picture.draw(took);
	layer.draw(innerWidth, innerHeight, devicePixelRatio);
	if (picture.drawn) loading.drawn ??= Math.round(performance.now());
}

// --- Settings, the keys and the menu.

const changedSetting = {
	name(value) {
		if (query.get("name") === null) joinScreen.name = value;
	},
	sensitivity: (value) => (input.sensitivity = value),
	invert: (value) => (input.inverted = value),
	fov(value) {
		picture.fov = value;
		picture.aim();
	},
	volume: (value) => audio.setVolume(value),
	quality(value) {
		picture.wanted = value;
		picture.refit();
	},
	palette: (value) => (actors.palette = PALETTES[value] ?? null),
	captions: (value) => captions.set(value),
	motion: () => (effects.reduced = settings.reduced),
};
const captions = new Captions(find("captions"));
audio.caption = (words) => captions.say(words);
const settings = new Settings(find("settings"), (key, value) => changedSetting[key](value));
const joinScreen = new JoinScreen({ start, options: () => menu.open(false), leave: async (to) => visit(to, joinScreen.name, await identity(flag("guest"))) });

// --- Input.

// pressed holds the actions that the page itself handles, in addition to scripts.
const pressed = {
	__proto__: null,
	ThirdPerson(down) {
		if (down) picture.third = !picture.third;
	},
	Brain(down) {
		if (!down || joinAs !== "play") return;
		brain = !brain;
		worker?.postMessage({ t: "brain", on: brain });
		hud.say(brain ? "The bots' brain plays now; the same key takes over again." : "You play again.", false);
	},
	Say: (down) => down && openLine(chat, false),
	TeamSay: (down) => down && openLine(chat, true),
};

const input = new Input(view, {
	act(name) {
		if (name === "menu") openMenu();
		else if (name === "numbers") panel.toggle();
		else if (name === "console") openLine(terminal);
	},
	action: (name, down) => pressed[name]?.(down),
	changed(mouseOnly) {
		looked = true;
		if (!mouseOnly) sendInput();
	},
	locked(on, why) {
		if (why) hud.say(why, false);
		hint();
		if (on || why || !playing) return;
		if (lineOpen()) closeLines(); // Esc released the mouse, and the browser does not report the key
		else if (!menu.isOpen) openMenu();
	},
}, bindings());
// touch is loaded for touch devices, at the first touch: others need not load it.
let touch = null;
function useTouch() {
	import("./touch.js").then(({ Touch }) => {
		touch = new Touch(find("touch"), view, {
			press: (index, down) => input.touch(index, down),
			stick: (x, y) => input.slide(x, y),
			look: (yaw, pitch) => input.active && input.turn(yaw * settings.values.sensitivity, pitch * settings.values.sensitivity),
			menu: () => openMenu(),
		});
		touch.set(input.bindings.actions);
		touch.show(playing && !menu.isOpen);
		hint();
	}, (e) => remember(`touch.js: ${e.message}`));
}
if (matchMedia("(pointer: coarse)").matches) useTouch();
else addEventListener("touchstart", useTouch, { once: true, passive: true });

// While the player types a line the mouse stays captured, and no key plays.
function lineClosed() {
	if (!playing || menu.isOpen) return;
	view.focus({ preventScroll: true });
	input.setActive(true);
}
const chat = new Chat(find("chat"), { say: (said, team) => worker?.postMessage({ t: "say", text: said, team }), closed: lineClosed });
const terminal = new Console(find("console"), { run: (typed) => worker?.postMessage({ t: "command", text: typed }), closed: lineClosed });
const lineOpen = () => chat.isOpen || terminal.isOpen;
function closeLines() {
	chat.close();
	terminal.close();
}
function openLine(line, team) {
	if (!playing || menu.isOpen || lineOpen()) return;
	input.setActive(false);
	line.open(team);
}
let consoleNext = false; // it opens when the menu has closed

const menu = new Menu(settings, {
	controls: async () => {
		const { Controls } = await import("./controls.js");
		return new Controls(find("actions"), find("controlsNote"), input, () => input.release());
	},
	resume: () => playing && !auto && !touch?.shown && input.lock(),
	console() {
		consoleNext = true;
		menu.close();
	},
	leave,
	opened: () => hint(),
	closed() {
		if (!playing) {
			joinScreen.focus();
			return;
		}
		view.focus({ preventScroll: true });
		input.setActive(true);
		touch?.show(true);
		hint();
		if (consoleNext) openLine(terminal);
		consoleNext = false;
	},
});
settings.note = (note) => menu.note(note);
const panel = new Panel(find("numbers"));

const picture = new Picture(view, frames, input, audio, { art, models }, {
	fault: remember,
	lack,
	lost() {
		counts.contextsLost++;
		hud.say(NOTES.pictureLost, true);
	},
	restored: () => hud.say(NOTES.pictureBack, false),
});
const { actors, effects, level } = picture;
settings.apply();

// sendInput sends the held keys to the worker, if they differ from what it knows. Mouse movement is collected
// until the next frame.
function sendInput() {
	looked = false;
	if (!worker || !playing) return;
	const now = { t: "input", ...input.state(), turn: turns };
	const text = JSON.stringify(now);
	if (text === sent) return;
	sent = text;
	worker.postMessage(now);
}

function hint() {
	if (state === "connecting" || state === "loading") hud.hint(line || "Connecting…");
	else if (playing && picture.control === "you" && !input.locked && !input.lockless && !input.padName && !touch?.shown && !menu.isOpen && !auto) hud.hint(NOTES.clickToLook);
	else hud.hint("");
}

// --- Messages of the worker.

const receivers = {
	state(m) {
		carrier = m.via || carrier;
		line = clean(m.line);
		if (m.state === "closed") {
			ended(line);
			return;
		}
		state = m.state;
		loading[state] ??= Math.round(performance.now());
		if (state === "playing" && !playing) begin();
		const words = { building: "You join as soon as the client is built.", connecting: "Connecting…", loading: "Loading the match…", playing: "" };
		joinScreen.status(line || (words[state] ?? state), state !== "playing" && state !== "building"); // the bar of a build shows that it goes on
		hint();
	},
	client: (m) => joinScreen.client(m.state, text(m.text), Number(m.begun) || 0, Number(m.of) || 0, Number(m.seconds) || 0),
	host(m) {
		host = text(m.web) === location.origin ? "" : text(m.web);
	},
	visit: (m) => visitHost(text(m.web), m.token),
	world() {
		frames.clear();
		picture.enter();
	},
	level(m) {
		loading.level ??= Math.round(performance.now());
		picture.set(m.level);
		if (!playing && !undrawn) {
			picture.warm();
			loading.warm ??= Math.round(performance.now());
		}
		levelName = m.level?.name ?? "";
		if (m.level?.left) hud.say(`The level is too large to be shown whole: ${m.level.left} triangles and lights are left out.`, true);
	},
	frame(m) {
		counts.receivedFrames++;
		if (!frames.push(m.floats, m.n, performance.now() / 1000)) remember(`frame: ${m.floats.byteLength} bytes are too few for ${m.n} actors`);
		worker.postMessage({ t: "buffer", floats: m.floats }, [m.floats]);
		const { data, rows } = frames.latest;
		lastTick = data[TICK];
		const at = data[OWN] ? rows.get(data[OWN]) : undefined;
		for (let k = 0; k < 3; k++) lastPlace[k] = data[at === undefined ? EYE + k : at + PLACE + k];
		input.ticked();
	},
	answer(m) {
		if (m.text) terminal.print(m.text, m.fault ? "fault" : "");
	},
	events(m) {
		for (const event of m.list) {
			counts.events++;
			const handler = Object.hasOwn(heard, event.e) ? heard[event.e] : null;
			handler?.(event);
		}
	},
	mark(m) {
		if (Object.keys(loading).length < maxMarks) loading[text(m.what)] ??= Math.round(m.at - performance.timeOrigin);
	},
	numbers(m) {
		const { t, ...rest } = m;
		numbers = rest;
		hint(); // a gamepad may have been connected
		carrier = m.via || carrier;
		panel.show(m, {
			...picture.figures, heap: performance.memory?.usedJSHeapSize ?? 0,
			lines: [
				["actors", `${actors.drawn} drawn, ${actors.known.size} known, ${picture.figures.calls} draw calls`],
				["quality", picture.qualityText],
				...(input.padName ? [["gamepad", text(input.padName).slice(0, 40)]] : []),
			],
		});
	},
};

// kinds of content, and their receivers.
const content = { effect: (name, data) => effects.define(name, data), material: (name, data) => level.define(name, data), sound: (name, data) => audio.define(name, data), animation: (name, data) => clips.define(name, data), art: depict };

// depict updates what is known of a recording, a model or a picture: whatever shows it is redrawn.
function depict(name, data) {
	if (!art.define(name, data)) return;
	models.forget(name);
	actors.remodel(name);
	picture.viewModel.remodel();
	level.repicture(name);
	audio.forget(name);
}

// lack reports what could not be shown or heard.
function lack(line) {
	hud.say(line, true);
}

// heard holds handlers of the worker's events.
const heard = {
	look: (e) => actors.define(e),
	spawned: (e) => actors.set(e),
	changed: (e) => actors.set(e),
	params: (e) => actors.change(e),
	content(e) {
		if (Object.hasOwn(content, e.kind)) content[e.kind](text(e.name), e.data ?? null);
	},
	on: (e) => picture.cue(e),
	montage: (e) => actors.montage(e.slot, text(e.name), clips.find(text(e.name))),
	sound: (e) => audio.play(text(e.name), place(...at(e), there), actors.isOwn(e.slot)),
	gone: (e) => actors.gone(e.slot),
	actions(e) {
		input.setActions(e.n, e.list);
		touch?.set(input.bindings.actions);
		menu.refresh();
	},
	say(e) {
		hud.say(e.line, e.fault);
		if (e.fault) remember(e.line);
	},
	message(e) {
		hud.hear(e.text, e.from);
		if (terminal.isOpen) terminal.print(e.from ? `${text(e.from)}: ${text(e.text)}` : text(e.text)); // the host's answers are messages
	},
	dropped: (e) => (counts.droppedEvents += e.count),
	canvas: (e) => layer.set(e.calls),
	// The match turned the view: by an angle, so that no movement of the mouse is lost, or to a direction, if
	// it is the first.
	view(e) {
		if (turns && e.n > turns) input.face(input.pitch + e.byPitch, input.yaw + e.byYaw);
		else input.face(e.pitch, e.yaw);
		turns = e.n;
		sendInput();
	},
	control(e) {
		// The brain controlled the view: the player continues from where it looked.
		if (e.by === "you" && picture.control !== "you" && frames.latest) input.face(frames.latest.data[EYE + 3], frames.latest.data[EYE + 4]);
		picture.control = e.by;
		hint();
	},
};

function receive(m) {
	if (Object.hasOwn(receivers, m?.t)) receivers[m.t](m);
}

// --- Joining, playing, leaving.

// visitHost goes where the host sends the player, with their identity, if the page's own host lists that place.
async function visitHost(web, token) {
	const found = await joinScreen.lobby.find(web);
	if (!found) {
		worker?.postMessage({ t: "unvisited", why: NOTES.notListed });
		return;
	}
	leaving = true; // what the worker says from now on is not an error
	visit({ ...found, private: false }, joinScreen.name, await identity(flag("guest")), token);
}

async function start(as, { name, password, token }) {
	if (query.get("name") === null && name !== settings.values.name) settings.set("name", name);
	joinScreen.busy(true);
	joinAs = as;
	state = "connecting";
	joinScreen.status("Connecting…", true);
	if (token && token === arrived?.token) find("token").value = ""; // it is for once
	const { key, kept, guest } = await identity(flag("guest"));
	if (!kept) hud.say(NOTES.keyNotKept, true);
	if (!worker || failed) {
		const why = newWorker();
		if (why) {
			ended(why);
			return;
		}
	}
	turns = 0;
	picture.control = as === "watch" ? "watch" : "you";
	brain = auto;
	sent = "";
	worker.postMessage({ t: "start", name, options: guest ? "?guest=1" : "", password, token, spectate: as === "watch", auto, via, key });
}

function begin() {
	playing = true;
	picture.begin();
	joinScreen.show(false);
	menu.close();
	canvas.hidden = false;
	view.focus({ preventScroll: true });
	input.setActive(true);
	touch?.show(true);
}

// ended shows the join screen again, with the error and what to do.
function ended(why) {
	clearTimeout(leaveTimer);
	state = "closed";
	line = why;
	playing = false;
	input.setActive(false);
	input.unlock();
	touch?.show(false);
	menu.close();
	captions.clear();
	canvas.hidden = true;
	closeLines();
	layer.set([]);
	hud.reset();
	frames.clear();
	picture.clear();
	levelName = host = "";
	// A worker that closed without a reason may be broken: the next join starts another one.
	if (!leaving && !codeOf(why)) failed = true;
	joinScreen.show(true);
	joinScreen.status(leaving ? NOTES.left : "", false);
	joinScreen.fault(leaving ? "" : why);
	leaving = false;
	joinScreen.busy(false);
	joinScreen.focus();
}

function leave() {
	leaving = true;
	worker?.postMessage({ t: "leave" });
	leaveTimer = setTimeout(() => {
		failed = true;
		ended("");
	}, goodbye);
}

function openMenu() {
	if (!playing || menu.isOpen) return;
	closeLines();
	input.setActive(false);
	input.unlock();
	touch?.show(false);
	menu.open(true);
}

// seen returns every actor of the latest frame.
function seen() {
	const list = [];
	for (const [slot, at] of frames.latest?.rows ?? []) {
		const event = actors.known.get(slot)?.event, { data } = frames.latest;
		list.push({
			slot, class: event?.class ?? "", player: event?.player ?? "", team: event?.team ?? -1, color: text(actors.looks.get(event?.look)?.tree.color), own: (data[at + FLAGS] & OWN_PAWN) !== 0, hidden: (data[at + FLAGS] & HIDDEN) !== 0,
			place: [...data.subarray(at + PLACE, at + PLACE + 3)],
		});
	}
	return list;
}

// tidelock is for tests: read-only state of the page. It is not an interface for mods, and changes with the
// page.
const own = {
	state: () => state,
	line: () => line,
	via: () => carrier,
	host: () => host, // where the player is, "" for the page's host
	tick: () => lastTick, // of the latest frame
	place: () => [...lastPlace], // of the own pawn, or of the eye if there is none; the engine's axes, uu
	view: () => ({ pitch: input.pitch, yaw: input.yaw, control: picture.control, third: picture.third }),
	level: () => ({ name: levelName, triangles: level.triangles ?? 0, ...level.census(), shaded: level.shading === null }), // shaded: the ambient occlusion is baked
	actors: () => ({ known: actors.known.size, drawn: actors.drawn, refused: actors.refused }),
	seen: () => seen(),
	classes: () => [...new Set([...actors.known.values()].map((a) => text(a.event.class)))].sort(),
	canvas: () => structuredClone(layer.calls), // what the match's HUD draws
	canvasDrawn: () => layer.drawn,
	chat: () => (chat.isOpen ? (chat.team ? "team" : "all") : ""),
	numbers: () => ({ ...numbers, frameMs: picture.figures.frame, drawMs: picture.figures.draw }),
	counts: () => ({ ...counts, drawnFrames: picture.drawn, quality: picture.quality, shaken: picture.shaken, calls: picture.figures.calls }), // calls: of the graphics driver, in the latest frame
	shown: () => ({ looks: actors.looks.size, particles: effects.particles.count, effects: effects.played, sounds: audio.played, models: models.count }),
	captions: () => Object.fromEntries([...audio.defined].map(([name, data]) => [name, text(data.caption)])), // of sounds
	loading: () => ({ ...loading }),
	actions: () => input.bindings.actions.map((a) => a.name), // in the order in which the worker told them
	errors: () => [...errors],
};
Object.defineProperty(window, "tidelock", {
	value: Object.freeze(Object.defineProperties({}, Object.fromEntries(Object.entries(own).map(([name, get]) => [name, { get, enumerable: true }])))),
});

// A password in the address would stay in the history, and be visible on the screen.
if (query.has("password") || query.has("token")) {
	const address = new URL(location.href);
	for (const name of ["password", "token"]) address.searchParams.delete(name);
	history.replaceState(null, "", address);
	if (query.get("name") !== null || auto || flag("spectate")) hud.say(NOTES.passwordInAddress, true); // it joins at once
	joinScreen.status(NOTES.passwordInAddress, false);
}
joinScreen.name = query.get("name") ?? settings.values.name;
if (arrived?.token) find("token").value = arrived.token;
joinScreen.show(true);
requestAnimationFrame(loop);
const why = missing() || picture.start() || newWorker();
if (why) {
	state = "unsupported";
	line = why;
	joinScreen.fault(why);
	joinScreen.busy(true);
} else if (query.get("name") !== null || auto || flag("spectate")) joinScreen.start(flag("spectate") ? "watch" : "play");
else joinScreen.focus();
