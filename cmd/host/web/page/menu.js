// The menu that Esc opens: resume, leave, and the panels of settings, keys and the player's key. It is a modal
// dialog with tabs that screen readers recognise.

import { identity, replace } from "./identity.js";
import { keyOf, keyText } from "./store.js";
import { NOTES } from "./words.js";

const find = (id) => document.getElementById(id);

export class Menu {
	// on has resume(), console() and leave(), opened() and closed(), and controls(), which returns a promise of the keys
	// panel: few players open it in a match, so it is loaded when the menu is first opened.
	constructor(settings, on) {
		this.dialog = find("menu");
		this.settings = settings;
		this.controls = null;
		this.on = on;
		this.tabs = [...this.dialog.querySelectorAll("[role=tab]")];
		for (const tab of this.tabs) tab.addEventListener("click", () => this.select(tab));
		this.dialog.querySelector("[role=tablist]").addEventListener("keydown", (e) => this.arrow(e));
		find("resume").addEventListener("click", () => {
			this.close();
			on.resume();
		});
		find("openConsole").addEventListener("click", () => on.console());
		find("leave").addEventListener("click", () => on.leave());
		find("resetAll").addEventListener("click", () => this.controls?.resetAll());
		this.dialog.addEventListener("cancel", (e) => {
			if (this.controls?.cancel()) e.preventDefault();
		});
		this.dialog.addEventListener("close", () => {
			this.controls?.cancel();
			this.hideKey();
			on.closed();
		});
		find("exportKey").addEventListener("click", () => this.exportKey());
		find("importKey").addEventListener("click", () => this.importKey());
	}

	get isOpen() {
		return this.dialog.open;
	}

	// open shows the menu, in a match or on the join screen.
	open(playing) {
		if (this.dialog.open) return;
		find("menuTitle").textContent = playing ? "Menu" : "Settings";
		find("resume").textContent = playing ? "Resume" : "Close";
		find("leave").hidden = find("openConsole").hidden = !playing;
		this.settings.refresh();
		this.dialog.showModal();
		this.refresh();
		find("resume").focus();
		this.on.opened();
	}

	// refresh shows the present keys, if the menu is open.
	async refresh() {
		if (!this.dialog.open) return;
		try {
			this.loading ??= this.on.controls();
			this.controls = await this.loading;
			this.controls.refresh();
		} catch (e) {
			this.loading = null;
			this.note(`The keys cannot be shown: ${e.message}.`);
		}
	}

	close() {
		if (this.dialog.open) this.dialog.close();
	}

	// note shows a line below the panels.
	note(text) {
		find("menuNote").textContent = text;
	}

	select(tab) {
		this.controls?.cancel();
		for (const t of this.tabs) {
			const is = t === tab;
			t.setAttribute("aria-selected", String(is));
			t.tabIndex = is ? 0 : -1;
			find(t.getAttribute("aria-controls")).hidden = !is;
		}
		tab.focus();
	}

	arrow(e) {
		const step = { ArrowRight: 1, ArrowLeft: -1 }[e.code];
		if (!step) return;
		e.preventDefault();
		const at = this.tabs.findIndex((t) => t.getAttribute("aria-selected") === "true");
		this.select(this.tabs[(at + step + this.tabs.length) % this.tabs.length]);
	}

	async exportKey() {
		const { key, kept } = await identity(false), field = find("keyText");
		field.value = keyText(key);
		field.select();
		find("keyNote").textContent = kept ? NOTES.keySaved : `${NOTES.keySaved} ${NOTES.keyNotKept}`;
	}

	async importKey() {
		const key = keyOf(find("keyText").value);
		if (!key) {
			find("keyNote").textContent = NOTES.keyBad;
			find("keyText").focus();
			return;
		}
		try {
			await replace(key);
			find("keyNote").textContent = NOTES.keyTaken;
			find("keyText").value = "";
		} catch {
			find("keyNote").textContent = NOTES.keyNotKept;
		}
	}

	// hideKey removes the key from the screen: others may see it.
	hideKey() {
		find("keyText").value = "";
		find("keyNote").textContent = "";
	}
}
