// glTF binaries as three.js draws them (W3.1, W3.4). A model without a skeleton and without clips is geometry
// for batches, as shapes are; others are instantiated for each actor, and play clips. Only a page that shows a
// model loads this file.
//
// In a glTF file X is to the left, Y up and Z to the front. Drawn models have their front at -Z (space.js).

import { AnimationMixer, BufferAttribute, Color, LoopOnce, Matrix4, Mesh, MeshLambertMaterial, Vector3 } from "./vendor/three.js";
import { GLTFLoader, clone } from "./vendor/gltf.js";
import { shining } from "./batch.js";
import { text } from "./bounds.js";
import { judge } from "./models.js";

// maxClips bounds the clips of a model, which comes from a server.
const maxClips = 64;
// blend is the duration of the transition between clips, in seconds; the speeds, in uu/s, are those from which
// a body walks and runs.
const blend = 0.15, walks = 20, runs = 260;

const color = new Color(), corner = new Vector3(), box = [new Vector3(), new Vector3()];
const frontBack = new Matrix4().makeRotationY(Math.PI);

// Model is a loaded glTF binary. pieces are geometries with their materials, as in the file; rig is null for a
// model without animation. low and high are the corners of its bounding box.
class Model {
	constructor(gltf) {
		const scene = gltf.scene, meshes = [];
		scene.applyMatrix4(frontBack);
		scene.updateMatrixWorld(true);
		scene.traverse((o) => o.isMesh && meshes.push(o));
		this.low = new Vector3(Infinity, Infinity, Infinity);
		this.high = new Vector3(-Infinity, -Infinity, -Infinity);
		const clips = gltf.animations.slice(0, maxClips);
		this.pieces = [];
		for (const mesh of meshes) {
			const at = mesh.geometry.getAttribute("position");
			for (let i = 0; at && i < at.count; i++) {
				mesh.getVertexPosition(i, corner).applyMatrix4(mesh.matrixWorld);
				this.low.min(corner);
				this.high.max(corner);
			}
			mesh.material = plain(mesh.material);
			mesh.castShadow = mesh.receiveShadow = true;
			mesh.frustumCulled = false;
			glowing(mesh.geometry, mesh.material);
		}
		if (!(this.high.x >= this.low.x)) throw new Error("it has no triangles");
		this.rig = clips.length || meshes.some((m) => m.isSkinnedMesh) ? { scene, clips } : null;
		this.pieces = pieces(meshes);
	}

	// corners is how many there are.
	get corners() {
		return this.pieces.reduce((sum, p) => sum + p.geometry.getAttribute("position").count, 0);
	}

	// fit writes the matrix that fits the model into a box of that size, in three.js's axes, around the origin,
	// without changing its proportions.
	fit(size, target) {
		const wide = corner.subVectors(this.high, this.low);
		const scale = Math.min(...["x", "y", "z"].map((k) => size[k] / Math.max(wide[k], 1e-6)));
		const middle = box[0].addVectors(this.low, this.high).multiplyScalar(-0.5 * scale);
		return target.makeScale(scale, scale, scale).setPosition(middle);
	}

	// rigIn returns the model instantiated for one actor, in a scene.
	rigIn(scene) {
		return new Rig(scene, this);
	}

	dispose() {
		for (const p of this.pieces) p.geometry.dispose();
		this.rig?.scene.traverse((o) => o.isMesh && o.geometry.dispose());
	}
}

// plain returns a glTF material in this page's simple style: lit simply, with its own color and picture. The
// glow is kept in shine, a share.
function plain(from) {
	const map = from.map ?? null, emits = from.emissive ? Math.max(from.emissive.r, from.emissive.g, from.emissive.b) * (from.emissiveIntensity ?? 1) : 0;
	const clear = from.transparent && from.opacity < 1;
	const m = shining(new MeshLambertMaterial({ color: from.color ?? 0xffffff, map, vertexColors: false, transparent: clear, opacity: from.opacity ?? 1, alphaTest: from.alphaTest ?? 0, flatShading: from.flatShading === true, side: from.side ?? 0 }));
	m.userData.shine = Math.min(1, from.isMeshBasicMaterial ? 1 : emits);
	m.userData.paint = from.vertexColors === true;
	m.vertexColors = m.userData.paint;
	return m;
}

function glowing(geometry, material) {
	const count = geometry.getAttribute("position").count;
	geometry.setAttribute("glow", new BufferAttribute(new Float32Array(count).fill(material.userData.shine), 1));
}

