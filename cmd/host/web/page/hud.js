// The page's own texts over the picture: lines that fade, and a hint in the middle. canvas.js draws the match's
// HUD; its messages are also announced here for screen readers. All of it is written as text, never as markup.

// shownLines is how many lines are shown at once; the oldest is removed first.
const shownLines = 8;
// maxText bounds one text of a server, in UTF-16 units.
const maxText = 300;

const find = (id) => document.getElementById(id);

export function clean(text) {
	text = text === undefined || text === null ? "" : String(text);
	return text.length > maxText ? text.slice(0, maxText - 1) + "…" : text;
}

export class Hud {
	constructor() {
		this.hintLine = find("hint");
		this.lines = find("lines");
		this.told = find("told");
	}

	// reset removes the texts of the ended match.
	reset() {
		this.hint("");
		this.told.replaceChildren();
	}

	// hint shows the page's text in the middle, "" for none.
	hint(text) {
		if (this.hintLine.textContent !== text) this.hintLine.textContent = text;
	}

	// say adds a line at the bottom left, which fades.
	say(text, fault) {
		const line = document.createElement("p");
		line.textContent = clean(text);
		line.classList.toggle("fault", Boolean(fault));
		line.addEventListener("animationend", () => line.remove(), { once: true });
		this.lines.append(line);
		while (this.lines.children.length > shownLines) this.lines.firstElementChild.remove();
	}

	// hear announces a message of the match for screen readers.
	hear(text, from) {
		const line = document.createElement("p");
		line.textContent = from ? `${clean(from)}: ${clean(text)}` : clean(text);
		this.told.append(line);
		while (this.told.children.length > shownLines) this.told.firstElementChild.remove();
	}
}
