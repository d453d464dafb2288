// Package reedsolomon replaces the module of that name, which kcp-go needs for forward error correction. The link
// does not use it (R5.22 repeats what matters), so it is not built in: New always fails.
package reedsolomon

import "errors"

// Encoder is the part of an encoder that kcp-go uses. Nothing implements it.
type Encoder interface {
	Encode(shards [][]byte) error
	Reconstruct(shards [][]byte) error
	ReconstructData(shards [][]byte) error
}

// Option only exists for the signature of New.
type Option func()

// New always fails.
func New(_, _ int, _ ...Option) (Encoder, error) {
	return nil, errors.New("reedsolomon: forward error correction is not built into Tidelock; see netcode/kcplink/unused")
}
