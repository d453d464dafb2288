package web

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// At any time of two months both certificates are valid, short-lived enough for browsers, and the one served has been
// announced for days.
func TestSelfMadeCertificates(t *testing.T) {
	c := newClock()
	s, err := newSelfMade(c.now)
	if err != nil {
		t.Fatal(err)
	}
	announced := map[[32]byte]time.Time{}
	served := map[[32]byte]bool{}
	for begin := c.now(); c.now().Sub(begin) < 60*24*time.Hour; c.advance(3 * time.Hour) {
		cert, err := s.current()
		if err != nil {
			t.Fatal(err)
		}
		hash := sha256.Sum256(cert.Certificate[0])
		hashes := s.hashes()
		if len(hashes) != 2 || hashes[0] != hash {
			t.Fatalf("the first of %d hashes is not that of the certificate served", len(hashes))
		}
		for _, leaf := range []*x509.Certificate{s.serving.Leaf, s.next.Leaf} {
			if _, ok := leaf.PublicKey.(*ecdsa.PublicKey); !ok || leaf.NotAfter.Sub(leaf.NotBefore) >= 14*24*time.Hour {
				t.Fatalf("browsers refuse %v to %v", leaf.NotBefore, leaf.NotAfter)
			}
			if now := c.now(); now.Before(leaf.NotBefore.Add(20*time.Hour)) || now.After(leaf.NotAfter.Add(-3*24*time.Hour)) {
				t.Fatalf("valid from %v to %v, now %v", leaf.NotBefore, leaf.NotAfter, now)
			}
		}
		for _, h := range hashes {
			if _, ok := announced[h]; !ok {
				announced[h] = c.now()
			}
		}
		if !served[hash] && len(served) > 0 && c.now().Sub(announced[hash]) < 3*24*time.Hour {
			t.Fatal("a certificate is served that pages were not told of before")
		}
		served[hash] = true
	}
	if len(served) < 10 {
		t.Errorf("%d certificates in 60 days", len(served))
	}
	c.advance(365 * 24 * time.Hour) // a suspended machine
	cert, err := s.current()
	if err != nil || c.now().After(cert.Leaf.NotAfter) {
		t.Errorf("after a year: %v, valid until %v", err, cert.Leaf.NotAfter)
	}
}

// writePair writes a new certificate and its key, with times that differ from those before.
func writePair(t *testing.T, cert, key string, at time.Time) []byte {
	t.Helper()
	c, err := selfSigned(at)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate[0]}), at)
	writeFile(t, key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), at)
	return c.Certificate[0]
}

func writeFile(t *testing.T, name string, b []byte, at time.Time) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(name, at, at); err != nil {
		t.Fatal(err)
	}
}

// Files of the operator are served over TCP and QUIC, read again when they change, and while they are broken the last good
// ones are served.
func TestCertificateFiles(t *testing.T) {
	c := newClock()
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	first := writePair(t, cert, key, c.now())
	l := listen(t, Options{Now: c.now, Cert: cert, Key: key})
	served := func() []byte {
		t.Helper()
		conn, err := tls.Dial("tcp", l.Addr().String(), &tls.Config{InsecureSkipVerify: true}) //nolint:gosec // looked at below
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		q, err := dialQUIC(t, l)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = q.CloseWithError(0, "") }()
		raw := conn.ConnectionState().PeerCertificates[0].Raw
		if !bytes.Equal(raw, q.ConnectionState().TLS.PeerCertificates[0].Raw) {
			t.Error("TCP and QUIC serve different certificates")
		}
		return raw
	}
	if !bytes.Equal(served(), first) {
		t.Error("another certificate is served")
	}
	if l.certs.hashes() != nil {
		t.Error("hashes of a certificate that browsers check as usual")
	}
	c.advance(time.Minute)
	writeFile(t, key, []byte("nonsense"), c.now())
	if !bytes.Equal(served(), first) {
		t.Error("a broken pair replaced a good one")
	}
	c.advance(time.Minute)
	second := writePair(t, cert, key, c.now())
	if !bytes.Equal(served(), second) {
		t.Error("the new pair is not served")
	}
}
