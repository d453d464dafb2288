package web

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math/big"
	"net"
	"os"
	"sync"
	"time"

	"github.com/tidelock/tidelock/cmd/host/secret"
)

// certificates is the source of the listener's TLS certificate.
type certificates interface {
	// current returns the one to serve now.
	current() (*tls.Certificate, error)
	// hashes returns the SHA-256 of the certificates that a page must accept although nobody signed them, the
	// one served now first; none if pages verify the certificate as usual.
	hashes() [][32]byte
}

// Times of certificates that the host makes. A browser accepts a certificate by its hash if it is ECDSA and
// valid for at most 14 days (W3C WebTransport, 5.10 "custom certificate requirements").
const (
	// selfValid is from the beginning to the end of validity.
	selfValid = 13 * 24 * time.Hour
	// selfBefore is how long before its creation a certificate becomes valid, for players whose clocks are
	// slow.
	selfBefore = 24 * time.Hour
	// selfServed is how long one certificate is served. It is announced for the same time before: a page that
	// was opened a moment before a renewal knows the hash of the next certificate. 2 × selfServed + selfBefore
	// < selfValid leaves four days for players whose clocks are fast.
	selfServed = 4 * 24 * time.Hour
)

// selfMade are certificates that the host makes and renews, in memory only.
//
// Invariant: both certificates are valid at any time that current or hashes is called; next is served from `until` on.
type selfMade struct {
	now func() time.Time

	mu            sync.Mutex
	serving, next *tls.Certificate
	until         time.Time
}

// newSelfMade creates the first two certificates.
func newSelfMade(now func() time.Time) (*selfMade, error) {
	s := &selfMade{now: now}
	return s, s.renew()
}

// renew creates missing certificates. It needs no goroutine: every user of a certificate calls it first.
func (s *selfMade) renew() error {
	now := s.now()
	begin := s.serving == nil || now.Before(s.serving.Leaf.NotBefore) || !now.Before(s.until.Add(selfServed))
	if !begin && now.Before(s.until) {
		return nil
	}
	next, err := selfSigned(now)
	if err != nil {
		return err
	}
	if !begin {
		s.serving, s.next, s.until = s.next, next, s.until.Add(selfServed)
		return nil
	}
	// At the start, or after a suspend or a change of the clock that left no valid one.
	first, err := selfSigned(now)
	if err != nil {
		return err
	}
	s.serving, s.next, s.until = first, next, now.Add(selfServed)
	return nil
}

func (s *selfMade) current() (*tls.Certificate, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.renew() // first: it may change what is served
	return s.serving, err
}

func (s *selfMade) hashes() [][32]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.renew() != nil {
		return nil // without a certificate there is no session, and the page uses WebSocket
	}
	return [][32]byte{sha256.Sum256(s.serving.Certificate[0]), sha256.Sum256(s.next.Certificate[0])}
}

// selfSigned creates an ECDSA P-256 certificate. It names only loopback: a certificate accepted by its hash is
// not checked for a name.
func selfSigned(now time.Time) (_ *tls.Certificate, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("making a certificate: %w", err)
		}
	}()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	from := now.Add(-selfBefore).Truncate(time.Second)
	t := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "tidelock"}, NotBefore: from, NotAfter: from.Add(selfValid),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	der, err := x509.CreateCertificate(rand.Reader, t, t, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, nil
}

const (
	// fileCheck is how often the files of a certificate are checked, when a connection needs one.
	fileCheck = 5 * time.Second
	// fileWarn is how long before its expiry the host warns about a certificate.
	fileWarn = 7 * 24 * time.Hour
)

// CertificateError is a certificate or a key that cannot be used.
type CertificateError struct {
	// File is the file at fault, or both if they do not match.
	File string
	Err  error
}

func (e *CertificateError) Error() string { return e.File + ": " + e.Err.Error() }

// Unwrap returns what was wrong with the file.
func (e *CertificateError) Unwrap() error { return e.Err }

