package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/tidelock/tidelock/netcode/kcplink"
)

// hostKey is the key pair by which players know a host that was started again (G15): that of a file, which is made where it is not there.
// Without a file it is one of the user's folder for caches, by the port; where there is no such folder, and for a port that the system
// chooses, it is the zero key, for which the link makes another in each run.
func hostKey(file, listen string) (kcplink.Key, error) {
	if file != "" {
		key, err := playerKey(file)
		if err != nil {
			err = usageError{fmt.Errorf("--host-key: %w", err)}
		}
		return key, err
	}
	_, port, err := net.SplitHostPort(listen)
	if err != nil || port == "0" || port == "" {
		return kcplink.Key{}, nil //nolint:nilerr // the address is judged where it is bound
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return kcplink.Key{}, nil //nolint:nilerr // a machine without such a folder
	}
	dir := filepath.Join(cache, "tidelock", "keys")
	if os.MkdirAll(dir, 0o700) != nil {
		return kcplink.Key{}, nil
	}
	file = filepath.Join(dir, "host-"+filepath.Base(port))
	key, err := playerKey(file)
	var pe *os.PathError
	if errors.As(err, &pe) || errors.As(err, new(usageError)) {
		return kcplink.Key{}, nil // it cannot be read or written
	}
	if err != nil {
		return key, usageError{fmt.Errorf("%w; or remove it, and the host makes another", err)}
	}
	return key, nil
}
