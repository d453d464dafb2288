// Package secret checks the permissions of files with secrets, and of files that only their owner may change. Secrets
// are the keys of connect tokens, of players and of TLS certificates.
//
//	f, err := os.Open(name)
//	err = secret.Check(f)
//
// It deliberately does not: read them, or know what is in them.
//
// Guarantees: A file that other users can read, or write, is refused.
package secret

import (
	"errors"
	"fmt"
	"os"
)

// ErrShared says that users other than its owner may read or write a file.
var ErrShared = errors.New("others than its owner may read or write it")

// Check reports a file that users other than its owner may use (G16): a secret that everybody on the machine
// can read is not secret, and one that others can write is under their control. The error wraps ErrShared. On
// systems without such modes, such as Windows, it finds nothing.
func Check(f *os.File) error {
	st, err := f.Stat()
	if err != nil {
		return err
	}
	if m := st.Mode().Perm(); shared(m) {
		return fmt.Errorf("%w (its mode is %04o); chmod 600 it", ErrShared, m)
	}
	return nil
}

// ErrWritable says that users other than its owner may write a file.
var ErrWritable = errors.New("others than its owner may write it")

// CheckWrite reports a file that users other than its owner may write. It is for files that decide what somebody may
// do and are no secret. The error wraps ErrWritable. On systems without such modes it finds nothing.
func CheckWrite(f *os.File) error {
	st, err := f.Stat()
	if err != nil {
		return err
	}
	if m := st.Mode().Perm(); writable(m) {
		return fmt.Errorf("%w (its mode is %04o); chmod 600 it", ErrWritable, m)
	}
	return nil
}
