package dynamics

const (
	// MaxBodies bounds the bodies of a space; Add panics beyond it.
	MaxBodies = 1 << 20

	// MaxAwake bounds the bodies that are awake at once, MaxShareAwake those of one share (Def.Share) unless
	// [Space.LimitShare] sets another bound: beyond it no body is woken, and new ones begin asleep (G6, G9). In
	// a step, sharePairs pairs of bodies are examined for each body of a share that may be awake: a body that
	// lies on others has three or four.
	MaxAwake, MaxShareAwake = 1024, 128
	sharePairs              = 5
	// maxContacts is how many bodies a body may meet at once. A pair of two bodies that both meet more is skipped,
	// so that thousands of bodies piled in one location cost as much as if they were side by side. A box in a
	// pile of equal boxes touches 26.
	maxContacts = 28

	// MaxLinVel and MaxAngVel limit the velocities that forces and impulses produce, in uu/s and rad/s.
	MaxLinVel = 10000
	MaxAngVel = 60

	// MaxStep is the longest time in seconds for which contacts are kept; Step splits longer ones.
	MaxStep = 1.0 / 60
	// substeps of each, at least; see [Space.step].
	substeps = 4

	// slop is how deep resting bodies may overlap, in uu: lasting contacts are stable contacts.
	slop = 0.1
	// skin is the distance, in uu, kept between surfaces: in spite of slop, resting bodies do not overlap.
	skin = slop
	// margin is the distance in uu from which contacts are prepared.
	margin = 2.0
	// pushOut limits the speed at which overlapping bodies are separated, in uu/s.
	pushOut = 300.0
	// contactHertz and contactDamping set the stiffness of contacts.
	contactHertz   = 30.0
	contactDamping = 10.0

	// bounceSpeed is the approach speed in uu/s below which nothing bounces.
	bounceSpeed = 60.0
	// hitSpeed is the approach speed in uu/s from which a contact is reported in [Space.Hits].
	hitSpeed = 30.0

	// A body whose surface is slower than sleepSpeed (uu/s) for sleepTime (seconds) may fall asleep.
	sleepSpeed = 6.0
	sleepTime  = 0.5
	// wakeSpeed is the speed (uu/s) from which something wakes a sleeping body.
	wakeSpeed = 12.0

	// rolling is the rolling resistance of a sphere, as a lever arm in parts of its radius.
	rolling = 0.02

	// coreShare is the part of a body's least half extent that is swept against tunnelling: an upright box of
	// that size is inside the body at every orientation.
	coreShare = 0.55

	maxManifold = 4
	maxClip     = 48 // corners of a polygon during clipping
)
