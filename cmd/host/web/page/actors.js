// All actors by their looks: those of one variant are one draw call for each of its geometries (batch.js), all
// bodies together one (body.js). Moving brushes are meshes of the level's own geometry.

import { BoxGeometry, BufferAttribute, Color, Matrix4, Mesh, Quaternion, Vector3 } from "./vendor/three.js";
import { Batch, shapeMaterial } from "./batch.js";
import { CHEST, ELBOW, FOOT, HAND, HEAD, HIP, HIPS, KNEE, LEFT_ELBOW, LEFT_FOOT, LEFT_HAND, LEFT_HIP, LEFT_KNEE, LEFT_SHOULDER, NECK, Pose, SHOULDER, State } from "./body.js";
import { ACTOR, AIM, DEAD, far, FLAGS, HEIGHT, HIDDEN, LOOK, OWN, OWN_PAWN, PITCH, PLACE, ROLL, SLOT, VIEW, YAW } from "./frames.js";
import { number, text, vector } from "./bounds.js";
import { colorOf, Look, valueOf } from "./looks.js";
import { between, extents, place, turn } from "./space.js";

// maxActors bounds the known actors, maxLooks the looks; the worker reports at most 4096 actors at once.
const maxActors = 8192, maxLooks = 4096;
// maxCorners bounds the corners of the geometries of all looks together, 36 bytes each.
const maxCorners = 1 << 21;
// maxRigs bounds the models with bones or clips that are drawn, one for each actor.
const maxRigs = 96;
const radians = Math.PI / 180;
// tipped is the angle, in radians, from which a body lies as the match turns it instead of falling here.
const tipped = 0.35;

const at = new Vector3(), size = new Vector3(), way = new Vector3(), rotation = new Quaternion(), spun = new Quaternion(), matrix = new Matrix4(), local = new Matrix4(), here = new Matrix4(), space = new Matrix4(), color = new Color();
const rolled = new Matrix4(), centered = new Matrix4();
const upward = new Vector3(0, 1, 0), one = new Vector3(1, 1, 1);
const visorColor = new Color(0x10202c), bootColor = new Color(0x23262b), skinColor = new Color(0xe8b48c);
const from = new Vector3(), to = new Vector3(), side = new Vector3(), across = new Vector3(), along = new Vector3();

// bodyParts are the parts of a body: boxes from joint to joint, each with a width and a depth as shares of its
// height, and its color.
const bodyParts = [
	[HIPS, CHEST, 0.15, 0.11, "accent"], [CHEST, NECK, 0.24, 0.15, "color"],
	[HIP, KNEE, 0.1, 0.11, "accent"], [LEFT_HIP, LEFT_KNEE, 0.1, 0.11, "accent"],
	[KNEE, FOOT, 0.085, 0.095, "color"], [LEFT_KNEE, LEFT_FOOT, 0.085, 0.095, "color"],
	[SHOULDER, ELBOW, 0.085, 0.085, "color"], [LEFT_SHOULDER, LEFT_ELBOW, 0.085, 0.085, "color"],
	[ELBOW, HAND, 0.068, 0.068, "accent"], [LEFT_ELBOW, LEFT_HAND, 0.068, 0.068, "accent"],
];
const jointOf = { __proto__: null, head: HEAD, chest: CHEST, hips: HIPS, hand: HAND, leftHand: LEFT_HAND, foot: FOOT, leftFoot: LEFT_FOOT };

// Actors handles the worker's events, and draws the frames. It passes trails and lights to effects, and texts
// to labels; models provides the models and pictures that are ready.
export class Actors {
	constructor(scene, level, effects, labels, models) {
		this.models = models;
		this.scene = scene;
		this.level = level;
		this.effects = effects;
		this.labels = labels;
		this.solid = shapeMaterial(false);
		this.clear_ = shapeMaterial(true);
		this.palette = null; // colors of the teams that the player chose: of a body, and of what it wears
		this.known = new Map(); // by slot
		this.looks = new Map(); // by number
		this.batches = new Map(); // of a look, by its number
		const box = new BoxGeometry(1, 1, 1).toNonIndexed(), corners = box.getAttribute("position").count;
		box.setAttribute("color", new BufferAttribute(new Float32Array(4 * corners).fill(1), 4));
		box.setAttribute("glow", new BufferAttribute(new Float32Array(corners), 1));
		this.bodies = new Batch(scene, box, this.solid);
		this.pose = new Pose();
		this.drawn = 0;
		this.refused = 0;
		this.corners = 0; // of all looks
		this.own = 0; // slot of the player's own pawn
		this.held = 0; // slot of what the own pawn holds
		this.rigs = 0;
		this.facing = new Quaternion(); // to who looks
	}

