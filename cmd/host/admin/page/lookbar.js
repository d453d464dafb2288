// The bar above the map and the 3D view: whose world is shown, and which overlays; and the list of a player's copies.
import { element, Table } from "./dom.js";
import { look, overlays } from "./look.js";

class InspectLook extends HTMLElement {
	connectedCallback() {
		this.who = element("select", { "aria-label": "Whose world", onchange: () => look.as(Number(this.who.value)) }, element("option", { value: "0" }, "The server"));
		this.boxes = new Map();
		for (const [name, o] of Object.entries(overlays)) {
			const box = element("input", { type: "checkbox", "data-overlay": name, onchange: () => look.set(name, box.checked) });
			this.boxes.set(name, box);
		}
		this.append(
			element("label", {}, "As seen by", this.who),
			element("fieldset", { "aria-label": "Overlays" }, ...[...this.boxes].map(([name, box]) => element("label", { title: overlays[name].help }, box, overlays[name].title))),
		);
		look.addEventListener("change", () => this.update());
		this.update();
	}

	update() {
		for (const [name, box] of this.boxes) {
			box.checked = look.chosen(name);
			box.disabled = Boolean(overlays[name].connection) && !look.connection;
		}
		this.who.value = String(look.connection);
	}

	show(state) {
		const names = JSON.stringify(state.connections.map((c) => [c.id, c.name]));
		if (names === this.names) return;
		this.names = names;
		this.who.replaceChildren(element("option", { value: "0" }, "The server"), ...state.connections.map((c) => element("option", { value: c.id }, c.name || `No. ${c.id}`)));
		this.who.value = String(look.connection);
	}
}
customElements.define("inspect-look", InspectLook);

const seconds = (n) => `${n < 10 ? n.toFixed(2) : n.toFixed(0)} s`;

// states are the states of copies in words.
const states = { waiting: "waits for its channel", open: "open", dormant: "dormant", away: "kept, not relevant", left: "left to the client" };

class InspectCopies extends HTMLElement {
	connectedCallback() {
		this.told = element("p", { class: "told" });
		this.table = new Table("Copies", [
			{ name: "Actor", of: (c) => c.name }, { name: "Error", number: true, of: (c) => (c.at ? `${c.error.toFixed(1)} uu` : "") },
			{ name: "Age", number: true, of: (c) => (c.at && c.age ? seconds(c.age) : "") }, { name: "Sent", number: true, of: (c) => (c.sent < 0 ? "" : `${seconds(c.sent)} ago`) },
			{ name: "State", of: (c) => states[c.state] + (c.throttled ? `, throttled ${seconds(c.throttled)}` : c.arrived ? "" : ", on its way") }, { name: "Role", of: (c) => c.role.replace("ROLE_", "") },
		], (c) => c.id, (c) => this.dispatchEvent(new CustomEvent("pick", { detail: c.name, bubbles: true })));
		this.append(this.told, element("div", { class: "scroll" }, this.table.table));
	}

	show(state) {
		this.hidden = !look.connection;
		if (this.hidden) return;
		const list = [...look.copies.values()], placed = list.filter((c) => c.at);
		const error = placed.reduce((s, c) => s + c.error, 0) / (placed.length || 1), most = placed.reduce((m, c) => Math.max(m, c.error), 0);
		const count = (f) => list.filter(f).length;
		this.told.textContent = `${state.connections.find((c) => c.id === look.connection)?.name ?? ""} has ${list.length} of ${state.actors.length} actors: ${count((c) => c.state === "open")} open, ${count((c) => c.state === "dormant")} dormant, ${count((c) => c.throttled > 0 || c.state === "waiting")} waiting; error ${error.toFixed(1)} uu on average, at most ${most.toFixed(1)} uu`;
		const pawns = new Set(state.actors.filter((a) => a.pawn).map((a) => a.id));
		this.table.update([...list.filter((c) => pawns.has(c.id)), ...list.filter((c) => !pawns.has(c.id))]);
		this.dataset.connection = look.connection;
		this.dataset.copies = list.length;
	}
}
customElements.define("inspect-copies", InspectCopies);
