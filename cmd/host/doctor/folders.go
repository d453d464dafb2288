package doctor

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/tidelock/tidelock/cmd/host/secret"
)

// fullDisk is the free space below which a folder of any size is a failure, in bytes: keys and logs no longer fit.
const fullDisk = 8 << 20

// folders checks whether the host may write where it writes, and whether there is room.
func folders(h *Host, m *Machine) []Result {
	var out []Result
	for _, f := range h.Folders {
		check := f.What
		at, err := existing(f.Path)
		if err != nil {
			out = append(out, result(Fail, check, "correct the path", "%s: %v", f.Path, err))
			continue
		}
		if err := writable(at); err != nil {
			out = append(out, result(Fail, check, "give this user write permission, or choose another folder", "%s cannot be written: %v", at, err))
			continue
		}
		if m.Free == nil {
			out = append(out, result(OK, check, "", "%s can be written", f.Path))
			continue
		}
		switch free, err := m.Free(at); {
		case err != nil:
			out = append(out, result(Skip, check, "", "%s can be written; its free space cannot be read: %v", f.Path, err))
		case free < fullDisk:
			out = append(out, result(Fail, check, "make room", "%s: only %s are free", f.Path, size(free)))
		case free < f.Need:
			out = append(out, result(Warn, check, "make room", "%s: %s are free, the host may need %s", f.Path, size(free), size(f.Need)))
		default:
			out = append(out, result(OK, check, "", "%s can be written, %s are free", f.Path, size(free)))
		}
	}
	return out
}

// existing returns a folder, or the innermost folder above it that exists: the host creates the others.
func existing(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for {
		st, err := os.Stat(dir)
		switch {
		case err == nil && !st.IsDir():
			return "", fmt.Errorf("%s is not a folder", dir)
		case err == nil:
			return dir, nil
		case !errors.Is(err, fs.ErrNotExist) || filepath.Dir(dir) == dir:
			return "", reason(err)
		}
		dir = filepath.Dir(dir)
	}
}

// writable writes a file in a folder and removes it.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return reason(err)
	}
	_, err = f.Write([]byte("host doctor"))
	return reason(errors.Join(err, f.Close(), os.Remove(f.Name())))
}

// secrets checks the modes of files with secrets.
func secrets(h *Host, _ *Machine) []Result {
	var out []Result
	for _, s := range h.Secrets {
		f, err := os.Open(s.Path)
		if err != nil {
			out = append(out, result(Fail, "secret", "correct the path, or the permissions for this user", "%s %s cannot be read: %v", s.What, s.Path, reason(err)))
			continue
		}
		err = errors.Join(secret.Check(f), f.Close())
		switch {
		case err == nil:
			out = append(out, result(OK, "secret", "", "%s %s is for its owner alone", s.What, s.Path))
		case s.Refused:
			out = append(out, result(Fail, "secret", "", "%s %s: %v", s.What, s.Path, err))
		default:
			out = append(out, result(Warn, "secret", "", "%s %s: %v", s.What, s.Path, err))
		}
	}
	return out
}

// renewBefore is how long before its end a certificate should be renewed.
const renewBefore = 14 * 24 * time.Hour

// certificate checks the certificate for browsers.
func certificate(h *Host, m *Machine) []Result {
	const check = "tls"
	if h.Cert == "" || h.Key == "" {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(h.Cert, h.Key)
	if err != nil {
		return []Result{result(Fail, check, "give --tls-cert and --tls-key the PEM files of one certificate", "%s: %v", h.Cert, reason(err))}
	}
	now, from, to := m.Now(), pair.Leaf.NotBefore, pair.Leaf.NotAfter
	day := func(t time.Time) string { return t.UTC().Format(time.DateOnly) }
	switch {
	case now.Before(from):
		return []Result{result(Fail, check, "check the clock", "%s is valid from %s on", h.Cert, day(from))}
	case now.After(to):
		return []Result{result(Fail, check, "renew it; the host reads it again", "%s has expired on %s", h.Cert, day(to))}
	case to.Sub(now) < renewBefore:
		return []Result{result(Warn, check, "renew it; the host reads it again", "%s expires on %s", h.Cert, day(to))}
	}
	return []Result{result(OK, check, "", "%s is valid until %s", h.Cert, day(to))}
}

// reason returns an error without its path, which the message has already.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// size formats bytes.
func size(n uint64) string {
	switch {
	case n >= 10<<30:
		return fmt.Sprintf("%d GB", n>>30)
	case n >= 10<<20:
		return fmt.Sprintf("%d MB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d kB", n>>10)
	}
	return fmt.Sprintf("%d B", n)
}
