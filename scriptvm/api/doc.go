// Package api is the one registry of everything a script can name: globals, methods of actors,
// controllers and the world, members of values, events and native variables. The runtime binds a Go
// function to each entry, the checker knows names and arguments from it, and `host stubs` and
// docs/lua-api.md are written from it. It imports no Lua, so that tools can read it.
//
// A test in scriptvm fails when an entry is not bound or a binding has no entry.
package api
