// The level as three.js draws it: the worker's triangles (cmd/host/scene, Level) with a calm color and a
// pattern by the name of each texture, a grid of 64 uu to show the scale, sun, sky and fog.

import {
	BackSide, BufferAttribute, BufferGeometry, Color, DataArrayTexture, DirectionalLight, DoubleSide, Fog, HemisphereLight, LinearFilter,
	LinearMipmapLinearFilter, Mesh, MeshLambertMaterial, PointLight, RepeatWrapping, SRGBColorSpace, ShaderMaterial, SphereGeometry, Vector3,
} from "./vendor/three.js";
import { Glob, number, text } from "./bounds.js";
import { colorOf } from "./looks.js";
import { divide, edge, Shading } from "./shade.js";
import { imageOf } from "./models.js";
import { Solid } from "./solid.js";
import { orient, place, places } from "./space.js";
import { colorOf as colorOfKey, surroundings } from "./surroundings.js";

// Contents of brushes that are never visible to a player.
const unseen = new Set(["clip", "empty", "origin"]);
// Liquids and portals are transparent, from both sides.
const liquids = {
	__proto__: null,
	water: { color: 0x3f86a8, opacity: 0.55 },
	slime: { color: 0x6d8a3a, opacity: 0.7 },
	lava: { color: 0xd9541e, opacity: 0.92 },
	portal: { color: 0x7a5bb0, opacity: 0.4 },
};

// Colors of the sky: straight up, at the horizon (also the color of the fog), and below it; and of the sun;
// sunward points to it. They belong to the level, and stay the same objects, because shaders refer to them.
const zenith = new Color(), horizon = new Color(), nadir = new Color(), sunColor = new Color(), sunward = new Vector3();
// groundColor is the color that the sky approaches below the horizon.
const groundColor = new Color(0x6a6a66);
// shadowReach is half the side of the square around the camera that has shadows, in uu; shadowSide its pixels.
const shadowReach = 1536, shadowSide = 2048;
// maxLights is how many of the level's lights, the nearest ones, shine at once.
const maxLights = 8;
// patterns maps materials' patterns to the numbers in surfacePattern below; hashed lists those that a texture
// without a material may get.
const patterns = { __proto__: null, plain: 0, noise: 1, bricks: 2, planks: 3, checker: 4, tiles: 5, panels: 6, grid: 7 }, hashed = [1, 2, 3, 4, 5];
// bakeMs is how long the ambient occlusion is baked per frame, in ms; on a machine that draws slowly it is
// bakeShare of a frame.
const bakeMs = 2, bakeShare = 0.1;
// maxMaterials bounds the materials in memory, maxPictures their pictures, which are pictureSide pixels wide
// and high.
const maxMaterials = 1024, maxPictures = 32, pictureSide = 512;

// calm holds the hues, saturations and lightnesses of texture colors: all weak, so that players stand out.
const calm = [
	[0.09, 0.14, 0.58], [0.11, 0.2, 0.64], [0.06, 0.17, 0.5], [0.58, 0.11, 0.52], [0.56, 0.08, 0.64], [0.27, 0.12, 0.5],
	[0.42, 0.09, 0.55], [0.74, 0.07, 0.55], [0.02, 0.12, 0.54], [0.13, 0.08, 0.68], [0.5, 0.1, 0.47], [0, 0, 0.6],
];

// hash is FNV-1a of a text, 32 bits.
export function hash(text) {
	let h = 0x811c9dc5;
	for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
	h ^= h >>> 15;
	return Math.imul(h, 0x2c1b3c6d) >>> 0;
}

function textureColor(name, target) {
	const h = hash(name), [hue, saturation, lightness] = calm[h % calm.length];
	return target.setHSL((hue + ((h >>> 8) % 16) / 400) % 1, saturation, lightness + (((h >>> 12) % 16) - 8) / 130);
}

