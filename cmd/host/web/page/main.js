// The page: it starts the worker, which runs the engine and the network, and draws what the worker tells. The camera turns
// with the mouse at once; everything else is drawn between the two latest ticks (frames.js).
//
// Address: ?name=Ann  a name; ?auto=1  the bots' brain plays; ?spectate=1  watch; each of them joins without a click.
// ?guest=1  a key that is not kept, for a second player on one machine; ?via=ws or wt  that carrier only; ?draw=0  nothing is
// drawn, for tests and many players on one machine.

import { Color, PCFShadowMap, PerspectiveCamera, Scene, Vector3, WebGLRenderer } from "./vendor/three.js";
import { Actors } from "./actors.js";
import { Clips } from "./animate.js";
import { Art } from "./art.js";
import { Audio } from "./audio.js";
import { Effects } from "./effects.js";
import { DEAD, EYE, FLAGS, Frames, HIDDEN, OWN, OWN_PAWN, PLACE, TICK, YAW } from "./frames.js";
import { clean, Hud } from "./hud.js";
import { HELP, Input } from "./input.js";
import { Labels } from "./labels.js";
import { Level } from "./level.js";
import { Models } from "./models.js";
import { text } from "./bounds.js";
import { place, turn } from "./space.js";
import { bounds, guestKey, keep, playerKey, settings, wrongName } from "./store.js";
import { ViewModel } from "./viewmodel.js";
import { adviceFor, codeOf } from "./words.js";

const find = (id) => document.getElementById(id);

// maxRatio bounds the pixels of the picture for each of the page's.
const maxRatio = 2;
// Steps of quality, from the best: a machine that cannot keep up takes the next. slow is the mean length of a frame, in
// ms, that is too long; judged is how many frames are taken together.
const qualities = [{ scale: 1, shadows: true }, { scale: 0.75, shadows: true }, { scale: 0.75, shadows: false }, { scale: 0.5, shadows: false }];
const slow = 40, judged = 60;
// Third person: how far behind the eye, above it and to the right of it the camera is, and how far it stays from a wall, in
// uu. It looks over the shoulder, so that the body does not hide what the player aims at.
const behind = 190, above = 40, aside = 45, fromWall = 10;
// overCorpse is how far above the middle of a dead body the eyes look, in uu.
const overCorpse = 30;
// goodbye is how long the worker has to leave before it is ended, in ms.
const goodbye = 3000;
// maxErrors bounds the errors that are remembered for tests.
const maxErrors = 50;
// loading is how far the page has come, in ms since it was opened; maxMarks bounds it.
const loading = { script: Math.round(performance.now()) }, maxMarks = 20;

const query = new URLSearchParams(location.search);
const flag = (name) => query.get(name) === "1";
const undrawn = query.get("draw") === "0";
const via = ["ws", "wt"].includes(query.get("via")) ? query.get("via") : "";

const set = settings();
const hud = new Hud();
const frames = new Frames();
const view = find("view");

let worker = null, failed = false; // failed: the worker is of no more use
let state = "join", line = "", carrier = "", playing = false, leaving = false, leaveTimer = 0;
let joinAs = null; // "play" or "watch" while the worker connects
let control = "you", turns = 0, third = false, brain = false, lastHud = null, numbers = {};
let sent = "", looked = false;
const errors = [];
const counts = { drawnFrames: 0, receivedFrames: 0, events: 0, contextsLost: 0, droppedEvents: 0 };
let levelName = "", lastTick = 0, lastPlace = [0, 0, 0];

function remember(text) {
	if (errors.length < maxErrors) errors.push(clean(text));
}
addEventListener("error", (e) => remember(`${e.message} (${e.filename?.split("/").pop() ?? ""}:${e.lineno ?? 0})`));
addEventListener("unhandledrejection", (e) => remember(String(e.reason?.message ?? e.reason)));

// --- What the browser must have.

// missing says what the browser lacks to play, "" for nothing.
function missing() {
	const use = "Use a current Firefox, Chrome, Edge or Safari.";
	if (typeof WebAssembly !== "object" || typeof WebAssembly.instantiateStreaming !== "function") return `This browser has no WebAssembly, or it is switched off. ${use}`;
	if (typeof Worker !== "function") return `This browser has no Web Workers. ${use}`;
	if (typeof crypto?.getRandomValues !== "function") return `This browser has no random numbers for keys. ${use}`;
	return "";
}

