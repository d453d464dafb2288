// Sounds (W3.5): synthesized from the layers that content/sounds/*.toml declare, placed in space, and
// attenuated with distance as docs/sound.md describes. Nothing is audible before the first click or key, as
// browsers require.

import { number, text } from "./bounds.js";

// maxVoices bounds the concurrent sounds, maxDefined the known sounds, maxLayers the layers of one.
const maxVoices = 32, maxDefined = 512, maxLayers = 16;
// longest is the longest synthesized sound, in seconds.
const longest = 8;
const waves = {
	__proto__: null,
	sine: (p) => Math.sin(2 * Math.PI * p),
	square: (p) => (p % 1 < 0.5 ? 1 : -1),
	saw: (p) => 2 * (p % 1) - 1,
	triangle: (p) => 4 * Math.abs((p % 1) - 0.5) - 1,
};

const range = (v, least, most, other) => (Array.isArray(v) && v.length ? [number(v[0], least, most, other), number(v[v.length - 1], least, most, other)] : [other, other]);

// envelope returns the volume of a layer at a time, from 0 to 1; it is released at `end`.
function envelope(l, t, end) {
	const { attack, decay, sustain, release } = l;
	const held = t < attack ? t / attack : sustain + (1 - sustain) * Math.exp(-4 * (t - attack) / Math.max(0.001, decay));
	if (t <= end) return held;
	return held * Math.max(0, 1 - (t - end) / Math.max(0.001, release));
}

// synthesize computes the samples of a sound, from -1 to 1, at a rate in Hz. The same sound gives the same
// samples.
export function synthesize(data, rate) {
	const synth = data.synth ?? {}, duration = number(synth.duration, 0.01, longest, 0.3);
	const out = new Float32Array(Math.ceil(duration * rate));
	let seed = 0x2545f491;
	for (const d of (Array.isArray(data.layer) ? data.layer : []).slice(0, maxLayers)) {
		if (d === null || typeof d !== "object") continue;
		const l = {
			wave: d.wave, frequency: range(d.frequency, 1, 20000, 440), attack: number(d.attack, 0, longest, 0), decay: number(d.decay, 0, longest, 0.1), sustain: number(d.sustain, 0, 1, 0),
			release: number(d.release, 0, longest, 0), volume: number(d.volume, 0, 4, 1), filter: d.filter, cutoff: range(d.cutoff, 10, 20000, 20000), q: number(d.q, 0.1, 30, 0.7),
			delay: number(d.delay, 0, longest, 0), vibrato: number(d.vibrato, 0, 100, 0), depth: number(d.depth, 0, 5000, 0),
		};
		const first = Math.floor(l.delay * rate), span = Math.max(0.01, duration - l.delay), wave = waves[l.wave];
		let phase = 0, low = 0, band = 0;
		for (let i = first; i < out.length; i++) {
			const t = (i - first) / rate, part = Math.min(1, t / span);
			let s;
			if (wave) {
				const f = l.frequency[0] * (l.frequency[1] / l.frequency[0]) ** part + (l.vibrato ? l.depth * Math.sin(2 * Math.PI * l.vibrato * t) : 0);
				phase += Math.max(0, f) / rate;
				s = wave(phase);
			} else {
				seed = (Math.imul(seed, 1664525) + 1013904223) | 0;
				s = seed / 0x80000000;
			}
			if (l.filter === "lowpass" || l.filter === "highpass" || l.filter === "bandpass") {
				// A state variable filter (Chamberlin, 1985).
				const f = 2 * Math.sin(Math.PI * Math.min(0.16, (l.cutoff[0] * (l.cutoff[1] / l.cutoff[0]) ** part) / rate));
				low += f * band;
				const high = s - low - band / l.q;
				band += f * high;
				s = l.filter === "lowpass" ? low : l.filter === "highpass" ? high : band;
			}
			out[i] += s * envelope(l, t, span - l.release) * l.volume;
		}
	}
	// The end fades out, so that it does not click, and peaks are compressed.
	const volume = number(synth.volume, 0, 4, 1) * 0.55, tail = Math.min(out.length, Math.floor(0.006 * rate));
	for (let i = 0; i < out.length; i++) out[i] = Math.tanh(out[i] * volume) * Math.min(1, (out.length - i) / tail);
	return out;
}

// Audio plays sounds. art provides recordings.
export class Audio {
	constructor(art) {
		this.art = art;
		this.defined = new Map(); // by name
		this.buffers = new Map();
		this.context = null;
		this.master = null;
		this.volume = 0.8;
		this.voices = 0;
		this.played = 0;
		this.caption = null; // called with the text of a sound
	}

