package access

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tidelock/tidelock/cmd/host/secret"
)

// header begins the file.
const header = `# What this host's operator decides about players (docs/hosting.md, "Roles, bans and a whitelist").
# The host reads this file when it starts, on SIGHUP, and before it changes something. A change writes the whole file
# again: it keeps what is set here, and loses comments other than these lines.
`

// failed describes an error with the file, without the path that the message already has.
func failed(path, do string, err error) error {
	var pe *fs.PathError
	var le *os.LinkError
	switch {
	case errors.As(err, &pe):
		err = pe.Err
	case errors.As(err, &le):
		err = le.Err
	}
	return fmt.Errorf("%s: %w; %s", path, err, do)
}

// checkFolder refuses a path in a folder that does not exist: the list would seem empty, and could never be saved.
func checkFolder(path string) error {
	dir := filepath.Dir(path)
	st, err := os.Stat(dir)
	switch {
	case err != nil:
		return failed(path, "name a file in a folder that exists", err)
	case !st.IsDir():
		return fmt.Errorf("%s: %s is not a folder; name a file in a folder that exists", path, dir)
	}
	return nil
}

// readFile returns the content of the file, nil if there is none. A file that others may write is an error: they
// could make themselves owners.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, failed(path, "name a file that can be read", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	if err := secret.CheckWrite(f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return nil, failed(path, "name a file that can be read", err)
	case len(b) > maxFile:
		return nil, fmt.Errorf("%s: more than %d bytes is not an access list; move it away", path, maxFile)
	}
	return b, nil
}

// writeFile replaces the content of the file at once: after a crash there is either the old or the new one. The mode
// of an existing file stays. sync is (*os.File).Sync.
func writeFile(path string, text []byte, sync func(*os.File) error) error {
	const do = "free space, or let the host write there"
	mode := fs.FileMode(0o600)
	if to, err := filepath.EvalSymlinks(path); err == nil { // the file that a link leads to is replaced, not the link
		path = to
		if st, err := os.Stat(path); err == nil {
			mode = st.Mode().Perm()
		}
	}
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, ".access-*.tmp")
	if err != nil {
		return failed(path, do, err)
	}
	_, err = f.Write(text)
	for _, step := range [...]func() error{func() error { return f.Chmod(mode) }, func() error { return sync(f) }} {
		if err == nil {
			err = step()
		}
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error is the one to report
		return failed(path, do, err)
	}
	if d, err := os.Open(dir); err == nil { // the rename survives a power cut, where the system can promise that
		_ = sync(d)
		_ = d.Close()
	}
	return nil
}

// render returns the file of a list. The same list gives the same bytes.
func render(s *state, now time.Time) []byte {
	var b strings.Builder
	b.WriteString(header)
	b.WriteString("\n[roles]\n")
	for _, key := range slices.Sorted(maps.Keys(s.roles)) {
		fmt.Fprintf(&b, "%s = %s\n", literal(key), literal(s.roles[key].String()))
	}
	fmt.Fprintf(&b, "\n[whitelist]\nenabled = %t\nkeys = [", s.only)
	for _, key := range slices.Sorted(maps.Keys(s.listed)) {
		fmt.Fprintf(&b, "\n\t%s,", literal(key))
	}
	if len(s.listed) > 0 {
		b.WriteByte('\n')
	}
	b.WriteString("]\n")
	for _, ban := range s.bans(now) {
		b.WriteString("\n[[bans]]\n")
		for _, line := range [...]struct{ key, value string }{
			{"key", ban.Key}, {"addr", ban.Addr}, {"name", ban.Name}, {"reason", ban.Reason}, {"by", ban.By},
		} {
			if line.value != "" {
				fmt.Fprintf(&b, "%s = %s\n", line.key, literal(line.value))
			}
		}
		if !ban.Since.IsZero() {
			fmt.Fprintf(&b, "since = %s\n", ban.Since.Format(time.RFC3339))
		}
		if !ban.Until.IsZero() {
			fmt.Fprintf(&b, "until = %s\n", ban.Until.Format(time.RFC3339))
		}
	}
	return []byte(b.String())
}

// literal writes a text of printable characters as TOML.
func literal(s string) string {
	return `"` + strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), `"`, `\"`) + `"`
}