// surfacePattern draws a material's pattern in its second color over its color, and the grid of 64 uu over
// textures without a material. Each part fades where it would be finer than a pixel, so that nothing flickers
// in the distance.
const surfacePattern = `
	{
		float kind = vSurface.x, scale = vSurface.y, contrast = vSurface.z;
		vec2 wide = fwidth(vUu);
		float fine = max(wide.x, wide.y);
		vec2 cell = vUu / scale;
		float m = 0.0, tone = 0.0, near = 1.0 - smoothstep(scale * 0.06, scale * 0.3, fine);
		if (kind < 0.5) m = 0.0;
		else if (kind < 1.5) {
			vec2 c = cell * 4.0;
			vec2 i = floor(c), f = smoothstep(0.0, 1.0, fract(c));
			#define NOISE(p) fract(sin(dot(p, vec2(12.9898, 78.233))) * 43758.5453)
			float n = mix(mix(NOISE(i), NOISE(i + vec2(1.0, 0.0)), f.x), mix(NOISE(i + vec2(0.0, 1.0)), NOISE(i + vec2(1.0)), f.x), f.y);
			m = n * (1.0 - smoothstep(scale * 0.25, scale, fine));
		} else if (kind < 2.5) {
			vec2 b = vec2(scale * 0.5, scale * 0.25);
			float row = floor(vUu.y / b.y);
			vec2 at = vec2(vUu.x / b.x + 0.5 * mod(row, 2.0), vUu.y / b.y);
			vec2 edge = (0.5 - abs(fract(at) - 0.5)) * b;
			vec2 on = 1.0 - smoothstep(vec2(0.9), vec2(0.9) + wide * 1.2, edge);
			tone = fract(sin(dot(floor(at), vec2(41.3, 289.1))) * 43758.5453) - 0.5;
			m = max(on.x, on.y) * near;
		} else if (kind < 3.5) {
			float board = vUu.y / (scale * 0.5);
			tone = fract(sin(floor(board) * 91.7) * 4375.85) - 0.5;
			float edge = (0.5 - abs(fract(board) - 0.5)) * scale * 0.5;
			m = (1.0 - smoothstep(0.8, 0.8 + wide.y * 1.2, edge)) * near;
		} else if (kind < 4.5) {
			vec2 c = mod(floor(cell), 2.0);
			m = abs(c.x - c.y) * (1.0 - smoothstep(scale * 0.25, scale, fine));
		} else if (kind < 5.5) {
			vec2 edge = (0.5 - abs(fract(cell) - 0.5)) * scale;
			vec2 on = 1.0 - smoothstep(vec2(1.2), vec2(1.2) + wide * 1.2, edge);
			tone = fract(sin(dot(floor(cell), vec2(27.1, 61.7))) * 43758.5453) - 0.5;
			m = max(on.x, on.y) * near;
		} else if (kind < 6.5) {
			vec2 in2 = (0.5 - abs(fract(cell) - 0.5)) * scale;
			vec2 on = 1.0 - smoothstep(vec2(1.0), vec2(1.0) + wide * 1.2, in2);
			float frame = 1.0 - smoothstep(scale * 0.11, scale * 0.11 + fine, abs(min(in2.x, in2.y) - scale * 0.12) + scale * 0.1);
			float rivet = 1.0 - smoothstep(1.6, 1.6 + fine, length(in2 - vec2(scale * 0.12)));
			m = max(max(on.x, on.y), max(0.45 * frame, rivet)) * near;
		} else {
			vec2 edge = (0.5 - abs(fract(cell) - 0.5)) * scale;
			vec2 on = 1.0 - smoothstep(vec2(0.6), vec2(0.6) + wide * 1.2, edge);
			m = max(on.x, on.y) * near;
		}
		if (vPicture >= 0.0) diffuseColor.rgb *= texture(pictures, vec3(cell.x, cell.y, vPicture)).rgb;
		diffuseColor.rgb = mix(diffuseColor.rgb, vSecond, clamp(m * min(1.0, contrast * 2.0) + tone * contrast * 0.35 * near, 0.0, 1.0));
		diffuseColor.rgb *= 1.0 + max(0.0, -tone) * contrast * 0.2 * near;
		if (vSurface.w < 0.0) {
			vec2 away = abs(fract(vUu / 64.0 - 0.5) - 0.5) * 64.0;
			vec2 on = 1.0 - smoothstep(vec2(0.5), vec2(0.5) + wide * 1.2, away);
			diffuseColor.rgb *= 1.0 - 0.18 * max(on.x, on.y) * (1.0 - smoothstep(6.0, 24.0, fine));
		}
	}
`;

