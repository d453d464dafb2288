// Package archive is the binary form in which worlds are saved (C3): numbers, strings and sections that a [Writer] appends and
// a [Reader] checks, and the file around them.
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
package archive
