// The HUD: what the match's script draws over the picture (W4.1, docs/hud.md), on a 2D canvas of its own. A frame is a list of
// calls, as engine/canvas writes them, in a space of 1920 by 1080 with anchors. It is drawn again only where the calls or the
// window changed. Nothing here depends on three.js; what a server sends is checked, and text is only ever drawn.

import { number, text } from "./bounds.js";

// width and height are the coordinate space of calls.
const width = 1920, height = 1080;
// maxCalls bounds a frame, limit positions and lengths, maxText a text, maxImages the cached pictures.
const maxCalls = 512, limit = 16384, maxText = 512, maxImages = 64;
// maxRatio bounds the canvas's pixels for each of the page's.
const maxRatio = 2;
// em is the size of letters as a share of a line's height, base the height of their baseline.
const em = 0.78, base = 0.8;
const family = "system-ui, sans-serif";

const anchors = ["top-left", "top", "top-right", "left", "center", "right", "bottom-left", "bottom", "bottom-right"];
const aligns = ["left", "center", "right"];

// Shapes of the icons, 24 by 24; areas inside of two shapes are left out.
export const ICONS = {
	__proto__: null,
	ammo: "M3 21V10l2.5-6L8 10v11zM9.5 21V10L12 4l2.5 6v11zM16 21V10l2.5-6L21 10v11z",
	armor: "M12 2l9 3v7c0 5-4 8-9 10-5-2-9-5-9-10V5z",
	arrow: "M3 10h10V4l8 8-8 8v-6H3z",
	check: "M3 13l3-3 4 4 9-10 3 3-12 13z",
	clock: "M12 2a10 10 0 1 1 0 20 10 10 0 0 1 0-20zM12 4.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15zM11 7h2v4.5l3.5 2-1 1.8L11 12.7z",
	cross: "M5 2l7 7 7-7 3 3-7 7 7 7-3 3-7-7-7 7-3-3 7-7-7-7z",
	dot: "M12 6a6 6 0 1 1 0 12 6 6 0 0 1 0-12z",
	flag: "M4 2h2.5v20H4zM8 3h13l-3.5 4.5L21 12H8z",
	health: "M9 3h6v6h6v6h-6v6H9v-6H3V9h6z",
	lock: "M6 10V8a6 6 0 0 1 12 0v2h2v12H4V10zM9 10h6V8a3 3 0 0 0-6 0z",
	message: "M2 4h20v13H11l-5 5v-5H2z",
	ring: "M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM12 5.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13z",
	shield: "M12 2l9 3v7c0 5-4 8-9 10-5-2-9-5-9-10V5zM12 4.8L5.5 7v5c0 3.4 2.7 5.6 6.5 7.3 3.8-1.7 6.5-3.9 6.5-7.3V7z",
	skull: "M12 2c5 0 9 3.4 9 8.2 0 2.8-1.4 4.9-3.2 6.1V21h-2.6v-2.6h-1.9V21h-2.6v-2.6H8.8V21H6.2v-4.7C4.4 15.1 3 13 3 10.2 3 5.4 7 2 12 2zM8.4 8.4a2.3 2.3 0 1 0 0 4.6 2.3 2.3 0 0 0 0-4.6zM15.6 8.4a2.3 2.3 0 1 0 0 4.6 2.3 2.3 0 0 0 0-4.6z",
	star: "M12 1.5l3.2 7 7.5.9-5.5 5.2 1.4 7.5L12 18.4l-6.6 3.7 1.4-7.5L1.3 9.4l7.5-.9z",
	team: "M8 4a3.6 3.6 0 1 1 0 7.2A3.6 3.6 0 0 1 8 4zM1 20.5C1 15.5 4 13 8 13s7 2.5 7 7.5zM16.5 4.5a3.2 3.2 0 0 1 0 6.4zM16.6 13c4 .2 6.4 2.6 6.4 7.5h-6c0-3-.5-5.5-.4-7.5z",
	warning: "M12 2l11 20H1zM10.8 9v6.5h2.4V9zM10.8 17.5V20h2.4v-2.5z",
};

