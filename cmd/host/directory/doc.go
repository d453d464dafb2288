// Package directory keeps the list of the hosts of a cluster: each announces itself, and every host has the whole list (C5).
//
//	d, err := directory.New(directory.Options{Bus: client, Self: func() directory.Entry { return … }, Log: log})
//	// between two ticks, after client.Deliver(now):
//	d.Tick(now)
//	best := d.Find("hub")
//	// at the end:
//	d.Close()
//
// A host announces itself every [Every], and earlier if it changed. An announcement is the whole entry, so a lost one is repaired by
// the next. An entry is removed [Expiry] after its last announcement, by the clock of the host that removes it: clocks of hosts are never
// compared. A host that starts, or finds its network again, asks all others for their announcements at once.
//
// What other hosts say is checked like what a client says (C8): every field is bounded, and a host announces only itself. The
// package has no clock, no goroutine and no lock: it belongs to the goroutine of the [bus.Client].
//
// Guarantees: No clock, no goroutine. A host speaks for itself alone; what it says is bounded. All hosts agree within
// ten seconds after the last change.
package directory

import "time"

// Times and bounds (C5).
const (
	// Every is the time between two announcements of a host, and Expiry that from the last one to its removal.
	Every  = 2 * time.Second
	Expiry = 10 * time.Second
	// Soonest is the shortest time between two announcements: at most four a second.
	Soonest = 250 * time.Millisecond
	// MaxHosts is how many hosts a list has at most, this one included. More are refused until one is gone.
	MaxHosts = 500
	// MaxBody is the longest announcement in bytes.
	MaxBody = 8 << 10
	// MaxText is the longest name, level, game or version in bytes; MaxLabels is how many labels a host has at most.
	MaxText   = 64
	MaxLabels = 16

	maxAddress  = 255 + len(":65535")
	maxWeb      = 256
	maxCarriers = 8
	maxCarrier  = 16
	maxHashes   = 4
	maxLabelKey = 32
	maxPlayers  = 1 << 16
	maxLoad     = 100
	// quiet is the time between two log lines about bad announcements.
	quiet = time.Minute
)

// Subjects on the bus.
const (
	subject    = "directory"     // an entry in JSON; an empty body is a goodbye
	subjectAsk = "directory.ask" // empty: all announce themselves
)
