// Models and pictures of looks (W3.1, W3.4): glTF binaries as three.js draws them. One without a skeleton and without clips is
// geometry for batches, as shapes are; others are put together anew for each actor, and play clips.
//
// In a glTF file X is to the left, Y up and Z to the front. What is drawn here has its front at -Z (space.js).

import { AnimationMixer, BufferAttribute, Color, DoubleSide, GLTFLoader, LinearMipmapLinearFilter, LoopOnce, Matrix4, Mesh, MeshLambertMaterial, RepeatWrapping, SRGBColorSpace, Texture, Vector3, clone } from "./vendor/three.js";
import { shining } from "./batch.js";
import { text } from "./bounds.js";

// Bounds of a model, which comes from a server: corners, meshes, nodes, clips; pixels of a picture along a side.
const maxCorners = 300000, maxMeshes = 64, maxNodes = 1024, maxClips = 64, maxSide = 2048;
// maxModels bounds the models and pictures that are ready.
const maxModels = 256;
// blend is how long one clip takes to become another, in seconds; the speeds, in uu/s, from which on a body walks and runs.
const blend = 0.15, walks = 20, runs = 260;

const color = new Color(), corner = new Vector3(), box = [new Vector3(), new Vector3()];
const frontBack = new Matrix4().makeRotationY(Math.PI);

// judge says what is wrong with a glTF binary before anything is made of it, "" for nothing: what it refers to must be in it.
export function judge(bytes) {
	const view = new DataView(bytes);
	if (bytes.byteLength < 20 || view.getUint32(0, true) !== 0x46546c67 || view.getUint32(4, true) !== 2) return "it is no glTF binary, version 2";
	const length = view.getUint32(12, true);
	if (view.getUint32(16, true) !== 0x4e4f534a || length > bytes.byteLength - 20) return "its first part is no JSON";
	let file;
	try {
		file = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 20, length)));
	} catch {
		return "its JSON cannot be read";
	}
	const list = (name) => (Array.isArray(file?.[name]) ? file[name] : []);
	if ([...list("buffers"), ...list("images")].some((f) => f?.uri !== undefined)) return "it refers to other files; export it as one .glb";
	const needs = (Array.isArray(file?.extensionsRequired) ? file.extensionsRequired : []).filter((name) => !/^KHR_(materials_\w+|mesh_quantization|texture_transform)$/.test(name));
	if (needs.length) return `it needs ${text(String(needs[0]))}; export it without`;
	let corners = 0, meshes = 0;
	for (const mesh of list("meshes")) {
		for (const primitive of Array.isArray(mesh?.primitives) ? mesh.primitives : []) {
			meshes++;
			const of = list("accessors")[primitive?.indices ?? primitive?.attributes?.POSITION];
			corners += Number(of?.count) || 0;
		}
	}
	if (corners > maxCorners) return `${corners} corners; at most ${maxCorners}`;
	if (meshes > maxMeshes) return `${meshes} meshes and materials; at most ${maxMeshes}`;
	if (list("nodes").length > maxNodes) return `${list("nodes").length} nodes; at most ${maxNodes}`;
	return "";
}

// Model is a glTF binary that is ready. pieces are geometries with their materials, as the model was made; rig is null for one
// that never moves by itself. low and high are the corners of the box around it.
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

	// fit writes the matrix by which the model fills a box of that size, in three.js's axes, about the origin, as large as its
	// own proportions allow.
	fit(size, target) {
		const wide = corner.subVectors(this.high, this.low);
		const scale = Math.min(...["x", "y", "z"].map((k) => size[k] / Math.max(wide[k], 1e-6)));
		const middle = box[0].addVectors(this.low, this.high).multiplyScalar(-0.5 * scale);
		return target.makeScale(scale, scale, scale).setPosition(middle);
	}

	dispose() {
		for (const p of this.pieces) p.geometry.dispose();
		this.rig?.scene.traverse((o) => o.isMesh && o.geometry.dispose());
	}
}

// plain is a glTF material as this page draws all things: lit simply, with its own color and picture. What shines is kept in
// shine, a share.
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

// pieces puts the meshes of a model together: what has no picture and is not seen through is one geometry.
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

