// Package api has the types of everything that scripts can refer to: natives, members of values and events. The
// runtime defines natives, one literal beside each function (scriptvm/natives_*.go), and makes a [Registry] of them
// for the checker, `host stubs` and docs/lua-api.md. Variables, events, records and names of types are tables in
// this package. It imports no Lua, so that tools can read it.
//
// Guarantees: scriptvm makes the registry from its natives (scriptvm/natives_*.go); the checker, the reference and the
// editor definitions read it.
package api
