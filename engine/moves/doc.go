// Package moves packs what abilities add to the moves of players as bits (R9.9). A move carries inputs from the
// player's machine to the server, and a correction carries state back.
//
// A [Table] is made once for a set of classes. It has a [Layout] for every class of pawns, which lists
// everything that can take part in its moves, in an order that follows from the classes alone: the pawn, its
// static components as declared, components added at run time by the name of their class, and the weapon in the
// hand. A [Roster] says which of them take part in one move. Layout and roster together assign bits to every
// variable, so that both ends agree without exchanging anything.
//
// It owns the bits and their bounds. It deliberately does not know when moves are made, sent or performed:
// scripts do that (scripts/core/PredictionController.lua); nor how variables get into an actor: the script VM
// does that.
//
//	table, diags := moves.New(classes)
//	layout := table.Of(pawn.Class)
//	text := layout.PackInputs(roster, values)
//	in, err := layout.UnpackInputs(text)
//
// Guarantees: The layout follows from the classes, so both ends agree on it; input from a peer is a value in range or
// an error.
package moves
