// Package salvage reads a bbolt file page by page, without bbolt, and goes on where bbolt cannot: beside and below a damaged page.
//
// It owns bbolt's page format: header pages, branches, leaves, buckets, the list of free pages. [Open] is its only function. A [File]
// walks a bucket in the order of its keys and reports each damage ([File.Walk]), checks how all pages are linked ([File.Links]), and
// visits the elements of every leaf in the file, whether a tree still leads to it or not ([File.Leaves]).
//
//	f, err := salvage.Open(file, size)
//	damage := f.Walk("records", func(e salvage.Element) error {
//		value, err := e.Value()
//		…
//	})
//
// It exists because bbolt trusts its pages. Tx.Check runs in a goroutine of bbolt's: there a bad length is a memory fault that ends the
// process, and a branch that refers to itself is checked forever. bbolt.Compact and cursors read no further than the first bad page.
// So [File.Links] has to find a file sound before bbolt may read it. This package reads with ReadAt instead of a mapping, bounds every
// length by its page, and enters a page once.
//
// It deliberately does not: write or repair, lock the file, follow nested buckets, or judge an element. bbolt has no checksums of pages,
// so whether an element is good is up to a checksum in its value, which the caller knows.
//
// Guarantees: A damaged file is neither a panic nor an endless loop; what is below and beside a bad page is read.
package salvage