	// define handles an event "look".
	define(event) {
		const before = this.looks.get(event.n);
		if (before) {
			this.undress(event.n);
			this.corners -= before.corners;
			before.dispose();
			this.looks.delete(event.n);
		}
		if (event.tree === null || typeof event.tree !== "object") return;
		if (this.looks.size >= maxLooks) {
			this.refused++;
			return;
		}
		const look = new Look(event.n, event.class, event.tree, this.models);
		if (this.corners + look.corners > maxCorners) {
			look.dispose();
			this.refused++;
			return;
		}
		this.corners += look.corners;
		this.looks.set(event.n, look);
	}

	// remodel redraws actors with a model or a picture that has become ready, was replaced or removed.
	remodel(file) {
		for (const set of this.batches.values()) {
			for (const [name, batch] of set) {
				if (!name.endsWith(` ${file}`)) continue;
				batch.dispose();
				set.delete(name);
			}
		}
		for (const look of this.looks.values()) for (const l of look.loose) l.forget(file);
		for (const actor of this.known.values()) this.loosen(actor);
	}

	// loosen discards what an actor's looks were built from, including its models.
	loosen(actor) {
		actor.loose.length = 0;
		this.rigs -= actor.rigs.size;
		for (const rig of actor.rigs.values()) rig.dispose();
		actor.rigs.clear();
	}

	undress(n) {
		for (const batch of this.batches.get(n)?.values() ?? []) batch.dispose();
		this.batches.delete(n);
	}

	// set handles an event "spawned" or "changed".
	set(event) {
		const before = this.known.get(event.slot);
		if (!before && this.known.size >= maxActors) {
			this.refused++;
			return;
		}
		if (before?.mesh) this.scene.remove(before.mesh);
		if (before) this.loosen(before);
		this.known.set(event.slot, {
			event, params: Array.isArray(event.params) ? event.params : [], look: null, mesh: null, loose: [], rigs: new Map(),
			state: before?.state ?? null, hand: before?.hand ?? null, base: event.base ?? 0, x: NaN, y: 0, z: 0, stand: before?.stand ?? 0,
		});
	}

	// change handles an event "params".
	change(event) {
		const actor = this.known.get(event.slot);
		if (!actor || !Array.isArray(event.params)) return;
		actor.params = event.params;
		actor.loose.length = 0; // models continue their animations
	}

	gone(slot) {
		const actor = this.known.get(slot);
		if (!actor) return;
		this.known.delete(slot);
		this.loosen(actor);
		if (actor.mesh) this.scene.remove(actor.mesh);
		this.effects.leave(slot);
	}

	clear() {
		for (const slot of [...this.known.keys()]) this.gone(slot);
		for (const n of [...this.looks.keys()]) this.define({ n, tree: null });
		this.drawn = 0;
	}

	// release frees the graphics card's resources, which are created again when drawn.
	release() {
		for (const set of this.batches.values()) for (const batch of set.values()) batch.release();
		this.bodies.release();
	}

	// relevel discards the meshes of an old level.
	relevel() {
		for (const actor of this.known.values()) {
			if (actor.mesh) this.scene.remove(actor.mesh);
			actor.mesh = null;
		}
	}

	// batch returns the batch of a geometry of a look.
	batch(look, name, geometry, material) {
		let set = this.batches.get(look.n);
		if (!set) this.batches.set(look.n, (set = new Map()));
		let batch = set.get(name);
		if (!batch) set.set(name, (batch = new Batch(this.scene, geometry, material)));
		return batch;
	}

