package nats

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/tidelock/tidelock/engine/store"
)

// subjectOf returns what follows the prefix of a record's subject. No two keys have the same.
func subjectOf(key string) string {
	var b strings.Builder
	for i, part := range strings.Split(key, "/") {
		if i > 0 {
			b.WriteByte('.')
		}
		if part == "" {
			b.WriteByte('=')
		}
		for j := range len(part) {
			switch c := part[j]; {
			case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
				b.WriteByte(c)
			default:
				fmt.Fprintf(&b, "=%02x", c)
			}
		}
	}
	return b.String()
}

// keyOf is the reverse of subjectOf; ok is false for what subjectOf never returns.
func keyOf(subject string) (key string, ok bool) {
	var b strings.Builder
	for i, part := range strings.Split(subject, ".") {
		if i > 0 {
			b.WriteByte('/')
		}
		if part == "=" {
			continue
		}
		for j := 0; j < len(part); j++ {
			if part[j] != '=' {
				b.WriteByte(part[j])
				continue
			}
			if j+2 >= len(part) {
				return "", false
			}
			c, err := hex.DecodeString(part[j+1 : j+3])
			if err != nil {
				return "", false
			}
			b.WriteByte(c[0])
			j += 2
		}
	}
	key = b.String()
	return key, subjectOf(key) == subject && store.CheckFull(key) == nil
}

// mostOf returns how long a value may be, in bytes.
func mostOf(key string) int {
	if space, _ := store.Split(key); space == store.Worlds || space == store.Profiles {
		return store.MaxBlob
	}
	return store.MaxValue
}
