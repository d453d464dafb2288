//go:build !linux

package notify

// monotonic returns nothing: systemd runs on Linux only.
func monotonic() (usec int64, ok bool) { return 0, false }
