// Package action checks what content/input.toml and class files declare as actions of a player (W4.3): names,
// keys, gamepad buttons, touches. It owns the words for these and their bounds. It does not read the files or
// the keys.
//
//	if field, err := action.Check(&a); err != nil { … } // field is the key of the file that is wrong
//
// Guarantees: It owns the vocabulary and its bounds; reading files and pressing keys happens elsewhere.
package action