// newWorker starts the worker; it returns what is wrong, "" for nothing.
function newWorker() {
	worker?.terminate();
	let modules = false;
	try {
		// A browser that knows no modules in workers does not read the type.
		worker = new Worker(new URL("./worker.js", import.meta.url), { get type() { modules = true; return "module"; } });
	} catch (e) {
		return `The browser did not start the page's worker: ${e.message}. Load the page again.`;
	}
	if (!modules) {
		worker.terminate();
		worker = null;
		return "This browser has no modules in Web Workers. Use a current Firefox, Chrome, Edge or Safari.";
	}
	const mine = worker;
	failed = false;
	worker.onmessage = (e) => mine === worker && receive(e.data);
	worker.onerror = (e) => {
		e.preventDefault?.();
		remember(`worker: ${e.message ?? "it could not be loaded"}`);
		if (mine === worker) crashed(e.message ? `The client failed: ${e.message}.` : "The page's worker could not be loaded: the host may have been updated, or be gone.");
	};
	worker.onmessageerror = () => mine === worker && crashed("The page did not understand its worker.");
	return "";
}

function crashed(what) {
	failed = true;
	ended(`${what} Load the page again.`);
}

// --- Drawing.

let renderer = null, scene, camera, level, actors, effects, labels, viewModel, quality = 0;
const clips = new Clips(), art = new Art(lack), audio = new Audio(art);
const models = new Models(art, (name) => {
	actors?.remodel(name);
	viewModel?.remodel();
}, lack);
for (const gesture of ["pointerdown", "keydown"]) addEventListener(gesture, () => audio.unlock(), { capture: true, passive: true });
const ratio = { frames: 0, ms: 0 }, figures = { frame: 0, draw: 0, calls: 0 };

function startDrawing() {
	try {
		renderer = new WebGLRenderer({ canvas: view, antialias: true, powerPreference: "high-performance" });
	} catch (e) {
		remember(String(e?.message ?? e));
		return "This browser cannot draw with WebGL 2. Switch hardware acceleration on in its settings, or update the browser or the graphics driver.";
	}
	renderer.setClearColor(new Color(0x0d141b));
	renderer.info.autoReset = false; // the picture and the weapon are two passes of one frame
	renderer.shadowMap.enabled = true;
	renderer.shadowMap.type = PCFShadowMap;
	renderer.debug.onShaderError = (gl, program, vertex, fragment) => {
		remember(`shader: ${gl.getProgramInfoLog(program)} ${gl.getShaderInfoLog(vertex) ?? ""} ${gl.getShaderInfoLog(fragment) ?? ""}`);
	};
	view.addEventListener("webglcontextlost", () => {
		counts.contextsLost++;
		// three.js would free what belongs to the lost context later, in the new one, and the browser would complain.
		level.release();
		actors.release();
		effects.release();
		hud.say("The graphics driver dropped the picture; waiting for it.", true);
	});
	view.addEventListener("webglcontextrestored", () => hud.say("The picture is back.", false));
	scene = new Scene();
	camera = new PerspectiveCamera(60, 1, 2, 20000);
	level = new Level(scene, art, lack);
	effects = new Effects(scene);
	effects.reduced = matchMedia("(prefers-reduced-motion: reduce)").matches;
	labels = new Labels(scene);
	actors = new Actors(scene, level, effects, labels, models);
	viewModel = new ViewModel(actors.solid, models);
	addEventListener("resize", () => setQuality(0));
	document.addEventListener("visibilitychange", () => document.hidden || setQuality(0));
	setQuality(0);
	requestAnimationFrame(draw);
	return "";
}

// setQuality takes one of the steps, and the size of the window.
function setQuality(step) {
	quality = step;
	ratio.frames = ratio.ms = 0;
	renderer.setPixelRatio(Math.min(maxRatio, devicePixelRatio || 1) * qualities[step].scale);
	renderer.setSize(Math.max(1, innerWidth), Math.max(1, innerHeight), false);
	level.sun.castShadow = qualities[step].shadows;
	aim();
}

