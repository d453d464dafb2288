// The picture: camera, level, actors, effects and the weapon in the hand, drawn by three.js once per frame. The
// camera turns with the mouse at once; everything else is drawn between the two latest ticks (frames.js).

import { Color, PCFShadowMap, PerspectiveCamera, Scene, Vector3, WebGLRenderer } from "./vendor/three.js";
import { Actors } from "./actors.js";
import { text } from "./bounds.js";
import { Effects } from "./effects.js";
import { DEAD, FLAGS, OWN, YAW } from "./frames.js";
import { Labels } from "./labels.js";
import { Level } from "./level.js";
import { place, turn } from "./space.js";
import { ViewModel } from "./viewmodel.js";
import { LACKS } from "./words.js";

// maxRatio bounds the picture's pixels per page pixel.
const maxRatio = 2;
// Steps of quality, the best first: a machine that is too slow switches to the next, unless the player chose
// one. slow is the mean length of a frame, in ms, that is too long; judged is how many frames are averaged,
// fewest if they take longer than judgedMs.
const qualities = [{ scale: 1, shadows: true }, { scale: 0.75, shadows: true }, { scale: 0.75, shadows: false }, { scale: 0.5, shadows: false }];
const slow = 40, judged = 60, judgedMs = 2000, fewest = 3;
// software lists words in the names of graphics drivers that draw with the processor: they start with the last
// step, because the better ones take them seconds per frame.
const software = /swiftshader|llvmpipe|softpipe|software|basic render/i;
const chosen = { __proto__: null, best: 0, good: 1, plain: 2, fast: 3 };
// Third person: how far the camera is behind, above and to the right of the eye, and its distance from a wall,
// in uu. It looks over the shoulder, so that the body does not hide what the player aims at.
const behind = 190, above = 40, aside = 45, fromWall = 10;
// overCorpse is how far above the center of a dead body the eyes look, in uu.
const overCorpse = 30;

const ease = (part) => part * part * (3 - 2 * part);
const corpse = new Vector3(), eye = new Vector3(), back = new Vector3(), ears = new Vector3(), top = new Vector3(), there = new Vector3(), towards = new Vector3();

// at returns the location of an event, in the engine's axes.
export const at = (e) => (Array.isArray(e.at) && e.at.length === 3 && e.at.every((v) => Number.isFinite(v)) ? e.at : [0, 0, 0]);