// surfaceMaterial returns the single material of all brushes: the corners have color, second color and surface
// (pattern, scale in uu, contrast, glow; -1 is the grid), and the index of a picture; below 0 is none.
function surfaceMaterial(shaded, pictures) {
	// Both sides cast shadows: with back faces alone, light leaks in where a wall meets the floor.
	const material = new MeshLambertMaterial({ vertexColors: true, shadowSide: DoubleSide });
	material.onBeforeCompile = (shader) => {
		shader.uniforms.shaded = shaded;
		shader.uniforms.pictures = pictures;
		shader.vertexShader = `attribute vec2 uu;\nattribute vec3 second;\nattribute vec4 surface;\nattribute float shade;\nattribute float picture;\nflat varying float vPicture;\nvarying vec2 vUu;\nvarying vec3 vSecond;\nflat varying vec4 vSurface;\nvarying float vShade;\n${shader.vertexShader}`
			.replace("#include <begin_vertex>", "#include <begin_vertex>\n\tvUu = uu;\n\tvSecond = second;\n\tvSurface = surface;\n\tvShade = shade;\n\tvPicture = picture;");
		shader.fragmentShader = `uniform float shaded;\nuniform highp sampler2DArray pictures;\nflat varying float vPicture;\nvarying vec2 vUu;\nvarying vec3 vSecond;\nflat varying vec4 vSurface;\nvarying float vShade;\n${shader.fragmentShader}`
			.replace("#include <color_fragment>", `#include <color_fragment>\n${surfacePattern}`)
			.replace("#include <aomap_fragment>", "float open = mix(1.0, vShade, shaded);\n\treflectedLight.indirectDiffuse *= open;\n\treflectedLight.directDiffuse *= mix(1.0, open, 0.4);")
			.replace("#include <emissivemap_fragment>", "#include <emissivemap_fragment>\n\ttotalEmissiveRadiance += diffuseColor.rgb * max(0.0, vSurface.w);");
	};
	return material;
}

function skyDome() {
	const material = new ShaderMaterial({
		side: BackSide, depthWrite: false, depthTest: false, fog: false,
		uniforms: { zenith: { value: zenith }, horizon: { value: horizon }, nadir: { value: nadir }, sunColor: { value: sunColor }, sunward: { value: sunward } },
		vertexShader: "varying vec3 way;\nvoid main() { way = position; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }",
		fragmentShader: `
			uniform vec3 zenith, horizon, nadir, sunColor, sunward;
			varying vec3 way;
			void main() {
				vec3 to = normalize(way);
				vec3 c = to.y > 0.0 ? mix(horizon, zenith, pow(to.y, 0.55)) : mix(horizon, nadir, pow(-to.y, 0.5));
				float sun = dot(to, sunward);
				c += sunColor * (0.25 * pow(max(sun, 0.0), 24.0) + smoothstep(0.9990, 0.9994, sun));
				gl_FragColor = vec4(c, 1.0);
				#include <colorspace_fragment>
			}`,
	});
	const dome = new Mesh(new SphereGeometry(100, 24, 16), material);
	dome.renderOrder = -1;
	dome.frustumCulled = false;
	return dome;
}

