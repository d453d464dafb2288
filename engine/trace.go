package engine

// Hit is what a trace or a move met. Actor is nil for the level's brushes.
type Hit struct {
	Actor            *Actor
	Location, Normal vec
	// Distance from the start, in uu.
	Distance float64
}

// TraceOptions narrow a trace. The zero value is a line that meets brushes and every actor with collision.
type TraceOptions struct {
	NoActors bool
	Ignore   []*Actor
	// Radius and Height (half) of an upright body; both 0 for a line.
	Radius, Height float64
}

// maxBodyRadius is the largest CollisionRadius that near queries allow for, in uu.
const maxBodyRadius = 512