	// draw places everything for the moment that frames.at found, for a viewer with that direction. The own
	// pawn and what is attached to it are left out unless ownToo is set. now is in seconds, dt since the last
	// call.
	draw(frames, facing, ownToo, now, dt) {
		this.facing.copy(facing);
		for (const set of this.batches.values()) for (const batch of set.values()) batch.begin();
		this.bodies.begin();
		this.labels.begin();
		for (const actor of this.known.values()) {
			if (actor.mesh) actor.mesh.visible = false;
			for (const rig of actor.rigs.values()) rig.hide();
		}
		this.drawn = 0;
		this.held = 0;
		this.now = now;
		const { from: a, to: b } = frames;
		this.own = b.data[OWN];
		// Bodies first: what they hold follows their hands.
		for (let pass = 0; pass < 2; pass++) {
			for (let i = 0, row = VIEW; i < b.n; i++, row += ACTOR) this.actor(frames, a, b.data, row, pass, ownToo, now, dt);
		}
		for (const set of this.batches.values()) for (const batch of set.values()) batch.end();
		this.bodies.end();
	}

	actor(frames, a, b, row, pass, ownToo, now, dt) {
		const slot = b[row + SLOT], actor = this.known.get(slot);
		if (!actor) return;
		const look = this.looks.get(b[row + LOOK]) ?? this.looks.get(actor.event.look);
		if (!look || look.body !== (pass === 0)) return;
		if (actor.look !== look) {
			actor.look = look;
			this.loosen(actor);
			if (actor.mesh) this.scene.remove(actor.mesh);
			actor.mesh = null;
		}
		const flags = b[row + FLAGS];
		const own = (flags & OWN_PAWN) !== 0;
		if (own && actor.base === this.own && look.first && !(flags & HIDDEN)) this.held = slot;
		if (flags & HIDDEN) {
			this.effects.leave(slot);
			return;
		}
		let before = a.rows.get(slot) ?? -1, x = b[row + PLACE], y = b[row + PLACE + 1], z = b[row + PLACE + 2];
		let pitch = b[row + PITCH], yaw = b[row + YAW], roll = b[row + ROLL];
		const d = a.data, part = frames.part;
		if (before >= 0 && Math.hypot(x - d[before + PLACE], y - d[before + PLACE + 1], z - d[before + PLACE + 2]) > far) before = -1;
		if (before >= 0) {
			x = d[before + PLACE] + (x - d[before + PLACE]) * part;
			y = d[before + PLACE + 1] + (y - d[before + PLACE + 1]) * part;
			z = d[before + PLACE + 2] + (z - d[before + PLACE + 2]) * part;
			pitch = between(d[before + PITCH], pitch, part);
			yaw = between(d[before + YAW], yaw, part);
			roll = between(d[before + ROLL], roll, part);
		}
		place(x, y, z, at);
		const vx = dt > 0 && !Number.isNaN(actor.x) ? (at.x - actor.x) / dt : 0, vy = dt > 0 && !Number.isNaN(actor.x) ? (at.y - actor.y) / dt : 0, vz = dt > 0 && !Number.isNaN(actor.x) ? (at.z - actor.z) / dt : 0;
		actor.x = at.x;
		actor.y = at.y;
		actor.z = at.z;
		turn(pitch, yaw, roll, rotation);
		actor.along = Math.hypot(vx, vz);
		actor.up = vy;
		actor.dead = (flags & DEAD) !== 0;
		actor.dt = dt;
		if (look.rolls) actor.gone = (actor.gone ?? 0) + dt * along.set(0, 0, -1).applyQuaternion(rotation).dot(way.set(vx, vy, vz));
		const trail = text(valueOf(look.tree.trail, actor.params));
		if (own && !ownToo) {
			actor.state?.montage.step(dt);
			if (trail) this.effects.trail(slot, trail, at, vx, vy, vz, dt);
			return;
		}
		if (look.body) this.body(actor, look, b[row + HEIGHT], flags, b[row + AIM], pitch, yaw, roll, vx, vy, vz, dt);
		else if (look.hull) this.brush(actor);
		else this.shape(actor, look, slot, now);
		if (trail) this.effects.trail(slot, trail, at, vx, vy, vz, dt);
		const lamp = look.lampFor(actor.params);
		if (lamp) this.effects.lamp(at, lamp.color, lamp.radius, lamp.intensity);
		const label = text(valueOf(look.tree.label, actor.params));
		if (label) this.labels.add(label, at, (b[row + HEIGHT] || 40) / 2 + 14);
		this.drawn++;
	}

