// The weapon in the player's own hand (W3.4): what the looks of the weapon's attachment say in `first`, drawn over the
// picture with a lens of its own, so that no wall cuts it. It sways with the view, bobs with the steps, and kicks.

import { DirectionalLight, HemisphereLight, Mesh, PerspectiveCamera, Scene } from "./vendor/three.js";
import { firstOf } from "./looks.js";
import { place } from "./space.js";

export class ViewModel {
	constructor(material) {
		this.scene = new Scene();
		this.scene.add(new HemisphereLight(0xe6eef5, 0x8a7d6c, 1.6));
		const sun = new DirectionalLight(0xfff2d8, 1.7);
		sun.position.set(-0.4, 1, 0.6);
		this.scene.add(sun);
		this.camera = new PerspectiveCamera(52, 1, 1, 400);
		this.material = material;
		this.look = null;
		this.mesh = null;
		this.recoil = this.steps = this.raise = 0;
		this.swayX = this.swayY = this.pitch = this.yaw = 0;
	}

	// show takes the look of what is in the hand, null for nothing.
	show(look) {
		if (look === this.look) return;
		if (this.mesh) {
			this.scene.remove(this.mesh);
			this.mesh.geometry.dispose();
			this.mesh = null;
		}
		this.look = look;
		const made = look && firstOf(look);
		if (!made) return;
		this.mesh = new Mesh(made.geometry, this.material);
		this.at = made.at;
		this.raise = 1; // it is drawn up
		this.scene.add(this.mesh);
	}

	kick() {
		this.recoil = 1;
	}

	// draw draws it over the picture. speed is that of the own pawn along the ground, in uu/s.
	draw(renderer, aspect, pitch, yaw, speed, dt, calm) {
		if (!this.mesh) return;
		this.recoil = Math.max(0, this.recoil - dt * 6);
		this.raise = Math.max(0, this.raise - dt * 4);
		this.steps = (this.steps + dt * Math.min(11, speed * 0.026)) % (2 * Math.PI);
		const soft = Math.min(1, dt * 10), turned = Math.atan2(Math.sin(yaw - this.yaw), Math.cos(yaw - this.yaw));
		this.swayX += (Math.max(-1.2, Math.min(1.2, (turned / Math.max(dt, 0.004)) * 0.35)) - this.swayX) * soft;
		this.swayY += (Math.max(-1.2, Math.min(1.2, ((pitch - this.pitch) / Math.max(dt, 0.004)) * 0.35)) - this.swayY) * soft;
		this.pitch = pitch;
		this.yaw = yaw;
		const moving = calm ? 0 : Math.min(1, speed / 300), k = this.recoil * this.recoil;
		place(this.at[0] - k * 7, this.at[1] + Math.cos(this.steps) * 0.9 * moving - this.swayX, this.at[2] - Math.abs(Math.sin(this.steps)) * 0.9 * moving - this.swayY - this.raise * this.raise * 22, this.mesh.position);
		this.mesh.rotation.set(k * 0.16 - this.raise * 0.5, 0.02 + this.swayX * 0.02, Math.cos(this.steps) * 0.012 * moving);
		this.camera.aspect = aspect;
		this.camera.updateProjectionMatrix();
		renderer.autoClear = false;
		renderer.clearDepth();
		renderer.render(this.scene, this.camera);
		renderer.autoClear = true;
	}
}
