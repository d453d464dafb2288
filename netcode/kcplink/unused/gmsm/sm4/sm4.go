// Package sm4 replaces the package of that name, which kcp-go needs for one of its block ciphers. The link encrypts
// packets itself (docs/transport.md), so the cipher is not built in: NewCipher always fails.
package sm4

import (
	"crypto/cipher"
	"errors"
)

// NewCipher always fails.
func NewCipher(_ []byte) (cipher.Block, error) {
	return nil, errors.New("sm4: this cipher is not built into Tidelock; see netcode/kcplink/unused")
}