// Level holds what is drawn of a level. models are the geometries of the brushes that move with an actor, by
// their index in the worker's level; null for an invisible one.
export class Level {
	constructor(scene, art, failed) {
		this.scene = scene;
		this.art = art;
		this.failed = failed; // called with one line
		this.shaded = { value: 0 }; // visible share of the ambient occlusion; a uniform
		this.pictures = { value: picturesFor(1, 1) }; // a uniform
		this.layers = new Map(); // of pictures, by file: { layer, hash, ready }
		this.surface = surfaceMaterial(this.shaded, this.pictures);
		this.shading = null; // the ambient occlusion while it is baked, and its mesh
		this.liquid = new MeshLambertMaterial({ vertexColors: true, transparent: true, side: DoubleSide, depthWrite: false });
		this.own = []; // meshes of this level
		this.models = [];
		this.lamps = []; // every light of the level: { at, color, reach }
		this.shining = []; // three.js's lights, for the nearest
		this.triangles = 0;
		this.reach = 8192; // required view distance of the camera
		this.solid = null; // what blocks the view
		this.materials = new Map(); // by the file's name
		this.painted = []; // geometries and the parts they were made from
		this.repaint = false; // the materials have changed

		this.around = null; // surroundings
		this.dome = skyDome();
		scene.add(this.dome);
		scene.fog = new Fog(0, 2000, 12000);
		this.sky = new HemisphereLight(0xffffff, 0x857a6e, 1.35);
		scene.add(this.sky);
		this.sun = new DirectionalLight(sunColor, 2.3);
		const shadow = this.sun.shadow;
		shadow.mapSize.set(shadowSide, shadowSide);
		shadow.camera.left = shadow.camera.bottom = -shadowReach;
		shadow.camera.right = shadow.camera.top = shadowReach;
		shadow.camera.near = 1;
		shadow.camera.far = 4 * shadowReach;
		shadow.normalBias = 3;
		shadow.bias = -0.0004;
		this.sun.castShadow = true;
		scene.add(this.sun, this.sun.target);
		this.surround({});
	}

	// surround applies the keys of a worldspawn.
	surround(world) {
		const a = (this.around = surroundings(world));
		zenith.copy(a.zenith);
		horizon.copy(a.horizon);
		nadir.copy(a.horizon).lerp(groundColor, 0.6);
		sunColor.copy(a.sun);
		sunward.copy(a.sunward);
		this.scene.fog.color.copy(horizon);
		this.sun.color.copy(sunColor);
		// The light of the sky is nearly white, because players' colors must be distinguishable everywhere.
		this.sky.color.copy(zenith).lerp(horizon, 0.5).lerp(white, 0.6);
		this.placed = false;
	}

	// set replaces the drawn level by another one. It takes over the arrays and changes them.
	set(level) {
		this.clear();
		this.surround(level.world);
		const positions = places(level.positions), normals = places(level.normals), uvs = level.uvs;
		orient(positions, normals, uvs);
		const corners = positions.length / 3;
		const worlds = { surface: [], liquid: [] }, models = new Map();
		for (const group of level.groups) {
			if (group.first < 0 || group.count <= 0 || group.first + group.count > corners) continue;
			const name = level.textures[group.texture] ?? "";
			if (unseen.has(group.contents) || /(^|\/)sky/i.test(name)) continue;
			const part = { ...group, name, liquid: liquids[group.contents] };
			if (group.model >= 0) models.set(group.model, [...(models.get(group.model) ?? []), part]);
			else worlds[part.liquid ? "liquid" : "surface"].push(part);
		}
		const make = (parts, longest) => {
			const made = geometry(parts, positions, normals, uvs, longest);
			this.painted.push([made, parts]);
			this.paint(made, parts);
			return made;
		};
		let reach = 0;
		this.solid = null;
		if (worlds.surface.length) {
			const whole = joined(worlds.surface, positions, 3);
			this.solid = new Solid(whole);
			const mesh = new Mesh(make(worlds.surface, edge(whole)), this.surface);
			mesh.castShadow = mesh.receiveShadow = true;
			this.add(mesh);
			mesh.geometry.computeBoundingBox();
			const box = mesh.geometry.boundingBox;
			reach = box.min.distanceTo(box.max);
			this.shading = { mesh, bake: new Shading(mesh.geometry.getAttribute("position").array, mesh.geometry.getAttribute("normal").array, this.solid) };
		}
		if (worlds.liquid.length) {
			const mesh = new Mesh(make(worlds.liquid), this.liquid);
			mesh.renderOrder = 1;
			this.add(mesh);
		}
		this.models = (level.models ?? []).map((_, i) => (models.has(i) ? make(models.get(i)) : null));
		this.scene.fog.far = this.around.fog ?? Math.max(6000, reach * 1.3);
		this.scene.fog.near = this.scene.fog.far * (this.around.fog === null ? 0.15 : 0.05);
		this.reach = Math.max(8192, reach * 1.5);
		this.light(level.lights ?? []);
	}