// aim sets the camera's lens. The setting is the angle across a screen of 16:9; a wider one shows more at the sides.
function aim() {
	camera.aspect = Math.max(1, innerWidth) / Math.max(1, innerHeight);
	camera.fov = (2 * Math.atan((Math.tan((set.fov * Math.PI) / 360) * 9) / 16) * 180) / Math.PI;
	camera.far = level.reach * 1.5;
	camera.updateProjectionMatrix();
}

// fallen reports whether the own pawn lies dead, and writes where: the eyes leave the body then, and look at it from behind,
// whoever the match takes the body from.
function fallen(target) {
	const { data, rows } = frames.latest;
	if (data[OWN]) ownPawn = data[OWN];
	const row = rows.get(ownPawn), actor = actors.known.get(ownPawn);
	if (row === undefined || !actor || !(data[row + FLAGS] & DEAD) || !Number.isFinite(actor.x)) return false;
	target.set(actor.x, actor.y + overCorpse, actor.z);
	return true;
}

const ease = (part) => part * part * (3 - 2 * part);
let ownPawn = 0, died = 0; // its slot; how far the eyes have left it, from 0 to 1
const corpse = new Vector3();

let drawnAt = 0;
const eye = new Vector3(), back = new Vector3(), ears = new Vector3(), top = new Vector3(), there = new Vector3(), towards = new Vector3();
const lastEye = new Vector3();
let speed = 0, shakeTurn = 0;

function draw(now) {
	requestAnimationFrame(draw);
	const took = now - drawnAt;
	drawnAt = now;
	if (!playing) return;
	if (looked) sendInput();
	if (undrawn) return;
	const began = performance.now();
	if (!frames.at(began / 1000)) return;
	const mine = control === "you";
	place(...frames.eye, eye);
	turn(mine ? input.pitch : frames.pitch, mine ? input.yaw : frames.yaw, 0, camera.quaternion);
	const dead = fallen(corpse);
	died = dead ? Math.min(1, died + Math.min(0.1, took / 1000) * 2.5) : 0;
	if (dead) eye.copy(corpse);
	camera.position.copy(eye);
	if (third || dead) {
		back.set(aside, above, behind).applyQuaternion(camera.quaternion);
		if (!third) back.multiplyScalar(ease(died));
		const free = level.solid ? level.solid.free(eye.x, eye.y, eye.z, back.x, back.y, back.z) : 1;
		camera.position.addScaledVector(back, Math.max(0, free - (free < 1 ? fromWall / back.length() : 0)));
	}
	const dt = Math.min(0.1, Math.max(0, took / 1000));
	if (dt > 0) {
		const way = Math.hypot(eye.x - lastEye.x, eye.z - lastEye.z) / dt;
		speed += ((way < 5000 ? way : 0) - speed) * Math.min(1, dt * 8);
	}
	lastEye.copy(eye);
	const first = !third && !dead && control !== "watch";
	actors.draw(frames, camera.quaternion, !first, began / 1000, dt);
	const shake = effects.step(dt, camera.position, scene.fog);
	if (shake > 0.01) {
		shakeTurn += dt * 47;
		camera.rotateX((shake * Math.sin(shakeTurn) * Math.PI) / 180);
		camera.rotateZ((shake * Math.cos(shakeTurn * 0.83) * 0.6 * Math.PI) / 180);
	}
	camera.updateMatrixWorld();
	level.step(dt);
	level.follow(camera.position);
	audio.listen(camera.position, camera.quaternion, ears, top);
	renderer.info.reset();
	renderer.render(scene, camera);
	const held = first && actors.held ? actors.known.get(actors.held) : null;
	viewModel.show(held?.look ?? null, held?.params);
	viewModel.draw(renderer, camera.aspect, mine ? input.pitch : frames.pitch, mine ? input.yaw : frames.yaw, speed, dt, effects.reduced, actors.ownMontage);
	figures.calls = renderer.info.render.calls;
	counts.drawnFrames++;
	loading.drawn ??= Math.round(performance.now());
	figures.draw += (performance.now() - began - figures.draw) * 0.05;
	if (took < 1000) {
		figures.frame += (took - figures.frame) * 0.05;
		ratio.frames++;
		ratio.ms += took;
	}
	if (ratio.frames < judged) return;
	const mean = ratio.ms / ratio.frames;
	ratio.frames = ratio.ms = 0;
	if (mean > slow && quality + 1 < qualities.length) setQuality(quality + 1);
}

// --- Input.

