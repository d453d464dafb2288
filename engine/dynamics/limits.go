package dynamics

const (
	// MaxBodies bounds the bodies of a space; Add panics beyond it.
	MaxBodies = 1 << 20

	// MaxAwake bounds the bodies that are awake at once, MaxShareAwake those of one share (Def.Share) where [Space.LimitShare] says nothing
	// else: beyond it none is woken, and what is added begins at rest (G6, G9). For each body of a share that may be awake
	// sharePairs pairs of bodies are looked at in a step: one that lies on others by itself has three or four.
	MaxAwake, MaxShareAwake = 1024, 128
	sharePairs              = 5
	// crowded is how many bodies a body may meet at once. A pair of two that have more is passed over, so that a heap of thousands in one
	// place costs what as many beside each other do. A box in a heap of its like touches 26.
	crowded = 28

	// MaxLinVel and MaxAngVel bound what forces and impulses make of a body, in uu/s and rad/s; more is cut down.
	MaxLinVel = 10000
	MaxAngVel = 60

	// MaxStep is the longest time in seconds that contacts are kept for; Step splits what is longer.
	MaxStep = 1.0 / 60
	// substeps of each, at least; see [Space.step].
	substeps = 4

	// slop is how deep bodies may rest in each other, in uu: contacts that stay are contacts that are stable.
	slop = 0.1
	// skin is how far apart, in uu, surfaces are kept: what rests is not inside of anything, slop or no slop.
	skin = slop
	// margin is the distance in uu from which on contacts are kept ready.
	margin = 2.0
	// pushOut bounds how fast what overlaps is driven apart, in uu/s.
	pushOut = 300.0
	// contactHertz and contactDamping say how stiff contacts are.
	contactHertz   = 30.0
	contactDamping = 10.0

	// bounceSpeed is the speed of approach in uu/s below which nothing bounces.
	bounceSpeed = 60.0
	// hitSpeed is the speed of approach in uu/s from which on a contact is told of in [Space.Hits].
	hitSpeed = 30.0

	// A body whose surface is slower than sleepSpeed (uu/s) for sleepTime (seconds) may fall asleep.
	sleepSpeed = 6.0
	sleepTime  = 0.5
	// wakeSpeed is how fast (uu/s) something must come to wake what sleeps.
	wakeSpeed = 12.0

	// rolling is how much of a sphere's load, as a lever in parts of its radius, brakes its rolling.
	rolling = 0.02

	// coreShare is the part of a body's least half extent that is swept against tunnelling: the corners of an
	// upright box of it lie inside the body however it is turned.
	coreShare = 0.55

	maxManifold = 4
	maxClip     = 48 // corners of a polygon while it is clipped
)