const place = (v) => number(v, -limit, limit, 0);
const length = (v) => number(v, 0, limit, 0);
const one = (list, v) => (list.includes(v) ? v : list[0]);
// color returns a color of a call; an invalid one is invisible.
const color = (v) => (typeof v === "string" && /^#([0-9a-f]{6}|[0-9a-f]{8})$/i.test(v) ? v : "#00000000");
const words = (v) => (typeof v === "string" ? v.slice(0, maxText) : "");

// readers convert calls to drawing data. The order of a call's parts is that of engine/canvas.
const readers = {
	__proto__: null,
	text: ([, x, y, said, size, ink, align, anchor]) => ({ x: place(x), y: place(y), text: words(said), size: number(size, 1, 400, 28), color: color(ink), align: one(aligns, align), anchor }),
	bar: ([, x, y, w, h, share, ink, back, anchor]) => ({ x: place(x), y: place(y), w: length(w), h: length(h), share: number(share, 0, 1, 0), color: color(ink), back: color(back), anchor }),
	rect: ([, x, y, w, h, ink, anchor]) => ({ x: place(x), y: place(y), w: length(w), h: length(h), color: color(ink), anchor }),
	line: ([, x, y, w, h, wide, ink, anchor]) => ({ x: place(x), y: place(y), x2: place(w), y2: place(h), wide: length(wide), color: color(ink), anchor }),
	image: ([, x, y, w, h, name, ink, anchor]) => ({ x: place(x), y: place(y), w: length(w), h: length(h), name: text(name), color: color(ink), anchor }),
	icon: ([, x, y, size, name, ink, anchor]) => ({ x: place(x), y: place(y), size: length(size), name: text(name), color: color(ink), anchor }),
};

// read converts calls to drawing data; invalid ones are dropped.
export function read(calls) {
	const out = [];
	for (const call of Array.isArray(calls) ? calls.slice(0, maxCalls) : []) {
		const reader = Array.isArray(call) ? readers[call[0]] : null;
		if (!reader) continue;
		const made = reader(call);
		made.anchor = one(anchors, made.anchor);
		made.kind = call[0];
		out.push(made);
	}
	return out;
}

// Layer is the canvas. art has the images; a 2D context is asked for once.
export class Layer {
	constructor(element, art) {
		this.element = element;
		this.art = art;
		this.context = element.getContext("2d");
		this.list = [];
		this.calls = []; // as they were told, for tests
		this.stale = true;
		this.drawn = 0; // how often it was drawn
		this.shapes = new Map(); // icons by name
		this.images = new Map(); // by hash and color: a picture, or null while it comes
	}

	set(calls) {
		this.calls = calls;
		this.list = read(calls);
		this.stale = true;
	}

	// draw draws if something changed. wide and high are the window's size, ratio the screen's pixels per pixel
	// of the page.
	draw(wide, high, ratio) {
		ratio = Math.min(maxRatio, ratio || 1);
		const w = Math.max(1, Math.round(wide * ratio)), h = Math.max(1, Math.round(high * ratio));
		if (this.element.width !== w || this.element.height !== h) {
			this.element.width = w;
			this.element.height = h;
			this.stale = true;
		}
		if (!this.stale || !this.context) return;
		this.stale = false;
		this.drawn++;
		const c = this.context;
		c.clearRect(0, 0, w, h);
		const scale = Math.min(w / width, h / height);
		for (const call of this.list) {
			const at = anchors.indexOf(call.anchor);
			this[call.kind](c, call, ((at % 3) * w) / 2 + call.x * scale, (Math.floor(at / 3) * h) / 2 + call.y * scale, scale);
		}
	}

	text(c, call, x, y, scale) {
		const size = call.size * scale;
		c.font = `600 ${(size * em).toFixed(2)}px ${family}`;
		c.textAlign = call.align;
		c.lineJoin = "round";
		c.lineWidth = Math.max(1.5, size * 0.09);
		c.strokeStyle = "#05090d";
		c.globalAlpha = 0.6 * opacity(call.color);
		c.strokeText(call.text, x, y + size * base);
		c.globalAlpha = 1;
		c.fillStyle = call.color;
		c.fillText(call.text, x, y + size * base);
	}

	bar(c, call, x, y, scale) {
		c.fillStyle = call.back;
		c.fillRect(x, y, call.w * scale, call.h * scale);
		c.fillStyle = call.color;
		c.fillRect(x, y, call.w * call.share * scale, call.h * scale);
	}

	rect(c, call, x, y, scale) {
		c.fillStyle = call.color;
		c.fillRect(x, y, call.w * scale, call.h * scale);
	}

	line(c, call, x, y, scale) {
		c.strokeStyle = call.color;
		c.lineWidth = call.wide * scale;
		c.beginPath();
		c.moveTo(x, y);
		c.lineTo(x + (call.x2 - call.x) * scale, y + (call.y2 - call.y) * scale);
		c.stroke();
	}

	icon(c, call, x, y, scale) {
		let shape = this.shapes.get(call.name);
		if (!shape) {
			if (!ICONS[call.name]) return;
			shape = new Path2D(ICONS[call.name]);
			this.shapes.set(call.name, shape);
		}
		const size = (call.size * scale) / 24;
		c.save();
		c.translate(x, y);
		c.scale(size, size);
		c.lineWidth = 2;
		c.strokeStyle = "#05090d";
		c.globalAlpha = 0.5 * opacity(call.color);
		c.stroke(shape);
		c.globalAlpha = 1;
		c.fillStyle = call.color;
		c.fill(shape, "evenodd");
		c.restore();
	}

	image(c, call, x, y, scale) {
		const picture = this.picture(call.name, call.color.slice(0, 7).toLowerCase());
		if (!picture) return;
		c.globalAlpha = opacity(call.color);
		c.drawImage(picture, x, y, call.w * scale, call.h * scale);
		c.globalAlpha = 1;
	}

	// picture returns an image in a color, null while it is loading and if there is none.
	picture(name, ink) {
		const hash = this.art.hash(name), key = `${hash} ${ink}`;
		if (!hash) return null;
		if (this.images.has(key)) return this.images.get(key);
		if (this.images.size >= maxImages) this.images.delete(this.images.keys().next().value);
		this.images.set(key, null);
		this.load(name, ink).then((made) => {
			if (!made || !this.images.has(key)) return;
			this.images.set(key, made);
			this.stale = true;
		}, () => {}); // a broken file is not shown; its author gets a message elsewhere
		return null;
	}

	async load(name, ink) {
		const bytes = await this.art.bytes(name);
		if (!bytes) return null;
		const bitmap = await createImageBitmap(new Blob([bytes]));
		if (ink === "#ffffff") return bitmap;
		const made = new OffscreenCanvas(bitmap.width, bitmap.height), c = made.getContext("2d");
		c.drawImage(bitmap, 0, 0);
		c.globalCompositeOperation = "multiply";
		c.fillStyle = ink;
		c.fillRect(0, 0, made.width, made.height);
		c.globalCompositeOperation = "destination-in";
		c.drawImage(bitmap, 0, 0);
		return made;
	}
}

// opacity is that of a color of a call, from 0 to 1.
const opacity = (ink) => (ink.length === 9 ? parseInt(ink.slice(7), 16) / 255 : 1);