// driver returns the name of a WebGL context's graphics driver.
function driver(gl) {
	const more = gl.getExtension("WEBGL_debug_renderer_info");
	return String(gl.getParameter(more ? more.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
}

export class Picture {
	// view is the canvas; input has the view direction; art finds files of content, models what is made from
	// some. on has fault(text), lack(text), lost() and restored().
	constructor(view, frames, input, audio, { art, models }, on) {
		this.view = view;
		this.frames = frames;
		this.input = input;
		this.audio = audio;
		this.on = on;
		this.third = false;
		this.control = "you"; // who turns the view: "you", "brain" or "watch"
		this.fov = 90; // degrees
		this.wanted = "auto"; // the step of quality that the player chose
		this.quality = this.first = 0; // steps: the present one, and the initial one
		this.renderer = null;
		this.scene = new Scene();
		this.camera = new PerspectiveCamera(60, 1, 2, 20000);
		this.level = new Level(this.scene, art, on.lack);
		this.effects = new Effects(this.scene);
		this.actors = new Actors(this.scene, this.level, this.effects, new Labels(this.scene), models);
		this.viewModel = new ViewModel(this.actors.solid, models);
		this.figures = { frame: 0, draw: 0, calls: 0 };
		this.drawn = this.shaken = 0; // frames so far, and those in which the camera shook
		this.ratio = { frames: 0, ms: 0 };
		this.ownPawn = this.died = 0; // its slot; how far the eyes have left it, from 0 to 1
		this.lastEye = new Vector3();
		this.speed = this.shakeTurn = 0;
	}

	// start begins drawing; it returns which required feature the browser lacks, "" for none.
	start() {
		try {
			this.renderer = new WebGLRenderer({ canvas: this.view, antialias: true, powerPreference: "high-performance" });
		} catch (e) {
			this.on.fault(String(e?.message ?? e));
			return LACKS.webgl;
		}
		const { renderer } = this;
		renderer.setClearColor(new Color(0x0d141b));
		if (software.test(driver(renderer.getContext()))) this.first = qualities.length - 1;
		renderer.info.autoReset = false; // the picture and the weapon are two passes of one frame
		renderer.shadowMap.enabled = true;
		renderer.shadowMap.type = PCFShadowMap;
		renderer.debug.onShaderError = (gl, program, vertex, fragment) => {
			this.on.fault(`shader: ${gl.getProgramInfoLog(program)} ${gl.getShaderInfoLog(vertex) ?? ""} ${gl.getShaderInfoLog(fragment) ?? ""}`);
		};
		this.view.addEventListener("webglcontextlost", () => {
			// three.js would later free what belongs to the lost context in the new one, and the browser would
			// report errors.
			this.level.release();
			this.actors.release();
			this.effects.release();
			this.on.lost();
		});
		this.view.addEventListener("webglcontextrestored", () => this.on.restored());
		addEventListener("resize", () => this.refit());
		document.addEventListener("visibilitychange", () => document.hidden || this.refit());
		this.refit();
		return "";
	}

	// refit starts with the step of quality that the player chose, or the best possible one, and applies the
	// window's size.
	refit() {
		this.setQuality(chosen[this.wanted] ?? this.first);
	}

	setQuality(step) {
		this.quality = step;
		this.ratio.frames = this.ratio.ms = 0;
		if (!this.renderer) return;
		this.renderer.setPixelRatio(Math.min(maxRatio, devicePixelRatio || 1) * qualities[step].scale);
		this.renderer.setSize(Math.max(1, innerWidth), Math.max(1, innerHeight), false);
		this.level.sun.castShadow = qualities[step].shadows;
		this.aim();
	}

	// qualityText returns the present quality, for the panel of F3.
	get qualityText() {
		const { scale, shadows } = qualities[this.quality];
		return `${Math.round(100 * scale)} %${shadows ? "" : ", no shadows"}`;
	}

	// aim sets the camera's lens. The setting is the angle across a screen of 16:9; a wider one shows more at the sides.
	aim() {
		const { camera } = this;
		camera.aspect = Math.max(1, innerWidth) / Math.max(1, innerHeight);
		camera.fov = (2 * Math.atan((Math.tan((this.fov * Math.PI) / 360) * 9) / 16) * 180) / Math.PI;
		camera.far = this.level.reach * 1.5;
		camera.updateProjectionMatrix();
	}

	// begin clears the last match's player.
	begin() {
		this.ownPawn = 0;
	}

	// clear shows nothing any more, because the match ended.
	clear() {
		this.actors.clear();
		this.effects.clear();
		this.viewModel.show(null);
		this.level.clear();
		this.renderer?.clear();
	}

	// enter starts another world, in the level that was set last.
	enter() {
		this.actors.relevel();
		this.effects.clear();
	}

	// set shows another level, null for none.
	set(level) {
		this.enter();
		if (level) this.level.set(level);
		else this.level.clear();
		this.refit();
	}

	// warm draws the level once, into one pixel, so that the graphics driver has its programs and corners
	// before it is visible.
	warm() {
		const { camera, level, renderer, scene } = this;
		if (!renderer) return;
		level.follow(camera.position);
		renderer.setViewport(0, 0, 1, 1);
		renderer.render(scene, camera);
		renderer.setViewport(0, 0, Math.max(1, innerWidth), Math.max(1, innerHeight));
		renderer.clear();
	}

	// fallen reports whether the own pawn is dead, and writes its location: the eyes then leave the body, and
	// look at it from behind, whichever player the match assigns next.
	fallen(target) {
		const { data, rows } = this.frames.latest;
		if (data[OWN]) this.ownPawn = data[OWN];
		const row = rows.get(this.ownPawn), actor = this.actors.known.get(this.ownPawn);
		if (row === undefined || !actor || !(data[row + FLAGS] & DEAD) || !Number.isFinite(actor.x)) return false;
		target.set(actor.x, actor.y + overCorpse, actor.z);
		return true;
	}

	// draw draws a frame, took ms after the last.
	draw(took) {
		const { actors, audio, camera, effects, figures, frames, input, level, ratio, renderer, scene, third, viewModel } = this;
		const began = performance.now();
		if (!frames.at(began / 1000)) return;
		const mine = this.control === "you";
		place(...frames.eye, eye);
		turn(mine ? input.pitch : frames.pitch, mine ? input.yaw : frames.yaw, 0, camera.quaternion);
		const dead = this.fallen(corpse);
		this.died = dead ? Math.min(1, this.died + Math.min(0.1, took / 1000) * 2.5) : 0;
		if (dead) eye.copy(corpse);
		camera.position.copy(eye);
		if (third || dead) {
			back.set(aside, above, behind).multiplyScalar(this.actors.ownLength).applyQuaternion(camera.quaternion);
			if (!third) back.multiplyScalar(ease(this.died));
			const free = level.solid ? level.solid.free(eye.x, eye.y, eye.z, back.x, back.y, back.z) : 1;
			camera.position.addScaledVector(back, Math.max(0, free - (free < 1 ? fromWall / back.length() : 0)));
		}
		const dt = Math.min(0.1, Math.max(0, took / 1000));
		if (dt > 0) {
			const way = Math.hypot(eye.x - this.lastEye.x, eye.z - this.lastEye.z) / dt;
			this.speed += ((way < 5000 ? way : 0) - this.speed) * Math.min(1, dt * 8);
		}
		this.lastEye.copy(eye);
		const first = !third && !dead && this.control !== "watch";
		actors.draw(frames, camera.quaternion, !first, began / 1000, dt);
		const shake = effects.step(dt, camera.position, scene.fog);
		if (shake > 0.01) {
			this.shaken++;
			this.shakeTurn += dt * 47;
			camera.rotateX((shake * Math.sin(this.shakeTurn) * Math.PI) / 180);
			camera.rotateZ((shake * Math.cos(this.shakeTurn * 0.83) * 0.6 * Math.PI) / 180);
		}
		camera.updateMatrixWorld();
		level.step(dt);
		level.follow(camera.position);
		audio.listen(camera.position, camera.quaternion, ears, top);
		renderer.info.reset();
		renderer.render(scene, camera);
		const held = first && actors.held ? actors.known.get(actors.held) : null;
		viewModel.show(held?.look ?? null, held?.params);
		viewModel.draw(renderer, camera.aspect, mine ? input.pitch : frames.pitch, mine ? input.yaw : frames.yaw, this.speed, dt, effects.reduced, actors.ownMontage);
		figures.calls = renderer.info.render.calls;
		this.drawn++;
		figures.draw += (performance.now() - began - figures.draw) * 0.05;
		// A hidden tab has one long frame.
		if (took < 1000) figures.frame += (took - figures.frame) * 0.05;
		ratio.frames++;
		ratio.ms += Math.min(took, 1000);
		if (ratio.frames < judged && (ratio.frames < fewest || ratio.ms < judgedMs)) return;
		const mean = ratio.ms / ratio.frames;
		ratio.frames = ratio.ms = 0;
		if (mean > slow && this.quality + 1 < qualities.length && this.wanted === "auto") this.setQuality(this.quality + 1);
	}

	// cue shows and plays an event at a location: in the own hand, if it happened there.
	cue(e) {
		const { actors, camera, frames } = this;
		const own = actors.isOwn(e.slot);
		actors.kick(e.slot);
		const file = text(e.effect) || actors.effectOf(e.slot, e.name);
		if (!file) return;
		place(...at(e), there);
		towards.set(0, 1, 0);
		if (own && actors.known.get(e.slot)?.look?.first && !this.third && this.control !== "watch") {
			this.viewModel.kick();
			towards.set(0, 0, -1).applyQuaternion(camera.quaternion);
			there.set(13, -11, -62).applyQuaternion(camera.quaternion).add(camera.position);
		} else if (actors.known.get(e.slot)?.base) {
			const row = frames.latest?.rows.get(actors.known.get(e.slot).base);
			if (row !== undefined) place(Math.cos(frames.latest.data[row + YAW]), Math.sin(frames.latest.data[row + YAW]), 0, towards);
			there.addScaledVector(towards, 30);
		}
		this.effects.play(file, there, towards);
	}
}