	// define adds a file of content/materials; null removes it. Surfaces that use it are repainted before the
	// next frame, because the files of a world arrive one by one.
	define(name, data) {
		if (data === null || typeof data !== "object") this.materials.delete(name);
		else if (this.materials.size < maxMaterials || this.materials.has(name)) this.materials.set(name, materialOf(data));
		this.repaint = true;
	}

	// layer returns the index of a file's picture; −1 while it is loading, and if there is none.
	layer(file) {
		const hash = file && this.art ? this.art.hash(file) : "";
		if (!hash) return -1;
		const have = this.layers.get(file);
		if (have?.hash === hash) return have.ready ? have.layer : -1;
		if (!have && this.layers.size >= maxPictures) return -1;
		const entry = { layer: have?.layer ?? this.layers.size, hash, ready: false };
		this.layers.set(file, entry);
		this.art.bytes(file).then((bytes) => bytes && imageOf(bytes)).then((image) => {
			if (!image || this.layers.get(file) !== entry) return;
			this.picture(entry.layer, image);
			entry.ready = this.repaint = true;
		}).catch((e) => this.failed(`${file} cannot be shown: ${e.message}.`));
		return -1;
	}

	// picture stores one of the pictures, scaled to the common size.
	picture(layer, image) {
		const canvas = document.createElement("canvas"), bytes = 4 * pictureSide * pictureSide;
		canvas.width = canvas.height = pictureSide;
		const context = canvas.getContext("2d", { willReadFrequently: true });
		context.setTransform(1, 0, 0, -1, 0, pictureSide); // the first row of a texture is at the bottom
		context.drawImage(image, 0, 0, pictureSide, pictureSide);
		image.close();
		const before = this.pictures.value;
		let all = before;
		if (before.image.width !== pictureSide || before.image.depth <= layer) {
			all = picturesFor(pictureSide, Math.min(maxPictures, Math.max(4, 2 * layer)));
			if (before.image.width === pictureSide) all.image.data.set(before.image.data);
			before.dispose();
		}
		all.image.data.set(context.getImageData(0, 0, pictureSide, pictureSide).data, layer * bytes);
		all.needsUpdate = true;
		this.pictures.value = all;
	}

	// repicture handles a changed or removed picture.
	repicture(file) {
		if (this.layers.has(file) || this.repaint) this.repaint = true;
		for (const m of this.materials.values()) if (m.image === file) this.repaint = true;
	}

	// material returns the look of a texture: from the file with its name, the first file by name that matches
	// it, or the hash of its name.
	material(texture) {
		const own = this.materials.get(`materials/${texture}.toml`);
		if (own) return own;
		for (const name of [...this.materials.keys()].sort()) {
			if (this.materials.get(name).match.some((m) => m.test(texture))) return this.materials.get(name);
		}
		const color = textureColor(texture, new Color());
		return { color, second: color.clone().multiplyScalar(0.72), surface: [hashed[(hash(texture) >>> 20) % hashed.length], 32, 0.3, -1] };
	}

	// census counts the drawn textures, and those of them without a material, which have a pattern with the
	// grid.
	census() {
		const names = [...new Set(this.painted.flatMap(([, parts]) => parts.map((part) => part.name)))];
		return { textures: names.length, patterns: names.filter((name) => this.material(name).surface[3] < 0).length };
	}

