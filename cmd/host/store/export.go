package store

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"

	"go.etcd.io/bbolt"

	"github.com/tidelock/tidelock/engine/store"
)

const (
	// maxLine bounds a line of an export, in bytes: the largest value, as text.
	maxLine = store.MaxBlob/3*4 + 4096
	// MaxImport bounds the keys and values of one import, in bytes: they are one transaction, and in memory.
	MaxImport = 1 << 30
)

// line is a line of an export: a record, or at the end what there was.
type line struct {
	Key      string          `json:"key,omitempty"`
	Revision uint64          `json:"revision"`
	Value    json.RawMessage `json:"value,omitempty"`
	Base64   *string         `json:"base64,omitempty"`
	// Sum is the checksum of key, revision and value; an operator who edits a line removes it.
	Sum string `json:"sum,omitempty"`

	Records *int     `json:"records,omitempty"`
	Damage  []string `json:"damage,omitempty"`
}

// End is the last line of an export: how many records there are, the highest revision, and what of the file was damaged.
type End struct {
	Records  int
	Revision store.Revision
	Damage   []string
}

// appendLine appends a record as a line.
func appendLine(to []byte, key string, r store.Record) ([]byte, error) {
	l := line{Key: key, Revision: uint64(r.Revision), Sum: lineSum(key, r)}
	if text, ok := readable(r.Value); ok {
		l.Value = text
	} else {
		s := base64.StdEncoding.EncodeToString(r.Value)
		l.Base64 = &s
	}
	return encodeLine(to, &l)
}

// Line returns a record as a line of an export, without its end.
func Line(key string, r store.Record) ([]byte, error) {
	b, err := appendLine(nil, key, r)
	return bytes.TrimSuffix(b, []byte("\n")), err
}

func encodeLine(to []byte, l *line) ([]byte, error) {
	var w bytes.Buffer
	e := json.NewEncoder(&w)
	e.SetEscapeHTML(false)
	if err := e.Encode(l); err != nil {
		return nil, err
	}
	return append(to, w.Bytes()...), nil
}

func lineSum(key string, r store.Record) string {
	sum := crc32.Checksum(fmt.Appendf(nil, "%s\n%d\n", key, r.Revision), castagnoli)
	return fmt.Sprintf("%08x", crc32.Update(sum, castagnoli, r.Value))
}

// parseLine reads a line. end is not nil for the last one.
func parseLine(text []byte) (key string, r store.Record, end *End, err error) {
	var l line
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return "", r, nil, fmt.Errorf("it is no line of an export: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return "", r, nil, errors.New("it has more than one object")
	}
	if l.Records != nil {
		if l.Key != "" || l.Value != nil || l.Base64 != nil || *l.Records < 0 {
			return "", r, nil, errors.New("it is a record and the last line at once")
		}
		return "", r, &End{*l.Records, store.Revision(l.Revision), l.Damage}, nil
	}
	if err := store.CheckFull(l.Key); err != nil {
		return "", r, nil, err
	}
	r.Revision = store.Revision(l.Revision)
	switch {
	case l.Revision == 0 || r.Revision == store.Any:
		return "", r, nil, fmt.Errorf("%s: revision %d is none of a record", l.Key, l.Revision)
	case (l.Value == nil) == (l.Base64 == nil):
		return "", r, nil, fmt.Errorf("%s: expected one of value and base64", l.Key)
	case l.Value != nil:
		if r.Value, err = packed(l.Value); err != nil {
			return "", r, nil, fmt.Errorf("%s: value: %w", l.Key, err)
		}
	default:
		if r.Value, err = base64.StdEncoding.Strict().DecodeString(*l.Base64); err != nil {
			return "", r, nil, fmt.Errorf("%s: base64: %w", l.Key, err)
		}
	}
	if err := checkSize(l.Key, len(r.Value)); err != nil {
		return "", r, nil, err
	}
	if l.Sum != "" && l.Sum != lineSum(l.Key, r) {
		return "", r, nil, fmt.Errorf("%s: its checksum is wrong: the line is damaged; if you changed it yourself, remove \"sum\"", l.Key)
	}
	return l.Key, r, nil, nil
}

