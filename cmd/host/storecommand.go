package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/tidelock/tidelock/cmd/host/admin"
	"github.com/tidelock/tidelock/cmd/host/profiles"
	"github.com/tidelock/tidelock/cmd/host/store"
	base "github.com/tidelock/tidelock/engine/store"
)

// storeCmd looks at the store of a host and moves it: on its file while the host is stopped, over its API while it runs, because
// one process alone can use the file. That of a cluster is reached as hosts reach it.
type storeCmd struct {
	List   storeListCmd   `cmd:"" settings:"none" help:"List the keys, or those that begin with a prefix."`
	Get    storeGetCmd    `cmd:"" settings:"none" help:"Print a record as JSON, or its value alone."`
	Export storeExportCmd `cmd:"" settings:"none" help:"Write all records as lines of JSON."`
	Import storeImportCmd `cmd:"" settings:"none" help:"Store all records of an export; those at other keys stay."`
	Backup storeBackupCmd `cmd:"" settings:"none" help:"Write a copy of the file, also while the host runs; of a cluster's store, a file that a host can use."`
	Check  storeCheckCmd  `cmd:"" settings:"none" help:"Read every page and every checksum, and list what is damaged; exit code 1 if something is."`
	Copy   storeCopyCmd   `cmd:"" settings:"none" help:"Write the records of a file to a new one, which has no unused space; or from a file to a cluster, or the other way."`

	Versions storeVersionsCmd `cmd:"" settings:"none" help:"List the older states of what a player owns that are kept."`
	Restore  storeRestoreCmd  `cmd:"" settings:"none" help:"Give a player an older state of what they own. The player must not be in."`
}

// storeSource says which store is meant.
type storeSource struct {
	File      string        `only:"cli" default:"store.db" placeholder:"FILE" help:"The store of a host that is stopped: its --store, or store.db beside its host.toml."`
	At        string        `only:"cli" placeholder:"URL" help:"The address for browsers of a host that runs: http://localhost:7780. Without it the file is used."`
	TokenFile string        `only:"cli" placeholder:"FILE" help:"The file of the host's --admin-token. Default: the one of that port in your cache folder."`
	Within    time.Duration `only:"cli" default:"10m" range:"1s,24h" help:"How long the host may take."`
	Cluster   string        `only:"cli" placeholder:"URL,…" help:"The NATS servers of a cluster, whose store is meant then: nats://10.0.0.1:4222,nats://10.0.0.2:4222."`
	storeCluster
}

// storeAccess is a store: a file, or that of a running host.
type storeAccess interface {
	list(prefix, after string) ([]string, error)
	// get returns a record; revision 0 if there is none.
	get(key string) (base.Record, error)
	// export writes lines of JSON.
	export(w io.Writer) error
	importFrom(r io.Reader, skip bool) (admin.StoreImport, error)
	backup(w io.Writer) error
	check() (admin.StoreReport, error)
	// versions lists the states of a player's profile, the present one first; restore makes one of them the present one.
	versions(player string) ([]admin.StoreVersion, error)
	restore(player string, version uint64) error
	close() error
}

// open returns the store that is meant. write is for import: it makes the file if there is none.
func (s *storeSource) open(sys *system, write bool) (storeAccess, error) {
	switch {
	case s.At != "" && s.Cluster != "":
		return nil, usageError{errors.New("--at and --cluster are both given; a host of the cluster and its servers have the same store, so leave one out")}
	case s.At != "":
		return dialStore(s, sys.stderr)
	case s.Cluster != "":
		return s.dial(s.Cluster, write, sys.stderr)
	}
	if write {
		b, err := store.Open(s.File, store.Options{})
		if err != nil {
			return nil, usageError{err}
		}
		return &fileStore{bolt: b}, nil
	}
	b, err := store.OpenReadOnly(s.File)
	if err != nil {
		return nil, usageError{err}
	}
	snap, err := b.Snapshot()
	if err != nil {
		return nil, usageError{errors.Join(err, b.Close())}
	}
	return &fileStore{bolt: b, snapshot: snap}, nil
}

// with opens the store, uses it and closes it.
func (s *storeSource) with(sys *system, write bool, use func(storeAccess) error) error {
	a, err := s.open(sys, write)
	if err != nil {
		return err
	}
	return errors.Join(use(a), a.close())
}

// fileStore is the store of a host that is stopped.
type fileStore struct {
	bolt     *store.Bolt
	snapshot *store.Snapshot
}

func (f *fileStore) list(prefix, after string) ([]string, error) {
	return f.snapshot.List(prefix, after, base.MaxList)
}

func (f *fileStore) get(key string) (base.Record, error) { return f.snapshot.Get(key) }

func (f *fileStore) export(w io.Writer) error {
	_, err := f.snapshot.Export(w)
	return err
}

func (f *fileStore) importFrom(r io.Reader, skip bool) (n admin.StoreImport, err error) {
	in, err := store.ReadImport(r, skip)
	if err != nil {
		return n, err
	}
	return admin.StoreImport{Records: in.Len(), Bad: in.Bad}, f.bolt.Import(in)
}

