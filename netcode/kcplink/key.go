package kcplink

import (
	"crypto/rand"
	"fmt"
	"io"

	"golang.org/x/crypto/curve25519"
)

// Key is a peer's static key pair (X25519). A player's public key is its identity in open mode: keep the
// private one, mode 0600.
type Key struct{ Private, Public [32]byte }

// NewKey returns a random key.
func NewKey() (Key, error) { return newKey(rand.Reader) }

func newKey(random io.Reader) (Key, error) {
	var private [32]byte
	if _, err := io.ReadFull(random, private[:]); err != nil {
		return Key{}, fmt.Errorf("kcplink: key: %w", err)
	}
	return KeyFromPrivate(private)
}

// KeyFromPrivate computes the public half.
func KeyFromPrivate(private [32]byte) (Key, error) {
	pub, err := curve25519.X25519(private[:], curve25519.Basepoint)
	if err != nil {
		return Key{}, fmt.Errorf("kcplink: key: %w", err)
	}
	k := Key{Private: private}
	copy(k.Public[:], pub)
	return k, nil
}
