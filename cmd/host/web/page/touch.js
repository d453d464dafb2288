// A touch screen: a stick at the left, buttons at the right; a finger anywhere else turns the view.

// reach is how far the thumb may move from the stick's centre, in parts of the stick's half width.
const reach = 0.75;
// perPixel is how far a finger turns the view at sensitivity 1, in radians per CSS pixel.
const perPixel = Math.PI / 180 / 3.2;
// maxButtons bounds the buttons that are shown.
const maxButtons = 10;

export class Touch {
	// root holds the stick and the buttons, view is the area for looking around. on has press(index, down),
	// stick(x, y) from -1 to 1, right and forwards, look(yaw, pitch) in radians, and menu().
	constructor(root, view, on) {
		this.root = root;
		this.on = on;
		this.shown = false;
		this.finger = 0; // the finger that looks around, its pointerId plus 1
		this.buttons = root.querySelector("#touchButtons");
		this.pad = root.querySelector("#touchStick");
		this.thumb = root.querySelector("#touchThumb");
		root.querySelector("#touchMenu").addEventListener("click", () => on.menu());
		this.pad.addEventListener("pointerdown", (e) => this.hold(e));
		this.pad.addEventListener("pointermove", (e) => this.move(e));
		for (const name of ["pointerup", "pointercancel"]) this.pad.addEventListener(name, () => this.letGo());
		view.addEventListener("pointerdown", (e) => {
			if (e.pointerType !== "touch") return;
			this.finger ||= e.pointerId + 1;
			this.last = [e.clientX, e.clientY];
		});
		// Without this, browsers make a click of a tap, which would ask for the mouse.
		view.addEventListener("touchstart", (e) => e.preventDefault(), { passive: false });
		view.addEventListener("pointermove", (e) => {
			if (this.finger !== e.pointerId + 1) return;
			on.look((e.clientX - this.last[0]) * perPixel, -(e.clientY - this.last[1]) * perPixel);
			this.last = [e.clientX, e.clientY];
		});
		for (const name of ["pointerup", "pointercancel"]) {
			view.addEventListener(name, (e) => {
				if (this.finger === e.pointerId + 1) this.finger = 0;
			});
		}
	}

	// show sets whether the player plays: only then the stick and the buttons are shown.
	show(on) {
		this.shown = on;
		this.root.hidden = !this.shown;
		document.body.classList.toggle("touched", this.shown); // the lines of the match make room
		if (!on) this.letGo();
	}

	// set creates the buttons of actions with a touch button.
	set(actions) {
		const list = [];
		actions.forEach((a, index) => a.touch === "button" && a.name && list.length < maxButtons && list.push([a, index]));
		this.buttons.replaceChildren(...list.map(([a, index]) => {
			const button = document.createElement("button");
			button.type = "button";
			button.textContent = a.label;
			button.addEventListener("pointerdown", (e) => {
				e.preventDefault();
				button.setPointerCapture?.(e.pointerId);
				button.classList.add("down");
				this.on.press(index, true);
			});
			for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) {
				button.addEventListener(name, () => {
					button.classList.remove("down");
					this.on.press(index, false);
				});
			}
			return button;
		}));
	}

	hold(e) {
		e.preventDefault();
		this.pad.setPointerCapture?.(e.pointerId);
		this.held = e.pointerId;
		this.move(e);
	}

	move(e) {
		if (this.held !== e.pointerId) return;
		const box = this.pad.getBoundingClientRect(), half = box.width / 2 || 1;
		let x = (e.clientX - box.left - half) / (half * reach), y = (e.clientY - box.top - half) / (half * reach);
		const length = Math.hypot(x, y);
		if (length > 1) [x, y] = [x / length, y / length];
		this.thumb.style.transform = `translate(${x * half * reach}px, ${y * half * reach}px)`;
		this.on.stick(x, -y);
	}

	letGo() {
		this.held = null;
		this.thumb.style.transform = "";
		this.on.stick(0, 0);
	}
}