// pieces combines the meshes of a model: opaque ones without a picture become one geometry.
function pieces(meshes) {
	const out = [], position = [], normal = [], tint = [], glow = [];
	for (const mesh of meshes) {
		const { material } = mesh, g = (mesh.geometry.index ? mesh.geometry.toNonIndexed() : mesh.geometry.clone()).applyMatrix4(mesh.matrixWorld);
		if (!g.getAttribute("normal")) g.computeVertexNormals();
		if (mesh.matrixWorld.determinant() < 0) flip(g);
		if (material.map || material.transparent || material.alphaTest) {
			out.push({ geometry: g, material });
			continue;
		}
		const p = g.getAttribute("position"), n = g.getAttribute("normal"), c = material.userData.paint ? g.getAttribute("color") : null;
		for (let i = 0; i < p.count; i++) {
			position.push(p.getX(i), p.getY(i), p.getZ(i));
			normal.push(n.getX(i), n.getY(i), n.getZ(i));
			color.copy(material.color);
			tint.push(color.r * (c ? c.getX(i) : 1), color.g * (c ? c.getY(i) : 1), color.b * (c ? c.getZ(i) : 1), 1);
			glow.push(material.userData.shine);
		}
		g.dispose();
	}
	if (position.length) {
		const g = meshes[0].geometry.clone();
		for (const name of Object.keys(g.attributes)) g.deleteAttribute(name);
		g.setIndex(null);
		g.morphAttributes = {};
		for (const [name, values, width] of [["position", position, 3], ["normal", normal, 3], ["color", tint, 4], ["glow", glow, 1]]) g.setAttribute(name, new BufferAttribute(new Float32Array(values), width));
		out.unshift({ geometry: g, material: solid });
	}
	return out;
}

// flip restores the orientation of mirrored triangles.
function flip(g) {
	for (const a of Object.values(g.attributes)) {
		const n = a.itemSize, v = a.array;
		for (let i = 0; i + 3 * n <= v.length; i += 3 * n) for (let k = 0; k < n; k++) [v[i + n + k], v[i + 2 * n + k]] = [v[i + 2 * n + k], v[i + n + k]];
	}
}

// solid is the material of all pieces without pictures.
const solid = shining(new MeshLambertMaterial({ vertexColors: true }));

// clipFor returns the clip of a name among those of a model, as export tools write them: "Armature|Run" is run.
function clipFor(clips, ...names) {
	for (const name of names) {
		const clip = clips.find((c) => text(c.name).split(/[|:/]/).pop().toLowerCase() === name.toLowerCase());
		if (clip) return clip;
	}
	return null;
}

// Rig is a model instance of one actor: its bones move.
class Rig {
	constructor(scene, model) {
		this.scene = scene;
		this.model = model;
		this.root = clone(model.rig.scene);
		this.frame = new Mesh(); // places it
		this.frame.matrixAutoUpdate = false;
		this.frame.add(this.root);
		scene.add(this.frame);
		this.mixer = new AnimationMixer(this.root);
		this.action = null;
		this.montage = "";
	}

	// begin plays the clip named like an animation once: animations/fire.toml is fire.
	begin(file) {
		this.montage = "";
		const clip = clipFor(this.model.rig.clips, file.replace(/^.*\//, "").replace(/\.toml$/, ""));
		if (!clip) return;
		this.montage = clip.name;
		this.play(clip, true);
	}

	play(clip, once) {
		const before = this.action, action = this.mixer.clipAction(clip);
		if (before === action && !once) return;
		action.reset();
		if (once) {
			action.setLoop(LoopOnce, 1);
			action.clampWhenFinished = true;
		}
		if (before && before !== action) before.crossFadeTo(action, blend, false);
		action.play();
		this.action = action;
	}

	// step advances by dt seconds for a body with that movement: uu/s along the ground, up, dead.
	step(dt, speed, up, dead) {
		const { clips } = this.model.rig;
		if (this.montage && !dead && this.action && this.action.time < this.action.getClip().duration - blend) {
			this.mixer.update(dt);
			return;
		}
		this.montage = "";
		const clip = dead ? clipFor(clips, "die", "death", "dead") : Math.abs(up) > 90 ? clipFor(clips, "fall", "jump") :
			speed > runs ? clipFor(clips, "run", "walk") : speed > walks ? clipFor(clips, "walk", "run") : null;
		const next = clip ?? clipFor(clips, "idle", "stand") ?? clips[0];
		if (next) this.play(next, dead && clip !== null && this.action?.getClip() !== clip);
		this.mixer.update(dt);
	}

	place(matrix) {
		this.frame.matrix.copy(matrix);
		this.frame.matrixWorldNeedsUpdate = true;
		this.frame.visible = true;
	}

	hide() {
		this.frame.visible = false;
	}

	dispose() {
		this.mixer.stopAllAction();
		this.scene.remove(this.frame);
		this.root.traverse((o) => o.isSkinnedMesh && o.skeleton.dispose());
	}
}

// modelOf returns the model of a glTF binary.
export async function modelOf(bytes) {
	const wrong = judge(bytes);
	if (wrong) throw new Error(wrong);
	return new Model(await new GLTFLoader().parseAsync(bytes, ""));
}