const input = new Input(view, {
	act(name) {
		if (name === "menu") openMenu();
		else if (name === "numbers") hud.toggleNumbers();
		else if (name === "thirdPerson") third = !third;
		else if (name === "brain" && joinAs === "play") {
			brain = !brain;
			worker?.postMessage({ t: "brain", on: brain });
			hud.say(brain ? "The bots' brain plays now; B takes over again." : "You play again.", false);
		}
	},
	scores: (on) => hud.showScores(on),
	changed(mouseOnly) {
		looked = true;
		if (!mouseOnly) sendInput();
	},
	locked(on, why) {
		if (why) hud.say(why, false);
		hint();
		if (!on && !why && playing && !menu.open) openMenu();
	},
});
input.sensitivity = set.sensitivity;

// sendInput tells the worker what is held, if that is something else than it knows. Moves of the mouse are collected until
// the next frame.
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
	else if (playing && control === "you" && !input.locked && !input.lockless && !menu.open && !auto) hud.hint("Click to look around with the mouse.");
	else hud.hint("");
}

// --- What the worker tells.

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
		const words = { building: "The host builds the client…", connecting: "Connecting…", loading: "Loading the match…", playing: "" };
		find("line").textContent = line || (words[state] ?? state);
		find("line").classList.toggle("busy", state !== "playing");
		hint();
	},
	level(m) {
		loading.level ??= Math.round(performance.now());
		actors.relevel();
		effects.clear();
		frames.clear();
		if (m.level) level.set(m.level);
		else level.clear();
		levelName = m.level?.name ?? "";
		setQuality(0);
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
		carrier = m.via || carrier;
		const kb = (v) => `${((v ?? 0) / 1000).toFixed(1)} kB/s`, ms = (v) => `${(v ?? 0).toFixed(1)} ms`;
		hud.figures([
			["frame", `${ms(figures.frame)}, drawing ${ms(figures.draw)}`],
			["tick", ms(m.tickMs)],
			["ping", ms(m.ping)],
			["loss", `${(100 * (m.loss ?? 0)).toFixed(1)} %`],
			["corrections", String(m.corrections ?? 0)],
			["in, out", `${kb(m.bytesIn)}, ${kb(m.bytesOut)}`],
			["carrier", { wt: "WebTransport", ws: "WebSocket" }[m.via] ?? clean(m.via)],
			["memory", `${((m.memory ?? 0) / 1e6).toFixed(1)} MB`],
			["actors", `${actors.drawn} drawn, ${actors.known.size} known, ${figures.calls} draw calls`],
			["quality", `${Math.round(100 * qualities[quality].scale)} %${qualities[quality].shadows ? "" : ", no shadows"}`],
		]);
	},
};

// kinds of content, and who takes them.
const content = { effect: (name, data) => effects.define(name, data), material: (name, data) => level.define(name, data), sound: (name, data) => audio.define(name, data), animation: (name, data) => clips.define(name, data), art: depict };

// depict takes what is known of a recording, a model or a picture: what shows it is drawn anew.
function depict(name, data) {
	if (!art.define(name, data)) return;
	models.forget(name);
	actors?.remodel(name);
	viewModel?.remodel();
	level?.repicture(name);
	audio.forget(name);
}

// lack says what could not be shown or heard.
function lack(line) {
	hud.say(line, true);
}

// cue shows and plays what happened at a place: in the own hand, if it did there.
function cue(e) {
	const own = actors.isOwn(e.slot);
	actors.kick(e.slot);
	const file = text(e.effect) || actors.effectOf(e.slot, e.name);
	if (!file) return;
	place(...at(e), there);
	towards.set(0, 1, 0);
	if (own && actors.known.get(e.slot)?.look?.first && !third && control !== "watch") {
		viewModel.kick();
		towards.set(0, 0, -1).applyQuaternion(camera.quaternion);
		there.set(13, -11, -62).applyQuaternion(camera.quaternion).add(camera.position);
	} else if (actors.known.get(e.slot)?.base) {
		const row = frames.latest?.rows.get(actors.known.get(e.slot).base);
		if (row !== undefined) place(Math.cos(frames.latest.data[row + YAW]), Math.sin(frames.latest.data[row + YAW]), 0, towards);
		there.addScaledVector(towards, 30);
	}
	effects.play(file, there, towards);
}