// fromFiles is the operator's certificate, read again when its files change. While the changed files are
// invalid, for example between the writing of the two, the last valid pair is served.
type fromFiles struct {
	cert, key string
	now       func() time.Time
	log       *slog.Logger

	mu      sync.Mutex
	pair    *tls.Certificate
	read    [2]stamp // the versions from which pair, or the last failure, was read
	checked time.Time
	failed  string // the last logged failure
}

// stamp identifies a file's content without reading it.
type stamp struct {
	size int64
	mod  time.Time
}

// newFromFiles reads the pair; the error is a *CertificateError.
func newFromFiles(cert, key string, now func() time.Time, log *slog.Logger) (*fromFiles, error) {
	f := &fromFiles{cert: cert, key: key, now: now, log: log, checked: now()}
	f.read = f.stamps()
	var err error
	f.pair, err = f.load()
	return f, err
}

func (f *fromFiles) stamps() (s [2]stamp) {
	for i, name := range [2]string{f.cert, f.key} {
		if st, err := os.Stat(name); err == nil {
			s[i] = stamp{st.Size(), st.ModTime()}
		}
	}
	return s
}

func (f *fromFiles) load() (*tls.Certificate, error) {
	certPEM, err := readPEM(f.cert, false)
	if err != nil {
		return nil, err
	}
	keyPEM, err := readPEM(f.key, true)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return nil, &CertificateError{f.cert + " with " + f.key, fmt.Errorf(
			"%w; give a PEM file with the certificate and those that signed it, and one with its private key", err)}
	}
	now := f.now()
	switch end := pair.Leaf.NotAfter; {
	case now.After(end):
		f.log.Warn("TLS certificate has expired: browsers refuse it", "file", f.cert, "end", end.UTC().Format(time.DateTime), "do", "renew it; it is reloaded automatically")
	case now.Add(fileWarn).After(end):
		f.log.Warn("TLS certificate expires soon", "file", f.cert, "end", end.UTC().Format(time.DateTime), "do", "renew it; it is reloaded automatically")
	}
	return &pair, nil
}

// maxPEM, bytes of a file with certificates or a key.
const maxPEM = 1 << 20

// readPEM reads a file; a private one must be readable only by its owner (G16).
func readPEM(name string, private bool) ([]byte, error) {
	b, err := readFile(name, private)
	switch {
	case err == nil && len(b) > maxPEM:
		return nil, &CertificateError{name, fmt.Errorf("is more than %d bytes; give a PEM file", maxPEM)}
	case errors.Is(err, secret.ErrShared):
		return nil, &CertificateError{name, err}
	case err != nil:
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		return nil, &CertificateError{name, fmt.Errorf("%w; give a PEM file that the host can read", err)}
	}
	return b, nil
}

// readFile reads at most one byte more than a PEM file may have.
func readFile(name string, private bool) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	if private {
		if err := secret.Check(f); err != nil {
			return nil, err
		}
	}
	return io.ReadAll(io.LimitReader(f, maxPEM+1))
}

func (f *fromFiles) current() (*tls.Certificate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	if d := now.Sub(f.checked); d >= 0 && d < fileCheck {
		return f.pair, nil
	}
	f.checked = now
	s := f.stamps()
	if s == f.read && f.failed == "" {
		return f.pair, nil
	}
	f.read = s
	pair, err := f.load()
	if err != nil {
		if f.failed != err.Error() {
			f.failed = err.Error()
			f.log.Warn("TLS certificate not reloaded, the last good one stays: " + f.failed)
		}
		return f.pair, nil
	}
	f.pair, f.failed = pair, ""
	f.log.Info("TLS certificate reloaded", "file", f.cert, "end", pair.Leaf.NotAfter.UTC().Format(time.DateTime))
	return f.pair, nil
}

// hashes returns none: browsers verify a certificate of files by its signature.
func (f *fromFiles) hashes() [][32]byte { return nil }
