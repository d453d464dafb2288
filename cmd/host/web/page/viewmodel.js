// The weapon in the player's own hand (W3.4): what the looks of the weapon's attachment define in `first`,
// drawn over the picture with a lens of its own, so that no wall cuts it. It sways with the view, bobs with the
// steps, and kicks.

import { DirectionalLight, Group, HemisphereLight, Mesh, PerspectiveCamera, Scene } from "./vendor/three.js";
import { bones } from "./animate.js";
import { firstOf } from "./looks.js";
import { place } from "./space.js";

// hand is the index of the hand's offsets in a montage; moved is the share of them that the visible weapon
// follows.
const hand = 3 * bones.indexOf("hand"), moved = 0.6, still = new Float32Array(3 * bones.length);

export class ViewModel {
	constructor(material, models) {
		this.models = models;
		this.scene = new Scene();
		this.scene.add(new HemisphereLight(0xe6eef5, 0x8a7d6c, 1.6));
		const sun = new DirectionalLight(0xfff2d8, 1.7);
		sun.position.set(-0.4, 1, 0.6);
		this.scene.add(sun);
		this.camera = new PerspectiveCamera(52, 1, 1, 400);
		this.material = material;
		this.look = null;
		this.params = null;
		this.mesh = this.own = null; // own is the geometry that belongs to it alone
		this.stale = false;
		this.recoil = this.steps = this.raise = 0;
		this.swayX = this.swayY = this.pitch = this.yaw = 0;
	}

	// show sets the look of the held weapon, null for nothing, and the actor's params.
	show(look, params) {
		if (look === this.look && !this.stale && (params === this.params || !look?.firstLoose)) return;
		const other = look?.class !== this.look?.class;
		this.stale = false;
		if (this.mesh) {
			this.scene.remove(this.mesh);
			this.own?.dispose();
			this.mesh = this.own = null;
		}
		this.look = look;
		this.params = params;
		const made = look?.first ? firstOf(look, params, this.models) : null;
		if (!made) return;
		this.own = made.geometry;
		this.mesh = new Group();
		if (made.geometry) this.mesh.add(new Mesh(made.geometry, this.material));
		for (const { geometry, material, matrix } of made.pieces) {
			const mesh = new Mesh(geometry, material);
			matrix.decompose(mesh.position, mesh.quaternion, mesh.scale);
			this.mesh.add(mesh);
		}
		this.at = made.at;
		if (other) this.raise = 1; // it is raised into view
		this.scene.add(this.mesh);
	}

	// remodel rebuilds it, because a model has arrived or changed.
	remodel() {
		this.stale = true;
	}

	kick() {
		this.recoil = 1;
	}

	// draw draws it over the picture. speed is the own pawn's speed along the ground, in uu/s; montage is the
	// montage it plays, null for none.
	draw(renderer, aspect, pitch, yaw, speed, dt, calm, montage) {
		if (!this.mesh) return;
		this.recoil = Math.max(0, this.recoil - dt * 6);
		this.raise = Math.max(0, this.raise - dt * 4);
		this.steps = (this.steps + dt * Math.min(11, speed * 0.026)) % (2 * Math.PI);
		const soft = Math.min(1, dt * 10), turned = Math.atan2(Math.sin(yaw - this.yaw), Math.cos(yaw - this.yaw));
		this.swayX += (Math.max(-1.2, Math.min(1.2, (turned / Math.max(dt, 0.004)) * 0.35)) - this.swayX) * soft;
		this.swayY += (Math.max(-1.2, Math.min(1.2, ((pitch - this.pitch) / Math.max(dt, 0.004)) * 0.35)) - this.swayY) * soft;
		this.pitch = pitch;
		this.yaw = yaw;
		const moving = calm ? 0 : Math.min(1, speed / 300), k = Math.max(this.recoil * this.recoil, montage?.recoil ?? 0), m = montage?.offsets ?? still;
		place(this.at[0] - k * 7 + m[hand] * moved, this.at[1] + m[hand + 1] * moved + Math.cos(this.steps) * 0.9 * moving - this.swayX, this.at[2] + m[hand + 2] * moved - Math.abs(Math.sin(this.steps)) * 0.9 * moving - this.swayY - this.raise * this.raise * 22, this.mesh.position);
		this.mesh.rotation.set(k * 0.16 - this.raise * 0.5, 0.02 + this.swayX * 0.02, Math.cos(this.steps) * 0.012 * moving);
		this.camera.aspect = aspect;
		this.camera.updateProjectionMatrix();
		renderer.autoClear = false;
		renderer.clearDepth();
		renderer.render(this.scene, this.camera);
		renderer.autoClear = true;
	}
}
