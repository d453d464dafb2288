// The inspector: panels over one stream of the host's state.
import { exec, post, stream, token, get } from "./api.js";
import { element } from "./dom.js";
import { look } from "./look.js";
import "./map.js";
import "./space.js";
import "./actors.js";
import "./connections.js";
import "./traffic.js";
import "./tuning.js";
import "./scripts.js";
import "./reloads.js";
import "./profile.js";
import "./errors.js";
import "./console.js";

const $ = (id) => document.getElementById(id);
const tabs = document.querySelector("[role=tablist]"), main = document.querySelector("main");
const panels = {};

for (const [name, title] of Object.entries({ map: "Map", space: "3D", actors: "Actors", connections: "Connections", traffic: "Traffic", profile: "Time", errors: "Errors", tuning: "Tuning", scripts: "Scripts", reloads: "Reloads", console: "Console" })) {
	const panel = element(`inspect-${name}`, { id: name, role: "tabpanel", "aria-labelledby": `tab-${name}`, hidden: true });
	const tab = element("button", { role: "tab", id: `tab-${name}`, "aria-controls": name, type: "button", onclick: () => open(name) }, title);
	panels[name] = { panel, tab };
	main.append(panel);
	tabs.append(tab);
}

// open shows a panel; its name is the page's fragment, so that it can be linked to and reloaded.
function open(name) {
	for (const [n, { panel, tab }] of Object.entries(panels)) {
		panel.hidden = n !== name;
		tab.setAttribute("aria-selected", String(n === name));
		tab.tabIndex = n === name ? 0 : -1;
	}
	if (location.hash !== `#${name}`) history.replaceState(null, "", `#${name}`);
	if (latest) panels[name].panel.show(latest);
	if (name === "console") panels.console.panel.focusLine();
}

tabs.addEventListener("keydown", (e) => {
	const names = Object.keys(panels), at = names.findIndex((n) => panels[n].tab === document.activeElement);
	const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: names.length - 1 }[e.key];
	if (to === undefined || at < 0) return;
	e.preventDefault();
	panels[names[(to + names.length) % names.length]].tab.focus();
	if (names[(to + names.length) % names.length] !== "console") open(names[(to + names.length) % names.length]);
});

main.addEventListener("pick", (e) => {
	panels.map.panel.selected = e.detail;
	panels.actors.panel.open(e.detail);
	open("actors");
});
main.addEventListener("needsrole", () => unlock());
main.addEventListener("openfile", (e) => {
	open("scripts");
	panels.scripts.panel.open(e.detail.path, e.detail.line);
});
main.addEventListener("pick", (e) => (panels.space.panel.selected = e.detail));
main.addEventListener("lookas", (e) => {
	look.as(e.detail);
	open("map");
});

let latest;
const status = $("status");

function told(state) {
	// Another match, after the host was started again: its connections have numbers that others had.
	if (status.dataset.state === "lost" && latest && state.host.time < latest.host.time) look.as(0);
	latest = state;
	look.check(state);
	const h = state.host;
	status.dataset.state = "live";
	status.textContent = `${h.level || "no level"} (${h.game}), ${h.players} ${h.players === 1 ? "player" : "players"}, ${h.actors} actors, scripts ${(h.scriptSeconds * 1000).toFixed(2)} ms a tick, ${h.pace === 1 ? "" : h.pace ? `${h.pace} × speed, ` : "paused, "}${Math.floor(h.time / 60)}:${String(Math.floor(h.time % 60)).padStart(2, "0")}`;
	$("pause").setAttribute("aria-pressed", String(h.pace === 0));
	$("pause").textContent = h.pace === 0 ? "Go on" : "Pause";
	if (h.pace && document.activeElement !== $("speed")) $("speed").value = String(h.pace);
	for (const { panel } of Object.values(panels)) panel.show(state);
}

// The pace of the match.
async function pace(line) {
	try {
		await exec(line);
	} catch (fault) {
		unlock(fault.message);
	}
}
$("pause").addEventListener("click", () => pace(latest?.host.pace === 0 ? "pause off" : "pause on"));
$("step").addEventListener("click", () => pace("step"));
$("speed").addEventListener("change", () => pace(`slomo ${$("speed").value}`).then(() => $("speed").blur()));

function lost(line) {
	status.dataset.state = "lost";
	status.textContent = line;
}

// The role.
function showRole() {
	$("role").textContent = token.get() ? "Owner" : "Read only";
	$("role").classList.toggle("has", Boolean(token.get()));
}

function unlock(fault = "") {
	$("tokenFault").textContent = fault;
	$("token").value = "";
	if (!$("unlock").open) $("unlock").showModal();
}

$("role").addEventListener("click", () => unlock());
$("unlock").addEventListener("close", async () => {
	const how = $("unlock").returnValue, typed = $("token").value.trim();
	$("token").value = "";
	if (how === "forget") token.set("");
	if (how === "use" && typed) {
		const before = token.get();
		token.set(typed);
		try {
			await get("server");
		} catch (fault) {
			token.set(before);
			unlock(fault.message);
		}
	}
	showRole();
});

// player is the key that this browser plays with on this host's page, as logs and access.toml show it; "" where there is none, or the browser cannot tell.
async function player() {
	try {
		// The modules of the game's page lie where its document says.
		const game = new DOMParser().parseFromString(await (await fetch("/")).text(), "text/html");
		const first = new URL(game.querySelector("script[type=module]").getAttribute("src"), new URL("/", location));
		const { playerKey } = await import(new URL("store.js", first).href);
		const { key, kept } = await playerKey();
		if (!kept) return "";
		// An X25519 private key as PKCS #8 (RFC 8410).
		const wrapped = Uint8Array.from([0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x6e, 0x04, 0x22, 0x04, 0x20, ...key]);
		const { x } = await crypto.subtle.exportKey("jwk", await crypto.subtle.importKey("pkcs8", wrapped, { name: "X25519" }, true, ["deriveBits"]));
		const bytes = Array.from(atob(x.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0).toString(16).padStart(2, "0"));
		return "key-" + bytes.slice(0, 16).join("");
	} catch {
		return ""; // an older browser: the inspector has its own secret all the same
	}
}

// A link of the banner carries a code in its fragment, which browsers send nowhere; it is good for one use.
async function claim() {
	const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1];
	if (!code) return;
	history.replaceState(null, "", "/inspect");
	token.set("");
	try {
		token.set((await post("claim", { code, player: await player() })).token);
	} catch (fault) {
		unlock(fault.message);
	}
}

await claim();
showRole();
open(panels[location.hash.slice(1)] ? location.hash.slice(1) : "map");
addEventListener("hashchange", () => panels[location.hash.slice(1)] && open(location.hash.slice(1)));
document.body.dataset.ready = "true";
const asks = stream(() => look.parameters(), (name, data) => (name === "state" ? told(data) : look.told(name, data)), lost);
let asked = look.parameters();
look.addEventListener("change", () => {
	if (asked !== look.parameters()) asks((asked = look.parameters()));
});
