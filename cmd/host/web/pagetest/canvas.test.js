// canvas.js: calls of a server are checked, and drawn where the anchors say, only when something changed.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { ICONS, Layer, read } from "../page/canvas.js";

// pen notes what is drawn.
function pen() {
	const calls = [];
	return new Proxy({ calls }, {
		get: (to, name) => (name === "calls" ? calls : name in to ? to[name] : (...args) => calls.push([name, ...args])),
		set: (to, name, value) => (to[name] = value, true),
	});
}
const element = (context) => ({ width: 0, height: 0, getContext: () => context });
const art = { hash: () => "", bytes: async () => null };

test("a call keeps within bounds whatever a server sends", () => {
	const [call] = read([["text", NaN, 1e9, "x".repeat(2000), "big", "javascript:1", "up", "nowhere"]]);
	assert.deepEqual({ ...call, text: call.text.length }, { kind: "text", x: 0, y: 16384, text: 512, size: 28, color: "#00000000", align: "left", anchor: "top-left" });
	assert.equal(read(Array(2000).fill(["rect", 0, 0, 1, 1, "#ffffff", "top"])).length, 512);
	for (const odd of [null, 7, "text", {}, [null], [["constructor"]], [["__proto__"]], [[]], ["rect"], [{}]]) assert.deepEqual(read(odd), []);
	assert.equal(read([["bar", 0, 0, 10, 10, 9, "#ffffff", "#000000", "top"]])[0].share, 1);
});

test("places count from their anchors, in a space of 1920 by 1080 whatever the window", () => {
	const context = pen(), layer = new Layer(element(context), art);
	layer.set([["rect", -100, -50, 100, 50, "#ff0000", "bottom-right"], ["rect", 0, 0, 192, 108, "#ff0000", "center"], ["bar", 0, 0, 100, 10, 0.25, "#ffffff", "#000000", "top-left"]]);
	layer.draw(960, 540, 1);
	const rects = () => context.calls.filter(([name]) => name === "fillRect").map(([, ...box]) => box);
	assert.deepEqual(rects(), [[910, 515, 50, 25], [480, 270, 96, 54], [0, 0, 50, 5], [0, 0, 12.5, 5]]);
	context.calls.length = 0;
	layer.draw(1920, 540, 1); // a wide window: the corner is where the window's is
	assert.deepEqual(rects()[0], [1870, 515, 50, 25]);
	context.calls.length = 0;
	layer.draw(960, 540, 2);
	assert.deepEqual(rects()[0], [1820, 1030, 100, 50]);
});

test("it is drawn again only when the calls or the window changed", () => {
	const layer = new Layer(element(pen()), art);
	layer.set([["line", 0, 0, 9, 9, 2, "#ffffff", "center"]]);
	for (let n = 0; n < 5; n++) layer.draw(800, 600, 1);
	assert.equal(layer.drawn, 1);
	layer.set([]);
	layer.draw(800, 600, 1);
	layer.draw(801, 600, 1);
	layer.draw(801, 600, 1);
	assert.equal(layer.drawn, 3);
});

test("text is drawn, with its alignment", () => {
	const context = pen(), layer = new Layer(element(context), art);
	layer.set([["text", 0, 0, "<b>hi</b>", 50, "#ffffff80", "right", "top"]]);
	layer.draw(1920, 1080, 1);
	assert.deepEqual(context.calls.at(-1), ["fillText", "<b>hi</b>", 960, 40]);
	assert.equal(context.textAlign, "right");
});

test("every icon of engine/canvas has a shape", () => {
	const source = readFileSync(new URL("../../../../engine/canvas/canvas.go", import.meta.url), "utf8");
	const names = /var Icons = [^{]*\{([^}]*)\}/.exec(source)[1].match(/\w+/g);
	assert.deepEqual(Object.keys(ICONS).sort(), names.sort());
});

test("an image is fetched once, and drawn when it has come", async () => {
	let asked = 0;
	globalThis.createImageBitmap = async () => ({ width: 4, height: 4 });
	const context = pen(), layer = new Layer(element(context), { hash: (name) => (name === "images/a.png" ? "h" : ""), bytes: async () => (asked++, new ArrayBuffer(4)) });
	layer.set([["image", 0, 0, 10, 10, "images/a.png", "#ffffff", "top-left"], ["image", 0, 0, 10, 10, "images/none.png", "#ffffff", "top-left"]]);
	layer.draw(1920, 1080, 1);
	assert.ok(!context.calls.some(([name]) => name === "drawImage"));
	await new Promise((done) => setTimeout(done, 5));
	layer.draw(1920, 1080, 1);
	layer.draw(1920, 1080, 1);
	assert.equal(context.calls.filter(([name]) => name === "drawImage").length, 1);
	assert.equal(asked, 1);
});
