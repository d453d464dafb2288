// Texts above actors: each is drawn once onto a picture, and shown as a sprite. Their number is bounded, and so
// is the number of cached pictures.

import { CanvasTexture, Sprite, SpriteMaterial } from "./vendor/three.js";

const most = 48, kept = 96, high = 48, longest = 24;

export class Labels {
	constructor(scene) {
		this.scene = scene;
		this.pictures = new Map(); // by text
		this.sprites = [];
		this.used = 0;
	}

	begin() {
		for (let i = 0; i < this.used; i++) this.sprites[i].visible = false;
		this.used = 0;
	}

	picture(text) {
		let p = this.pictures.get(text);
		if (p) return p;
		if (this.pictures.size >= kept) {
			for (const [name, old] of this.pictures) {
				if (this.sprites.some((s) => s.visible && s.material.map === old.texture)) continue;
				old.texture.dispose();
				this.pictures.delete(name);
				break;
			}
		}
		const canvas = document.createElement("canvas"), c = canvas.getContext("2d"), font = `600 ${high * 0.6}px system-ui, sans-serif`;
		c.font = font;
		canvas.width = Math.ceil(c.measureText(text).width) + 16;
		canvas.height = high;
		c.font = font;
		c.textBaseline = "middle";
		c.lineJoin = "round";
		c.lineWidth = 7;
		c.strokeStyle = "rgba(8, 14, 20, 0.85)";
		c.strokeText(text, 8, high / 2);
		c.fillStyle = "#f6f1e4";
		c.fillText(text, 8, high / 2);
		p = { texture: new CanvasTexture(canvas), share: canvas.width / canvas.height };
		this.pictures.set(text, p);
		return p;
	}

	// add shows a text at the given height above a location.
	add(text, at, above) {
		if (this.used >= most) return;
		const p = this.picture(text.length > longest ? text.slice(0, longest - 1) + "…" : text);
		let s = this.sprites[this.used];
		if (!s) {
			s = new Sprite(new SpriteMaterial({ transparent: true, depthWrite: false }));
			s.renderOrder = 3;
			this.sprites.push(s);
			this.scene.add(s);
		}
		this.used++;
		if (s.material.map !== p.texture) {
			s.material.map = p.texture;
			s.material.needsUpdate = true;
		}
		s.visible = true;
		s.position.set(at.x, at.y + above, at.z);
		s.scale.set(12 * p.share, 12, 1);
	}
}
