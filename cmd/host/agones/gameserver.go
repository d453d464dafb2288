package agones

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// drainKey is the annotation, or label, of a GameServer that requests a drain.
const drainKey = "tidelock.dev/drain"

// gameServer is what the host needs to know of its GameServer, as the gateway writes it: by proto names, or in camel case.
type gameServer struct {
	Meta  meta `json:"object_meta"`
	Camel meta `json:"objectMeta"`

	Status struct {
		State string `json:"state"`
	} `json:"status"`
}

type meta struct {
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	// Deleted is a time in seconds, as a number or a text; "0" if nobody deleted the GameServer.
	Deleted      json.RawMessage `json:"deletion_timestamp"`
	DeletedCamel json.RawMessage `json:"deletionTimestamp"`
}

// message is an element of the stream of /watch/gameserver: a GameServer, or why there is none.
type message struct {
	Result *gameServer     `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// wish is what a GameServer requests of the host. The zero value is nothing.
type wish struct {
	drain bool
	// within is how long the drain may take, usual that nobody said.
	within time.Duration
	usual  bool
	why    string
}

// wish reads what is requested. An error is about a value that nobody understands, which requests nothing.
func (g *gameServer) wish() (wish, error) {
	if g.Status.State == "Shutdown" {
		return wish{drain: true, usual: true, why: "the GameServer is in state Shutdown"}, nil
	}
	for _, m := range [...]*meta{&g.Meta, &g.Camel} {
		if isTime(m.Deleted) || isTime(m.DeletedCamel) {
			return wish{drain: true, usual: true, why: "the GameServer was deleted"}, nil
		}
		for _, from := range [...]struct {
			kind string
			list map[string]string
		}{{"annotation", m.Annotations}, {"label", m.Labels}} {
			value, ok := from.list[drainKey]
			if !ok {
				continue
			}
			w, err := parseWish(value)
			if err != nil {
				return wish{}, fmt.Errorf("%s %s: %w", from.kind, drainKey, err)
			}
			w.why = fmt.Sprintf("the %s %s", from.kind, drainKey)
			return w, nil
		}
	}
	return wish{}, nil
}

// parseWish reads the value of an annotation or a label.
func parseWish(value string) (wish, error) {
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "", "off", "false", "no":
		return wish{}, nil
	case "on", "true", "yes":
		return wish{drain: true, usual: true}, nil
	}
	t, err := time.ParseDuration(strings.TrimSpace(value))
	if err != nil || t < 0 {
		return wish{}, fmt.Errorf("%.40q is neither true nor false nor a time such as 10m", value)
	}
	return wish{drain: true, within: t}, nil
}

// isTime reports whether a timestamp is set.
func isTime(raw json.RawMessage) bool {
	text := strings.Trim(string(raw), `"`)
	return text != "" && text != "0" && text != "null"
}
