package syntax

// Every bound of this package: unit, reason, and what happens when it is reached. Each results in an *Error of
// Parse with the position; none truncates.
const (
	// MaxSource is the length of a file in bytes. The bounds below were measured with files of this
	// size; the largest class of a known game of this kind is a tenth of it.
	MaxSource = 256 << 10

	// MaxDepth bounds the nesting of the tree: blocks, brackets, operators and chains (a.b.c, f()(), x..y..z,
	// elseif) count one level each. All later walks recurse, so this bounds their stacks, and gopher-lua folds
	// constants in time quadratic in it.
	MaxDepth = 200

	// MaxFunctions is how many functions a file may define. Compiling one takes 17 KB until it is done.
	MaxFunctions = 2000

	// MaxFunctionDepth is how deep functions nest. A name is looked up through all of them.
	MaxFunctionDepth = 30

	// MaxLocals is how many local variables live at once in one function (Lua 5.1's own bound).
	MaxLocals = 180

	// MaxRegisters is how many registers one function may need by our estimate, which is never below gopher-lua's
	// need. gopher-lua rejects more than 200; above 255 it silently wraps and compiles wrong code.
	MaxRegisters = 200

	// MaxUpvalues is how many outer variables one function may use. Above 255 gopher-lua's count wraps
	// and calling the function reads out of bounds.
	MaxUpvalues = 120

	// MaxCompileWork bounds gopher-lua's comparisons in lookups of constants and names, both by linear search: 100
	// M take about 0.4 s on a core of 2 to 3 GHz.
	MaxCompileWork = 100_000_000

	// MaxLiteral is the length of one string in the source, in bytes; the sandbox lets no string grow
	// longer either.
	MaxLiteral = 32 << 10

	// MaxItems is how many items without a key one table constructor may list. Above 25 550 gopher-lua
	// stores them under negative keys.
	MaxItems = 25_000

	// MaxName is the length of one name in the source, in bytes.
	MaxName = 128

	// MaxNumber is the length of one number in the source, in bytes.
	MaxNumber = 64
)
