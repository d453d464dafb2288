package animation

// Every bound of this package. Files may come from servers that a client does not trust, so exceeding a bound
// is an error of NewLibrary.
const (
	// MaxAnimations bounds a library; montages are sent by their number in it.
	MaxAnimations = 1023
	// MaxLength bounds a sequence, in seconds.
	MaxLength = 3600
	// MinLength is the shortest length in seconds, below that of a tick.
	MinLength = 0.01
	// MaxNotifies bounds the notifies of one track, those of its parts included.
	MaxNotifies = 512
	// MaxOpen bounds the notify windows open at one moment of a track.
	MaxOpen = 8
	// MaxKeys bounds the keys of a curve, MaxCurves the curves of a track.
	MaxKeys   = 4096
	MaxCurves = 32
	// MaxParts bounds the parts of a composite, MaxDepth how deep composites may hold composites.
	MaxParts = 64
	MaxDepth = 8
	// MaxSections bounds the sections of a montage.
	MaxSections = 32
	// MinRate and MaxRate bound playback rates, as a factor.
	MinRate, MaxRate = 0.01, 100
	// MaxSamples bounds the samples of a blend space.
	MaxSamples = 32
	// MaxPasses bounds the sections that one Advance goes through; the rest of a longer time is dropped.
	MaxPasses = 256
)
