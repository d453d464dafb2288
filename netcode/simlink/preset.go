package simlink

import "time"

// LAN is 1 ms each way with 1 % loss (docs/scenarios.md, presets).
func LAN() Impairment { return Impairment{Lag: time.Millisecond, Loss: 0.01} }

// Broadband is 25 ms each way, up to 5 ms of jitter, 0.5 % loss.
func Broadband() Impairment {
	return Impairment{Lag: 25 * time.Millisecond, Jitter: 5 * time.Millisecond, Loss: 0.005}
}

// Internet is 75 ms each way, up to 15 ms of jitter, 2 % loss.
func Internet() Impairment {
	return Impairment{Lag: 75 * time.Millisecond, Jitter: 15 * time.Millisecond, Loss: 0.02}
}

// Modem is 150 ms each way, up to 30 ms of jitter, 7.5 % loss, 2 600 bytes per second.
func Modem() Impairment {
	return Impairment{Lag: 150 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.075, Rate: 2600}
}

// Preset returns the impairment of a name that scenarios use, or false.
func Preset(name string) (Impairment, bool) {
	switch name {
	case "lan":
		return LAN(), true
	case "broadband":
		return Broadband(), true
	case "internet":
		return Internet(), true
	case "modem":
		return Modem(), true
	}
	return Impairment{}, false
}
