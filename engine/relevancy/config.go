package relevancy

import (
	"math"
	"strings"
)

// Config says how relevancy is decided. The zero value is the documented defaults.
type Config struct {
	// Timeout is RelevantTimeout (R3.10): for so many seconds after it was last seen or heard an actor stays
	// relevant. 0 means 5; values outside 2…10 are clamped.
	Timeout float64
	// NoSight turns lines of sight off (R3.9): within NetCullDistance everything is relevant. A level sets it
	// by the key nosight of worldspawn, a class by a boolean variable bNetNoSight.
	NoSight bool
	// SeenEvery is how many seconds an actor in sight counts as such before its line of sight is traced again.
	// 0 means 1, which is also the maximum (R3.10).
	SeenEvery float64
	// UnseenEvery is the same for one out of sight: how long it may be in the open unnoticed. 0 means 0.25; at
	// most SeenEvery.
	UnseenEvery float64
	// View holds the factors of R4.2.
	View ViewFactors
}

// ViewFactors scale an actor's NetPriority by its view factor (R4.2). The defaults are those of Unreal's
// AActor::GetNetPriority. A value that is not above 0 means its default: a factor of 0 would starve the actors
// it applies to.
type ViewFactors struct {
	// Target is for the view target, the actors it owns and those it instigated; for these nothing else is
	// examined. Default 4.
	Target float64
	// Behind is for actors behind the view and farther than Near, BehindNear for those behind it between Close
	// and Near. Defaults 0.2 and 0.4.
	Behind, BehindNear float64
	// Aim is for actors within AimAngle radians of the line of view and nearer than Far. Defaults 2 and π/4.
	Aim, AimAngle float64
	// Aside is for the other actors in front, farther than Medium. Default 0.4.
	Aside float64
	// Close, Near, Medium and Far are distances from the view point in uu. Defaults 500, 2000, 3162 and 8000.
	Close, Near, Medium, Far float64
}

// Bounds and defaults of [Config.Timeout], in seconds (R3.10).
const (
	DefaultTimeout = 5
	MinTimeout     = 2
	MaxTimeout     = 10
)

// Default seconds between two traces of an actor in sight, and of one out of sight (R3.9).
const (
	DefaultSeenEvery   = 1
	DefaultUnseenEvery = 0.25
)

// withDefaults sets missing values and clamps those out of bounds.
func (c Config) withDefaults() Config {
	if !(c.Timeout > 0) {
		c.Timeout = DefaultTimeout
	}
	c.Timeout = max(MinTimeout, min(MaxTimeout, c.Timeout))
	or := func(p *float64, def float64) {
		if !(*p > 0) {
			*p = def
		}
	}
	or(&c.SeenEvery, DefaultSeenEvery)
	c.SeenEvery = min(c.SeenEvery, DefaultSeenEvery)
	or(&c.UnseenEvery, DefaultUnseenEvery)
	c.UnseenEvery = min(c.UnseenEvery, c.SeenEvery)
	v := &c.View
	or(&v.Target, 4)
	or(&v.Behind, 0.2)
	or(&v.BehindNear, 0.4)
	or(&v.Aim, 2)
	or(&v.AimAngle, math.Pi/4)
	v.AimAngle = min(v.AimAngle, math.Pi/2)
	or(&v.Aside, 0.4)
	or(&v.Close, 500)
	or(&v.Near, 2000)
	or(&v.Medium, 3162)
	or(&v.Far, 8000)
	return c
}

// truth parses a level's key as a boolean.
func truth(s string) bool {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "1", "true", "yes", "on":
		return true
	}
	return false
}
