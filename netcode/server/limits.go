package server

// Limits bounds what one connection may use. Zero values mean the defaults.
type Limits struct {
	// Budget is bytes per second to a client, headers included (R4.1); default 20 000.
	Budget int
	// LoginTime is how long, in seconds, a connection may take to become a player; default 30.
	LoginTime float64
	// CallsPerSecond and BytesPerSecond bound what a client sends, each with a burst of one second; default 400 and
	// 65 536. Anything beyond is dropped and counts as an offence. Reliable messages larger than a datagram are
	// counted separately, against a second BytesPerSecond and a burst of two of the largest calls.
	CallsPerSecond, BytesPerSecond int
	// Offences is how many points, of which a fifth decays per second, close a connection; default 100. A forbidden
	// call costs 5, one too many 1, malformed bytes 20.
	Offences int
	// KeepOnRefusedCall only drops a call that its validator refuses, and keeps the connection (R6.7).
	KeepOnRefusedCall bool
	// ReliableCalls is how many reliable calls may wait while the client does not acknowledge (R6.5); default 256, at most 1 024.
	ReliableCalls int
	// RelevancyTests bounds the tests of one net update; the remaining connections have their turn in the next one.
	// Default 2 000.
	RelevancyTests int
	// DownloadRate is bytes per second of scripts to a client that is joining or reloading; default 1 000 000.
	DownloadRate int
	// DownloadTotal is bytes per second of scripts to all of them together; default 4 000 000.
	DownloadTotal int
}

func (l Limits) withDefaults() Limits {
	set := func(p *int, v int) {
		if *p <= 0 {
			*p = v
		}
	}
	set(&l.Budget, 20000)
	set(&l.CallsPerSecond, 400)
	set(&l.BytesPerSecond, 65536)
	set(&l.Offences, 100)
	set(&l.ReliableCalls, 256)
	set(&l.RelevancyTests, 2000)
	set(&l.DownloadRate, 1000000)
	set(&l.DownloadTotal, 4000000)
	if l.LoginTime <= 0 {
		l.LoginTime = 30
	}
	return l
}
