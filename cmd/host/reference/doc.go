// Package reference documents everything that scripts can use, for people, editors and tools. It writes
// docs/lua-api.md, docs/checks.md, docs/api.json, LuaLS definition files and TrenchBroom's entity definitions.
//
// It owns the words around the tables and not their content: natives come from scriptvm, events and variables of
// values from scriptvm/api, the engine's variables from engine.NativeProperties, classes from the Lua files with
// their comments, checks from classfile.Rules. A test compares the generated files in docs/ with these; run
//
//	go test ./cmd/host/reference -update
//
// after changing any of these. The Markdown pages themselves are made in this package's tests, so that text/template is
// not compiled into the host.
//
// It deliberately does not: read folders (it gets loaded classes and texts), or describe the protocol.
//
// Guarantees: What it writes is generated; a test keeps it up to date.
package reference
