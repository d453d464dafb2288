// What lies over the picture as text: the player's state, lines of the match, and the table of scores.
// All of it is written as text, never as markup, since it comes from a server.

// shownLines is how many lines are on the screen at once; the oldest makes room.
const shownLines = 8;
// maxText bounds one text, in UTF-16 units: the page lays out no more of what a server sends.
const maxText = 300;
// maxRows bounds the table of scores.
const maxRows = 64;

const find = (id) => document.getElementById(id);

export function clean(text) {
	text = text === undefined || text === null ? "" : String(text);
	return text.length > maxText ? text.slice(0, maxText - 1) + "…" : text;
}

// put writes a text only if it changed, so that the browser does not lay out anew in every tick.
function put(element, text) {
	if (element.textContent !== text) element.textContent = text;
}

export class Hud {
	constructor() {
		this.root = find("hud");
		this.lines = find("lines");
		this.scores = find("scores");
		this.own = this.asked = ""; // hints of the page and of the match
	}

	show(on) {
		this.root.hidden = !on;
	}

	// reset empties what belongs to the match that ended.
	reset() {
		for (const id of ["match", "score", "health", "armor", "weapon", "ammo"]) put(find(id), "");
		this.asked = "";
		this.hint("");
		this.scores.tBodies[0].replaceChildren();
		this.scores.hidden = true;
	}

	// set takes an event "hud" (cmd/host/browser/session). Fields that are missing or null show nothing.
	set(event) {
		const number = (value) => (typeof value === "number" ? String(Math.round(value)) : clean(value));
		put(find("health"), number(event.health));
		find("health").classList.toggle("low", typeof event.health === "number" && event.health <= 25);
		put(find("armor"), event.armor ? number(event.armor) : "");
		put(find("ammo"), number(event.ammo));
		put(find("weapon"), clean(event.weapon));
		put(find("match"), clean(event.match));
		put(find("score"), number(event.score));
		this.asked = clean(event.hint);
		this.hint(this.own);
		if (Array.isArray(event.scores)) this.table(event.scores);
	}

	table(rows) {
		const body = this.scores.tBodies[0];
		rows = rows.slice(0, maxRows);
		while (body.rows.length > rows.length) body.deleteRow(-1);
		while (body.rows.length < rows.length) {
			const row = body.insertRow();
			row.insertCell();
			row.insertCell();
		}
		rows.forEach((row, i) => {
			body.rows[i].classList.toggle("own", Boolean(row.own));
			put(body.rows[i].cells[0], clean(row.name));
			put(body.rows[i].cells[1], clean(row.score));
		});
	}

	showScores(on) {
		this.scores.hidden = !on;
	}

	// hint shows what the page has to say at the middle; while that is nothing, what the match has to say.
	hint(text) {
		this.own = text;
		put(find("hint"), text || this.asked);
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
}
