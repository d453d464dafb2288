// The console: a line with completion and history, and what was answered.
import { exec, get } from "./api.js";
import { element } from "./dom.js";

const KEPT = "tidelock.inspector.history", MOST_LINES = 500, MOST_HISTORY = 100;

class InspectConsole extends HTMLElement {
	connectedCallback() {
		this.out = element("div", { class: "output", role: "log", "aria-label": "Answers", tabindex: "0" });
		this.options = element("ul", { class: "options", role: "listbox", id: "completions", hidden: true });
		this.line = element("input", {
			type: "text", spellcheck: "false", autocomplete: "off", autocapitalize: "off", maxlength: "4096", placeholder: "A command; help lists all, Tab completes", "aria-label": "Command",
			role: "combobox", "aria-controls": "completions", "aria-expanded": "false", onkeydown: (e) => this.keyed(e), oninput: () => this.offer([]),
		});
		this.append(this.out, this.options, element("form", { class: "prompt", onsubmit: (e) => (e.preventDefault(), this.run()) }, element("span", { "aria-hidden": "true" }, ">"), this.line, element("button", { type: "submit", class: "main" }, "Run")));
		this.history = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
		this.at = this.history.length;
	}

	show() {}

	focusLine() {
		this.line.focus();
	}

	print(text, kind) {
		const low = this.out.scrollTop + this.out.clientHeight > this.out.scrollHeight - 20;
		this.out.append(element("pre", { class: kind }, text));
		while (this.out.childElementCount > MOST_LINES) this.out.firstElementChild.remove();
		if (low) this.out.scrollTop = this.out.scrollHeight;
	}

	async run() {
		const line = this.line.value.trim();
		if (!line) return;
		this.line.value = "";
		this.offer([]);
		if (this.history.at(-1) !== line) this.history = [...this.history, line].slice(-MOST_HISTORY);
		this.at = this.history.length;
		localStorage.setItem(KEPT, JSON.stringify(this.history));
		this.print("> " + line, "typed");
		try {
			const lines = await exec(line);
			this.print(lines.length ? lines.join("\n") : "done", lines.length ? "answer" : "done");
		} catch (fault) {
			this.print(fault.message, "fault");
			if (fault.status === 401) this.dispatchEvent(new CustomEvent("needsrole", { bubbles: true }));
		}
	}

	offer(list, at = -1) {
		this.offered = list;
		this.chosen = at;
		this.options.hidden = list.length === 0;
		this.line.setAttribute("aria-expanded", String(list.length > 0));
		this.options.replaceChildren(...list.slice(0, 12).map((text, i) => element("li", { role: "option", "aria-selected": String(i === at), onclick: () => (this.take(text), this.line.focus()) }, text)));
	}

	take(text) {
		this.line.value = text + " ";
		this.offer([]);
	}

	async complete() {
		const typed = this.line.value;
		let list;
		try {
			list = await get("complete?line=" + encodeURIComponent(typed));
		} catch {
			return;
		}
		if (typed !== this.line.value || !list.length) return;
		if (list.length === 1) return this.take(list[0]);
		let common = list[0];
		for (const text of list) while (!text.startsWith(common)) common = common.slice(0, -1);
		if (common.length > typed.length) this.line.value = common;
		this.offer(list);
	}

	keyed(e) {
		const offered = this.offered?.length ? this.offered : undefined;
		const step = (by) => this.offer(offered, (this.chosen + by + Math.min(12, offered.length)) % Math.min(12, offered.length));
		const recall = (by) => {
			this.at = Math.max(0, Math.min(this.history.length, this.at + by));
			this.line.value = this.history[this.at] ?? "";
		};
		if (e.key === "Tab" && !e.shiftKey && this.line.value.trim()) this.complete();
		else if (e.key === "ArrowDown") offered ? step(1) : recall(1);
		else if (e.key === "ArrowUp") offered ? step(-1) : recall(-1);
		else if (e.key === "Escape" && offered) this.offer([]);
		else if (e.key === "Enter" && offered && this.chosen >= 0) this.take(offered[this.chosen]);
		else return;
		e.preventDefault();
	}
}
customElements.define("inspect-console", InspectConsole);
