package profiles

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tidelock/tidelock/engine/store"
)

// Record is a profile as it is stored.
type Record struct {
	Holder string // "" for nobody
	Fence  uint64 // rises whenever the profile is taken
	// Data holds variables by namespace and name.
	Data *store.Table
}

// Key is the key of a player's profile; the id may be any text.
func Key(id string) string { return store.Full(store.Profiles, escape(id)) }

// VersionKey is the key of an older version: what the profile was when it was taken with a fence.
func VersionKey(id string, fence uint64) string { return fmt.Sprintf("%s~%d", Key(id), fence%Versions) }

// ID returns the player's id of a key that Key made.
func ID(key string) string {
	_, key = store.Split(key)
	var b strings.Builder
	for i := 0; i < len(key); i++ {
		var c byte
		if key[i] == '=' && i+2 < len(key) {
			if _, err := fmt.Sscanf(key[i+1:i+3], "%02x", &c); err == nil {
				b.WriteByte(c)
				i += 2
				continue
			}
		}
		b.WriteByte(key[i])
	}
	return b.String()
}

// escape writes what every store takes in a key.
func escape(id string) string {
	var b strings.Builder
	for i := range len(id) {
		switch c := id[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "=%02x", c)
		}
	}
	return b.String()
}

// Encode encodes a record.
func Encode(r *Record) ([]byte, error) {
	data := r.Data
	if data == nil {
		data = &store.Table{}
	}
	return store.Append(nil, &store.Table{Pairs: []store.Pair{
		{Key: "holder", Value: r.Holder}, {Key: "fence", Value: float64(r.Fence)}, {Key: "data", Value: data},
	}})
}

var errNoRecord = errors.New("the record is no profile")

// Decode decodes a record.
func Decode(b []byte) (Record, error) {
	x, err := store.Decode(b)
	if err != nil {
		return Record{}, err
	}
	t, ok := x.(*store.Table)
	if !ok {
		return Record{}, errNoRecord
	}
	var r Record
	for _, p := range t.Pairs {
		switch p.Key {
		case "holder":
			r.Holder, ok = p.Value.(string)
		case "fence":
			var n float64
			n, ok = p.Value.(float64)
			r.Fence = uint64(max(n, 0))
		case "data":
			r.Data, ok = p.Value.(*store.Table)
		}
		if !ok {
			return Record{}, errNoRecord
		}
	}
	if r.Data == nil || r.Fence == 0 {
		return Record{}, errNoRecord
	}
	return r, nil
}