	shape(actor, look, slot, now) {
		const scale = number(valueOf(look.tree.scale, actor.params), 0.01, 100, 1);
		const base = actor.base ? this.known.get(actor.base) : null;
		if (look.hold && base?.hand) {
			const hold = vector(look.hold.at, -200, 200, [0, 0, 0]), turned = vector(look.hold.rotation, -360, 360, [0, 0, 0]);
			local.compose(place(...hold, way), turn(turned[0] * radians, turned[1] * radians, turned[2] * radians, spun), size.setScalar(scale));
			matrix.multiplyMatrices(base.hand, local);
			at.setFromMatrixPosition(matrix);
		} else {
			const spin = number(valueOf(look.tree.spin, actor.params), -3600, 3600, 0) * radians, bob = number(valueOf(look.tree.bob, actor.params), 0, 100, 0);
			if (spin) rotation.multiply(spun.setFromAxisAngle(upward, -spin * now));
			if (bob) at.y += Math.sin(now * 2.4 + slot) * bob;
			matrix.compose(at, rotation, size.setScalar(scale));
		}
		if (look.solid) this.batch(look, "solid", look.solid, this.solid).add(matrix, null);
		if (look.clear) this.batch(look, "clear", look.clear, this.clear_).add(matrix, null);
		if (look.loose.length) space.copy(matrix);
		for (let i = 0; i < look.loose.length; i++) this.part(actor, look, i, space);
	}

	// part draws part i of those drawn separately; `space` is the actor's, or the joint's. Results that follow
	// from the parameters are kept until these change.
	part(actor, look, i, space) {
		const l = look.loose[i], part = (actor.loose[i] ??= this.made(actor, l, i));
		let placed = part.matrix;
		if (l.turns) {
			way.setFromMatrixPosition(placed);
			placed = rolled.makeRotationFromQuaternion(l.turn(actor.params, this.now, actor.gone ?? 0, spun)).multiply(centered.copy(placed).setPosition(0, 0, 0)).setPosition(way);
		}
		if (part.rig) {
			part.rig.step(actor.dt, actor.along, actor.up, actor.dead);
			part.rig.place(local.multiplyMatrices(space, placed));
		} else if (part.model) {
			local.multiplyMatrices(space, placed);
			part.model.pieces.forEach((p, k) => this.batch(look, `${l.name} ${k} ${part.file}`, p.geometry, p.material).add(local, null));
		} else if (part.form) {
			local.multiplyMatrices(space, placed);
			if (l.sprite) local.compose(way.setFromMatrixPosition(local), this.facing, size.setFromMatrixScale(local));
			const { form } = part;
			this.batch(look, form.name, form.geometry, form.material ?? (form.clear ? this.clear_ : this.solid)).add(local, part.color);
		}
	}

	// made returns what a part is drawn with for an actor: a model that is ready, else its shape.
	made(actor, l, i) {
		const found = l.model(actor.params), before = actor.rigs.get(i);
		if (before && before.model !== found?.model) {
			before.dispose();
			actor.rigs.delete(i);
			this.rigs--;
		}
		if (!found) return { form: l.form(actor.params), matrix: l.matrix(actor.params, new Matrix4()), color: l.color(actor.params, new Color()) };
		const { file, model } = found, part = { file, model, rig: null, matrix: l.fit(model, actor.params, new Matrix4()) };
		part.rig = actor.rigs.get(i) ?? null;
		if (model.rig && !part.rig && this.rigs < maxRigs) {
			actor.rigs.set(i, (part.rig = model.rigIn(this.scene)));
			this.rigs++;
		}
		return part;
	}