// at is the place that an event tells, in the engine's axes.
const at = (e) => (Array.isArray(e.at) && e.at.length === 3 && e.at.every((v) => Number.isFinite(v)) ? e.at : [0, 0, 0]);

// heard are the worker's events.
const heard = {
	look: (e) => actors.define(e),
	spawned: (e) => actors.set(e),
	changed: (e) => actors.set(e),
	params: (e) => actors.change(e),
	content(e) {
		if (Object.hasOwn(content, e.kind)) content[e.kind](text(e.name), e.data ?? null);
	},
	on: cue,
	montage: (e) => actors.montage(e.slot, text(e.name), clips.find(text(e.name))),
	sound: (e) => audio.play(text(e.name), place(...at(e), there), actors.isOwn(e.slot)),
	gone: (e) => actors.gone(e.slot),
	say(e) {
		hud.say(e.line, e.fault);
		if (e.fault) remember(e.line);
	},
	message: (e) => hud.say(e.text, false),
	dropped: (e) => (counts.droppedEvents += e.count),
	hud(e) {
		lastHud = e;
		hud.set(e);
	},
	// The match turned the view: by so much, so that no movement of the mouse is lost; to there, where it is the first.
	view(e) {
		if (turns && e.n > turns) input.face(input.pitch + e.byPitch, input.yaw + e.byYaw);
		else input.face(e.pitch, e.yaw);
		turns = e.n;
		sendInput();
	},
	control(e) {
		// The brain had the view: the person goes on from where it looked.
		if (e.by === "you" && control !== "you" && frames.latest) input.face(frames.latest.data[EYE + 3], frames.latest.data[EYE + 4]);
		control = e.by;
		hint();
	},
};

function receive(m) {
	if (Object.hasOwn(receivers, m?.t)) receivers[m.t](m);
}

// --- Joining, playing, leaving.

const menu = find("menu");
const auto = flag("auto");

async function start(as) {
	const name = find("name").value.trim();
	const wrong = wrongName(name);
	showFault("nameFault", wrong);
	if (wrong) {
		find("name").focus();
		return;
	}
	if (query.get("name") === null && name !== set.name) save({ name });
	showFault("fault", "");
	busy(true);
	joinAs = as;
	state = "connecting";
	find("line").textContent = "Connecting…";
	find("line").classList.add("busy");
	const { key, kept } = flag("guest") ? guestKey() : await playerKey();
	if (!kept) hud.say("The browser does not keep the player's key: after a reload of the page you are another player.", true);
	if (!worker || failed) {
		const why = newWorker();
		if (why) {
			ended(why);
			return;
		}
	}
	turns = 0;
	control = as === "watch" ? "watch" : "you";
	brain = auto;
	sent = "";
	worker.postMessage({ t: "start", name, options: "", spectate: as === "watch", auto, via, key });
}

function begin() {
	playing = true;
	ownPawn = 0;
	find("join").hidden = true;
	hud.show(true);
	view.focus({ preventScroll: true });
	input.setActive(true);
}

// ended shows the join screen again, with what went wrong and what to do.
function ended(why) {
	clearTimeout(leaveTimer);
	state = "closed";
	line = why;
	playing = false;
	input.setActive(false);
	input.unlock();
	if (menu.open) menu.close();
	hud.show(false);
	hud.reset();
	actors.clear();
	effects.clear();
	viewModel.show(null);
	frames.clear();
	level.clear();
	renderer.clear();
	lastHud = null;
	levelName = "";
	// A worker that did not say why it closed may be broken: the next join begins with another.
	if (!leaving && !codeOf(why)) failed = true;
	find("join").hidden = false;
	find("line").classList.remove("busy");
	find("line").textContent = leaving ? "You left the match." : "";
	if (!leaving) showFault("fault", [why, adviceFor(why)].filter(Boolean).join("\n"));
	leaving = false;
	busy(false);
	find("play").focus();
}

function leave() {
	leaving = true;
	worker?.postMessage({ t: "leave" });
	leaveTimer = setTimeout(() => {
		failed = true;
		ended("");
	}, goodbye);
}

function busy(on) {
	find("play").disabled = find("watch").disabled = find("name").disabled = on;
}

function showFault(id, text) {
	find(id).hidden = !text;
	find(id).textContent = text;
}

