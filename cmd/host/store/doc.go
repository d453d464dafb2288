// Package store keeps the records of engine/store in one file on a disk, for a single host (C1).
//
// [Bolt] is the [store.Backend]: a file of go.etcd.io/bbolt in which every record has its revision and checksums. [Service] is the
// goroutine that owns a backend: it takes jobs from any goroutine through a bounded queue, and commits many of them with one fsync.
// bbolt reads and writes a sound file. [Snapshot] reads any file through package salvage instead: check, export and copy use it, and so does
// a host whose file is damaged.
//
//	b, err := store.Open("store.db", store.Options{})
//	s := store.Start(b, store.ServiceOptions{Log: log})
//	err = s.Submit(store.Job{Kind: store.Commit, Writes: writes, Done: func(r store.Result) { … }})
//	err = s.Close(ctx) // writes what waits, and closes the file
//
// # The file
//
// A file has four buckets. "records" maps full keys to
//
//	checksum of key, revision, sum and size 4 | revision 8 | checksum of the value 4 | value
//
// and "index" the same keys to revisions. bbolt has no checksums of pages, so a damaged page can hide a key, or show an old copy of
// it; a reader believes a record, and that there is none, only if both buckets agree. "namespaces" has the number of keys and bytes
// of each namespace, "store" the version of the format and the highest revision. Checksums are CRC-32C, numbers big-endian.
//
// It deliberately does not: know scripts, worlds or HTTP, interpret values but to show them, or repair a file in place: copy makes
// another one of what can be read.
//
// Guarantees: Nothing is acknowledged before it is safe. Damage is an error that names the record, never another value,
// and never ends the process. The only package that imports bbolt.
package store