// flip turns triangles round that a mirror has turned.
function flip(g) {
	for (const a of Object.values(g.attributes)) {
		const n = a.itemSize, v = a.array;
		for (let i = 0; i + 3 * n <= v.length; i += 3 * n) for (let k = 0; k < n; k++) [v[i + n + k], v[i + 2 * n + k]] = [v[i + 2 * n + k], v[i + n + k]];
	}
}

// solid is the material of all pieces without pictures.
const solid = shining(new MeshLambertMaterial({ vertexColors: true }));

// pictured is the material of a shape with a picture.
function pictured(texture) {
	return shining(new MeshLambertMaterial({ map: texture, vertexColors: true, transparent: true, alphaTest: 0.02, flatShading: true, side: DoubleSide }));
}

// clipFor is the clip of a name among those of a model, as export tools write them: "Armature|Run" is run.
function clipFor(clips, ...names) {
	for (const name of names) {
		const clip = clips.find((c) => text(c.name).split(/[|:/]/).pop().toLowerCase() === name.toLowerCase());
		if (clip) return clip;
	}
	return null;
}

// Rig is a model that one actor has for itself: its bones move.
export class Rig {
	constructor(scene, model) {
		this.scene = scene;
		this.model = model;
		this.root = clone(model.rig.scene);
		this.frame = new Mesh(); // carries it to its place
		this.frame.matrixAutoUpdate = false;
		this.frame.add(this.root);
		scene.add(this.frame);
		this.mixer = new AnimationMixer(this.root);
		this.action = null;
		this.montage = "";
	}

	// begin plays a clip of an animation's name once: animations/fire.toml is fire.
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

	// step goes on by dt seconds as a body does that moves so: uu/s along the ground, up, dead.
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

// Models are what art has become. ready is called with the name of what can be drawn from now on, or anew; failed with one line.
export class Models {
	constructor(art, ready, failed) {
		this.art = art;
		this.ready = ready;
		this.failed = failed;
		this.known = new Map(); // { hash, made } by name; made is null until it is ready
	}

	// find is a model, or the material of a picture; null while it is fetched, or where there is none.
	find(name) {
		const hash = this.art.hash(name);
		if (!hash) return null;
		const have = this.known.get(name);
		if (have?.hash === hash) return have.made;
		if (!have && this.known.size >= maxModels) return null;
		const entry = { hash, made: null };
		this.known.set(name, entry);
		this.make(name, entry).catch((e) => this.failed(`${name} cannot be shown: ${e.message}.`));
		return null;
	}

	async make(name, entry) {
		const bytes = await this.art.bytes(name);
		if (!bytes) return;
		const made = name.endsWith(".glb") ? await modelOf(bytes) : pictured(await textureOf(bytes));
		if (this.known.get(name) !== entry) {
			made.dispose();
			return;
		}
		entry.made = made;
		this.ready(name);
	}

	// forget takes away what is another file now, or none.
	forget(name) {
		const have = this.known.get(name);
		if (!have) return;
		this.known.delete(name);
		this.ready(name);
		have.made?.dispose();
	}
}

async function modelOf(bytes) {
	const wrong = judge(bytes);
	if (wrong) throw new Error(wrong);
	return new Model(await new GLTFLoader().parseAsync(bytes, ""));
}

// imageOf is a picture, made smaller where it is too large.
export async function imageOf(bytes) {
	const image = await createImageBitmap(new Blob([bytes]));
	const { width, height } = image, most = Math.max(width, height);
	if (most <= maxSide) return image;
	image.close();
	return createImageBitmap(new Blob([bytes]), { resizeWidth: Math.max(1, Math.round((width * maxSide) / most)), resizeHeight: Math.max(1, Math.round((height * maxSide) / most)), resizeQuality: "high" });
}

async function textureOf(bytes) {
	const canvas = document.createElement("canvas"), image = await imageOf(bytes);
	canvas.width = image.width;
	canvas.height = image.height;
	canvas.getContext("2d").drawImage(image, 0, 0);
	image.close();
	const texture = new Texture(canvas);
	texture.colorSpace = SRGBColorSpace;
	texture.minFilter = LinearMipmapLinearFilter;
	texture.wrapS = texture.wrapT = RepeatWrapping;
	texture.anisotropy = 4;
	texture.needsUpdate = true;
	return texture;
}