	// paint writes the colors of the corners of a geometry.
	paint(made, parts) {
		const color = made.getAttribute("color"), second = made.getAttribute("second"), surface = made.getAttribute("surface"), picture = made.getAttribute("picture");
		let at = 0;
		for (const part of parts) {
			const m = this.material(part.name), { water, opacity } = part.contents === "water" ? this.around : {};
			// A texture's own material takes precedence over the kind of liquid, and the level's keys over
			// both.
			const layer = m.image ? this.layer(m.image) : -1;
			const c = water ?? (part.liquid && m.surface[3] < 0 ? tint.set(part.liquid.color) : m.color), clear = opacity ?? part.liquid?.opacity ?? 1;
			const end = at + part.count;
			fill(color.array, at, end, [c.r, c.g, c.b, clear]);
			fill(second.array, at, end, [m.second.r, m.second.g, m.second.b]);
			fill(surface.array, at, end, m.surface);
			picture.array.fill(layer, at, end);
			at = end;
		}
		for (const attribute of [color, second, surface, picture]) attribute.needsUpdate = true;
	}

	add(mesh) {
		mesh.matrixAutoUpdate = false;
		this.own.push(mesh);
		this.scene.add(mesh);
		this.triangles += mesh.geometry.getAttribute("position").count / 3;
	}

	// light reads the level's lights as map editors write them: "light" is the radius in uu, "_color" three
	// numbers from 0 to 1 or to 255.
	light(lights) {
		for (const light of lights) {
			const keys = light.keys ?? {};
			const reach = Math.min(4000, Math.max(16, parseFloat(keys.light ?? keys.radius) || 300));
			const color = colorOfKey(keys._color ?? keys.color) ?? new Color(1, 0.95, 0.85);
			this.lamps.push({ at: place(...light.at, new Vector3()), color, reach });
		}
		// Their number is fixed for a level, because three.js compiles its shaders for it.
		for (let i = 0; i < Math.min(maxLights, this.lamps.length); i++) {
			const lamp = new PointLight(0xffffff, 0, 1, 1);
			this.shining.push(lamp);
			this.scene.add(lamp);
		}
	}

	// step bakes a slice of the ambient occlusion, and fades it in once it is complete. dt is in seconds.
	step(dt) {
		if (!this.shading) return;
		const { mesh, bake } = this.shading;
		if (!bake.done) {
			if (!bake.step(Math.max(bakeMs, 1000 * dt * bakeShare), () => performance.now())) return;
			mesh.geometry.getAttribute("shade").array.set(bake.shades);
			mesh.geometry.getAttribute("shade").needsUpdate = true;
		}
		this.shaded.value = Math.min(1, this.shaded.value + dt);
		if (this.shaded.value === 1) this.shading = null;
	}

	// follow moves what surrounds the camera: the sky, the square with shadows, the lights that shine.
	follow(camera) {
		if (this.repaint) {
			this.repaint = false;
			for (const [made, parts] of this.painted) this.paint(made, parts);
		}
		this.dome.position.copy(camera);
		// The square moves by whole pixels of the shadow map, so that the edges of shadows do not crawl.
		const texel = (2 * shadowReach) / shadowSide;
		const target = this.sun.target.position;
		const snapped = snap(camera, texel);
		if (!target.equals(snapped) || !this.placed) {
			this.placed = true;
			target.copy(snapped);
			this.sun.position.copy(target).addScaledVector(sunward, 2 * shadowReach);
			this.sun.target.updateMatrixWorld();
		}
		if (this.shining.length) {
			this.lamps.sort((a, b) => a.at.distanceToSquared(camera) - b.at.distanceToSquared(camera));
			this.shining.forEach((light, i) => {
				const lamp = this.lamps[i];
				light.position.copy(lamp.at);
				light.color.copy(lamp.color);
				light.distance = lamp.reach;
				light.intensity = lamp.reach * 0.8;
			});
		}
	}

	// release frees resources of the graphics card; they are recreated when the level is drawn again.
	release() {
		for (const mesh of [...this.own, this.dome]) mesh.geometry.dispose();
		for (const model of this.models) model?.dispose();
		for (const material of [this.surface, this.liquid, this.dome.material]) material.dispose();
		this.sun.shadow.map?.dispose();
		this.sun.shadow.map = null;
	}

