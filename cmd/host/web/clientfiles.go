package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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
	c, _, err := newClient(packed, brotli, exec)
	return c, err
}

// newClient checks the client's files, and returns the hash of the wasm, too. brotli may be nil.
func newClient(packed, brotli, exec []byte) (c *client, of [sha256.Size]byte, err error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, of, fmt.Errorf("%s: %w", packedName, err)
	}
	sum := sha256.New()
	var magic [4]byte
	if _, err := io.ReadFull(z, magic[:]); err != nil || magic != [4]byte{0, 'a', 's', 'm'} {
		return nil, of, fmt.Errorf("%s: holds no WebAssembly", packedName)
	}
	_, _ = sum.Write(magic[:]) // a hash has no errors
	n, err := io.Copy(sum, io.LimitReader(z, maxUnpacked))
	if err != nil {
		return nil, of, fmt.Errorf("%s: %w", packedName, err)
	}
	if n == maxUnpacked {
		return nil, of, fmt.Errorf("%s: unpacks to more than %d bytes", packedName, int64(maxUnpacked))
	}
	of = [sha256.Size]byte(sum.Sum(nil))
	wasm := &asset{
		typ: contentType(wasmName), gz: func() []byte { return packed }, br: brotli, immutable: true,
		tag: `"` + hex.EncodeToString(of[:8]) + `"`,
	}
	_, _ = sum.Write(exec)
	return &client{
		root: clientRoot + hex.EncodeToString(sum.Sum(nil)[:12]) + "/",
		wasm: wasm, exec: newAsset(execName, exec, true), size: n + int64(len(magic)),
	}, of, nil
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

// packLevel is where compressing a client takes a sixth of the time of gzip.BestCompression, for 2 % more bytes.
const packLevel = 5

// builtClient returns the client of a program that was built just now. It keeps what it compresses in the folder dir, for a next start with
// the same program. The caller has the folder's lock.
func builtClient(wasm, glue, dir string) (*client, error) {
	raw, err := os.ReadFile(wasm)
	if err != nil {
		return nil, fmt.Errorf("reading the built client: %w; check that the disk is not full", err)
	}
	exec, err := os.ReadFile(glue)
	if err != nil {
		return nil, fmt.Errorf("%s of the Go toolchain: %w; reinstall Go", execName, err)
	}
	if packed, err := readBounded(os.DirFS(dir), packedName); err == nil {
		if c, of, err := newClient(packed, nil, exec); err == nil && of == sha256.Sum256(raw) {
			return c, nil
		}
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, packLevel)
	if err == nil {
		_, err = z.Write(raw)
	}
	if err = errors.Join(err, z.Close()); err != nil {
		panic("web: compressing into memory: " + err.Error()) // bytes.Buffer has no errors
	}
	// One that is cut short by the end of the process is not what was built, so it is written again.
	if err := os.WriteFile(filepath.Join(dir, packedName), packed.Bytes(), 0o600); err != nil {
		return nil, fmt.Errorf("keeping the built client: %w; check that the disk is not full", err)
	}
	c, _, err := newClient(packed.Bytes(), nil, exec)
	return c, err
}
