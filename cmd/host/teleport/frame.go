package teleport

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidelock/tidelock/cmd/host/teleport/place"
	"github.com/tidelock/tidelock/engine/bus"
)

// Traveller is a player whom a host sends to another.
type Traveller struct {
	// ID is the player's unique id, Key the public key that they proved; a token is for that key only.
	ID  string   `json:"id"`
	Key [32]byte `json:"key"`
	// Name is that of the connect token they came with, "" for none.
	Name string `json:"name,omitempty"`
	// State is what the game of the source gives them to take along, as it was at the reservation; Data what the script
	// that sent them wants the target to know. Both as package store encodes values.
	State []byte `json:"state,omitempty"`
	Data  []byte `json:"data,omitempty"`
}

// Place is where a player shall go.
type Place = place.Place

type reserve struct {
	Hop string `json:"hop"`
	Traveller
}

type hopOnly struct {
	Hop string `json:"hop"`
	ID  string `json:"id"`
}

// Answers to a handover.
const (
	gone      = "gone"
	cancelled = "cancelled"
)

type handed struct {
	Status string `json:"status"`
	State  []byte `json:"state,omitempty"`
	Text   string `json:"text,omitempty"`
}

// What another host says is checked like what a client says (C8).

var errFrame = errors.New("no frame of the teleport protocol")

func parse(b []byte, into any) error {
	if len(b) > bus.MaxFrame || !utf8.Valid(b) {
		return errFrame
	}
	if err := json.Unmarshal(b, into); err != nil {
		return errFrame
	}
	return nil
}

func plain(s string, most int) bool {
	return len(s) <= most && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

func (r *reserve) check() error {
	switch {
	case bus.CheckHost(r.Hop) != nil, r.ID == "", !plain(r.ID, 2*maxName), !plain(r.Name, maxName), len(r.State) > MaxState, len(r.Data) > bus.MaxData:
		return errFrame
	}
	return nil
}

func (h *hopOnly) check() error {
	if bus.CheckHost(h.Hop) != nil || h.ID == "" || !plain(h.ID, 2*maxName) {
		return errFrame
	}
	return nil
}

func (h *handed) check() error {
	if h.Status != gone && h.Status != cancelled || len(h.State) > MaxState || !plain(h.Text, maxText) {
		return errFrame
	}
	return nil
}

func encode(x any) []byte {
	b, err := json.Marshal(x)
	if err != nil {
		panic(fmt.Sprintf("teleport: %v", err)) // these types always encode
	}
	return b
}
