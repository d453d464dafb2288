// What ran: the versions of the scripts that undo and redo go through, with their differences, and every attempt to reload with its result.
import { exec, get } from "./api.js";
import { element, Table } from "./dom.js";

class InspectReloads extends HTMLElement {
	connectedCallback() {
		const button = (name, line, help) => element("button", { type: "button", title: help, onclick: () => this.run(line()) }, name);
		this.undo = button("Undo", () => "undo", "Run the scripts as they were before the last change");
		this.redo = button("Redo", () => "redo", "Bring back what was undone");
		this.go = button("Run this version", () => this.step(), "Undo or redo until the chosen version runs; files stay as they are");
		this.write = button("Write what runs to files", () => "revert --write", "Write the scripts that run into their files; each replaced text is kept beside its file");
		this.told = element("p", { class: "told", role: "status" });
		this.fault = element("p", { role: "alert" });
		this.versions = new Table("Versions", [
			{ name: "No.", number: true, of: (v) => v.number }, { name: "", of: (v) => (v.runs ? "runs" : "") }, { name: "What made it", of: (v) => v.why },
			{ name: "Lines", of: (v) => (v.files.length ? `+${v.files.reduce((n, f) => n + f.added, 0)} −${v.files.reduce((n, f) => n + f.removed, 0)}` : "") },
		], (v) => v.number, (v) => this.choose(v));
		this.attempts = new Table("Attempts", [
			{ name: "Time", of: (a) => new Date(a.time * 1000).toTimeString().slice(0, 8) }, { name: "Result", of: (a) => (a.failed ? "failed" : `version ${a.version}`) }, { name: "What", of: (a) => a.what },
			{ name: "Changes", of: (a) => a.changes }, { name: "Actors", number: true, of: (a) => a.actors }, { name: "Stood", number: true, of: (a) => `${(a.seconds * 1000).toFixed(1)} ms` },
		], (a) => a.key, (a) => this.say(a));
		this.details = element("section", { class: "details", "aria-label": "Difference" }, element("p", { class: "told" }, "Choose a version to see how it differs from the one before, or an attempt to see what was said."));
		this.append(
			element("div", { class: "list" }, element("div", { class: "bar" }, this.undo, this.redo, this.go, this.write), this.told, this.fault,
				element("div", { class: "scroll" }, this.versions.table), element("div", { class: "scroll" }, this.attempts.table)),
			this.details,
		);
	}

	show(state) {
		if (this.hidden) return;
		const notes = state.notes.join();
		if (notes === this.noted && this.asked > performance.now() - 1000) return;
		this.noted = notes;
		this.load();
	}

	async load() {
		this.asked = performance.now();
		let r;
		try {
			r = await get("reloads");
		} catch {
			return; // the status line says that the host has gone
		}
		this.report = r;
		this.versions.update(r.versions.toReversed());
		this.attempts.update(r.attempts.map((a, i) => ({ ...a, key: `${a.time} ${i}` })).toReversed());
		const at = r.versions.findIndex((v) => v.runs), number = (n, what) => `${n} ${n === 1 ? "change" : "changes"} can be ${what}`;
		this.told.textContent = `${number(Math.max(0, at), "undone")}, ${number(r.versions.length - 1 - at, "redone")}; ${r.differences.length ? `what runs is not in ${r.differences.join(", ")}` : "what runs is what the files say"}`;
		this.undo.disabled = at <= 0;
		this.redo.disabled = at === r.versions.length - 1;
		this.write.disabled = !r.differences.length;
		this.go.disabled = !this.step();
		this.dataset.runs = r.versions[at]?.number ?? "";
		const chosen = r.versions.find((v) => v.number === this.chosen);
		if (this.chosen && !chosen) this.details.replaceChildren(element("p", { class: "told" }, "This version is gone."));
		if (!chosen) this.chosen = undefined;
	}

	// step is the command after which the chosen version runs, "" for none.
	step() {
		const list = this.report?.versions ?? [], by = list.findIndex((v) => v.number === this.chosen) - list.findIndex((v) => v.runs);
		if (!this.chosen || !by) return "";
		return by < 0 ? `undo ${-by}` : `redo ${by}`;
	}

	choose(v) {
		this.chosen = v.number;
		this.go.disabled = !this.step();
		this.dataset.chosen = v.number;
		this.details.replaceChildren(element("h2", {}, `Version ${v.number}`), element("p", { class: "told" }, v.why), ...v.files.flatMap((f) => [element("h3", {}, f.path), this.diff(f)]));
		if (!v.files.length) this.details.append(element("p", {}, v.number === 1 ? "What the host began with." : "No text differs from the version before."));
	}

	diff(f) {
		const kind = { "+": "added", "-": "removed", "@": "head" };
		return element("pre", { class: "diff", tabindex: "0", "aria-label": `${f.path}: ${f.added} lines added, ${f.removed} removed` }, ...f.lines.map((l) => element("span", { class: kind[l[0]] }, l + "\n")));
	}

	say(a) {
		this.chosen = undefined;
		this.go.disabled = true;
		this.details.replaceChildren(element("h2", {}, a.failed ? "Failed" : `Version ${a.version} ran`), element("p", { class: "told" }, a.what), element("p", {}, a.changes), ...a.lines.map((l) => element("p", { class: a.failed ? "bad" : undefined }, l)));
	}

	async run(line) {
		this.fault.textContent = "";
		if (!line) return;
		try {
			await exec(line);
		} catch (fault) {
			this.fault.textContent = fault.message;
			if (fault.status === 401) this.dispatchEvent(new CustomEvent("needsrole", { bubbles: true }));
		}
		this.load();
	}
}
customElements.define("inspect-reloads", InspectReloads);
