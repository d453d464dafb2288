// Every actor by its body and color. Actors of one shape are drawn by one call (three.js's InstancedMesh); capsules,
// which cannot be stretched, share a geometry by their size. Brushes that move are meshes of the level's own geometry.

import { BoxGeometry, CapsuleGeometry, Color, CylinderGeometry, DynamicDrawUsage, InstancedMesh, Matrix4, Mesh, MeshLambertMaterial, Quaternion, SphereGeometry, Vector3 } from "./vendor/three.js";
import { ACTOR, DEAD, far, FLAGS, HEIGHT, HIDDEN, OWN_PAWN, PITCH, PLACE, ROLL, SLOT, VIEW, YAW } from "./frames.js";
import { between, extents, place, turn } from "./space.js";

// maxActors bounds the actors that are known; the worker tells of at most 4096 at once.
const maxActors = 8192;
// maxCapsules bounds the sizes of capsules; those beyond are drawn as cylinders.
const maxCapsules = 64;
// Teams by number, as Unreal has them: red, blue, green, gold. They differ in lightness, too.
const teams = ["#d8342c", "#4aa3ff", "#1f8f3f", "#ffd23e"];
// personHeight is from which height on, in uu, a capsule that is taller than wide is taken for a person.
const personHeight = 40;

// colorOf is an actor's color: its team's, else the one that the worker tells; gray where that is none.
function colorOf(event) {
	const text = teams[event.team] ?? event.color;
	return new Color(/^#[0-9a-f]{6}$/i.test(text) ? text : "#9aa0a6");
}

const shapes = {
	box: () => new BoxGeometry(1, 1, 1),
	cylinder: () => new CylinderGeometry(0.5, 0.5, 1, 14),
	ball: () => new SphereGeometry(0.5, 12, 8),
};

const at = new Vector3(), size = new Vector3(), way = new Vector3(), rotation = new Quaternion(), matrix = new Matrix4(), color = new Color();
const gray = new Color(0x555555), visorColor = new Color(0x1b2530);

// Batch is one shape, drawn for as many actors as there are.
class Batch {
	constructor(scene, geometry, material) {
		this.scene = scene;
		this.geometry = geometry;
		this.material = material;
		this.users = 0;
		this.mesh = null;
		this.grow(16);
	}

	grow(capacity) {
		const before = this.mesh;
		const mesh = new InstancedMesh(this.geometry, this.material, capacity);
		mesh.instanceMatrix.setUsage(DynamicDrawUsage);
		mesh.setColorAt(0, color);
		mesh.instanceColor.setUsage(DynamicDrawUsage);
		mesh.castShadow = mesh.receiveShadow = true;
		mesh.frustumCulled = false;
		mesh.matrixAutoUpdate = false;
		mesh.count = 0;
		if (before) {
			mesh.instanceMatrix.array.set(before.instanceMatrix.array);
			mesh.instanceColor.array.set(before.instanceColor.array);
			mesh.count = before.count;
			this.scene.remove(before);
			before.dispose();
		}
		this.capacity = capacity;
		this.mesh = mesh;
		this.scene.add(mesh);
	}

	begin() {
		this.mesh.count = 0;
	}

	add(matrix, color) {
		if (this.mesh.count === this.capacity) this.grow(2 * this.capacity);
		this.mesh.setMatrixAt(this.mesh.count, matrix);
		this.mesh.setColorAt(this.mesh.count++, color);
	}

	end() {
		const { instanceMatrix: m, instanceColor: c, count } = this.mesh;
		this.mesh.visible = count > 0;
		if (!count) return;
		for (const [attribute, width] of [[m, 16], [c, 3]]) {
			attribute.clearUpdateRanges();
			attribute.addUpdateRange(0, count * width);
			attribute.needsUpdate = true;
		}
	}

	dispose() {
		this.scene.remove(this.mesh);
		this.mesh.dispose();
		this.geometry.dispose();
	}
}

// Actors follows the worker's events, and draws the frames.
export class Actors {
	constructor(scene, level) {
		this.scene = scene;
		this.level = level;
		this.material = new MeshLambertMaterial({ flatShading: true });
		this.known = new Map(); // by slot
		this.batches = new Map(); // by shape, and size for capsules
		this.capsules = 0;
		this.visors = new Batch(scene, shapes.box(), this.material);
		this.drawn = 0;
		this.refused = 0;
	}

	// set takes an event "spawned" or "changed".
	set(event) {
		this.gone(event.slot);
		if (this.known.size >= maxActors) {
			this.refused++;
			return;
		}
		const [forward, right, up] = event.size;
		const actor = { event, batch: null, key: "", size: extents(forward, right, up, new Vector3()), color: colorOf(event), mesh: null, height: 0, person: false };
		switch (event.shape) {
		case "box":
		case "cylinder":
			this.use(actor, event.shape);
			break;
		case "capsule":
			actor.person = up >= personHeight && up > 1.2 * right;
			if (forward === right && right === up) this.use(actor, "ball");
			else if (this.useCapsule(actor, right, up)) actor.size.set(1, 1, 1);
			else this.use(actor, "cylinder");
			break;
		default: // hull: the level may come later; none: nothing is drawn
		}
		this.known.set(event.slot, actor);
	}

	use(actor, key) {
		let batch = this.batches.get(key);
		if (!batch) {
			batch = new Batch(this.scene, shapes[key](), this.material);
			this.batches.set(key, batch);
		}
		batch.users++;
		actor.key = key;
		actor.batch = batch;
	}

	useCapsule(actor, wide, high) {
		const key = `capsule ${Math.round(wide)} ${Math.round(high)}`;
		if (!this.batches.has(key)) {
			if (this.capsules >= maxCapsules) return false;
			this.capsules++;
			const radius = Math.min(wide, high) / 2;
			this.batches.set(key, new Batch(this.scene, new CapsuleGeometry(radius, high - 2 * radius, 4, 12), this.material));
		}
		this.use(actor, key);
		return true;
	}

	gone(slot) {
		const actor = this.known.get(slot);
		if (!actor) return;
		this.known.delete(slot);
		if (actor.mesh) this.scene.remove(actor.mesh);
		if (!actor.batch || --actor.batch.users > 0) return;
		this.batches.delete(actor.key);
		actor.batch.dispose();
		if (actor.key.startsWith("capsule ")) this.capsules--;
	}

	clear() {
		for (const slot of [...this.known.keys()]) this.gone(slot);
		this.drawn = 0;
	}

	// release frees what the graphics card holds of all batches; it is made anew when they are drawn again.
	release() {
		for (const batch of [...this.batches.values(), this.visors]) {
			batch.mesh.dispose();
			batch.geometry.dispose();
		}
	}

	// relevel forgets the meshes of a level that is no more.
	relevel() {
		for (const actor of this.known.values()) {
			if (actor.mesh) this.scene.remove(actor.mesh);
			actor.mesh = null;
		}
	}

	// draw places everything for the moment that frames.at found. The own pawn is left out unless ownToo is set.
	draw(frames, ownToo) {
		for (const batch of this.batches.values()) batch.begin();
		this.visors.begin();
		for (const actor of this.known.values()) if (actor.mesh) actor.mesh.visible = false;
		this.drawn = 0;
		const { from, to, part } = frames;
		const a = from.data, b = to.data;
		for (let i = 0, row = VIEW; i < to.n; i++, row += ACTOR) {
			const actor = this.known.get(b[row + SLOT]);
			if (!actor) continue;
			const flags = b[row + FLAGS];
			if (flags & HIDDEN || (flags & OWN_PAWN && !ownToo)) continue;
			let before = from.rows.get(b[row + SLOT]) ?? -1, x = b[row + PLACE], y = b[row + PLACE + 1], z = b[row + PLACE + 2];
			let pitch = b[row + PITCH], yaw = b[row + YAW], roll = b[row + ROLL];
			if (before >= 0 && Math.hypot(x - a[before + PLACE], y - a[before + PLACE + 1], z - a[before + PLACE + 2]) > far) before = -1;
			if (before >= 0) {
				x = a[before + PLACE] + (x - a[before + PLACE]) * part;
				y = a[before + PLACE + 1] + (y - a[before + PLACE + 1]) * part;
				z = a[before + PLACE + 2] + (z - a[before + PLACE + 2]) * part;
				pitch = between(a[before + PITCH], pitch, part);
				yaw = between(a[before + YAW], yaw, part);
				roll = between(a[before + ROLL], roll, part);
			}
			place(x, y, z, at);
			turn(pitch, yaw, roll, rotation);
			if (actor.batch) this.body(actor, b[row + HEIGHT], flags);
			else if (actor.event.shape === "hull") this.brush(actor);
			else continue;
			this.drawn++;
		}
		for (const batch of this.batches.values()) batch.end();
		this.visors.end();
	}

	body(actor, height, flags) {
		size.copy(actor.size);
		// What crouches is lower than it was when it was told of.
		if (!actor.height) actor.height = height;
		if (actor.height > 0 && height > 0) size.y *= height / actor.height;
		color.copy(actor.color);
		if (flags & DEAD) color.lerp(gray, 0.6);
		actor.batch.add(matrix.compose(at, rotation, size), color);
		if (!actor.person) return;
		// A visor tells where a person looks.
		const [, wide, tall] = actor.event.size, now = tall * (actor.height > 0 && height > 0 ? height / actor.height : 1);
		at.add(way.set(0, 0.26 * now, -0.38 * wide).applyQuaternion(rotation));
		this.visors.add(matrix.compose(at, rotation, size.set(0.72 * wide, 0.11 * now, 0.34 * wide)), visorColor);
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
}
