// Package metrics tells monitoring how a host runs: /metrics for Prometheus, /healthz and /readyz for what restarts
// and routes (docs/hosting.md, Monitoring).
//
// The loop's goroutine fills [Figures] between two ticks and publishes them on a [Board]; HTTP handlers only read
// what was published last. So a scrape never waits for a tick and never delays one, and a world that hangs still
// answers, with its last figures and their age.
//
//	board := metrics.NewBoard(time.Now)
//	mux.Handle("/metrics", metrics.Handler(board, version))
//	mux.Handle("/healthz", metrics.Health(board))
//	mux.Handle("/readyz", metrics.Ready(board))
//	// on the loop's goroutine
//	board.Tick(time.Now())
//	board.Publish(time.Now(), func(f *metrics.Figures) { f.Ticks = ticks })
//
// Labels are bounded: no player, address, key or level is a label, and at most [MaxClasses] classes are.
//
// It deliberately does not: listen, decide who may read (the mount does), or know worlds, links and scripts.
//
// Guarantees: A scrape never waits for a tick and never delays one. The number of series is bounded.
package metrics
