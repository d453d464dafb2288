package scriptvm

import (
	"github.com/tidelock/tidelock/scriptvm/api"
)

// defineNatives declare types in class files; the loader reads those calls, nothing runs them.
func defineNatives() []native {
	return []native{
		{
			Space: api.Define, Name: "int", Params: "default: integer, opts?: table", Returns: "type",
			Doc:     "A 32-bit integer; opts: min, max.",
			Example: "int(0, { min = 0, max = 100 })",
		},
		{
			Space: api.Define, Name: "float", Params: "default: number, opts?: table", Returns: "type",
			Doc:     "A 32-bit number; opts: min, max.",
			Example: "float(3.0)",
		},
		{
			Space: api.Define, Name: "str", Params: "default: string, opts?: table", Returns: "type",
			Doc:     "A string with a maximum of its own; opts: max, in bytes (at most 1000). A plain string literal means at most 255.",
			Example: `str("", { max = 64 })`,
		},
		{
			Space: api.Define, Name: "quantized", Params: "default: vector, scale: integer", Returns: "type",
			Doc:     "A vector that crosses in tenths (10) or hundredths (100) of a uu.",
			Example: "quantized(vector(0, 0, 0), 100)",
		},
		{
			Space: api.Define, Name: "normal", Params: "x: number, y: number, z: number", Returns: "type",
			Doc:     "A unit vector, 16 bits a part on the wire.",
			Example: "normal(0, 0, 1)",
		},
		{
			Space: api.Define, Name: "enum", Params: "...: string", Returns: "type",
			Doc:     "One of some names; the first is the default.",
			Example: `enum("Idle", "Firing")`,
		},
		{
			Space: api.Define, Name: "ref", Params: "class: string, opts?: table", Returns: "type",
			Doc:     "A reference to an actor of a class or a child; nil by default. In params, opts.wait = true makes a call wait until the other end has the actor, and later reliable calls on the same actor and its components wait behind it (R6.9).",
			Example: `ref("Pawn")`,
		},
		{
			Space: api.Define, Name: "classref", Params: "class: string", Returns: "type",
			Doc:     "A class, the named one or a child; nil by default.",
			Example: `classref("Weapon")`,
		},
		{
			Space: api.Define, Name: "array", Params: "elem: type, n: integer", Returns: "type",
			Doc:     "n values of one type, counted from 1.",
			Example: "array(int(0), 8)",
		},
		{
			Space: api.Define, Name: "struct", Params: "members: table", Returns: "type",
			Doc:     "Members that cross whole; a member local_(type) does not cross.",
			Example: "struct { Kind = int(0), Since = float(0) }",
		},
		{
			Space: api.Define, Name: "fastarray", Params: "struct: type", Returns: "type",
			Doc:     "A keyed array of structs of any length, which crosses as adds, changes and removes.",
			Example: "fastarray(struct { Kind = int(0) })",
		},
		{
			Space: api.Define, Name: "local_", Params: "member: type", Returns: "type",
			Doc:     "A struct member that is not replicated.",
			Example: "local_(float(0))",
		},
	}
}
