// The script errors of the match, on the server and on clients.
import { get } from "./api.js";
import { element, Table } from "./dom.js";

const ago = (seconds) => (seconds < 90 ? `${Math.max(0, Math.round(seconds))} s ago` : seconds < 5400 ? `${Math.round(seconds / 60)} min ago` : `${(seconds / 3600).toFixed(1)} h ago`);

function who(e) {
	const names = [...(e.actor ? [e.actor] : []), ...(e.names ?? [])], others = (e.players ?? 0) - (e.names?.length ?? 0);
	if (others > 0) names.push(`${others} other ${others === 1 ? "player" : "players"}`);
	return names.join(", ");
}

class InspectErrors extends HTMLElement {
	connectedCallback() {
		this.query = element("input", { type: "search", "aria-label": "Search errors", placeholder: "Search", oninput: () => this.list() });
		this.told = element("p", { class: "told", role: "status" });
		this.table = new Table("Script errors", [
			{ name: "Last", of: (e) => ago(this.time - e.last) }, { name: "Times", number: true, of: (e) => e.count }, { name: "Where", of: (e) => (e.file ? `${e.file}:${e.line}` : "") },
			{ name: "Function", of: (e) => (e.function ? `${e.class}:${e.function}` : e.class) }, { name: "What", of: (e) => e.message }, { name: "On", of: (e) => (e.kind === "error" ? e.side : `${e.side}, ${e.kind}`) }, { name: "Who", of: who },
		], (e) => `${e.side} ${e.kind} ${e.class}:${e.function} ${e.file}:${e.line} ${e.message} ${(e.names ?? []).join()}`, (e) => this.open(e));
		this.details = element("p", { class: "place", "aria-live": "polite" });
		this.edit = element("button", { type: "button", hidden: true, onclick: () => this.dispatchEvent(new CustomEvent("openfile", { detail: this.at, bubbles: true })) }, "Open the file");
		this.append(element("div", { class: "bar" }, this.query, this.told), element("div", { class: "scroll" }, this.table.table), this.details, this.edit);
	}

	async show() {
		if (this.hidden || this.asked > performance.now() - 1000) return;
		this.asked = performance.now();
		try {
			const { time, errors, dropped } = await get("errors");
			Object.assign(this, { time, errors });
			const n = errors.filter((e) => e.kind === "error").length;
			this.told.textContent = (errors.length ? `${n} ${n === 1 ? "error" : "errors"}, ${errors.length - n} ${errors.length - n === 1 ? "warning" : "warnings"}` : "No script has failed in this match") + (dropped ? `; ${dropped} reports of clients were dropped` : "");
			this.dataset.errors = errors.length;
			this.list();
		} catch {
			// the status line says that the host has gone
		}
	}

	list() {
		const text = this.query.value.trim().toLowerCase();
		this.table.update((this.errors ?? []).filter((e) => `${e.class}:${e.function} ${e.file}:${e.line} ${e.message} ${who(e)} ${e.side} ${e.kind}`.toLowerCase().includes(text)));
	}

	open(e) {
		this.at = { path: e.file, line: e.line };
		this.edit.hidden = !e.file;
		this.details.textContent = `${e.message} (${e.file ? `${e.file}:${e.line}, ` : ""}${e.class}${e.function ? `:${e.function}` : ""}; ${e.count} ${e.count === 1 ? "time" : "times"}, first ${ago(this.time - e.first)}, last ${ago(this.time - e.last)}; ${who(e)})`;
	}
}
customElements.define("inspect-errors", InspectErrors);
