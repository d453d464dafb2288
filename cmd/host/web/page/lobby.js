// The list of hosts on the join screen (C5): name, level, game, players and ping of each, a filter by label, and Play,
// which chooses a host. It is shown while /hosts.json lists more hosts than this one.

import { number, text } from "./bounds.js";
import { fragment } from "./identity.js";
import { NOTES } from "./words.js";

const find = (id) => document.getElementById(id);

// Bounds: hosts that are shown, and hosts whose ping is measured, atOnce at a time, every pingEvery ms. A
// Content-Security-Policy has no room for many more (web/hosts.go).
const maxShown = 100, maxPinged = 20, atOnce = 4, pingEvery = 10000;
// within bounds a measurement in ms. The lowest of samples counts: the first one connects.
const within = 3000, samples = 3;
const maxPlayers = 65536, maxLabels = 16;

// carried are the options of the address that another host's page gets, too.
const carried = ["auto", "spectate", "guest", "via", "draw"];

// visit goes to another host: its page joins by itself, or shows its join screen if it requires a password or a
// token. It is the only place where the page leaves for another host. who is the player's identity, {key, guest}: hosts that list each
// other keep the same profiles, and the other page has another store. token lets the player in where a host sends them.
export function visit(host, name, who, token = "") {
	const to = new URL(`${host.web}/`);
	to.hash = fragment(who, token);
	if (!host.private) {
		const here = new URLSearchParams(location.search);
		for (const key of carried) if (here.has(key)) to.searchParams.set(key, here.get(key));
		to.searchParams.set("name", name);
	}
	location.assign(to);
}

// page returns a host's base address, "" if it is none that a page may open.
function page(web) {
	try {
		const { protocol, hostname } = new URL(text(web));
		return (protocol === "http:" || protocol === "https:") && hostname ? text(web) : "";
	} catch {
		return "";
	}
}

// read returns an entry of the list within bounds, or null.
function read(e) {
	const id = text(e?.host);
	if (!id) return null;
	const labels = [];
	for (const [key, value] of Object.entries(e.labels ?? {}).slice(0, maxLabels)) {
		const is = text(value);
		labels.push(is && is !== "true" ? `${text(key)}=${is}` : text(key));
	}
	return {
		id, name: text(e.name) || id, level: text(e.level), game: text(e.game), web: page(e.web), labels,
		players: number(e.players, 0, maxPlayers, 0), room: number(e.room, 0, maxPlayers, 0), draining: e.draining === true, private: e.private === true,
	};
}

// best returns the host for Play: with room, not draining, with the label if one is given, and the lowest ping; undefined
// if there is none. Hosts that need a password come after all others, and hosts without a ping after those with one.
export function best(hosts, label, pings, self) {
	return hosts
		.filter((h) => h.room > 0 && !h.draining && (h.web || h.id === self) && (!label || h.labels.includes(label)))
		.sort((a, b) => a.private - b.private || (pings.get(a.id) ?? Infinity) - (pings.get(b.id) ?? Infinity) || (a.id < b.id ? -1 : 1))[0];
}

export class Lobby {
	// on has here(), which joins this host, leave(host), which goes to another one, and say(line).
	constructor(on) {
		this.on = on;
		this.hosts = [];
		this.self = "";
		this.pings = new Map(); // by id, in ms
		this.known = null; // ids of the first list: the page's policy permits to connect to these hosts
		this.rows = new Map();
		this.measured = -Infinity;
		find("label").addEventListener("change", () => this.draw());
	}

	// shown tells whether there is a choice.
	get shown() {
		return !find("lobby").hidden;
	}

	// ask reads the list.
	async ask() {
		let list;
		try {
			const answer = await fetch("/hosts.json", { cache: "no-store" });
			list = await answer.json();
		} catch {
			return; // the join screen says that the host does not answer
		}
		this.self = text(list?.self);
		this.hosts = (Array.isArray(list?.hosts) ? list.hosts : []).map(read).filter(Boolean);
		this.known ??= new Set(this.hosts.map((h) => h.id));
		this.draw();
		if (this.shown && performance.now() - this.measured >= pingEvery) {
			this.measured = performance.now();
			this.measure();
		}
	}

	// find returns the host with a base address, if this host lists it now; null for none.
	async find(web) {
		try {
			const list = await (await fetch("/hosts.json", { cache: "no-store" })).json();
			return list.hosts.map(read).find((h) => h?.web && h.web === web) ?? null;
		} catch {
			return null;
		}
	}

