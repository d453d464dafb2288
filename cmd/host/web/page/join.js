// The join screen (W4.4): name, password or token, Join and Watch; the host's status; and, after a failure, the
// reason and what to do about it (words.js).

import { text } from "./bounds.js";
import { Lobby } from "./lobby.js";
import { wrongName } from "./store.js";
import { explain } from "./words.js";

const find = (id) => document.getElementById(id);

// asking is how often the host is queried while the screen is shown, in ms; the ping is the minimum of samples
// answers.
const asking = 4000, samples = 3;
// brief is for how many seconds a build is not shown unless it compiles something.
const brief = 2;

export class JoinScreen {
	// on has start(as, {name, password, token}), with as being "play" or "watch", options(), which shows
	// the settings, and leave(host), which goes to another host.
	constructor(on) {
		this.root = find("join");
		this.on = on;
		this.pings = [];
		this.timer = 0;
		this.lobby = new Lobby({ here: () => this.start("play"), leave: (host) => on.leave(host), say: (line) => this.status(line) });
		find("enter").addEventListener("submit", (e) => {
			e.preventDefault();
			if (!this.lobby.shown) this.start("play");
			else if (this.valid()) this.lobby.play();
		});
		find("here").addEventListener("click", () => this.start("play"));
		find("watch").addEventListener("click", () => this.start("watch"));
		find("options").addEventListener("click", () => on.options());
	}

	get name() {
		return find("name").value.trim();
	}

	set name(value) {
		find("name").value = value;
	}

	// valid checks the name, and shows what is wrong with it.
	valid() {
		const wrong = wrongName(this.name);
		this.wrongName(wrong);
		if (wrong) find("name").focus();
		return !wrong;
	}

	// start joins, if the fields are valid.
	start(as) {
		if (!this.valid()) return;
		this.fault("");
		this.on.start(as, { name: this.name, password: find("password").value, token: find("token").value.trim() });
	}

	wrongName(wrong) {
		find("nameFault").hidden = !wrong;
		find("nameFault").textContent = wrong;
	}

	// show shows or hides the screen.
	show(on) {
		this.root.hidden = !on;
		clearTimeout(this.timer);
		if (on) this.ask();
	}

	// status sets the line below the buttons; busy marks it as in progress.
	status(line, busy) {
		find("line").textContent = line;
		find("line").classList.toggle("busy", Boolean(busy));
	}

	// client shows how far the host is with building the client, or why it has none. begun of packages are compiled or being compiled; of is
	// 0 in other steps. A build of nothing new is over before anybody could read that.
	client(state, line, begun, of, seconds) {
		const box = find("build"), [what, bar, detail] = box.children, failed = state === "failed";
		box.hidden = state === "ready" || !failed && of === 0 && seconds < brief;
		if (box.hidden) return;
		box.classList.toggle("failed", failed);
		const title = failed ? "This host has no browser client" : "The host builds the browser client";
		if (what.textContent !== title) what.textContent = title;
		detail.textContent = failed ? line : `${line}, ${Math.round(seconds)} s`;
		bar.hidden = failed;
		if (of > 0) {
			bar.max = of;
			bar.value = begun;
		} else bar.removeAttribute("value");
	}

	// busy sets whether the player is joining; the settings stay available.
	busy(on) {
		for (const id of ["play", "here", "watch", "name", "password", "token"]) find(id).disabled = on;
		find("lobby").inert = on;
	}

	// fault shows why the connection ended, "" for nothing, and focuses the right field.
	fault(line) {
		const box = find("fault"), [title, what, advice] = box.children;
		box.hidden = !line;
		if (!line) return;
		find("build").hidden = true; // if it failed, the fault says why
		const why = explain(line);
		title.textContent = why.title;
		what.textContent = why.text;
		advice.textContent = why.advice;
		if (why.field) {
			find("secret").open = true;
			find(why.field).value = "";
		}
		this.wanted = why.field;
	}

	// focus moves the keyboard focus to the field that was wrong, the name if it is empty, or Join.
	focus() {
		find(this.wanted || (this.name ? "play" : "name")).focus();
		this.wanted = "";
	}

	// ask shows the match, and how fast the host answers: by HTTP, so a match's own ping is slightly lower.
	async ask() {
		clearTimeout(this.timer);
		if (this.root.hidden) return;
		if (!document.hidden) {
			const began = performance.now();
			let line = "", told = "";
			try {
				const answer = await fetch("/join.json", { cache: "no-store" });
				if (!answer.ok) throw new Error(String(answer.status));
				const host = await answer.json();
				this.pings.push(performance.now() - began);
				if (this.pings.length > samples) this.pings.shift();
				line = [text(host.title), text(host.level), `answers in ${Math.round(Math.min(...this.pings))} ms`].filter(Boolean).join(" · ");
				told = text(host.text, 1000);
			} catch {
				this.pings = [];
				line = "The host does not answer now.";
			}
			if (find("server").textContent !== line) find("server").textContent = line;
			if (find("joinText").textContent !== told) find("joinText").textContent = told;
			find("joinText").hidden = !told;
			if (this.pings.length) await this.lobby.ask();
		}
		clearTimeout(this.timer);
		if (!this.root.hidden) this.timer = setTimeout(() => this.ask(), this.pings.length < samples ? 400 : asking);
	}
}
