// Package api has the types of everything that a script can name: natives, members of values and events. Natives are the
// runtime's, one literal beside each function (scriptvm/natives_*.go); it makes a [Registry] of them for the checker, `host stubs`
// and docs/lua-api.md. Variables, events, records and names of types stand here, in tables. It imports no Lua, so that tools can
// read it.
package api
