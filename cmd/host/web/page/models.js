// Models and pictures of looks (W3.1, W3.4): decoded art, and which of it is rejected.

import { DoubleSide, LinearMipmapLinearFilter, MeshLambertMaterial, RepeatWrapping, SRGBColorSpace, Texture } from "./vendor/three.js";
import { shining } from "./batch.js";
import { text } from "./bounds.js";

// Bounds of a model, which comes from a server: corners, meshes, nodes; pixels of a picture per side.
const maxCorners = 300000, maxMeshes = 64, maxNodes = 1024, maxSide = 2048;
// maxModels bounds the models and pictures that are ready.
const maxModels = 256;

// judge returns what is wrong with a glTF binary before it is decoded, "" for nothing: everything it refers to
// must be in it.
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

// pictured returns the material of a shape with a picture.
function pictured(texture) {
	return shining(new MeshLambertMaterial({ map: texture, vertexColors: true, transparent: true, alphaTest: 0.02, flatShading: true, side: DoubleSide }));
}

// Models holds decoded art. ready is called with the name of what can now be drawn or has changed; failed with
// one line.
export class Models {
	constructor(art, ready, failed) {
		this.art = art;
		this.ready = ready;
		this.failed = failed;
		this.known = new Map(); // { hash, made } by name; made is null until it is ready
	}

	// find returns a model, or the material of a picture; null while it is being fetched, or if there is none.
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

	// count returns how many are ready.
	get count() {
		return [...this.known.values()].filter((m) => m.made).length;
	}

	async make(name, entry) {
		const bytes = await this.art.bytes(name);
		if (!bytes) return;
		const made = name.endsWith(".glb") ? await (await import("./glb.js")).modelOf(bytes) : pictured(await textureOf(bytes));
		if (this.known.get(name) !== entry) {
			made.dispose();
			return;
		}
		entry.made = made;
		this.ready(name);
	}

	// forget removes a file that was changed or removed.
	forget(name) {
		const have = this.known.get(name);
		if (!have) return;
		this.known.delete(name);
		this.ready(name);
		have.made?.dispose();
	}
}

// imageOf decodes a picture, and scales it down if it is too large.
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