func (f *fileStore) backup(w io.Writer) error { return f.bolt.Backup(w, nil) }

func (f *fileStore) check() (admin.StoreReport, error) {
	r := f.snapshot.Check()
	return admin.StoreReport{File: f.bolt.Path(), Records: r.Records, Bytes: r.Bytes, Damage: r.Lines()}, nil
}

func (f *fileStore) versions(player string) ([]admin.StoreVersion, error) {
	now, older, err := profiles.Kept(f.snapshot, player)
	return admin.StoreVersions(now, older), err
}

// restore writes although the profile may name a holder: no host uses the file, so that one ended without giving it back.
func (f *fileStore) restore(player string, version uint64) error {
	_, err := profiles.Restore(f.bolt, player, version, 0, true)
	return err
}

func (f *fileStore) close() error { return f.bolt.Close() }

type storeListCmd struct {
	Prefix string `arg:"" optional:"" help:"What the keys begin with: game/, mod.NAME/, profile/, world/."`
	storeSource
}

// Run prints keys, one a line.
func (c *storeListCmd) Run(sys *system) error {
	return c.with(sys, false, func(a storeAccess) error {
		out := bufio.NewWriter(sys.stdout)
		for after := ""; ; {
			keys, err := a.list(c.Prefix, after)
			if err != nil {
				return errors.Join(err, out.Flush())
			}
			for _, k := range keys {
				_, _ = out.WriteString(k + "\n") // Flush has the error
			}
			if len(keys) < base.MaxList {
				return out.Flush()
			}
			after = keys[len(keys)-1]
		}
	})
}

type storeGetCmd struct {
	Key string `arg:"" help:"The key with its namespace, as list prints it."`
	Raw bool   `only:"cli" help:"Print the value's bytes, and nothing else."`
	storeSource
}

// Run prints a record as a line of an export.
func (c *storeGetCmd) Run(sys *system) error {
	return c.with(sys, false, func(a storeAccess) error {
		r, err := a.get(c.Key)
		if err != nil {
			return err
		}
		if r.Revision == 0 {
			return fmt.Errorf("there is no record %q; host store list prints all keys", c.Key)
		}
		out := r.Value
		if !c.Raw {
			if out, err = store.Line(c.Key, r); err != nil {
				return err
			}
			out = append(out, '\n')
		}
		_, err = sys.stdout.Write(out)
		return err
	})
}

type storeExportCmd struct {
	To        string `arg:"" optional:"" name:"file" help:"The file to write; without one, standard output."`
	DamagedOK bool   `only:"cli" name:"damaged-ok" help:"Export what can be read of a damaged store, and say what is missing. Without it a damaged store is an error, and no file is written."`
	storeSource
}

// Run writes an export. The file appears when it is complete.
func (c *storeExportCmd) Run(sys *system) error {
	return c.with(sys, false, func(a storeAccess) error {
		var end *store.End
		write := func(w io.Writer) error {
			tail := store.NewTail(w)
			if err := a.export(tail); err != nil {
				return err
			}
			var err error
			if end, err = tail.End(); err != nil {
				return err
			}
			if len(end.Damage) > 0 && !c.DamagedOK {
				return damagedStore(sys, end.Damage, "host store export --damaged-ok exports the rest")
			}
			return nil
		}
		if c.To == "" {
			out := bufio.NewWriter(sys.stdout)
			if err := errors.Join(write(out), out.Flush()); err != nil {
				return err
			}
		} else if err := store.WriteWhole(c.To, write); err != nil {
			return err
		}
		for _, l := range end.Damage {
			_, _ = fmt.Fprintln(sys.stderr, "missing or in doubt:", l) // there is nobody else to tell
		}
		if c.To != "" {
			_, _ = fmt.Fprintf(sys.stderr, "wrote %s: %s\n", c.To, count(end.Records, "record")) // as above
		}
		return nil
	})
}

// damagedStore prints damage, and returns the error that ends the command.
func damagedStore(sys *system, damage []string, do string) error {
	for _, l := range damage {
		_, _ = fmt.Fprintln(sys.stderr, l) // there is nobody else to tell
	}
	return fmt.Errorf("the store is damaged in %s; %s", count(len(damage), "place"), do)
}

type storeImportCmd struct {
	From string `arg:"" name:"file" help:"The export; - for standard input."`
	Skip bool   `only:"cli" help:"Leave out bad lines, and say which; without it one bad line is an error, and nothing is imported."`
	storeSource
}

