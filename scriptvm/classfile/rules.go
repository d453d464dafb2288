package classfile

import "github.com/tidelock/tidelock/engine"

// Rule is one check made before anything runs.
type Rule struct {
	Name     string
	Severity engine.Severity
	Doc      string
	// Advice is set for warnings that only `host check` gives.
	Advice bool
}

// Rules returns all checks, errors first; docs/checks.md is generated from them, and a test compares every
// diagnostic with this table.
func Rules() []Rule { return append([]Rule(nil), rules...) }

// ORDER: docs.
var rules = []Rule{
	{"syntax", engine.SevError, "The file is not Lua, or is larger or deeper than a script may be.", false},
	{"not-literal", engine.SevError, "A declaration holds something the loader cannot read without running it, or does not have its form.", false},
	{"nested-declaration", engine.SevError, "A declaration or a type stands elsewhere than at the top level of a class file.", false},
	{"repeated", engine.SevError, "A declaration, a name in it, or an option stands twice.", false},
	{"unknown-block", engine.SevError, "A class has no declaration of that name.", false},
	{"unknown-key", engine.SevError, "A rule, a state, a type or a native has no option of that name.", false},
	{"no-class", engine.SevError, "A class file declares no class.", false},
	{"file-name", engine.SevError, "A class file has another name than its class, or holds two.", false},
	{"bad-class", engine.SevError, "class(…) does not have its form, or a root was given a parent.", false},
	{"class-field", engine.SevError, "A value is assigned to a class; classes hold functions only.", false},
	{"duplicate-class", engine.SevError, "Two classes have one name.", false},
	{"unknown-parent", engine.SevError, "The parent of a class does not exist.", false},
	{"cyclic-parent", engine.SevError, "A class is its own ancestor.", false},
	{"unknown-type", engine.SevError, "There is no type of that name.", false},
	{"bad-type", engine.SevError, "A type is not written as it must be, or cannot stand there.", false},
	{"bare-number", engine.SevError, "A number does not say whether it is an int or a float.", false},
	{"boolean-name", engine.SevError, "A name that begins with b and a capital is no boolean.", false},
	{"bad-default", engine.SevError, "A default does not fit its type.", false},
	{"type-error", engine.SevError, "A value is assigned to a variable of another type or range.", false},
	{"read-only", engine.SevError, "A variable that only the engine sets, a function or a component is assigned.", false},
	{"duplicate-property", engine.SevError, "A variable is declared again, by the class or below the one that has it.", false},
	{"duplicate-name", engine.SevError, "A function or a component has the name of a variable.", false},
	{"duplicate-function", engine.SevError, "A class defines a function twice.", false},
	{"bad-function", engine.SevError, "A function's name has specifiers that do not exist or do not go together.", false},
	{"specifier-changed", engine.SevError, "An override says another direction or reliability than what it overrides (R6.10).", false},
	{"bad-params", engine.SevError, "Types of arguments do not have their form or are more than the arguments.", false},
	{"bad-command", engine.SevError, "A console command has a name, a role or an argument that it cannot have, or stands in a class that is no game.", false},
	{"bad-component", engine.SevError, "A component's class is no component.", false},
	{"bad-look", engine.SevError, "A value in a .looks block is not what its key takes, or a condition there has to run a script.", false},
	{"bad-action", engine.SevError, "An entry of an .actions block is not what its key takes, or content/input.toml declares an action of that name, too.", false},
	{"unknown-action", engine.SevError, "A script names an action that neither content/input.toml nor any class declares.", false},
	{"look-file", engine.SevError, "A .looks block names a content file that does not exist; `host check` alone says so, a host warns.", false},
	{"bad-moves", engine.SevError, "A .moves block stands in a class that takes no part in moves, or names a variable that a move cannot carry.", false},
	{"moves-too-large", engine.SevError, "What everybody who takes part in a pawn's moves adds to them does not fit.", false},
	{"bad-persistent", engine.SevError, "A .persistent block stands in a class that belongs to no player, or names a type that a profile cannot keep.", false},
	{"bad-rule", engine.SevError, "A replication rule does not have its form.", false},
	{"bad-condition", engine.SevError, "A condition takes other arguments than self.", false},
	{"unknown-condition", engine.SevError, "There is no COND_ of that name.", false},
	{"inherited-replication", engine.SevError, "A replication block names a variable of a parent (R5.3).", false},
	{"duplicate-rule", engine.SevError, "A variable stands in two replication rules.", false},
	{"array-too-large", engine.SevError, "A replicated array has 448 bytes or more (R5.12).", false},
	{"dynamic-replication", engine.SevError, "A replication block names a value that is no declared variable; a fastarray crosses (R5.12).", false},
	{"state-too-large", engine.SevError, "The replicated variables of a class could take more than one message holds.", false},
	{"call-too-large", engine.SevError, "The arguments of a replicated function could take more than one message holds.", false},
	{"too-many-replicated", engine.SevError, "A class replicates more variables than an actor has marks for.", false},
	{"impure-condition", engine.SevError, "A condition has an effect, or calls what may have one (R5.5).", false},
	{"both-sides", engine.SevError, "A condition with Role in it could hold on the server and on a client (R5.16).", false},
	{"condition-type", engine.SevError, "An operation in a condition can only be an error.", false},
	{"unknown-name", engine.SevError, "A name that the class and its parents neither declare nor ever assign, or that no actor, value or table has on which it is used.", false},
	{"unknown-global", engine.SevError, "A name that is neither a local nor something scripts have.", false},
	{"global-write", engine.SevError, "An assignment to a global or into a library.", false},
	{"unknown-class", engine.SevError, "There is no class of that name.", false},
	{"unknown-state", engine.SevError, "There is no state of that name.", false},
	{"cyclic-state", engine.SevError, "A state extends itself.", false},
	{"unknown-module", engine.SevError, "require names no module of scripts/lib.", false},
	{"latent-call", engine.SevError, "Sleep, WaitFor or FinishMove stands in a function that cannot wait.", false},
	{"no-answer", engine.SevWarning, "A call that waits for an answer, such as store:Get, stands without a function for it where nothing can wait.", false},
	{"misspelt-event", engine.SevError, "A function that nothing calls has nearly the name of an event, or a handler's variable does not exist.", false},
	{"class-in-use", engine.SevError, "A reload takes away a class whose actors live and that shares its file with others; one with a file of its own is kept.", false},
	{"load-error", engine.SevError, "The top level of a file fails when it runs.", false},
	{"not-simulated", engine.SevWarning, "A simulated function is overridden by one that is not (R6.10).", false},
	{"operation", engine.SevError, "An operator, a loop, an index or a call on a value that can never have it, such as a vector plus a number.", false},
	{"argument-type", engine.SevError, "An argument, or a member of a table that is one, can never be what the function takes.", false},
	{"missing-argument", engine.SevError, "An argument that a native needs is left out, or the self that a colon passes.", false},
	{"extra-argument", engine.SevWarning, "More arguments than a native takes.", true},
	{"unknown-content", engine.SevWarning, "A content file that is named does not exist.", false},
	{"look-not-replicated", engine.SevWarning, "A .looks block shows a variable that scripts of the server set and that those who see the actor do not get.", true},
	{"never-called", engine.SevWarning, "OnRep_ of a variable that is not replicated, or a function of moves in a component or weapon without .moves.", false},
	{"constant-comparison", engine.SevWarning, "Two values are compared that can never be equal.", true},
	{"slow-condition", engine.SevWarning, "A condition runs in the script VM (R5.6).", true},
	{"constant-condition", engine.SevWarning, "A condition always holds or never does.", true},
	{"no-params", engine.SevWarning, "The arguments of a server function are not declared.", true},
	{"no-validate", engine.SevWarning, "A server function has no validator.", true},
	{"no-help", engine.SevWarning, "A console command has no comment above it, which would be its help.", true},
	{"begin-constant", engine.SevWarning, "A constant is assigned in BeginPlay that could be a default.", true},
	{"dirty-every-tick", engine.SevWarning, "bNetDirty is used for a variable that is written every tick.", true},
}

// isAdvice is the set of rules that only `host check` reports.
var isAdvice = func() map[string]bool {
	m := map[string]bool{}
	for _, r := range rules {
		m[r.Name] = r.Advice
	}
	return m
}()
