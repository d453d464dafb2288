// Effects (W3.2): particles, beams, flashes, and a shaking camera. All particles are one draw call. Their
// number is bounded; when there are too many, new ones replace the oldest.

import { BufferAttribute, Color, DynamicDrawUsage, InstancedBufferAttribute, InstancedBufferGeometry, Mesh, PointLight, ShaderMaterial, Vector3 } from "./vendor/three.js";
import { number } from "./bounds.js";

export const maxParticles = 3000;
// maxLamps is how many lights of effects and actors are on at once, the brightest ones; maxTrails bounds the
// actors with trails.
const maxLamps = 4, maxTrails = 256, maxEmitters = 128;
// maxEffects bounds the effects in memory.
const maxEffects = 1024;
// Bounds for an effect's file, which comes from a server.
const maxBurst = 200, maxRate = 500, maxLife = 10, maxTables = 8;
const gravity = 950; // uu/s²
const shapes = { __proto__: null, square: 0, round: 1, spark: 2, ring: 3, smoke: 4, beam: 5 };

const pair = (v, least, most, a, b) => (Array.isArray(v) && v.length > 0 ? [number(v[0], least, most, a), number(v[v.length - 1], least, most, b)] : [a, b]);

function paint(v, other) {
	const list = Array.isArray(v) ? v : [v];
	const one = (c) => new Color(typeof c === "string" && /^#[0-9a-f]{6}$/i.test(c) ? c : other);
	return [one(list[0]), one(list[list.length - 1])];
}

// effectOf converts the worker's description of a file to an effect: numbers within their bounds.
export function effectOf(data) {
	const list = (v) => (Array.isArray(v) ? v.slice(0, maxTables).filter((x) => x !== null && typeof x === "object") : []);
	const made = { life: number(data.life, 0, maxLife, 1), particles: [], beams: [], light: null, shake: null };
	for (const p of list(data.particles)) {
		made.particles.push({
			shape: shapes[p.shape] ?? shapes.round, rate: number(p.rate, 0, maxRate, 0), burst: Math.round(number(p.burst, 0, maxBurst, 0)),
			life: pair(p.life, 0.01, maxLife, 0.5, 0.5), size: pair(p.size, 0, 2000, 8, 8), color: paint(p.color, "#ffffff"), opacity: pair(p.opacity, 0, 1, 1, 1),
			speed: pair(p.speed, -5000, 5000, 0, 0), spread: (number(p.spread, 0, 180, 180) * Math.PI) / 180, gravity: number(p.gravity, -10, 10, 0),
			drag: number(p.drag, 0, 100, 0), glow: number(p.glow, 0, 1, 0), radius: number(p.radius, 0, 2000, 0),
		});
	}
	for (const b of list(data.beam)) made.beams.push({ length: number(b.length, 1, 20000, 100), width: number(b.width, 0.1, 500, 4), color: paint(b.color, "#ffffff")[0], life: number(b.life, 0.01, maxLife, 0.1), glow: number(b.glow, 0, 1, 1) });
	if (data.light) made.light = { color: paint(data.light.color, "#ffffff")[0], radius: number(data.light.radius, 1, 5000, 300), life: number(data.light.life, 0.01, maxLife, 0.2) };
	if (data.shake) made.shake = { amount: number(data.shake.amount, 0, 20, 1), life: number(data.shake.life, 0.01, maxLife, 0.3), radius: number(data.shake.radius, 1, 20000, 500) };
	return made;
}

// Particles are columns of numbers, which step moves; it does not use three.js.
export class Particles {
	constructor(most) {
		this.most = most;
		this.count = 0;
		this.next = 0; // the oldest one, replaced when all are in use
		const f = (n) => new Float32Array(n * most);
		this.place = f(3);
		this.speed = f(3);
		this.age = f(1);
		this.life = f(1);
		this.sizes = f(2);
		this.colors = f(6);
		this.opacities = f(2);
		this.gravity = f(1);
		this.drag = f(1);
		this.glow = f(1);
		this.shape = f(1);
	}

	// add returns the index of a new particle.
	add() {
		if (this.count < this.most) return this.count++;
		this.next = (this.next + 1) % this.most;
		return this.next;
	}

	copy(from, to) {
		for (const [column, n] of [[this.place, 3], [this.speed, 3], [this.age, 1], [this.life, 1], [this.sizes, 2], [this.colors, 6], [this.opacities, 2], [this.gravity, 1], [this.drag, 1], [this.glow, 1], [this.shape, 1]]) {
			for (let k = 0; k < n; k++) column[n * to + k] = column[n * from + k];
		}
	}

	step(dt) {
		for (let i = 0; i < this.count; i++) {
			this.age[i] += dt;
			if (this.age[i] >= this.life[i]) {
				this.copy(--this.count, i);
				i--;
				continue;
			}
			const slow = Math.exp(-this.drag[i] * dt), k = 3 * i;
			this.speed[k] *= slow;
			this.speed[k + 1] = this.speed[k + 1] * slow - this.gravity[i] * gravity * dt;
			this.speed[k + 2] *= slow;
			this.place[k] += this.speed[k] * dt;
			this.place[k + 1] += this.speed[k + 1] * dt;
			this.place[k + 2] += this.speed[k + 2] * dt;
		}
	}
}

const vertexShader = `
	attribute vec3 where, stretch;
	attribute vec4 paint;
	attribute vec3 form; // size, shape, glow
	varying vec2 vCorner;
	varying vec4 vPaint;
	varying vec2 vForm;
	#include <fog_pars_vertex>
	void main() {
		vCorner = position.xy;
		vPaint = paint;
		// Particles close to the camera would cover the picture, especially squares, which have hard edges.
		vec4 middle = modelViewMatrix * vec4(where, 1.0);
		vPaint.a *= smoothstep(0.2, 1.0, -middle.z / (form.y < 0.5 ? 40.0 + 6.0 * form.x : 12.0 + form.x));
		vForm = form.yz;
		vec4 mvPosition = middle;
		vec2 corner = position.xy * form.x;
		if (form.y > 1.5 && form.y < 2.5 || form.y > 4.5) {
			vec4 end = modelViewMatrix * vec4(where + stretch, 1.0);
			vec2 way = end.xy - mvPosition.xy;
			float far = length(way);
			vec2 along = far > 0.001 ? way / far : vec2(1.0, 0.0);
			vec3 spine = (end.xyz - mvPosition.xyz) * position.x;
			mvPosition.xyz += spine;
			corner = vec2(-along.y, along.x) * position.y * form.x + along * position.x * form.x * 0.5;
		}
		mvPosition.xy += corner;
		gl_Position = projectionMatrix * mvPosition;
		#include <fog_vertex>
	}`;

const fragmentShader = `
	varying vec2 vCorner;
	varying vec4 vPaint;
	varying vec2 vForm;
	#include <fog_pars_fragment>
	void main() {
		float r = length(vCorner) * 2.0, a = 1.0;
		float shape = vForm.x;
		if (shape < 0.5) a = 1.0;
		else if (shape < 1.5) a = 1.0 - smoothstep(0.55, 1.0, r);
		else if (shape < 2.5) a = 1.0 - smoothstep(0.3, 1.0, r);
		else if (shape < 3.5) a = smoothstep(0.72, 0.88, r) * (1.0 - smoothstep(0.92, 1.0, r));
		else if (shape < 4.5) a = (1.0 - smoothstep(0.15, 1.0, r)) * 0.85;
		else a = 1.0 - smoothstep(0.2, 0.5, abs(vCorner.y));
		a *= vPaint.a;
		if (a < 0.004) discard;
		gl_FragColor = vec4(vPaint.rgb, 1.0);
		#include <colorspace_fragment>
		#include <fog_fragment>
		gl_FragColor = vec4(gl_FragColor.rgb * a, a * (1.0 - vForm.y));
	}`;

const dir = new Vector3(), u = new Vector3(), v = new Vector3(), ray = new Vector3();

export class Effects {
	constructor(scene) {
		this.known = new Map(); // by the file's name
		this.particles = new Particles(maxParticles);
		this.emitters = []; // { effect, at, dir, left }
		this.trails = new Map(); // by slot: the unused fraction of a particle for each table
		this.flashes = []; // { at, color, radius, life, left }
		this.lamps = []; // requested for this frame
		this.shakes = [];
		this.reduced = false; // reduced motion: no shake
		this.played = 0;
		const geometry = new InstancedBufferGeometry();
		geometry.setAttribute("position", new BufferAttribute(new Float32Array([-0.5, -0.5, 0, 0.5, -0.5, 0, 0.5, 0.5, 0, -0.5, -0.5, 0, 0.5, 0.5, 0, -0.5, 0.5, 0]), 3));
		this.columns = {};
		for (const [name, n] of [["where", 3], ["stretch", 3], ["paint", 4], ["form", 3]]) {
			this.columns[name] = new InstancedBufferAttribute(new Float32Array(n * maxParticles), n);
			this.columns[name].setUsage(DynamicDrawUsage);
			geometry.setAttribute(name, this.columns[name]);
		}
		geometry.instanceCount = 0;
		this.material = new ShaderMaterial({
			vertexShader, fragmentShader, transparent: true, depthWrite: false, premultipliedAlpha: true, fog: true,
			uniforms: { fogColor: { value: new Color() }, fogNear: { value: 1 }, fogFar: { value: 2 } },
		});
		this.mesh = new Mesh(geometry, this.material);
		this.mesh.frustumCulled = false;
		this.mesh.renderOrder = 2;
		this.lights = [];
		for (let i = 0; i < maxLamps; i++) {
			const light = new PointLight(0xffffff, 0, 1, 1.4);
			this.lights.push(light);
			scene.add(light);
		}
		scene.add(this.mesh);
	}

	// define adds a file of content/effects; null removes it.
	define(name, data) {
		if (data === null || typeof data !== "object") this.known.delete(name);
		else if (this.known.size < maxEffects || this.known.has(name)) this.known.set(name, effectOf(data));
	}

	clear() {
		this.particles.count = 0;
		this.emitters.length = this.flashes.length = this.shakes.length = 0;
		this.trails.clear();
	}

	// play starts an effect at a location, in three.js's axes, along a direction.
	play(name, at, along) {
		const effect = this.known.get(name);
		if (!effect) return false;
		this.played++;
		dir.copy(along);
		if (dir.lengthSq() < 1e-6) dir.set(0, 1, 0);
		dir.normalize();
		let rates = false;
		for (const p of effect.particles) {
			for (let i = 0; i < p.burst; i++) this.emit(p, at, dir);
			rates ||= p.rate > 0;
		}
		if (rates && this.emitters.length < maxEmitters) this.emitters.push({ effect, at: at.clone(), dir: dir.clone(), left: effect.life, due: effect.particles.map(() => 0) });
		for (const b of effect.beams) this.beam(b, at, dir);
		if (effect.light && this.flashes.length < maxEmitters) this.flashes.push({ at: at.clone(), ...effect.light, left: effect.light.life });
		if (effect.shake && this.shakes.length < 16) this.shakes.push({ at: at.clone(), ...effect.shake, left: effect.shake.life });
		return true;
	}

	emit(p, at, along) {
		const q = this.particles, i = q.add(), k = 3 * i;
		// A direction within the cone.
		const cos = 1 - Math.random() * (1 - Math.cos(p.spread)), sin = Math.sqrt(Math.max(0, 1 - cos * cos)), turn = Math.random() * 2 * Math.PI;
		u.set(Math.abs(along.y) < 0.9 ? 0 : 1, Math.abs(along.y) < 0.9 ? 1 : 0, 0).cross(along).normalize();
		v.crossVectors(along, u);
		ray.copy(along).multiplyScalar(cos).addScaledVector(u, sin * Math.cos(turn)).addScaledVector(v, sin * Math.sin(turn));
		const speed = p.speed[0] + Math.random() * (p.speed[1] - p.speed[0]), out = p.radius * Math.cbrt(Math.random());
		const a = Math.random() * 2 * Math.PI, h = 2 * Math.random() - 1, r = Math.sqrt(1 - h * h);
		q.place[k] = at.x + out * r * Math.cos(a);
		q.place[k + 1] = at.y + out * h;
		q.place[k + 2] = at.z + out * r * Math.sin(a);
		q.speed[k] = ray.x * speed;
		q.speed[k + 1] = ray.y * speed;
		q.speed[k + 2] = ray.z * speed;
		q.age[i] = 0;
		q.life[i] = p.life[0] + Math.random() * (p.life[1] - p.life[0]);
		this.column(i, p.size[0], p.size[1], p.color, p.opacity, p.gravity, p.drag, p.glow, p.shape);
	}

	column(i, small, large, [c0, c1], opacity, gravityShare, drag, glow, shape) {
		const q = this.particles;
		q.sizes[2 * i] = small;
		q.sizes[2 * i + 1] = large;
		q.colors.set([c0.r, c0.g, c0.b, c1.r, c1.g, c1.b], 6 * i);
		q.opacities[2 * i] = opacity[0];
		q.opacities[2 * i + 1] = opacity[1];
		q.gravity[i] = gravityShare;
		q.drag[i] = drag;
		q.glow[i] = glow;
		q.shape[i] = shape;
	}

	// beam adds a line that fades; its speed column is its length.
	beam(b, at, along) {
		const q = this.particles, i = q.add(), k = 3 * i;
		for (const [axis, c] of [["x", 0], ["y", 1], ["z", 2]]) {
			q.place[k + c] = at[axis] + (along[axis] * b.length) / 2;
			q.speed[k + c] = along[axis] * b.length;
		}
		q.age[i] = 0;
		q.life[i] = b.life;
		this.column(i, b.width, b.width, [b.color, b.color], [1, 0], 0, 0, b.glow, shapes.beam);
	}

	// trail continues an actor's trail at a location, with the given velocity.
	trail(slot, name, at, vx, vy, vz, dt) {
		const effect = this.known.get(name);
		if (!effect) return;
		let due = this.trails.get(slot);
		if (!due || due.length !== effect.particles.length) {
			if (this.trails.size >= maxTrails) return;
			this.trails.set(slot, (due = new Float32Array(effect.particles.length)));
		}
		dir.set(-vx, -vy, -vz);
		const speed = dir.length();
		if (speed < 1) dir.set(0, 1, 0);
		else dir.divideScalar(speed);
		effect.particles.forEach((p, n) => {
			due[n] = Math.min(8, due[n] + p.rate * dt);
			while (due[n] >= 1) {
				due[n]--;
				const back = Math.random() * dt;
				this.emit(p, ray.set(at.x - vx * back, at.y - vy * back, at.z - vz * back).clone(), dir);
			}
		});
		if (effect.light) this.lamp(at, effect.light.color, effect.light.radius, 0.6);
	}

	leave(slot) {
		this.trails.delete(slot);
	}

	// lamp requests a light for this frame.
	lamp(at, color, radius, intensity) {
		if (this.lamps.length < 256) this.lamps.push({ x: at.x, y: at.y, z: at.z, color, radius, intensity });
	}

	// step advances everything; camera is the view point. It returns the camera shake in degrees.
	step(dt, camera, fog) {
		dt = Math.min(dt, 0.1);
		for (let n = this.emitters.length - 1; n >= 0; n--) {
			const e = this.emitters[n];
			e.effect.particles.forEach((p, i) => {
				for (e.due[i] = Math.min(20, e.due[i] + p.rate * dt); e.due[i] >= 1; e.due[i]--) this.emit(p, e.at, e.dir);
			});
			if ((e.left -= dt) <= 0) this.emitters.splice(n, 1);
		}
		this.fade(dt);
		this.write();
		this.shine(dt, camera);
		if (fog) {
			this.material.uniforms.fogColor.value.copy(fog.color);
			this.material.uniforms.fogNear.value = fog.near;
			this.material.uniforms.fogFar.value = fog.far;
		}
		let shake = 0;
		for (let n = this.shakes.length - 1; n >= 0; n--) {
			const s = this.shakes[n];
			shake += s.amount * Math.max(0, 1 - s.at.distanceTo(camera) / s.radius) * (s.left / s.life);
			if ((s.left -= dt) <= 0) this.shakes.splice(n, 1);
		}
		return this.reduced ? 0 : Math.min(6, shake);
	}

	// fade moves the particles; beams stay in place.
	fade(dt) {
		const q = this.particles;
		for (let i = 0; i < q.count; i++) {
			if (q.shape[i] !== shapes.beam) continue;
			for (let k = 3 * i; k < 3 * i + 3; k++) q.place[k] -= q.speed[k] * dt;
		}
		q.step(dt);
	}

	write() {
		const q = this.particles, { where, stretch, paint: painted, form } = this.columns;
		for (let i = 0; i < q.count; i++) {
			const part = q.age[i] / q.life[i], k = 3 * i, c = 6 * i, spark = q.shape[i] === shapes.spark ? 0.03 : 1;
			for (let n = 0; n < 3; n++) {
				where.array[k + n] = q.place[k + n];
				stretch.array[k + n] = q.speed[k + n] * spark;
				painted.array[4 * i + n] = q.colors[c + n] + (q.colors[c + 3 + n] - q.colors[c + n]) * part;
			}
			painted.array[4 * i + 3] = q.opacities[2 * i] + (q.opacities[2 * i + 1] - q.opacities[2 * i]) * part;
			form.array[k] = q.sizes[2 * i] + (q.sizes[2 * i + 1] - q.sizes[2 * i]) * part;
			form.array[k + 1] = q.shape[i];
			form.array[k + 2] = q.glow[i];
		}
		this.mesh.geometry.instanceCount = q.count;
		this.mesh.visible = q.count > 0;
		for (const [column, n] of [[where, 3], [stretch, 3], [painted, 4], [form, 3]]) {
			column.clearUpdateRanges();
			column.addUpdateRange(0, n * q.count);
			column.needsUpdate = q.count > 0;
		}
	}

	// shine assigns the lights that are brightest at the camera.
	shine(dt, camera) {
		for (let n = this.flashes.length - 1; n >= 0; n--) {
			const f = this.flashes[n];
			this.lamp(f.at, f.color, f.radius, 2.5 * (f.left / f.life));
			if ((f.left -= dt) <= 0) this.flashes.splice(n, 1);
		}
		const worth = (l) => (l.intensity * l.radius) / (100 + Math.hypot(l.x - camera.x, l.y - camera.y, l.z - camera.z));
		this.lamps.sort((a, b) => worth(b) - worth(a));
		this.lights.forEach((light, i) => {
			const lamp = this.lamps[i];
			light.intensity = lamp ? lamp.intensity * lamp.radius * 4 : 0;
			if (!lamp) return;
			light.position.set(lamp.x, lamp.y, lamp.z);
			light.color.copy(lamp.color);
			light.distance = lamp.radius;
		});
		this.lamps.length = 0;
	}

	release() {
		this.mesh.geometry.dispose();
		this.material.dispose();
	}
}
