// A flame graph: boxes whose width is their time, each below its caller. It is a tree for keyboards and screen readers:
// arrows move, Enter zooms, Escape zooms out.
import { colorOf, element, isDark } from "./dom.js";

const rowHeight = 21;
// Narrower boxes than this part of the width are left out.
const narrowest = 0.0015;

class FlameGraph extends HTMLElement {
	connectedCallback() {
		this.setAttribute("role", "tree");
		this.boxes = new Map(); // by path; boxes are kept, so that focus survives an update
		this.zoomed = "";
		this.found = "";
		this.addEventListener("keydown", (e) => this.keyed(e));
		this.addEventListener("click", (e) => this.chosen(e.target.closest("[role=treeitem]")));
		this.addEventListener("focusin", (e) => this.announce(e.target.closest("[role=treeitem]")));
		this.addEventListener("pointerover", (e) => this.announce(e.target.closest("[role=treeitem]")));
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
	}

	// show draws a tree of { name, key, total, text, children }; key is unique among its siblings, text is for people.
	show(root) {
		this.root = root;
		this.paths(root, "");
		if (!this.at(this.zoomed)) this.zoomed = "";
		this.draw();
	}

	// search marks boxes by a part of their name.
	search(text) {
		this.found = text.trim().toLowerCase();
		this.draw();
	}

	paths(node, path) {
		node.path = path;
		for (const c of node.children) {
			c.parent = node;
			this.paths(c, `${path}/${c.key}`);
		}
	}

	at(path) {
		let node = this.root;
		for (const key of path.split("/").slice(1)) node = node?.children.find((c) => c.key === key);
		return node;
	}

	draw() {
		if (!this.root) return;
		const top = this.at(this.zoomed), drawn = new Set(), dark = isDark();
		let deepest = 0;
		const place = (node, depth, from, share) => {
			deepest = Math.max(deepest, depth);
			drawn.add(node.path);
			let box = this.boxes.get(node.path);
			if (!box) {
				box = element("div", { role: "treeitem", tabindex: "-1" }, element("span"));
				this.boxes.set(node.path, box);
				this.append(box);
			}
			box.node = node;
			if (box.firstChild.textContent !== node.name) box.firstChild.textContent = node.name;
			box.setAttribute("aria-label", `${node.name}, ${node.text}`);
			box.setAttribute("aria-level", depth + 1);
			box.setAttribute("aria-expanded", node.children.length ? "true" : "false");
			box.classList.toggle("found", this.found !== "" && node.name.toLowerCase().includes(this.found));
			Object.assign(box.style, { left: `${100 * from}%`, width: `${100 * share}%`, top: `${depth * rowHeight}px`, background: node === this.root ? "" : colorOf(node.color ?? node.name, !dark) });
		};
		const path = [];
		for (let n = top.parent; n; n = n.parent) path.unshift(n);
		path.forEach((n, depth) => place(n, depth, 0, 1)); // what leads to the zoomed one, at full width
		const below = (node, depth, from, share) => {
			place(node, depth, from, share);
			let at = from;
			for (const c of node.children) {
				const part = node.total > 0 ? (share * c.total) / node.total : 0;
				if (part >= narrowest) below(c, depth + 1, at, part);
				at += part;
			}
		};
		below(top, path.length, 0, 1);
		for (const [p, box] of this.boxes) {
			if (drawn.has(p)) continue;
			if (box === document.activeElement) this.boxes.get(this.zoomed)?.focus({ preventScroll: true });
			box.remove();
			this.boxes.delete(p);
		}
		this.style.height = `${(deepest + 1) * rowHeight}px`;
		this.classList.toggle("searching", this.found !== "");
		if (!this.querySelector('[tabindex="0"]')) this.boxes.get(this.zoomed).tabIndex = 0;
	}

	zoom(path) {
		this.zoomed = path;
		this.draw();
		this.focusOn(this.boxes.get(path));
	}

	focusOn(box) {
		if (!box) return;
		for (const b of this.querySelectorAll('[tabindex="0"]')) b.tabIndex = -1;
		box.tabIndex = 0;
		box.focus({ preventScroll: true });
		box.scrollIntoView({ block: "nearest" });
	}

	chosen(box) {
		if (!box) return;
		this.zoom(box.node.path);
		this.announce(box);
	}

	announce(box) {
		if (box) this.dispatchEvent(new CustomEvent("tell", { detail: box.node }));
	}

	keyed(e) {
		const box = e.target.closest("[role=treeitem]");
		if (!box) return;
		const { node } = box, siblings = (node.parent?.children ?? [node]).filter((c) => this.boxes.has(c.path)), i = siblings.indexOf(node);
		const to = { ArrowRight: siblings[i + 1], ArrowLeft: siblings[i - 1], ArrowUp: node.parent, ArrowDown: node.children.filter((c) => this.boxes.has(c.path)).sort((a, b) => b.total - a.total)[0], Home: this.root };
		if (e.key in to) {
			if (to[e.key]) this.focusOn(this.boxes.get(to[e.key].path));
		} else if (e.key === "Enter" || e.key === " ") this.zoom(node.path);
		else if (e.key === "Escape" || e.key === "Backspace") this.zoom(this.at(this.zoomed).parent?.path ?? "");
		else return;
		e.preventDefault();
	}
}
customElements.define("flame-graph", FlameGraph);
