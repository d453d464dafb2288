package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// clientRoot is where the client's files are served, below a hash over them.
const clientRoot = "/client/"

// Names of the client's files: wasmName and execName in addresses, packedName and brotliName in folders, where brotliName
// may be missing.
const (
	wasmName   = "client.wasm"
	execName   = "wasm_exec.js"
	packedName = "client.wasm.gz"
	brotliName = "client.wasm.br"
)

// Bounds of the client's files, in bytes; the client is about 5 MB packed and 20 MB unpacked.
const (
	maxPacked   = 64 << 20
	maxUnpacked = 256 << 20
)

// client holds the client's files in memory. The wasm is kept packed.
type client struct {
	// root is where they are served, with a slash at the end.
	root       string
	wasm, exec *asset
	size       int64 // of the wasm, unpacked
}

// loadClient reads and checks the client's files in a folder.
func loadClient(f fs.FS) (*client, error) {
	packed, err := readBounded(f, packedName)
	if err != nil {
		return nil, err
	}
	exec, err := readBounded(f, execName)
	if err != nil {
		return nil, err
	}
	brotli, err := readBounded(f, brotliName)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", packedName, err)
	}
	sum := sha256.New()
	var magic [4]byte
	if _, err := io.ReadFull(z, magic[:]); err != nil || magic != [4]byte{0, 'a', 's', 'm'} {
		return nil, fmt.Errorf("%s: holds no WebAssembly", packedName)
	}
	_, _ = sum.Write(magic[:]) // a hash has no errors
	n, err := io.Copy(sum, io.LimitReader(z, maxUnpacked))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", packedName, err)
	}
	if n == maxUnpacked {
		return nil, fmt.Errorf("%s: unpacks to more than %d bytes", packedName, int64(maxUnpacked))
	}
	wasm := &asset{
		typ: contentType(wasmName), gz: func() []byte { return packed }, br: brotli, immutable: true,
		tag: `"` + hex.EncodeToString(sum.Sum(nil)[:8]) + `"`,
	}
	_, _ = sum.Write(exec)
	return &client{
		root: clientRoot + hex.EncodeToString(sum.Sum(nil)[:12]) + "/",
		wasm: wasm, exec: newAsset(execName, exec, true), size: n + int64(len(magic)),
	}, nil
}

func readBounded(f fs.FS, name string) (b []byte, err error) {
	file, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if b, err = io.ReadAll(io.LimitReader(file, maxPacked+1)); err != nil {
		return nil, err
	}
	if len(b) > maxPacked {
		return nil, fmt.Errorf("%s: more than %d bytes", name, maxPacked)
	}
	return b, nil
}

// packClient packs a built wasm into its folder, removes the original, and puts wasm_exec.js beside it.
func packClient(ctx context.Context, wasm, exec, dir string) error {
	if err := pack(ctx, wasm, filepath.Join(dir, packedName)); err != nil {
		return fmt.Errorf("compressing the client: %w; check that the disk is not full", err)
	}
	if err := os.Remove(wasm); err != nil {
		return fmt.Errorf("removing what was compressed: %w; make the cache folder writable", err)
	}
	b, err := os.ReadFile(exec)
	if err != nil {
		return fmt.Errorf("%s of the Go toolchain: %w; reinstall Go", execName, err)
	}
	if err := os.WriteFile(filepath.Join(dir, execName), b, 0o600); err != nil {
		return fmt.Errorf("keeping %s: %w; check that the disk is not full", execName, err)
	}
	return nil
}

func pack(ctx context.Context, from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	z, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	_, err = io.Copy(z, &untilDone{ctx, in})
	return errors.Join(err, z.Close())
}

// untilDone is a reader that fails when ctx ends: compressing takes seconds, and Close waits for it.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

func (u *untilDone) Read(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(b)
}

const (
	// keepBuilds is how many built clients the cache folder keeps, the most recently used ones: enough to
	// switch between some branches.
	keepBuilds = 4
	// tempPrefix marks a folder of a build in progress; abandoned is the age at which it was left by a process
	// that died.
	tempPrefix = ".build-"
	abandoned  = time.Hour
)

// prune removes the least recently used builds in dir, and remains of hosts that died. It never removes the
// build called stay.
func prune(dir, stay string, now time.Time) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	type build struct {
		name string
		used time.Time
	}
	var builds []build
	var errs []error
	for _, d := range list {
		if !d.IsDir() {
			continue
		}
		st, err := d.Info()
		if err != nil {
			continue // another host removed it just now
		}
		switch {
		case strings.HasPrefix(d.Name(), tempPrefix):
			if now.Sub(st.ModTime()) > abandoned {
				errs = append(errs, os.RemoveAll(filepath.Join(dir, d.Name())))
			}
		case isKey(d.Name()) && d.Name() != stay:
			builds = append(builds, build{d.Name(), st.ModTime()})
		}
	}
	slices.SortFunc(builds, func(a, b build) int { return b.used.Compare(a.used) })
	for _, old := range builds[min(len(builds), keepBuilds-1):] {
		errs = append(errs, os.RemoveAll(filepath.Join(dir, old.name)))
	}
	return errors.Join(errs...)
}
