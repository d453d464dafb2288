// Captions of sounds, for players who enable them: texts from the files of content/sounds (W3.5).

// lines is how many are shown at once, stays how long each is shown, in ms.
const lines = 3, stays = 2500;

export class Captions {
	constructor(root) {
		this.root = root;
		this.on = false;
		this.said = new Map(); // text → when it disappears
		this.timer = 0;
	}

	set(on) {
		this.on = on;
		if (!on) this.clear();
	}

	say(text) {
		if (!this.on) return;
		this.said.delete(text);
		this.said.set(text, performance.now() + stays);
		while (this.said.size > lines) this.said.delete(this.said.keys().next().value);
		this.show();
	}

	clear() {
		this.said.clear();
		this.show();
	}

	show() {
		clearTimeout(this.timer);
		const now = performance.now();
		for (const [text, until] of this.said) if (until <= now) this.said.delete(text);
		const words = [...this.said.keys()].map((text) => `[${text}]`).join("\n");
		if (this.root.textContent !== words) this.root.textContent = words;
		this.root.hidden = !words;
		if (this.said.size) this.timer = setTimeout(() => this.show(), 250);
	}
}
