// What the page itself has to say over the picture: lines that fade, and a hint at the middle. What the match shows its player
// draws canvas.js; its messages are told here to those who listen to the page. All of it is written as text, never as markup.

// shownLines is how many lines are there at once; the oldest makes room.
const shownLines = 8;
// maxText bounds one text, in UTF-16 units: the page lays out no more of what a server sends.
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

	// reset empties what belongs to the match that ended.
	reset() {
		this.hint("");
		this.told.replaceChildren();
	}

	// hint shows what the page has to say at the middle, "" for nothing.
	hint(text) {
		if (this.hintLine.textContent !== text) this.hintLine.textContent = text;
	}

	// say adds a line at the bottom left; it fades by itself.
	say(text, fault) {
		const line = document.createElement("p");
		line.textContent = clean(text);
		line.classList.toggle("fault", Boolean(fault));
		line.addEventListener("animationend", () => line.remove(), { once: true });
		this.lines.append(line);
		while (this.lines.children.length > shownLines) this.lines.firstElementChild.remove();
	}

	// hear tells a message of the match to those who do not see the picture.
	hear(text, from) {
		const line = document.createElement("p");
		line.textContent = from ? `${clean(from)}: ${clean(text)}` : clean(text);
		this.told.append(line);
		while (this.told.children.length > shownLines) this.told.firstElementChild.remove();
	}
}
