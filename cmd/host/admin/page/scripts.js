// The running scripts by file, and an editor for one.
import { get, post } from "./api.js";
import { bytes, element, Table } from "./dom.js";

class InspectScripts extends HTMLElement {
	connectedCallback() {
		this.table = new Table("Scripts", [
			{ name: "File", of: (s) => s.path }, { name: "Mod", of: (s) => s.mod }, { name: "Classes", of: (s) => s.classes.join(", ") }, { name: "Size", number: true, of: (s) => bytes(s.bytes) },
		], (s) => s.path, (s) => this.open(s.path));
		this.told = element("p", { class: "told" });
		this.named = element("h2", {});
		this.saved = element("button", { type: "button", class: "main", onclick: () => this.save() }, "Save");
		this.said = element("pre", { class: "said", role: "status" });
		this.host = element("div", { class: "code" });
		this.editing = element("section", { class: "editing", hidden: true, "aria-label": "Editor" },
			element("div", { class: "bar" }, this.named, this.saved, element("button", { type: "button", onclick: () => this.close() }, "Close")), this.said, this.host);
		this.append(element("div", { class: "bar" }, this.told), element("div", { class: "scroll" }, this.table.table), this.editing);
		this.root = this.host.attachShadow({ mode: "open" });
	}

	async show(state) {
		if (this.hidden || this.asked > performance.now() - 2000) return;
		this.asked = performance.now();
		try {
			const list = await get("scripts");
			this.table.update(list);
			const q = state.host.quarantined;
			this.told.textContent = `${list.length} files, ${state.host.classes} classes` + (q.length ? `; quarantined: ${q.join(", ")}` : "; nothing is quarantined");
			this.dataset.files = list.length;
		} catch {
			// the status line says that the host has gone
		}
	}

	// open edits a file; line, counted from 1, is shown.
	async open(path, line) {
		if (this.changed() && !confirm(`${this.file.path} has changes that are not saved. Drop them?`)) return;
		try {
			// The editor is large, and not everybody opens a file.
			const [{ edit }, file] = await Promise.all([import("./vendor/codemirror.js"), get(`source?path=${encodeURIComponent(path)}`)]);
			this.editor?.close();
			this.file = file;
			this.named.textContent = path;
			this.saved.disabled = Boolean(file.fixed);
			this.say(file.fixed ?? "");
			this.editing.hidden = false;
			this.dataset.open = path;
			this.editor = edit(this.root, { text: file.text, writable: !file.fixed, label: path, save: () => this.save() });
			if (line) this.editor.go(line);
			this.editor.focus();
		} catch (fault) {
			this.editing.hidden = false;
			this.say(fault.message, true);
		}
	}

	changed() {
		return Boolean(this.editor && this.editor.text() !== this.file.text);
	}

	say(text, bad = false) {
		this.said.textContent = text;
		this.said.classList.toggle("bad", bad);
	}

	async save() {
		if (!this.editor || this.file.fixed || this.busy) return;
		const text = this.editor.text();
		this.busy = true;
		try {
			const { answer } = await post("save", { path: this.file.path, sum: this.file.sum, text });
			this.file = await get(`source?path=${encodeURIComponent(this.file.path)}`);
			this.say(`Saved. ${answer.join("\n")}`);
		} catch (fault) {
			this.say(fault.message, true);
			// The first line of the text that is wrong, as the host tells it: scripts/Kite.lua:5:7: error: …
			const at = fault.message.startsWith(`${this.file.path}:`) ? Number(fault.message.slice(this.file.path.length + 1).split(":")[0]) : 0;
			if (at) this.editor.go(at);
			if (fault.status === 401 || fault.status === 403) this.dispatchEvent(new CustomEvent("needsrole", { bubbles: true }));
		} finally {
			this.busy = false;
		}
	}

	close() {
		if (this.changed() && !confirm(`${this.file.path} has changes that are not saved. Drop them?`)) return;
		this.editor?.close();
		this.editor = this.file = undefined;
		this.editing.hidden = true;
		delete this.dataset.open;
	}
}
customElements.define("inspect-scripts", InspectScripts);
