// All actors, and one of them with its variables and what each player has of it.
import { get } from "./api.js";
import { element, Table } from "./dom.js";

class InspectActors extends HTMLElement {
	connectedCallback() {
		this.filter = element("input", { type: "search", placeholder: "Class, name, owner or player", "aria-label": "Filter", oninput: () => this.list() });
		this.table = new Table("Actors", [
			{ name: "Actor", of: (a) => (a.player ? `${a.name} (${a.player})` : a.name) }, { name: "Class", of: (a) => a.class }, { name: "Owner", of: (a) => a.owner }, { name: "State", of: (a) => a.state },
			{ name: "X", number: true, of: (a) => a.at[0].toFixed(0) }, { name: "Y", number: true, of: (a) => a.at[1].toFixed(0) }, { name: "Z", number: true, of: (a) => a.at[2].toFixed(0) },
		], (a) => a.id, (a) => this.open(a.name));
		this.details = element("section", { class: "details", "aria-label": "Actor", "aria-live": "off" }, element("p", { class: "told" }, "Choose an actor to see its variables, and who has it and why."));
		this.append(element("div", { class: "list" }, element("div", { class: "bar" }, this.filter), element("div", { class: "scroll" }, this.table.table)), this.details);
		this.state = { actors: [] };
	}

	show(state) {
		this.state = state;
		if (this.hidden) return;
		this.list();
		if (this.name && !(this.asked > performance.now() - 500)) this.refresh();
	}

	list() {
		const want = this.filter.value.trim().toLowerCase();
		this.table.update(this.state.actors.filter((a) => !want || `${a.name} ${a.class} ${a.owner ?? ""} ${a.player ?? ""}`.toLowerCase().includes(want)));
	}

	// open shows an actor.
	open(name) {
		this.name = name;
		this.variables = undefined;
		this.refresh();
	}

	async refresh() {
		const name = this.name;
		this.asked = performance.now();
		try {
			const d = await get("actors/" + encodeURIComponent(name));
			if (name === this.name) this.detail(d);
		} catch (fault) {
			if (name === this.name) this.details.replaceChildren(element("h2", {}, name), element("p", { role: "alert" }, fault.message));
			this.variables = undefined;
		}
	}

	detail(d) {
		if (!this.variables) {
			this.variables = new Table("Variables", [
				{ name: "Variable", of: (v) => v.name }, { name: "Value", of: (v) => v.value }, { name: "Type", of: (v) => v.type }, { name: "Replicated by", of: (v) => v.rule ?? (v.replicated ? "yes" : "") },
			], (v) => v.name);
			this.has = new Table("Who has it", [
				{ name: "Player", of: (h) => this.state.connections.find((c) => c.id === h.connection)?.name ?? h.connection }, { name: "Rule", of: (h) => h.code }, { name: "Why", of: (h) => h.text },
			], (h) => h.connection);
			this.head = element("h2");
			this.lineage = element("p", { class: "told" });
			this.nobody = element("p", { class: "told" }, "Nobody is connected.");
			this.details.replaceChildren(this.head, this.lineage, element("h3", {}, "Who has it, and why"), this.nobody, this.has.table, element("h3", {}, "Variables"), this.variables.table);
		}
		this.head.textContent = d.name;
		this.lineage.textContent = `${d.classes.join(" < ")}${d.owner ? `, owned by ${d.owner}` : ""}${d.state ? `, in state ${d.state}` : ""}`;
		this.has.update(d.has ?? []);
		this.nobody.hidden = Boolean(d.has?.length);
		this.has.table.hidden = !d.has?.length;
		this.variables.update(d.variables);
		this.dataset.actor = d.name;
	}
}
customElements.define("inspect-actors", InspectActors);
