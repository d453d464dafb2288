package access

// Bounds of the list. A change beyond them is an error and changes nothing; a file beyond them is an error with its
// line.
const (
	// MaxEntries bounds roles, bans, and keys of the whitelist, each: far more than an operator reads, and a file
	// that is written within a second.
	MaxEntries = 4096
	// MaxReason bounds the reason of a ban, in bytes, so that the text for the player fits a refusal of 255 bytes.
	MaxReason = 120
	// maxName bounds the name that a banned player had, and the name of who banned them, in bytes; longer ones are
	// cut.
	maxName = 64
	// maxKey bounds a player's key, in bytes (scripts/core/PlayerReplicationInfo.lua, UniqueId).
	maxKey = 64
	// maxFile bounds the file, in bytes: a full list with the longest texts has 5 MB.
	maxFile = 8 << 20
	// maxPending bounds the changes that could not be saved; further ones are refused until saving works again.
	maxPending = 3 * MaxEntries
)
