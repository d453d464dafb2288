// Package action checks what content/input.toml and class files declare as actions of a player (W4.3): names, keys, buttons of a
// gamepad, touches. It owns the words for these and their bounds. Who reads the files, and who presses the keys, is elsewhere.
//
//	if field, err := action.Check(&a); err != nil { … } // field is the key of the file that is wrong
package action
