// The running scripts by file.
import { get } from "./api.js";
import { bytes, element, Table } from "./dom.js";

class InspectScripts extends HTMLElement {
	connectedCallback() {
		this.table = new Table("Scripts", [
			{ name: "File", of: (s) => s.path }, { name: "Mod", of: (s) => s.mod }, { name: "Classes", of: (s) => s.classes.join(", ") }, { name: "Size", number: true, of: (s) => bytes(s.bytes) },
		], (s) => s.path);
		this.told = element("p", { class: "told" });
		this.append(element("div", { class: "bar" }, this.told), element("div", { class: "scroll" }, this.table.table));
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
}
customElements.define("inspect-scripts", InspectScripts);