function save(values) {
	Object.assign(set, values);
	const kept = keep(set);
	find("menuNote").textContent = kept ? "" : "The browser does not keep settings: they apply until the page is closed.";
}

function openMenu() {
	if (!playing || menu.open) return;
	input.setActive(false);
	input.unlock();
	find("newName").value = set.name;
	for (const key of ["sensitivity", "fov"]) {
		const { least, most } = bounds(key);
		find(key).value = Math.min(most, Math.max(least, set[key]));
		showValue(key);
	}
	menu.showModal();
	hint();
}

function showValue(key) {
	find(`${key}Value`).textContent = key === "fov" ? `${set.fov}°` : set.sensitivity.toFixed(2);
}

find("enter").addEventListener("submit", (e) => {
	e.preventDefault();
	start("play");
});
find("watch").addEventListener("click", () => start("watch"));
find("leave").addEventListener("click", leave);
find("newName").addEventListener("change", () => {
	const name = find("newName").value.trim(), wrong = wrongName(name);
	showFault("newNameFault", wrong);
	if (wrong) return;
	save({ name });
	find("name").value = name;
});
for (const key of ["sensitivity", "fov"]) {
	find(key).addEventListener("input", () => {
		save({ [key]: Number(find(key).value) });
		showValue(key);
		input.sensitivity = set.sensitivity;
		aim();
	});
}
find("resume").addEventListener("click", () => auto || input.lock());
menu.addEventListener("close", () => {
	if (!playing) return;
	view.focus({ preventScroll: true });
	input.setActive(true);
	hint();
});
for (const [keys, what] of HELP) {
	const term = document.createElement("dt"), meaning = document.createElement("dd");
	term.textContent = keys;
	meaning.textContent = what;
	find("keys").append(term, meaning);
}

// seen is every actor of the latest frame.
function seen() {
	const list = [];
	for (const [slot, at] of frames.latest?.rows ?? []) {
		const event = actors.known.get(slot)?.event, { data } = frames.latest;
		list.push({
			slot, class: event?.class ?? "", player: event?.player ?? "", color: text(actors.looks.get(event?.look)?.tree.color), own: (data[at + FLAGS] & OWN_PAWN) !== 0, hidden: (data[at + FLAGS] & HIDDEN) !== 0,
			place: [...data.subarray(at + PLACE, at + PLACE + 3)],
		});
	}
	return list;
}

// tidelock is for tests: what the page knows, to read only. It is no interface for mods, and changes with the page.
const own = {
	state: () => state,
	line: () => line,
	via: () => carrier,
	tick: () => lastTick, // of the latest frame
	place: () => [...lastPlace], // of the own pawn, or of the eye while there is none; the engine's axes, uu
	view: () => ({ pitch: input.pitch, yaw: input.yaw, control, third }),
	level: () => ({ name: levelName, triangles: level?.triangles ?? 0 }),
	actors: () => ({ known: actors?.known.size ?? 0, drawn: actors?.drawn ?? 0, refused: actors?.refused ?? 0 }),
	seen: () => seen(),
	classes: () => [...new Set([...(actors?.known.values() ?? [])].map((a) => text(a.event.class)))].sort(),
	hud: () => structuredClone(lastHud),
	numbers: () => ({ ...numbers, frameMs: figures.frame, drawMs: figures.draw }),
	counts: () => ({ ...counts, quality, calls: figures.calls }), // calls: of the graphics driver, in the latest frame
	shown: () => ({ looks: actors?.looks.size ?? 0, particles: effects?.particles.count ?? 0, effects: effects?.played ?? 0, sounds: audio.played, models: models.count }),
	captions: () => Object.fromEntries([...audio.defined].map(([name, data]) => [name, text(data.caption)])), // of sounds
	loading: () => ({ ...loading }),
	errors: () => [...errors],
};
Object.defineProperty(window, "tidelock", {
	value: Object.freeze(Object.defineProperties({}, Object.fromEntries(Object.entries(own).map(([name, get]) => [name, { get, enumerable: true }])))),
});

find("name").value = query.get("name") ?? set.name;
const why = missing() || startDrawing() || newWorker();
if (why) {
	state = "unsupported";
	line = why;
	showFault("fault", why);
	busy(true);
} else if (query.get("name") !== null || auto || flag("spectate")) start(flag("spectate") ? "watch" : "play");
else find("play").focus();
