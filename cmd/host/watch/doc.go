// Package watch reports files that have changed in some folders, in complete sets, after they were fully written.
//
// It owns the question "is this safe to load now?". Editors save in many ways: they truncate and write,
// write beside and rename, delete and create; a version control tool changes a hundred files in a burst;
// a mounted folder loses events altogether. So events only say when to look. What counts is what two
// looks, one [Options.Debounce] apart, find the same. The folders are also looked at every
// [Options.Poll], events or not.
//
// It deliberately does not: know Lua, reload anything, follow links to folders, or report a folder that
// vanished as the removal of all its files (a lost mount is not a designer's wish).
//
//	w, err := watch.New(watch.Options{Dirs: []string{"scripts"}, Match: assets.IsScript})
//	defer w.Close()
//	for set := range w.C() { … } // set.Files is the whole tree, set.Changed what is new in it
package watch