	// measure measures how fast hosts answer, this one in the same manner. An https page cannot ask hosts with http.
	async measure() {
		const here = (h) => h.id === this.self;
		const asked = this.hosts.filter((h) => here(h) || h.web && this.known.has(h.id) && (location.protocol !== "https:" || h.web.startsWith("https:")));
		asked.sort((a, b) => here(b) - here(a) || (b.room > 0) - (a.room > 0));
		const waiting = asked.slice(0, maxPinged);
		const worker = async () => {
			for (let h = waiting.shift(); h; h = waiting.shift()) {
				const ms = await this.time(here(h) ? "" : h.web);
				if (ms === null) this.pings.delete(h.id);
				else this.pings.set(h.id, ms);
				this.draw();
			}
		};
		await Promise.all(Array.from({ length: atOnce }, worker));
	}

	// time returns how long a host takes to answer, in ms; null if it does not. web is its base address, "" for this host.
	async time(web) {
		let least = null;
		for (let n = 0; n < samples; n++) {
			const began = performance.now();
			try {
				const answer = await fetch(`${web}/hosts.json`, { method: "HEAD", cache: "no-store", credentials: "omit", referrerPolicy: "no-referrer", signal: AbortSignal.timeout(within) });
				if (!answer.ok) return null;
			} catch {
				return null;
			}
			const took = performance.now() - began;
			if (least === null || took < least) least = took;
		}
		return least;
	}

	// draw shows the list. Rows stay the same elements, so that the keyboard's focus stays.
	draw() {
		const choice = this.hosts.some((h) => h.id !== this.self);
		find("lobby").hidden = !choice;
		find("here").hidden = !choice;
		find("play").textContent = choice ? "Play" : "Join";
		find("enter").classList.toggle("wide", choice);
		if (!choice) return;
		this.drawLabels();
		const label = find("label").value;
		const all = this.hosts.filter((h) => !label || h.labels.includes(label)), list = all.slice(0, maxShown);
		const rows = new Map();
		let at = find("hosts").firstElementChild;
		for (const h of list) {
			const row = this.rows.get(h.id) ?? this.row(h.id);
			rows.set(h.id, row);
			this.fill(row, h);
			if (row === at) at = at.nextElementSibling;
			else find("hosts").insertBefore(row, at);
		}
		for (const [id, row] of this.rows) if (!rows.has(id)) row.remove();
		this.rows = rows;
		find("more").hidden = all.length <= maxShown;
		find("more").textContent = `and ${all.length - maxShown} more`;
	}

	// drawLabels offers all labels.
	drawLabels() {
		const select = find("label"), labels = [...new Set(this.hosts.flatMap((h) => h.labels))].sort();
		const value = labels.includes(select.value) ? select.value : "";
		const now = [...select.options].slice(1).map((o) => o.value);
		if (now.length !== labels.length || now.some((l, i) => l !== labels[i])) {
			select.replaceChildren(new Option("All labels", ""), ...labels.map((l) => new Option(l, l)));
			select.value = value;
		}
		select.parentElement.hidden = labels.length === 0;
	}

	row(id) {
		const row = document.createElement("li"), button = row.appendChild(document.createElement("button"));
		button.type = "button";
		for (const name of ["name", "match", "players", "ping"]) button.appendChild(document.createElement("span")).className = name;
		button.addEventListener("click", () => this.go(this.hosts.find((h) => h.id === id)));
		return row;
	}

	fill(row, h) {
		const button = row.firstElementChild, [name, match, players, ping] = button.children, ms = this.pings.get(h.id);
		const set = (to, value) => to.textContent !== value && (to.textContent = value);
		const state = [h.id === this.self && "this host", h.private && "needs a password or token", h.draining && "ends soon", !h.room && !h.draining && "full", !h.web && h.id !== this.self && "no page"].filter(Boolean);
		set(name, h.name);
		set(match, [h.level, h.game, ...state].filter(Boolean).join(" · "));
		set(players, `${h.players} of ${h.players + h.room}`);
		set(ping, ms === undefined ? "–" : `${Math.round(ms)} ms`);
		button.disabled = !h.web && h.id !== this.self;
		button.setAttribute("aria-label", `${h.name}: ${match.textContent}; ${players.textContent} players${ms === undefined ? "" : `; answers in ${ping.textContent}`}`);
	}

	// play goes to the best host with the chosen label.
	play() {
		const host = best(this.hosts, find("label").value, this.pings, this.self);
		if (host) this.go(host);
		else this.on.say(NOTES.noHost);
	}

	// go joins this host, or visits another.
	go(host) {
		if (!host) return; // it has just gone
		if (host.id === this.self) this.on.here();
		else this.on.leave(host);
	}
}