// Run imports.
func (c *storeImportCmd) Run(sys *system) error {
	in := sys.stdin
	if c.From != "-" {
		f, err := os.Open(c.From)
		if err != nil {
			return usageError{fmt.Errorf("%s: %w", c.From, reasonOf(err))}
		}
		defer f.Close() //nolint:errcheck // it was only read
		in = f
	}
	return c.with(sys, true, func(a storeAccess) error {
		n, err := a.importFrom(in, c.Skip)
		if err != nil {
			return fmt.Errorf("%s: %w", c.From, err)
		}
		for _, l := range n.Bad {
			_, _ = fmt.Fprintln(sys.stderr, "left out:", l) // there is nobody else to tell
		}
		return imported(sys, "imported", n)
	})
}

// imported prints how an import ended. Profiles that are missing are an error.
func imported(sys *system, done string, n admin.StoreImport) error {
	for _, l := range n.Held {
		_, _ = fmt.Fprintln(sys.stderr, "left out:", l) // there is nobody else to tell
	}
	_, err := fmt.Fprintf(sys.stdout, "%s %s\n", done, count(n.Records, "record"))
	if err == nil && len(n.Held) > 0 {
		err = fmt.Errorf("left out %s that hosts hold; drain the hosts and import again", count(len(n.Held), "profile"))
	}
	return err
}

type storeBackupCmd struct {
	To string `arg:"" name:"file" help:"The file to write. It must not exist."`
	storeSource
}

// Run writes a backup, and checks it before it has its name.
func (c *storeBackupCmd) Run(sys *system) error {
	if err := missing(c.To); err != nil {
		return err
	}
	return c.with(sys, false, func(a storeAccess) error {
		var r *store.Report
		err := store.WriteWhole(c.To, func(w io.Writer) error { return a.backup(w) }, func(name string) error {
			s, err := store.OpenSnapshot(name)
			if err != nil {
				return err
			}
			defer s.Close()
			if r = s.Check(); !r.OK() {
				return damagedStore(sys, r.Lines(), "so no backup was written; host store export --damaged-ok saves what is readable")
			}
			return nil
		})
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(sys.stdout, "wrote %s: %s\n", c.To, count(r.Records, "record"))
		return err
	})
}

// present returns an error for a file that is not there.
func present(name string) error {
	if _, err := os.Stat(name); err != nil {
		return usageError{fmt.Errorf("%s: %w; give the store of a host: --file, --at or --cluster", name, reasonOf(err))}
	}
	return nil
}

// missing returns an error for a file that is there.
func missing(name string) error {
	if _, err := os.Lstat(name); err == nil {
		return usageError{fmt.Errorf("%s exists already; give another name, or remove it", name)}
	}
	return nil
}

type storeCheckCmd struct {
	storeSource
}

// Run prints what is damaged.
func (c *storeCheckCmd) Run(sys *system) error {
	return c.with(sys, false, func(a storeAccess) error {
		r, err := a.check()
		if err != nil {
			return err
		}
		for _, l := range r.Damage {
			if _, err := fmt.Fprintln(sys.stdout, l); err != nil {
				return err
			}
		}
		_, err = fmt.Fprintf(sys.stdout, "%s: %s, %d bytes, %s\n", r.File, count(r.Records, "good record"), r.Bytes, count(len(r.Damage), "place")+" damaged")
		if err == nil && len(r.Damage) > 0 {
			err = exitError(1)
		}
		return err
	})
}

type storeCopyCmd struct {
	From      string `arg:"" help:"The store of a host that is stopped, or the NATS servers of a cluster: nats://10.0.0.1:4222."`
	To        string `arg:"" help:"The file to write, which must not exist; or the NATS servers of a cluster, where records at other keys stay."`
	DamagedOK bool   `only:"cli" name:"damaged-ok" help:"Copy what can be read of a damaged store, and say what is missing."`
	storeCluster
}

// Run copies. The new file appears when it is complete.
func (c *storeCopyCmd) Run(sys *system) error {
	if inCluster(c.To) {
		return c.toCluster(sys)
	}
	if err := missing(c.To); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(c.To), ".store-")
	if err != nil {
		return usageError{fmt.Errorf("%s: %w", c.To, reasonOf(err))}
	}
	defer os.RemoveAll(dir) //nolint:errcheck // what is left of a failure
	beside := filepath.Join(dir, "store.db")
	r, err := c.into(beside)
	if err != nil {
		return err
	}
	if !r.OK() && !c.DamagedOK {
		return damagedStore(sys, r.Lines(), "host store copy --damaged-ok copies the rest")
	}
	for _, l := range r.Lines() {
		_, _ = fmt.Fprintln(sys.stderr, "missing or in doubt:", l) // there is nobody else to tell
	}
	if err := store.Publish(beside, c.To); err != nil {
		return err
	}
	_, err = fmt.Fprintf(sys.stdout, "wrote %s: %s\n", c.To, count(r.Records, "record"))
	return err
}

// into copies to a new file.
func (c *storeCopyCmd) into(path string) (*store.Report, error) {
	if inCluster(c.From) {
		return c.fromCluster(path)
	}
	s, err := store.OpenSnapshot(c.From)
	if err != nil {
		return nil, usageError{err}
	}
	defer s.Close()
	return s.Copy(path)
}
