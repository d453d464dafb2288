// The watchdog: it pings the worker at every tick of its own, reports a missing answer after a while, and ends
// the worker after longer. Only the page can do that: a worker whose scripts hang answers nothing (G7).
//
// It counts its own ticks instead of wall time: while the browser slows or stops the page (a hidden tab, a
// sleeping laptop), it stops the worker, too, and that is not a hang.

// EVERY is the time between two ticks; after WARN without an answer the page reports it, after END it ends the
// worker; in ms. A browser may build a large world for seconds without a pause, on a slow device for longer.
export const EVERY = 500, WARN = 5000, END = 30000;

// Watchdog calls ask() to ping the worker, late(seconds) once when no answer has come for WARN, back() when one
// has come after that, and gone(seconds) after END, once. Every message of the worker is an answer: the page
// calls heard().
export class Watchdog {
	constructor({ ask, late, back, gone }) {
		this.calls = { ask, late, back, gone };
		this.stop();
	}

	// start watches a new worker.
	start() {
		this.silent = 0;
		this.told = false;
		this.on = true;
	}

	// stop stops watching.
	stop() {
		this.silent = 0;
		this.told = false;
		this.on = false;
	}

	heard() {
		if (!this.on) return;
		const told = this.told;
		this.start();
		if (told) this.calls.back();
	}

	// tick is called every EVERY ms.
	tick() {
		if (!this.on) return;
		if (this.silent >= END) {
			const seconds = this.silent / 1000;
			this.stop();
			this.calls.gone(seconds);
			return;
		}
		if (this.silent >= WARN && !this.told) {
			this.told = true;
			this.calls.late(this.silent / 1000);
		}
		this.calls.ask();
		this.silent += EVERY;
	}
}
