//go:build !js

package carrier

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// InfoVersion is the version of join.json that this package reads and writes. Fields may be added without a new one.
const InfoVersion = 1

// InfoPath and WebSocketPath are where a host serves join.json and its WebSocket. WebTransportPath is the path of
// its sessions if Info has none.
const (
	InfoPath         = "/join.json"
	WebSocketPath    = "/ws"
	WebTransportPath = "/wt"
)

// Info is a host's answer at /join.json: how to reach it. Readers ignore unknown fields.
type Info struct {
	// Version is InfoVersion.
	Version int `json:"version"`
	// Key is the link's public key (kcplink.Link.PublicKey), base64.
	Key string `json:"key"`
	// WT is nil if there is no WebTransport.
	WT *WTInfo `json:"wt,omitempty"`
	// WS is the WebSocket's path, empty if there is none.
	WS string `json:"ws,omitempty"`
}

// WTInfo describes how to reach a host by WebTransport.
type WTInfo struct {
	// URL, on the same host name as join.json: an absolute one or a path.
	URL string `json:"url"`
	// Hashes are SHA-256 sums of the DER of each certificate that is valid now or next, base64. If empty, the
	// system must trust the certificate.
	Hashes []string `json:"hashes,omitempty"`
}

// FetchInfo reads a host's join.json. It follows at most three redirects on the same host, and reads at most 64 KB. The
// error names the URL.
func FetchInfo(ctx context.Context, t Target) (Info, error) {
	info, _, err := t.fetch(ctx)
	return info, err
}

// fetch is FetchInfo, and also returns the address that answered.
func (t *Target) fetch(ctx context.Context) (info Info, from net.Addr, err error) {
	at := t.url("http", InfoPath)
	defer func() {
		if err != nil {
			info, err = Info{}, fmt.Errorf("%s: %w", at, err)
		}
	}()
	client, conn := t.client()
	defer client.CloseIdleConnections()
	client.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		switch {
		case r.URL.Host != at.Host || r.URL.Scheme != at.Scheme:
			return fmt.Errorf("redirected to %s, another host or scheme: dial that one if you trust it", r.URL.Redacted())
		case len(via) > maxRedirects:
			return fmt.Errorf("redirected more than %d times", maxRedirects)
		}
		return nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return info, nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return info, nil, causeOf(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return info, nil, fmt.Errorf("the answer is %s; is this the web address of a host?", resp.Status)
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxInfo+1))
	switch {
	case err != nil:
		return info, nil, err
	case len(b) > maxInfo:
		return info, nil, fmt.Errorf("longer than %d bytes; is this the web address of a host?", maxInfo)
	}
	if err := json.Unmarshal(b, &info); err != nil {
		return info, nil, fmt.Errorf("not what a host writes there: %w", err)
	}
	if info.Version > InfoVersion {
		return info, nil, fmt.Errorf("version %d, and this program reads %d: update it", info.Version, InfoVersion)
	}
	if c := conn.Load(); c != nil {
		from = (*c).RemoteAddr()
	}
	return info, from, nil
}

// locate returns the URL of a host's WebTransport and the hashes of its certificates, none if the system trusts
// them.
func (i *Info) locate(base *url.URL) (at *url.URL, hashes [][sha256.Size]byte, err error) {
	if i.WT == nil {
		return nil, nil, errors.New("the host offers no WebTransport: use ws, or udp")
	}
	base = &url.URL{Scheme: "https", Host: base.Host, Path: WebTransportPath}
	at, err = base.Parse(i.WT.URL)
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("join.json names no URL for WebTransport: %w", err)
	case at.Scheme != "https" || !strings.EqualFold(at.Hostname(), base.Hostname()):
		return nil, nil, fmt.Errorf("join.json names %s for WebTransport, expected https and the host name %s", at.Redacted(), base.Hostname())
	}
	for _, h := range i.WT.Hashes {
		b, err := base64.StdEncoding.DecodeString(h)
		if err != nil || len(b) != sha256.Size {
			return nil, nil, fmt.Errorf("join.json has %q for the hash of a certificate, expected base64 of SHA-256", oneLine(h))
		}
		hashes = append(hashes, [sha256.Size]byte(b))
	}
	return at, hashes, nil
}
