// Package reference documents everything that scripts can use: for people (docs/lua-api.md), for editors (LuaLS
// definition files; TrenchBroom's entity definitions) and for tools (api.json).
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
package reference