	body(actor, look, height, flags, aim, pitch, yaw, roll, vx, vy, vz, dt) {
		actor.state ??= new State();
		actor.hand ??= new Matrix4();
		if (!(flags & 4) && height > actor.stand && height < 1000) actor.stand = height;
		const dead = (flags & DEAD) !== 0, stand = Math.max(20, actor.stand || number(look.tree.size?.[2], 20, 1000, 96)), lower = dead ? 0 : Math.max(0, Math.min(0.45 * stand, stand - height));
		// Speeds along the body's own axes.
		const sin = Math.sin(-yaw), cos = Math.cos(-yaw);
		actor.state.follow(vx * cos - vz * sin, vy, vx * sin + vz * cos, dt, dead);
		const armed = true;
		this.pose.make(actor.state, stand, lower, dead ? 0 : number(aim, -1.6, 1.6, 0), armed);
		const p = this.pose.at;
		const lying = Math.abs(pitch) > tipped || Math.abs(roll) > tipped;
		if (lying) local.compose(at, rotation, one).multiply(matrix.makeTranslation(0, -stand / 2, 0));
		else {
			turn(0, yaw, 0, rotation);
			if (this.pose.fall > 0) rotation.multiply(spun.setFromAxisAngle(side.set(1, 0, 0), this.pose.fall * 1.5));
			local.compose(way.set(at.x, at.y - height / 2 + this.pose.fall * 6, at.z), rotation, one);
		}
		const main = colorOf(valueOf(look.tree.color, actor.params), this.main ??= new Color(), "#ff7a45");
		const second = colorOf(valueOf(look.tree.accent, actor.params), this.second ??= new Color(), "#3a3f48");
		const team = this.palette?.[actor.event.team];
		if (team && !(flags & DEAD)) {
			main.set(team[0]);
			second.set(team[1]);
		}
		side.set(1, 0, 0).transformDirection(local);
		// A model of the whole body replaces the boxes; held items are where the hand of the boxes would be.
		const root = look.loose.length && look.loose[0].root ? look.loose[0] : null;
		if (root && (actor.loose[0] ??= this.made(actor, root, 0)).model) {
			here.copy(local);
			matrix.makeTranslation(0, stand / 2, 0).premultiply(here);
			this.part(actor, look, 0, space.copy(matrix));
			local.copy(here);
		} else this.boxes(actor, stand, main, second, dead, aim);
		// The holding hand: its position, turned in the direction of the aim.
		const angle = dead ? 0 : number(aim, -1.6, 1.6, 0) + actor.state.recoil * 0.12;
		spun.setFromAxisAngle(way.set(1, 0, 0), angle);
		actor.hand.copy(local).multiply(matrix.compose(way.set(p[3 * HAND], p[3 * HAND + 1], p[3 * HAND + 2]), spun, one));
		for (const { name, joint: hung, geometry } of look.joints) this.batch(look, name, geometry, this.solid).add(this.jointAt(hung, matrix), null);
		here.copy(local);
		for (let i = root ? 1 : 0; i < look.loose.length; i++) {
			local.copy(here);
			this.part(actor, look, i, space.copy(this.jointAt(look.loose[i].joint, matrix)));
		}
	}

	// boxes draws the default body, whose pose is computed and which is at `local`.
	boxes(actor, stand, main, second, dead, aim) {
		const p = this.pose.at, joint = (j, target) => target.set(p[3 * j], p[3 * j + 1], p[3 * j + 2]).applyMatrix4(local);
		for (const [begin, end, wide, deep, which] of bodyParts) {
			joint(begin, from);
			joint(end, to);
			this.limb(wide * stand, deep * stand, which === "color" ? main : second);
		}
		// Feet, hands, head with a visor, and a pack on the back.
		for (const j of [FOOT, LEFT_FOOT]) this.box(j, 0, -0.01 * stand, -0.03 * stand, 0.085 * stand, 0.07 * stand, 0.16 * stand, bootColor, 0);
		for (const j of [HAND, LEFT_HAND]) this.box(j, 0, 0, 0, 0.06 * stand, 0.06 * stand, 0.06 * stand, skinColor, 0);
		const nod = dead ? 0 : number(aim, -1, 1, 0) * 0.6;
		this.box(HEAD, 0, 0, 0, 0.13 * stand, 0.15 * stand, 0.15 * stand, main, nod);
		this.box(HEAD, 0, 0.012 * stand, -0.055 * stand, 0.135 * stand, 0.055 * stand, 0.07 * stand, visorColor, nod);
		this.box(CHEST, 0, 0.05 * stand, 0.1 * stand, 0.17 * stand, 0.2 * stand, 0.08 * stand, second, 0);
	}