	define(name, data) {
		this.buffers.delete(name);
		if (data === null || typeof data !== "object") this.defined.delete(name);
		else if (this.defined.size < maxDefined || this.defined.has(name)) this.defined.set(name, data);
	}

	// forget discards the data of a recording that has changed.
	forget(file) {
		for (const [name, data] of this.defined) if (data.file === file) this.buffers.delete(name);
	}

	// made returns the samples of a sound file; null while its recording is being fetched, or if it has neither
	// that nor layers. If the recording cannot be fetched or decoded, the layers are used.
	made(name, data) {
		const file = text(data.file);
		const have = this.buffers.get(name);
		if (have !== undefined) return have;
		const layers = () => {
			if (!Array.isArray(data.layer) || !data.layer.length) return null;
			const samples = synthesize(data, 24000), buffer = this.context.createBuffer(1, samples.length, 24000);
			buffer.copyToChannel(samples, 0);
			return buffer;
		};
		if (!file || !this.art?.hash(file)) {
			const buffer = layers();
			this.buffers.set(name, buffer);
			return buffer;
		}
		this.buffers.set(name, null);
		this.art.bytes(file).then((bytes) => (bytes ? this.context.decodeAudioData(bytes.slice(0)) : null)).catch((e) => {
			this.art.failed(`${file} cannot be heard: ${e.message}.`);
			return null;
		}).then((buffer) => {
			if (this.defined.get(name) === data) this.buffers.set(name, buffer && buffer.duration <= longest * 8 ? buffer : layers());
		});
		return null;
	}

	// unlock enables the sound; it is called by a click or a key.
	unlock() {
		if (this.context) {
			if (this.context.state === "suspended") this.context.resume().catch(() => {});
			return;
		}
		if (typeof AudioContext !== "function") return;
		try {
			this.context = new AudioContext({ latencyHint: "interactive" });
		} catch {
			return; // no audio device
		}
		this.master = this.context.createGain();
		this.master.gain.value = this.volume;
		const soft = this.context.createDynamicsCompressor();
		this.master.connect(soft);
		soft.connect(this.context.destination);
	}

	setVolume(volume) {
		this.volume = number(volume, 0, 1, 0.8);
		if (this.master) this.master.gain.value = this.volume;
	}

	// listen sets the position of the player's ears: three.js's axes.
	listen(at, quaternion, forward, up) {
		if (!this.context) return;
		const l = this.context.listener;
		forward.set(0, 0, -1).applyQuaternion(quaternion);
		up.set(0, 1, 0).applyQuaternion(quaternion);
		if (l.positionX) {
			for (const [name, v] of [["position", at], ["forward", forward], ["up", up]]) {
				for (const axis of ["X", "Y", "Z"]) l[name + axis].value = v[axis.toLowerCase()];
			}
		} else {
			l.setPosition(at.x, at.y, at.z);
			l.setOrientation(forward.x, forward.y, forward.z, up.x, up.y, up.z);
		}
	}

	// play plays a sound at a location; near is one of the player's own, without a location.
	play(name, at, near) {
		const data = this.defined.get(name);
		if (!data) return false;
		this.played++;
		if (this.caption && text(data.caption)) this.caption(text(data.caption));
		const c = this.context;
		if (!c || c.state !== "running" || this.voices >= maxVoices) return true;
		const buffer = this.made(name, data);
		if (!buffer) return true;
		const source = c.createBufferSource(), gain = c.createGain();
		source.buffer = buffer;
		source.playbackRate.value = number(data.pitch, 0.1, 4, 1);
		gain.gain.value = number(data.volume, 0, 4, 1) * (near ? 0.7 : 1);
		source.connect(gain);
		let last = gain;
		if (!near) {
			const panner = c.createPanner(), radius = number(data.radius, 1, 100000, 2000);
			panner.panningModel = "equalpower";
			panner.distanceModel = "linear";
			panner.refDistance = Math.min(120, radius / 4);
			panner.maxDistance = radius;
			panner.positionX.value = at.x;
			panner.positionY.value = at.y;
			panner.positionZ.value = at.z;
			gain.connect(panner);
			last = panner;
		}
		last.connect(this.master);
		this.voices++;
		source.onended = () => {
			this.voices--;
			last.disconnect();
			gain.disconnect();
		};
		source.start();
		return true;
	}
}
