package admin_test

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestCopiesNeedConnection: copies are told of a connection that exists, and only a number names one.
func TestCopiesNeedConnection(t *testing.T) {
	s := newSite(t)
	for path, want := range map[string]int{
		"/api/v1/copies": 400, "/api/v1/copies?connection=x": 400, "/api/v1/copies?connection=7": 404, "/api/v1/stream?connection=-1": 400,
	} {
		if status, answer := s.ask(here, "GET", path, ""); status != want {
			t.Errorf("%s: status %d, want %d: %s", path, status, want, answer)
		}
	}
}

// TestStreamTellsWhatIsWanted: a stream is told the copies of the connection that it names, one that names none is not.
func TestStreamTellsWhatIsWanted(t *testing.T) {
	s := newSite(t)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.Serve(w, r, here) }))
	defer web.Close()
	for query, want := range map[string]string{"": "state state state", "?connection=3": "state copies state"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, web.URL+"/api/v1/stream"+query, nil)
		if err != nil {
			t.Fatal(err)
		}
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for lines := bufio.NewReader(a.Body); len(names) < 3; {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if name, ok := strings.CutPrefix(line, "event: "); ok {
				names = append(names, strings.TrimSpace(name))
			}
			if data, ok := strings.CutPrefix(line, "data: "); ok && names[len(names)-1] == "copies" && strings.TrimSpace(data) != `{"connection":3,"copies":[]}` {
				t.Errorf("%s: %s", query, data)
			}
		}
		_ = a.Body.Close()
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q is told %s, want %s", query, got, want)
		}
	}
}
