// Package watch reports files that have changed in some folders, in complete sets, after they were fully written.
//
// It owns the question "is this safe to load now?". Editors save in many ways: they truncate and write, write a
// new file and rename it, delete and create; a version control tool changes a hundred files in a burst; a
// mounted folder loses events altogether. So events only trigger a scan. A set of files is reported if two
// scans, one [Options.Debounce] apart, find it unchanged. The folders are also scanned every [Options.Poll],
// with or without events.
//
// It deliberately does not: know Lua, reload anything, follow links to folders, or report a folder that
// vanished as the removal of all its files (a lost mount is not what the user intended).
//
//	w, err := watch.New(watch.Options{Dirs: []string{"scripts"}, Match: assets.IsScript})
//	defer w.Close()
//	for set := range w.C() { … } // set.Files is the whole tree, set.Changed what is new in it
//
// Guarantees: Reports a set of files only once it has not changed for a debounce interval.
package watch
