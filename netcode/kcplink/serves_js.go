//go:build js && !gate

package kcplink

// serves is false in a browser, which accepts no connections: it is linked without what only servers need. Tests that run there have a
// server, too, and are built with the tag gate.
const serves = false