// Export writes all records of a snapshot that can be read, one line of JSON each, and a last line that says how many there are
// and what is damaged.
func (s *Snapshot) Export(w io.Writer) (*Report, error) { return export(w, s.Scan) }

func export(w io.Writer, scan func(func(string, store.Record) error) (*Report, error)) (*Report, error) {
	var buf []byte
	report, err := scan(func(key string, r store.Record) (err error) {
		if buf, err = appendLine(buf[:0], key, r); err == nil {
			_, err = w.Write(buf)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if buf, err = encodeLine(buf[:0], &line{Revision: uint64(report.Revision), Records: &report.Records, Damage: report.Lines()}); err == nil {
		_, err = w.Write(buf)
	}
	return report, err
}

// Import is what was read of an export.
type Import struct {
	writes []store.Write // If is the revision
	visit  func(key string, r store.Record) error
	seen   map[string]int
	size   int
	End    *End
	// Bad are the lines that were left out, with their numbers.
	Bad []string
}

// Len is how many records there are.
func (i *Import) Len() int { return len(i.seen) }

// ReadImport reads an export to its end. With skip it goes on after a bad line, and does not need the last one; otherwise a bad line is the
// error, with its number.
func ReadImport(r io.Reader, skip bool) (*Import, error) {
	in := &Import{}
	in.visit = func(key string, r store.Record) error {
		if in.size += len(key) + len(r.Value); in.size > MaxImport {
			return errTooMuch
		}
		in.writes = append(in.writes, store.Write{Key: key, Value: r.Value, If: r.Revision})
		return nil
	}
	return in.read(r, skip)
}

// VisitImport reads an export as [ReadImport], and gives each record to visit instead of keeping it. An error of visit ends it.
func VisitImport(r io.Reader, skip bool, visit func(key string, r store.Record) error) (*Import, error) {
	in := &Import{visit: func(key string, r store.Record) error {
		if err := visit(key, r); err != nil {
			return &visitError{err}
		}
		return nil
	}}
	return in.read(r, skip)
}

// visitError is an error of what an import is given to, and not of a line.
type visitError struct{ error }

func (e *visitError) Unwrap() error { return e.error }

func (i *Import) read(r io.Reader, skip bool) (*Import, error) {
	i.seen = map[string]int{}
	b := bufio.NewReaderSize(r, 1<<16)
	for n := 1; ; n++ {
		text, err := readLine(b)
		if err == nil && len(bytes.TrimSpace(text)) > 0 {
			err = i.add(n, text)
		}
		switch {
		case errors.Is(err, io.EOF):
			return i, i.complete(skip)
		case errors.Is(err, errTooMuch):
			return nil, err
		case errors.As(err, new(*visitError)):
			return nil, errors.Unwrap(err)
		case err != nil && !skip:
			return nil, fmt.Errorf("line %d: %w; nothing was imported (--skip leaves bad lines out)", n, err)
		case err != nil:
			i.Bad = append(i.Bad, fmt.Sprintf("line %d: %v", n, err))
		}
		if err != nil && errors.Is(err, errUnread) {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
}

var (
	errTooMuch = fmt.Errorf("more than %d MB of keys and values; divide the file: imports are one transaction", MaxImport>>20)
	errUnread  = errors.New("the file cannot be read on")
)

// readLine reads a line of at most maxLine bytes; io.EOF means that there is none.
func readLine(b *bufio.Reader) (text []byte, err error) {
	for {
		part, err := b.ReadSlice('\n')
		text = append(text, part...)
		switch {
		case len(text) > maxLine:
			return nil, fmt.Errorf("%w: a line has more than %d bytes", errUnread, maxLine)
		case err == nil || errors.Is(err, io.EOF) && len(text) > 0:
			return text, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return nil, io.EOF
		default:
			return nil, fmt.Errorf("%w: %w", errUnread, reason(err))
		}
	}
}

func (i *Import) add(n int, text []byte) error {
	key, r, end, err := parseLine(text)
	switch {
	case err != nil:
		return err
	case end != nil && i.End != nil:
		return errors.New("there is a last line already")
	case end != nil:
		i.End = end
		return nil
	case i.End != nil:
		return errors.New("it follows the last line")
	case i.seen[key] > 0:
		return fmt.Errorf("%s is in line %d already", key, i.seen[key])
	}
	i.seen[key] = n
	return i.visit(key, r)
}

// complete checks that the export is not cut off.
func (i *Import) complete(skip bool) error {
	switch {
	case skip:
		return nil
	case i.End == nil:
		return errors.New("the last line, {\"revision\":…,\"records\":…}, is missing: the file is not complete; nothing was imported (--skip takes what there is)")
	case i.End.Records != i.Len():
		return fmt.Errorf("there are %d records, and the last line says %d; nothing was imported (--skip takes what there is)", i.Len(), i.End.Records)
	}
	return nil
}

// Import stores all records of an export, or with an error none. In a file in which nothing was ever stored they have the revisions that
// they had; in others each gets a new one, so that nobody takes it for one that they read before. Records at other keys stay.
func (b *Bolt) Import(in *Import) error {
	if err := b.Broken(); err != nil {
		return fmt.Errorf("%w; nothing was imported", err)
	}
	var failed error
	p := guard(func() { failed = b.importAll(in) })
	if p != nil {
		return b.panicked(p, "imported")
	}
	return failed
}

func (b *Bolt) importAll(in *Import) error {
	t, err := b.begun(true)
	if err != nil {
		return fmt.Errorf("store %s: %w; nothing was imported", b.path, err)
	}
	exact := t.revision == 0
	// In order: bbolt divides a page only as it commits, so that inserting many keys in front of others takes quadratic time.
	writes := slices.SortedFunc(slices.Values(in.writes), func(a, b store.Write) int { return strings.Compare(a.Key, b.Key) })
	if !exact {
		for i := range writes {
			writes[i].If = store.Any
		}
	}
	if _, err := t.write(writes, exact); err != nil {
		return errors.Join(err, t.tx.Rollback())
	}
	if exact && in.End != nil {
		t.revision = max(t.revision, uint64(in.End.Revision))
	}
	return b.safe(t)
}

// Backup writes a copy of the file as it is at this moment, while it is written. sized, if not nil, gets its size first. It is for any
// goroutine.
func (b *Bolt) Backup(w io.Writer, sized func(bytes int64)) error {
	if b.Broken() != nil || b.db == nil {
		return fmt.Errorf("store %s is damaged, and so would be its backup; host store export --damaged-ok saves what is readable", b.path)
	}
	var failed error
	p := guard(func() {
		failed = b.db.View(func(tx *bbolt.Tx) error {
			if sized != nil {
				sized(tx.Size())
			}
			_, err := tx.WriteTo(w)
			return err
		})
	})
	if p != nil {
		return &DamagedError{File: b.path, What: p.Error()}
	}
	return failed
}

// Copy writes all records of a snapshot to a new file, which has no unused pages and no damage. The report says what could not be read.
func (s *Snapshot) Copy(path string) (*Report, error) { return copyTo(path, s.Scan) }

func copyTo(path string, scan func(func(string, store.Record) error) (*Report, error)) (report *Report, err error) {
	b, err := Open(path, Options{Quota: Quota{Bytes: 1 << 62, Keys: 1 << 62}})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	c := &copying{bolt: b}
	report, err = scan(c.add)
	if err == nil {
		err = c.flush(report.Revision)
	}
	return report, err
}

// copying puts records into a new file, many in one transaction.
type copying struct {
	bolt   *Bolt
	writes []store.Write
	size   int
}

func (c *copying) add(key string, r store.Record) error {
	c.writes = append(c.writes, store.Write{Key: key, Value: bytes.Clone(r.Value), If: r.Revision})
	if c.size += len(key) + len(r.Value); c.size < mostGroupBytes {
		return nil
	}
	return c.flush(0)
}

func (c *copying) flush(revision store.Revision) (err error) {
	p := guard(func() {
		var t *transaction
		if t, err = c.bolt.begun(true); err != nil {
			return
		}
		if _, err = t.write(c.writes, true); err != nil {
			err = errors.Join(err, t.tx.Rollback())
			return
		}
		t.revision = max(t.revision, uint64(revision))
		err = c.bolt.safe(t)
	})
	c.writes, c.size = c.writes[:0], 0
	if p != nil {
		c.bolt.stuck = true
		return p
	}
	return err
}
