package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/tidelock/tidelock/cmd/host/admin"
	"github.com/tidelock/tidelock/cmd/host/nats"
	"github.com/tidelock/tidelock/cmd/host/profiles"
	"github.com/tidelock/tidelock/cmd/host/store"
	base "github.com/tidelock/tidelock/engine/store"
)

// clusterReady is how long the store commands wait for a cluster's servers and for the list of keys.
const clusterReady = 20 * time.Second

// storeCluster says how a cluster's store is reached. The servers are --cluster, or an argument of copy.
type storeCluster struct {
	ClusterName        string `only:"cli" default:"tidelock" placeholder:"NAME" help:"Name of the cluster."`
	ClusterCredentials string `only:"cli" placeholder:"FILE" help:"Credentials file (.creds) for its NATS servers."`
	ClusterReplicas    int    `only:"cli" default:"1" enum:"1,3,5" help:"How many NATS servers keep each record, if an import or a copy creates the cluster's store: 1, 3 or 5."`
	// HolderAfter is after how long without a write a holder of a profile has died. Tests have less.
	HolderAfter time.Duration `only:"cli" hidden:"" default:"30s"`
}

// clusterStore is the store of a cluster, reached as a host reaches it. Hosts use it meanwhile.
type clusterStore struct {
	conn  *nats.Conn
	all   *nats.Store
	lease time.Duration
	tell  io.Writer
}

// dial connects to a cluster's store. Without create it must exist.
func (c *storeCluster) dial(servers string, create bool, tell io.Writer) (*clusterStore, error) {
	conn, err := nats.Dial(nats.Options{
		Servers: servers, Credentials: c.ClusterCredentials, Name: c.ClusterName, Host: "host store", Replicas: c.ClusterReplicas, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, usageError{fmt.Errorf("--cluster: %w", err)}
	}
	s := &clusterStore{conn: conn, all: conn.Store(nats.StoreOptions{Quota: store.Quota{Bytes: 1 << 62, Keys: 1 << 62}, Existing: !create}), lease: c.HolderAfter, tell: tell}
	ctx, cancel := context.WithTimeout(context.Background(), clusterReady)
	defer cancel()
	if err := s.all.AwaitKeys(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("cluster %s: %w", c.ClusterName, err), s.close())
	}
	return s, nil
}

func (s *clusterStore) close() error {
	err := s.all.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = s.conn.Close(ctx) // all that was to be written was answered; its servers may be gone
	return err
}

func (s *clusterStore) list(prefix, after string) ([]string, error) {
	return s.all.List(prefix, after, base.MaxList)
}

func (s *clusterStore) get(key string) (base.Record, error) { return s.all.Get(key) }

func (s *clusterStore) export(w io.Writer) error {
	_, err := store.Export(s.all, w)
	return err
}

func (s *clusterStore) backup(w io.Writer) error { return store.Backup(s.all, w, nil) }

func (s *clusterStore) check() (admin.StoreReport, error) {
	r, err := store.Check(s.all)
	if err != nil {
		return admin.StoreReport{}, err
	}
	return admin.StoreReport{File: "the cluster's store", Records: r.Records, Bytes: r.Bytes, Damage: r.Lines()}, nil
}

// importFrom imports beside hosts: a profile that one of them holds stays as it is.
func (s *clusterStore) importFrom(r io.Reader, skip bool) (n admin.StoreImport, err error) {
	file, ok := r.(*os.File)
	if ok {
		_, err := file.Seek(0, io.SeekCurrent)
		ok = err == nil // a pipe cannot be read twice
	}
	if !ok {
		var drop func() error
		if file, drop, err = store.Spool(r); err != nil {
			return n, err
		}
		defer func() { err = errors.Join(err, drop()) }()
	}
	m, err := store.Merge(file, skip, func(key string, value []byte, dead base.Revision) error {
		return profiles.Put(s.all, key, value, dead, false)
	}, s.wait)
	if m.Import != nil {
		n.Bad = m.Bad
	}
	n.Records, n.Held = m.Stored, m.Held
	return n, err
}

// wait waits for as long as a host that lives needs to write the profiles that it holds.
func (s *clusterStore) wait() error {
	waitForHolder(s.tell, s.lease)
	return nil
}

func waitForHolder(tell io.Writer, lease time.Duration) {
	_, _ = fmt.Fprintf(tell, "a host holds the profile; waiting %v to see whether it is alive\n", lease) // there is nobody else to tell
	time.Sleep(lease)
}

func (s *clusterStore) versions(player string) ([]admin.StoreVersion, error) {
	now, older, err := profiles.Kept(s.all, player)
	return admin.StoreVersions(now, older), err
}

func (s *clusterStore) restore(player string, version uint64) error {
	_, err := profiles.Restore(s.all, player, version, 0, false)
	var held *profiles.HeldError
	if errors.As(err, &held) {
		waitForHolder(s.tell, s.lease)
		_, err = profiles.Restore(s.all, player, version, held.Revision, false)
	}
	return err
}

// inCluster reports whether a store is named by the servers of its cluster, and not by a file.
func inCluster(name string) bool { return strings.Contains(name, "://") }

// fromCluster copies a cluster's store to a new file.
func (c *storeCopyCmd) fromCluster(path string) (*store.Report, error) {
	a, err := c.dial(c.From, false, io.Discard)
	if err != nil {
		return nil, err
	}
	report, err := store.Copy(a.all, path)
	return report, errors.Join(err, a.close())
}

// toCluster stores the records of a file in a cluster's store, as an import of its export does.
func (c *storeCopyCmd) toCluster(sys *system) (err error) {
	if inCluster(c.From) {
		return usageError{errors.New("copy goes from a file to a cluster or from a cluster to a file; do one after the other")}
	}
	s, err := store.OpenSnapshot(c.From)
	if err != nil {
		return usageError{err}
	}
	defer s.Close()
	f, err := os.CreateTemp("", "export-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	report, err := s.Export(f)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	switch {
	case err != nil:
		return err
	case !report.OK() && !c.DamagedOK:
		return damagedStore(sys, report.Lines(), "host store copy --damaged-ok copies the rest")
	}
	for _, l := range report.Lines() {
		_, _ = fmt.Fprintln(sys.stderr, "missing or in doubt:", l) // there is nobody else to tell
	}
	a, err := c.dial(c.To, true, sys.stderr)
	if err != nil {
		return err
	}
	n, err := a.importFrom(f, false)
	if err = errors.Join(err, a.close()); err != nil {
		return err
	}
	return imported(sys, "copied", n)
}
