package engine

// Expr is an expression of a script as the condition compiler takes it: package scriptvm/classfile makes it
// of Lua, so that the engine needs no Lua. Trees may share branches and never change once made.
type Expr struct {
	Op   ExprOp
	Str  string  // a string; the name of a variable, member, method or function; a class
	Num  float64 // a number; the number of a local variable
	Args []*Expr
	Pos  Pos
}

// ExprOp says what an expression does.
type ExprOp uint8

// ORDER: exprops. The values are Lua's, with Lua's meaning.
const (
	// ExprUnknown is what could not be translated. Str says what it is; Num is 1 where it may look at
	// Role. A condition with one in it runs in the VM.
	ExprUnknown ExprOp = iota
	ExprNil
	ExprTrue
	ExprFalse
	ExprNumber
	ExprString
	ExprClass // the class named Str
	ExprSelf
	ExprWorld
	// ExprVar is an argument or local variable of the function around it, by its number. ExprLet gives the
	// variable Num the value of Args[0] in Args[1].
	ExprVar
	ExprLet
	// ExprIf is Args[1] where Args[0] holds, else Args[2].
	ExprIf
	ExprIndex // Args[0].Str
	ExprElem  // Args[0][Args[1]]
	ExprAnd
	ExprOr
	ExprNot
	ExprEq
	ExprNe
	ExprLt
	ExprLe
	ExprGt
	ExprGe
	ExprAdd
	ExprSub
	ExprMul
	ExprDiv
	ExprMod
	ExprPow
	ExprNeg
	ExprLen
	ExprConcat
	// ExprMethod is Args[0]:Str(Args[1:]…), ExprCall the global function Str(Args…).
	ExprMethod
	ExprCall
	numExprOps
)

var exprOpNames = [numExprOps]string{
	"unknown", "nil", "true", "false", "number", "string", "class", "self", "world", "variable", "local", "if", ".",
	"[]", "and", "or", "not", "==", "~=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "^", "-", "#", "..", ":", "()",
}

func (o ExprOp) String() string { return enumName(exprOpNames[:], int(o), "ExprOp") }

// ExprFunc is a function whose body is one expression: a condition, or a pure function that one calls.
type ExprFunc struct {
	// Params is how many arguments it takes, self not counted; they are the variables 0…Params−1.
	Params int
	// Vars is how many variables it has, arguments included.
	Vars int
	Body *Expr
}

// CondIssue is something wrong with a condition.
type CondIssue struct {
	Pos  Pos
	Kind CondIssueKind
	Text string
}

// CondIssueKind sorts issues.
type CondIssueKind uint8

// The kinds of issues. All but IssueSlow and IssueConstant keep the classes from being used.
const (
	// IssueSlow: the condition cannot be evaluated natively and runs in the VM.
	IssueSlow CondIssueKind = iota
	// IssueType: an operation that can only be an error.
	IssueType
	// IssueName: a name that does not exist.
	IssueName
	// IssueSides: it could hold on both sides of a connection (R5.16).
	IssueSides
	// IssueConstant: it never holds, or looks at something and always holds.
	IssueConstant
)

// CondSource is what the compiler asks about functions.
type CondSource struct {
	Classes *Classes
	// Class is the one whose replication block the condition stands in.
	Class *Class
	// Body is a function's body as one expression, or nil where it is more than that.
	Body func(*Function) *ExprFunc
}
