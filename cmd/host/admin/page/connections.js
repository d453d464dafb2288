// The players' connections.
import { bytes, element, Table } from "./dom.js";

class InspectConnections extends HTMLElement {
	connectedCallback() {
		this.before = new Map();
		this.table = new Table("Connections", [
			{ name: "Player", of: (c) => c.name }, { name: "No.", number: true, of: (c) => c.id }, { name: "Address", of: (c) => c.address },
			{ name: "Ping", number: true, of: (c) => `${c.ping.toFixed(0)} ms` },
			{ name: "Loss in", number: true, of: (c) => `${(100 * c.lossIn).toFixed(1)} %` }, { name: "Loss out", number: true, of: (c) => `${(100 * c.lossOut).toFixed(1)} %` },
			{ name: "Simulated", of: (c) => [c.lag && `${c.lag.toFixed(0)} ms`, c.loss && `${(100 * c.loss).toFixed(0)} % lost`].filter(Boolean).join(", ") },
			{ name: "Out", number: true, of: (c) => this.rate(c, "bytesOut") }, { name: "In", number: true, of: (c) => this.rate(c, "bytesIn") },
			{ name: "Budget", number: true, of: (c) => `${bytes(c.budget)}/s${c.saturated ? ", full" : ""}` },
			{ name: "Actors", number: true, of: (c) => c.channels }, { name: "Pawn", of: (c) => c.pawn }, { name: "Key", of: (c) => c.key },
		], (c) => c.id, (c) => this.dispatchEvent(new CustomEvent("lookas", { detail: c.id, bubbles: true })));
		this.nobody = element("p", { class: "told" }, "Nobody is connected. The host's banner says how to join.");
		this.hint = element("p", { class: "told" }, "Choose a player to see the world as their client has it.");
		this.append(this.nobody, this.hint, element("div", { class: "scroll" }, this.table.table));
	}

	// rate is a smoothed number of bytes a second.
	rate(c, what) {
		const now = performance.now(), key = c.id + what, b = this.before.get(key);
		if (!b) {
			this.before.set(key, { at: now, n: c[what], rate: 0 });
			return "";
		}
		if (now - b.at > 900) Object.assign(b, { rate: ((c[what] - b.n) / (now - b.at)) * 1000, at: now, n: c[what] });
		return `${bytes(b.rate)}/s`;
	}

	show(state) {
		if (this.hidden) return;
		this.nobody.hidden = state.connections.length > 0;
		this.table.table.hidden = this.hint.hidden = !this.nobody.hidden;
		this.table.update(state.connections);
		this.dataset.connections = state.connections.length;
	}
}
customElements.define("inspect-connections", InspectConnections);
