// Texts about failures, and what to do about them: by the code at the end of a reason ("… (full)";
// docs/protocol.md has the codes), including missing features of the browser.

const browser = "Use a current Firefox, Chrome, Edge or Safari.";

// LACKS maps features that a browser may lack.
export const LACKS = Object.freeze({
	wasm: `This browser has no WebAssembly, or it is switched off. ${browser}`,
	workers: `This browser has no Web Workers. ${browser}`,
	modules: `This browser has no modules in Web Workers. ${browser}`,
	random: `This browser has no random numbers for keys. ${browser}`,
	webgl: "This browser cannot draw with WebGL 2. Switch hardware acceleration on in its settings, or update the browser or the graphics driver.",
});

// NOTES are the page's own messages.
export const NOTES = Object.freeze({
	keyNotKept: "The browser does not keep the player's key: after a reload of the page you are another player.",
	settingsNotKept: "The browser does not keep settings: they apply until the page is closed.",
	passwordInAddress: "The address had a password in it. It was not used and was removed: addresses are kept in the browser's history. Type it into the field.",
	pictureLost: "The graphics driver dropped the picture; waiting for it.",
	pictureBack: "The picture is back.",
	left: "You left the match.",
	notListed: "this page's host does not list it",
	noHost: "No host with this label has room now. Choose another label, or wait.",
	clickToLook: "Click to look around with the mouse.",
	workerMissing: "The page's worker could not be loaded: the host may have been updated, or be gone.",
	silent: (seconds) => `The match has not answered for ${seconds} s: a script may hang. The page waits some more.`,
	back: "The match answers again.",
	hung: (seconds) => `The match's scripts hung: no answer for ${seconds} s. They were stopped. Press Join to come back.`,
	workerOdd: "The page did not understand its worker.",
	keyBad: "This is no key of a player: expected a text that begins with tidelock-key:.",
	keyTaken: "The key is in use from the next join on.",
	keySaved: "Whoever has this text can play as you. Keep it where passwords are.",
});

const programs = {
	title: "The page and the host do not fit together", advice: "Load the page again. If that does not help, the host was updated and runs on with older files: whoever runs it should restart it.",
};
const token = { title: "A token is needed", advice: "This host lets players in by a token. Ask whoever runs it for one, paste it below and press Join again.", field: "token" };
const elsewhere = {
	title: "You joined from somewhere else", advice: "The same player joined from another tab or machine, and the newest one plays. To play here, press Join again; to play in both, open one of them with ?guest=1.",
};
const kicked = { title: "You were sent away", advice: "Press Join to come back, if you may." };
const lost = { title: "The connection was lost", advice: "Check the network, and that the host still runs; then press Join again." };

const reasons = {
	__proto__: null,
	version: programs, table: programs, files: programs, scripts: programs, protocol: programs,
	server_key: { title: "This is another host", advice: "The address answers with another host's key than the page was given. Load the page again." },
	full: { title: "The server is full", advice: "Wait until a player leaves, then press Join again, or press Watch." },
	busy: { title: "The server is busy", advice: "Many players come in at once. Press Join again in a moment." },
	address: { title: "Too many players from your address", advice: "Close another tab or player on your network, then press Join again." },
	password: { title: "Wrong password", advice: "This host has a password. Type it below and press Join again.", field: "password" },
	no_tokens: { title: "This host takes no tokens", advice: "Leave the token empty and press Join again.", field: "token" },
	token, token_needed: token, token_server: { ...token, title: "The token is for another host" },
	token_expired: { ...token, title: "The token has expired" }, token_used: { ...token, title: "The token has been used" },
	replaced: elsewhere, moved: elsewhere, again: elsewhere,
	timeout: lost, unreachable: { ...lost, title: "The host does not answer" }, carrier: { ...lost, title: "The host does not answer" }, lost, gone: lost, socket: lost, send: lost, handshake: lost,
	closed: { ...lost, title: "The host closed the connection" },
	draining: { title: "The host takes no new players", advice: "It ends after this round. Join another host, or press Join later." },
	stopping: { title: "The host stops", advice: "Press Join once it runs again." },
	restart: { title: "The host starts again", advice: "Press Join in a moment." },
	denied: { title: "The host does not let you in", advice: "Ask whoever runs it." },
	banned: { title: "You are banned here", advice: "Ask whoever runs the host; joining again does not help." },
	not_whitelisted: { title: "Only invited players may join", advice: "Give your key, which the line above shows, to whoever runs this host. Press Join again once you are on its list." },
	kick: kicked, kicked, idle: { ...kicked, title: "You were away too long" }, enough: kicked,
	destroyed: { title: "The match ended your part in it", advice: "Press Join again." },
	flood: { title: "Too much was sent", advice: "The host received more from this page than it allows. Press Join again." },
	offences: { title: "The host did not accept what the page sent", advice: "Press Join again. If it happens again, the match's scripts are at fault: tell whoever runs the host." },
	validation: { title: "The host did not accept what the page sent", advice: "Press Join again. If it happens again, the match's scripts are at fault: tell whoever runs the host." },
	overflow: { title: "This machine was too slow", advice: "Close other programs or tabs, set the quality lower, then press Join again." },
};

// codeOf returns the code at the end of a line, "" for none.
export function codeOf(line) {
	return /\(([a-z_]+)\)$/.exec(line)?.[1] ?? "";
}

// explain explains the line with which the connection ended: a title, the line without its code, what to do,
// and the field of the join screen to fill in, "" for none.
export function explain(line) {
	const code = codeOf(line), known = reasons[code];
	const text = code ? line.slice(0, -(code.length + 2)).trim() : line;
	if (known) return { title: known.title, text, advice: known.advice, field: known.field ?? "" };
	const again = /reload the page|load the page again/i.test(line);
	return { title: "That did not work", text, advice: again ? "" : "Press Join to try again.", field: "" };
}

// adviceFor returns what to do about a line with which the connection ended.
export function adviceFor(line) {
	return explain(line).advice;
}
