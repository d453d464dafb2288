package metrics

import (
	"fmt"
	"net/http"
)

const (
	// scrapes is how many pages are written at once; further requests are answered with 503. While one copies the figures,
	// the loop publishes none, so a flood of requests would make them stale.
	scrapes = 3
	// pageBytes is room for a usual page; a larger one is copied as it grows.
	pageBytes = 32 << 10
)

// Handler returns the handler of /metrics: the published figures, those of the Go runtime and those of the process, in
// Prometheus' text format. version is that of the program.
func Handler(b *Board, version string) http.Handler {
	return &handler{b, version, make(chan struct{}, scrapes)}
}

type handler struct {
	board   *Board
	version string
	running chan struct{} // has an element for each page that is being written
}

func (h *handler) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	page, ok := h.page()
	if !ok {
		http.Error(w, fmt.Sprintf("%d scrapes at once are the most; try again later", cap(h.running)), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write(page) // the scraper is gone
}

// page writes a page, or returns false while too many others are being written. It is complete before it is sent, so a slow
// reader delays nobody.
func (h *handler) page() (text []byte, ok bool) {
	select {
	case h.running <- struct{}{}:
	default:
		return nil, false
	}
	defer func() { <-h.running }()
	e := exposition{text: make([]byte, 0, pageBytes)}
	h.board.write(&e, h.version)
	writeRuntime(&e)
	writeProcess(&e)
	return e.text, true
}
