package directory

import (
	"encoding/json"
	"fmt"
	"io"
)

// MaxListing is the longest listing in bytes.
const MaxListing = MaxHosts*MaxBody + 1024

// Listing is what a host tells players at /hosts.json.
type Listing struct {
	// Self is the id of the host that answers, "" if it lists no hosts.
	Self  string  `json:"self"`
	Hosts []Entry `json:"hosts"`
}

// ReadListing reads a listing that a stranger sent: up to [MaxListing] bytes and [MaxHosts] entries, each of which must pass
// [Entry.Check].
func ReadListing(r io.Reader) (Listing, error) {
	b, err := io.ReadAll(io.LimitReader(r, MaxListing+1))
	if err != nil {
		return Listing{}, err
	}
	var l Listing
	if len(b) > MaxListing {
		return Listing{}, fmt.Errorf("a list of hosts has at most %d bytes", MaxListing)
	}
	if err := json.Unmarshal(b, &l); err != nil {
		return Listing{}, fmt.Errorf("this is no list of hosts: %w", err)
	}
	if len(l.Hosts) > MaxHosts {
		return Listing{}, fmt.Errorf("%d hosts; a list has at most %d", len(l.Hosts), MaxHosts)
	}
	for i := range l.Hosts {
		if err := l.Hosts[i].Check(); err != nil {
			return Listing{}, fmt.Errorf("entry %d of the list of hosts: %w", i+1, err)
		}
	}
	return l, nil
}
