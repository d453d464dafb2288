// The console: a key opens a line at the top, Enter runs it, and the answers stand above it. "eval LUA" runs in the player's own copy
// of the match, other lines are commands of the host; the engine decides (join.Player.Obey). While it is open no key plays.

// maxTyped bounds a line, maxAnswer a line of an answer, in UTF-16 units; maxAnswers is how many lines are shown, maxHistory how many
// typed ones the arrow keys bring back.
const maxTyped = 1000, maxAnswer = 2000, maxAnswers = 60, maxHistory = 50;

// Console is the form. on has run(text), and closed(), which is called whenever it has closed.
export class Console {
	constructor(form, on) {
		this.form = form;
		this.on = on;
		this.history = [];
		this.at = 0; // in history; its length for the new line
		[this.field] = form.getElementsByTagName("input");
		this.log = form.querySelector("[role=log]");
		this.field.maxLength = maxTyped;
		form.addEventListener("submit", (e) => {
			e.preventDefault();
			this.run(this.field.value.trim());
		});
		form.addEventListener("keydown", (e) => this.key(e));
		form.addEventListener("keyup", (e) => e.stopPropagation());
		form.addEventListener("focusout", (e) => form.contains(e.relatedTarget) || this.close());
		form.querySelector("button").addEventListener("click", () => this.close());
	}

	get isOpen() {
		return !this.form.hidden;
	}

	open() {
		this.form.hidden = false;
		this.field.value = "";
		this.at = this.history.length;
		this.field.focus({ preventScroll: true });
	}

	close() {
		if (this.form.hidden) return;
		this.form.hidden = true;
		this.on.closed();
	}

	key(e) {
		e.stopPropagation(); // not a key of the match
		if (e.isComposing) return;
		if (e.key === "Escape" || e.code === "Backquote") this.close(); // no line of Lua has that character
		else if (e.target !== this.field || (e.key !== "ArrowUp" && e.key !== "ArrowDown")) return;
		else this.recall(e.key === "ArrowUp" ? -1 : 1);
		e.preventDefault();
	}

	// recall shows an earlier or a later line of those that were typed.
	recall(by) {
		this.at = Math.max(0, Math.min(this.history.length, this.at + by));
		this.field.value = this.history[this.at] ?? "";
	}

	run(text) {
		if (!text) return;
		if (this.history.at(-1) !== text) this.history.push(text);
		if (this.history.length > maxHistory) this.history.shift();
		this.at = this.history.length;
		this.field.value = "";
		this.print(text, "typed");
		this.on.run(text);
	}

	// print adds a line; kind is "typed", "fault", or "" for an answer.
	print(text, kind) {
		const line = document.createElement("p");
		text = String(text ?? "");
		line.textContent = text.length > maxAnswer ? text.slice(0, maxAnswer - 1) + "…" : text;
		if (kind) line.className = kind;
		this.log.append(line);
		while (this.log.children.length > maxAnswers) this.log.firstElementChild.remove();
		this.log.scrollTop = this.log.scrollHeight;
	}
}