	// jointAt returns the space of a joint of the pose, whose body is at `local`; unknown names mean the chest.
	jointAt(name, target) {
		const p = this.pose.at, j = jointOf[name] ?? CHEST;
		return target.makeTranslation(p[3 * j], p[3 * j + 1], p[3 * j + 2]).premultiply(local);
	}

	// limb draws a box from `from` to `to`.
	limb(wide, deep, tint) {
		along.subVectors(to, from);
		const length = along.length();
		if (length < 0.01) return;
		along.divideScalar(length);
		across.crossVectors(side, along);
		if (across.lengthSq() < 1e-4) across.set(0, 0, 1);
		across.normalize();
		way.crossVectors(along, across).normalize();
		matrix.makeBasis(way, along, across).scale(size.set(wide, length * 1.08, deep)).setPosition((from.x + to.x) / 2, (from.y + to.y) / 2, (from.z + to.z) / 2);
		this.bodies.add(matrix, tint);
	}

	// box draws a box at a joint of the pose, whose body is at `local`, pitched by an angle.
	box(joint, x, y, z, wide, high, deep, tint, angle) {
		const p = this.pose.at;
		spun.setFromAxisAngle(way.set(1, 0, 0), angle);
		matrix.compose(way.set(p[3 * joint] + x, p[3 * joint + 1] + y * Math.cos(angle) - z * Math.sin(angle), p[3 * joint + 2] + z * Math.cos(angle) + y * Math.sin(angle)), spun, size.set(wide, high, deep)).premultiply(local);
		this.bodies.add(matrix, tint);
	}

	brush(actor) {
		if (!actor.mesh) {
			const geometry = this.level.models[actor.event.model];
			if (!geometry) return;
			actor.mesh = new Mesh(geometry, this.level.surface);
			actor.mesh.castShadow = actor.mesh.receiveShadow = true;
			this.scene.add(actor.mesh);
		}
		actor.mesh.visible = true;
		actor.mesh.position.copy(at);
		actor.mesh.quaternion.copy(rotation);
	}

	// kick moves the weapon of a pawn, or of the pawn that an actor is attached to; hit moves the body.
	kick(slot) {
		const actor = this.known.get(slot), body = actor?.state ? actor : this.known.get(actor?.base);
		if (body?.state) body.state.kick = 1;
	}

	// montage begins an animation: its clip (animate.js) on a body, null for one without visible curves, and
	// that of its name in models.
	montage(slot, file, clip) {
		const actor = this.known.get(slot);
		if (!actor) return;
		for (const rig of actor.rigs.values()) rig.begin(file);
		if (!this.looks.get(actor.event.look)?.body) return;
		actor.state ??= new State();
		actor.state.montage.play(clip);
	}

	// ownMontage returns what the own pawn plays, null for nothing.
	get ownMontage() {
		return this.known.get(this.own)?.state?.montage ?? null;
	}

	hit(slot) {
		const state = this.known.get(slot)?.state;
		if (state) state.hit = 1;
	}

	// ownLength returns the length of the own pawn relative to a person, at least 1: a camera behind it stays
	// correspondingly farther away.
	get ownLength() {
		const actor = this.known.get(this.own), look = actor && this.looks.get(actor.event.look);
		if (!look || look.body) return 1;
		return Math.max(1, Math.min(4, vector(valueOf(look.tree.size, actor.params), 0, 20000, [0, 0, 0])[0] / 100));
	}

	// isOwn reports whether an actor is the own pawn, or attached to it.
	isOwn(slot) {
		return slot > 0 && (slot === this.own || this.known.get(slot)?.base === this.own);
	}

	// effectOf returns the effect that a look gives a name, "" for none.
	effectOf(slot, name) {
		const look = this.known.get(slot)?.look;
		return look && Object.hasOwn(look.on, name) ? text(look.on[name]) : "";
	}
}
