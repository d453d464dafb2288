// The engine: the client in wasm (cmd/host/browser), its memory and its functions. Nothing here knows the network or the
// page. Bytes are copied in and out by one call each; views of the memory are made anew every time, since the memory moves
// when it grows.

// Parts of the engine's output. ORDER: the parts in cmd/host/browser/main.go.
const TEXT = 0, FLOATS = 1, EVENTS = 2, LEVEL = 3, POSITIONS = 4, NORMALS = 5, UVS = 6;

const decoder = new TextDecoder(), encoder = new TextEncoder();

async function compile(wasm) {
	const answer = await fetch(wasm);
	if (!answer.ok) throw new Error(`${wasm}: ${answer.status} ${answer.statusText}`);
	return WebAssembly.compileStreaming(answer);
}

export class Engine {
	// load compiles the wasm while it is downloaded, together with exec: the address of Go's wasm_exec.js, a
	// classic script that defines globalThis.Go. on has send(line, bytes), which returns whether the packet was
	// accepted (it must copy), close(line, why), and ended(why), called if the program ends, which is always an
	// error; and open(line, where), which requests a carrier: opened or broke answers. A line is 0 or 1; where is
	// a place as a host names it (place.js), "" for the page's host.
	static async load(wasm, exec, on) {
		const [module] = await Promise.all([compile(wasm), import(exec)]);
		const engine = new Engine();
		const go = new globalThis.Go();
		const bytes = (at, length) => new Uint8Array(engine.memory.buffer, at, length);
		go.importObject.tidelock = {
			send: (line, at, length) => (on.send(line, bytes(at >>> 0, length >>> 0)) ? 1 : 0),
			open: (line, at, length) => on.open(line, decoder.decode(bytes(at >>> 0, length >>> 0).slice())),
			close: (line, at, length) => on.close(line, decoder.decode(bytes(at >>> 0, length >>> 0).slice())),
		};
		const instance = await WebAssembly.instantiate(module, go.importObject);
		engine.functions = instance.exports;
		engine.memory = instance.exports.mem;
		go.run(instance).then(() => on.ended("the program ended"), (e) => on.ended(String(e)));
		return engine;
	}

	// write puts bytes where the next function reads them, and returns their length.
	write(bytes) {
		const at = this.functions.buffer(Math.max(1, bytes.length)) >>> 0;
		if (!at) throw new Error(`${bytes.length} bytes are too many for the engine`);
		new Uint8Array(this.memory.buffer, at, bytes.length).set(bytes);
		return bytes.length;
	}

	view(part) {
		const size = this.functions.size(part);
		return size ? new Uint8Array(this.memory.buffer, this.functions.at(part) >>> 0, size) : new Uint8Array(0);
	}

	json(part) {
		const view = this.view(part);
		return view.length ? JSON.parse(decoder.decode(view)) : null;
	}

	// start begins to join; it throws the configuration's error.
	start(config) {
		if (!this.functions.start(this.write(encoder.encode(JSON.stringify(config))))) throw new Error(decoder.decode(this.view(TEXT)));
	}

	// opened reports that a line's carrier is open; key: 32 bytes that the host must have, or none.
	opened(line, key) {
		if (!this.functions.opened(line, this.write(key))) throw new Error(decoder.decode(this.view(TEXT)));
	}

	// manifest reads the list of the match's files, and returns the number of batches; it throws the list's
	// error.
	manifest(bytes) {
		const n = this.functions.manifest(this.write(bytes));
		if (n < 0) throw new Error(decoder.decode(this.view(TEXT)));
		return n;
	}

	// has reports whether the files of a batch are present.
	has(batch) {
		return this.functions.has(batch) !== 0;
	}

	// batch stores files of the match; it throws their error.
	batch(which, bytes) {
		if (!this.functions.batch(which, this.write(bytes))) throw new Error(decoder.decode(this.view(TEXT)));
	}

	// prepare compiles received files for a moment, and returns whether work remains.
	prepare() {
		return this.functions.prepare() !== 0;
	}

	receive(line, packet) {
		this.functions.receive(line, this.write(packet));
	}

	broke(line, why) {
		this.functions.broke(line, this.write(encoder.encode(why)));
	}

	input(i) {
		const floats = Float32Array.from(i.actions); // little-endian, like WebAssembly's memory and all browsers
		this.functions.input(this.write(new Uint8Array(floats.buffer)), i.pitch, i.yaw, i.turn, i.set);
	}

	brain(on) {
		this.functions.brain(on ? 1 : 0);
	}

	say(text, team) {
		this.functions.say(this.write(encoder.encode(text)), team ? 1 : 0);
	}

	// obey runs a line of the console, and returns its answer and whether that is an error.
	obey(line) {
		const done = this.functions.obey(this.write(encoder.encode(line))) !== 0;
		return { text: decoder.decode(this.view(TEXT)), fault: !done };
	}

	// tick returns the number of the world, 0 before the first.
	tick(now, seconds) {
		return this.functions.tick(now, seconds);
	}

	leave() {
		this.functions.leave();
	}

	state() {
		this.functions.state();
		return this.json(TEXT);
	}

	numbers() {
		this.functions.numbers();
		return this.json(TEXT);
	}

	// events returns those of the last tick.
	events() {
		return this.json(EVENTS) ?? [];
	}

	// frame copies the last tick's floats into a buffer, a new one if that is too short, and returns it with
	// the number of floats.
	frame(buffer) {
		const floats = this.view(FLOATS);
		if (!buffer || buffer.byteLength < floats.length) buffer = new ArrayBuffer(Math.max(16384, 2 * floats.length));
		new Uint8Array(buffer).set(floats);
		return { buffer, floats: floats.length / 4 };
	}

	// levelNumber returns the number of the present level, 0 if there is none: another level has another
	// number.
	levelNumber() {
		return this.functions.level();
	}

	// level returns a copy of the level that levelNumber numbered, null if there is none.
	level() {
		const level = this.json(LEVEL);
		if (!level) return null;
		const floats = (part) => new Float32Array(this.view(part).slice().buffer);
		level.positions = floats(POSITIONS);
		level.normals = floats(NORMALS);
		level.uvs = floats(UVS);
		return level;
	}

	get size() {
		return this.memory.buffer.byteLength;
	}
}
