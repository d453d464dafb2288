package metrics

import (
	"io"
	"net/http"
)

// Health returns the handler of /healthz: 200 while the host works ([Board.Healthy]), 503 otherwise, with one line of
// text. It is a liveness probe: restart the host after a few failures in a row.
func Health(b *Board) http.Handler { return probe(b.Healthy) }

// Ready returns the handler of /readyz: 200 while the host answers new players ([Board.Ready]), 503 otherwise, with one
// line of text. It is a readiness probe: send no new players while it fails.
func Ready(b *Board) http.Handler { return probe(b.Ready) }

func probe(ask func() (bool, string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
			return
		}
		ok, line := ask()
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if !ok {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = io.WriteString(w, line+"\n") // the prober is gone
	})
}