	clear() {
		for (const mesh of this.own) {
			this.scene.remove(mesh);
			mesh.geometry.dispose();
		}
		for (const model of this.models) model?.dispose();
		for (const light of this.shining) {
			this.scene.remove(light);
			light.dispose();
		}
		this.own = [];
		this.painted = [];
		this.models = [];
		this.lamps = [];
		this.shining = [];
		this.triangles = 0;
		this.solid = null;
		this.shading = null;
		this.shaded.value = 0;
	}
}

const white = new Color(0xffffff), tint = new Color();
const right = new Vector3(), up = new Vector3(), snappedPlace = new Vector3();

// snap rounds a location to steps across the sun's light.
function snap(at, step) {
	right.set(sunward.z, 0, -sunward.x).normalize();
	up.crossVectors(sunward, right);
	const r = Math.round(at.dot(right) / step) * step, u = Math.round(at.dot(up) / step) * step, s = Math.round(at.dot(sunward) / 64) * 64;
	return snappedPlace.set(0, 0, 0).addScaledVector(right, r).addScaledVector(up, u).addScaledVector(sunward, s);
}

// materialOf converts a file of content/materials, with numbers within their bounds.
function materialOf(data) {
	const color = colorOf(data.color, new Color(), "#a8a090");
	const list = Array.isArray(data.match?.textures) ? data.match.textures.slice(0, 64).map(text) : [];
	return {
		color, second: colorOf(data.second, new Color(), `#${color.clone().multiplyScalar(0.72).getHexString()}`),
		surface: [patterns[data.pattern] ?? 0, number(data.scale, 4, 4096, 64), number(data.contrast, 0, 1, 0.3), number(data.glow, 0, 1, 0)],
		match: list.map((p) => new Glob(p)), image: text(data.image),
	};
}

// picturesFor allocates pictures of materials.
function picturesFor(side, count) {
	const all = new DataArrayTexture(new Uint8Array(4 * side * side * count).fill(255), side, side, count);
	all.colorSpace = SRGBColorSpace;
	all.wrapS = all.wrapT = RepeatWrapping;
	all.minFilter = LinearMipmapLinearFilter;
	all.magFilter = LinearFilter;
	all.anisotropy = 4;
	all.generateMipmaps = true;
	all.needsUpdate = true;
	return all;
}

// joined concatenates the numbers of the corners of parts, n per corner.
function joined(parts, values, n) {
	const out = new Float32Array(n * parts.reduce((sum, part) => sum + part.count, 0));
	let at = 0;
	for (const { first, count } of parts) {
		out.set(values.subarray(n * first, n * (first + count)), n * at);
		at += count;
	}
	return out;
}

// fill writes the same numbers for each corner from at to end.
function fill(array, at, end, numbers) {
	const n = numbers.length;
	for (let i = n * at; i < n * end; i += n) for (let k = 0; k < n; k++) array[i + k] = numbers[k];
}

// geometry concatenates runs of corners. With a longest edge, in uu, their triangles are divided, and the
// parts' counts are those of the divided ones.
function geometry(parts, positions, normals, uvs, longest) {
	let columns = [[positions, 3], [normals, 3], [uvs, 2]].map(([values, n]) => [joined(parts, values, n), n]);
	if (longest) {
		const runs = parts.map((part) => part.count);
		columns = divide(columns, runs, longest).map((values, i) => [values, columns[i][1]]);
		runs.forEach((count, i) => (parts[i].count = count));
	}
	const geometry = new BufferGeometry(), count = columns[0][0].length / 3;
	for (const [i, name] of ["position", "normal", "uu"].entries()) geometry.setAttribute(name, new BufferAttribute(columns[i][0], columns[i][1]));
	for (const [name, width] of [["color", 4], ["second", 3], ["surface", 4], ["picture", 1]]) geometry.setAttribute(name, new BufferAttribute(new Float32Array(width * count), width));
	geometry.setAttribute("shade", new BufferAttribute(new Uint8Array(count).fill(255), 1, true));
	return geometry;
}
