// What to do about what went wrong, by the code at the end of a reason ("… (full)"); see docs/protocol.md for the codes.

const programs = "The page and the host do not fit together. Load the page again; if that does not help, the host was updated and runs on with older files: restart it.";
const token = "This host lets players in by a token, which the page cannot give yet: join with `host join --token`.";

const advice = {
	version: programs, table: programs, files: programs, scripts: programs, protocol: programs,
	server_key: "The address answers with another host's key than the page was given. Load the page again.",
	full: "Wait until a player leaves, then press Join again, or press Watch.",
	busy: "Many players come in at once. Press Join again in a moment.",
	password: "This host has a password, which the page cannot give yet: join with `host join --password`.",
	no_tokens: token, token, token_expired: token, token_needed: token, token_server: token, token_used: token,
	replaced: "The same player joined from another tab or machine. To play there and here, open the page with ?guest=1.",
	moved: "The same player joined from another tab or machine. To play there and here, open the page with ?guest=1.",
	timeout: "Check the network and that the host still runs, then press Join again.",
	unreachable: "Check the network and that the host still runs, then press Join again.",
	closed: "Press Join again; if that does not help, check that the host still runs.",
	stopping: "The host stops. Press Join once it runs again.",
	restart: "The host starts again. Press Join in a moment.",
	denied: "The host does not let this player in. Ask whoever runs it.",
	flood: "The host received more from this page than it allows. Press Join again.",
};

// codeOf is the code at the end of a line, "" for none.
export function codeOf(line) {
	return /\(([a-z_]+)\)$/.exec(line)?.[1] ?? "";
}

// adviceFor is what to do about a line with which the connection ended.
export function adviceFor(line) {
	const code = codeOf(line);
	if (Object.hasOwn(advice, code)) return advice[code];
	if (/reload the page/i.test(line)) return "";
	return "Press Join to try again.";
}
