// Package access keeps what an operator decides about players in a file: roles, bans and a whitelist.
//
//	list, err := access.Open("access.toml")
//	err = list.Ban(access.Ban{Addr: "192.0.2.7", Reason: "spam", By: "owner"})
//	if why := list.Check(key, addr); why != nil { refuse(*why) }
//
// It owns the file access.toml, its format and its bounds, and the texts that a player who is kept out sees. Players
// are named by the text of their identity, as logs show it: "key-" and 32 hexadecimal digits, or "token-" and the
// name in their connect token. Names that players give themselves decide nothing.
//
// All methods of a List may be called from any goroutine. Queries never wait and never read the file. Changes wait
// for the disk, so the goroutine that steps a world does not make them.
//
// It deliberately does not: know connections (package door enforces the list), decide who may change it (the caller
// does), or recognize players who come with a new key from a new address.
//
// Guarantees: Queries never wait; a change is in the file, or is reported as unsaved; a broken file or a missing disk
// lifts no ban.
package access
