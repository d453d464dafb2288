// The chat line: a key opens it, Enter sends the text, Esc discards it. While it is open no key plays.

// maxLine bounds the typed text, in UTF-16 units; the match cuts longer ones.
const maxLine = 200;

// Chat is the form. on has say(text, team), and closed(), which is called whenever it has closed.
export class Chat {
	constructor(form, on) {
		this.form = form;
		this.on = on;
		this.team = false;
		[this.label] = form.getElementsByTagName("label");
		[this.field] = form.getElementsByTagName("input");
		this.field.maxLength = maxLine;
		form.addEventListener("submit", (e) => {
			e.preventDefault();
			const text = this.field.value.trim();
			if (text) this.on.say(text, this.team);
			this.close();
		});
		this.field.addEventListener("keydown", (e) => {
			e.stopPropagation(); // not a key of the match
			if (e.key !== "Escape" || e.isComposing) return;
			e.preventDefault();
			this.close();
		});
		this.field.addEventListener("keyup", (e) => e.stopPropagation());
		this.field.addEventListener("blur", () => this.close());
	}

	get isOpen() {
		return !this.form.hidden;
	}

	open(team) {
		this.team = team;
		this.label.textContent = team ? "To your team" : "To all";
		this.form.classList.toggle("team", team);
		this.field.value = "";
		this.form.hidden = false;
		this.field.focus({ preventScroll: true });
	}

	close() {
		if (this.form.hidden) return;
		this.form.hidden = true;
		this.on.closed();
	}
}
