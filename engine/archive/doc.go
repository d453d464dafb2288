// Package archive is the binary form of saved worlds (C3). A [Writer] appends numbers, strings and sections, a [Reader]
// checks them, and a file is around them.
//
// A file is
//
//	"TLWORLD" version | uvarint size of the content | the content, deflated | SHA-256 of everything before
//
// [Seal] makes it and [Open] checks it. The content is the caller's. A Reader treats it like input from a stranger: a length is
// compared with the bytes that are left before anything is allocated, numbers are checked against bounds that the caller
// gives, and the first fault ends the reading: every later read returns zero values, and [Reader.Err] says what was wrong and
// where. A Reader never panics.
//
// The package knows neither actors nor files.
//
// Guarantees: A hostile archive is an error of one line: no panic, no allocation beyond what it holds.
package archive
