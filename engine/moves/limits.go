package moves

// Every bound of this package: what it counts, why it is there, and what happens on reaching it.
const (
	// MaxInputBytes bounds the inputs of one move of a pawn, of all its participants. Thirty moves a second
	// must stay below 900 bytes a second, and a call carries up to four. More is a load error.
	MaxInputBytes = 64

	// MaxStateBytes bounds the packed state of all participants of a pawn's moves. It is sent in one string of
	// a correction. More is a load error.
	MaxStateBytes = 240

	// MaxTextBytes bounds what GetMoveState of a component or a weapon returns. More is an error of the script.
	MaxTextBytes = 64

	// MaxComponents bounds the components of one pawn that can take part in its moves, static ones and classes of
	// added ones each: a roster has a bit for each. More is a load error.
	MaxComponents = 64

	// MaxJoined is how many moves one call carries: the newest and three earlier ones.
	MaxJoined = 4

	// MaxCallBytes bounds the inputs of one call.
	MaxCallBytes = MaxJoined * (MaxInputBytes + 1)
)
