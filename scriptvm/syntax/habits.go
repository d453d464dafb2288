package syntax

import (
	"fmt"
	"strings"

	"github.com/yuin/gopher-lua/parse"
)

// Authors who come from another language type its forms. A parser that meets one often fails at a later word, with
// a message that does not help: 'continue' is a valid expression, and it is the 'end' after it that is unexpected.
// This file finds the form itself and says how Lua writes it.

// habit is a form of another language at a position.
type habit struct {
	token Token  // whose place it has
	text  string // the form as it was written
	hint  string
}

func (h habit) message() string { return fmt.Sprintf("unexpected '%s'; %s", h.text, h.hint) }

// Lua's forms.
const (
	commentHint = "a comment begins with '--'"
	bitsHint    = "Lua 5.1 has no operators on bits: math.floor(x / 2 ^ n) % 2 is bit n of x, x * 2 ^ n shifts"
	elseIfHint  = "it opens an 'if' with an 'end' of its own; write 'elseif'"
	blockHint   = "blocks have no braces: if … then … end, while … do … end, function f(…) … end"
	numberHint  = "a number has no suffix and no '_'"
	loopHint    = "a loop is written for i = 0, 9 do … end, or for i, x in ipairs(list) do … end"
	returnHint  = "return must be the last statement of its block"
)

// pairs lists two adjacent tokens that no Lua program has, so that the first of them is where the error is,
// wherever the parser failed.
var pairs = map[string]string{
	"//": commentHint + "; whole division is math.floor(a / b)",
	"/*": "a comment over several lines is written --[[ … ]]",
	"=>": "a function is written function(x) return … end",
	"->": "a function is written function(x) return … end; a member is x.Name, a method x:Name()",
	":=": "to assign write '='",
	"<<": bitsHint,
	">>": bitsHint,
}

// findHabit returns the first form of another language up to the word at which the parser failed, which is
// tokens[index]; index is len(tokens) at the end of the file.
func findHabit(src string, tokens []Token, index int) (habit, bool) {
	for i := 0; i < min(index+1, len(tokens)-1); i++ {
		a, b := &tokens[i], &tokens[i+1]
		if a.Type == parse.TString || b.Type == parse.TString || !adjacent(a, b) {
			continue
		}
		if text, ok := pairs[a.Text+b.Text]; ok {
			return habit{*a, a.Text + b.Text, text}, true
		}
		if a.Type == '+' && b.Type == '+' {
			name := nameBefore(tokens, i)
			if i+2 < len(tokens) && name == "x" && tokens[i+2].Type == parse.TIdent {
				name = tokens[i+2].Text
			}
			return habit{*a, "++", fmt.Sprintf("write %s = %s + 1", name, name)}, true
		}
		if b.Type == '=' && isOperator(a.Text) {
			name := nameBefore(tokens, i)
			return habit{*a, a.Text + "=", fmt.Sprintf("write %s = %s %s …", name, name, a.Text)}, true
		}
	}
	if i, ok := wordHabit(tokens, index); ok {
		return i, true
	}
	return minusMinus(src, tokens, index)
}

func adjacent(a, b *Token) bool { return a.Line == b.Line && b.Column == a.Column+len(a.Text) }

func isOperator(text string) bool {
	switch text {
	case "+", "-", "*", "/", "%", "^", "..":
		return true
	}
	return false
}

// nameBefore returns the variable that ends before a token, as written in the text, or "x".
func nameBefore(tokens []Token, i int) string {
	first := i
	for first > 0 && (first == i || tokens[first].Type == '.') && tokens[first-1].Type == parse.TIdent {
		if first--; first > 0 && tokens[first-1].Type == '.' {
			first--
		}
	}
	if first == i || tokens[first].Type != parse.TIdent {
		return "x"
	}
	var b strings.Builder
	for _, t := range tokens[first:i] {
		if t.Type == '.' {
			b.WriteByte('.')
			continue
		}
		b.WriteString(t.Text)
	}
	return b.String()
}

// keywords holds names that are words of other languages. The parser accepts them as variables and fails at what
// follows.
var keywords = map[string]string{
	"continue": "Lua has no such word: put the rest of the loop's body into 'if … then … end'",
	"switch":   "write if … elseif … else … end, or look the value up in a table",
	"case":     "write if … elseif … else … end",
	"elif":     "write 'elseif'", "elsif": "write 'elseif'", "elseIf": "write 'elseif'", "unless": "write 'if not'",
	"try": "write local ok, result = pcall(f, …)", "catch": "write local ok, result = pcall(f, …)",
	"throw": "an error is raised by error(\"…\")", "raise": "an error is raised by error(\"…\")",
	"import": moduleHint, "include": moduleHint, "using": moduleHint, "from": moduleHint,
	"class":   `a class is declared as local Name = class("Name", "Parent")`,
	"foreach": loopHint,
	"new":     `an actor is made by self:Spawn("Class", { … }), a plain value by a table { … }`,
	"def":     functionHint, "func": functionHint, "fn": functionHint, "fun": functionHint, "void": functionHint,
	"var": localHint, "let": localHint, "const": localHint, "auto": localHint, "int": localHint, "float": localHint,
	"double": localHint, "bool": localHint, "boolean": localHint, "string": localHint, "number": localHint,
	"global": "there are no globals to set: keep a value in self, or in a local of the file",
}

const (
	moduleHint   = `a module of scripts/lib is fetched by local name = require("lib.name")`
	functionHint = "a function is written function Class:Name(…) … end, a helper local function name(…) … end"
	localHint    = "a variable is written local name = value, without a type"
)

// values holds names of other languages that the parser accepts as variables without failing.
var values = map[string]string{
	"null": "write 'nil'", "NULL": "write 'nil'", "nullptr": "write 'nil'", "None": "write 'nil'", "undefined": "write 'nil'", "Nil": "write 'nil'",
	"True": "write 'true'", "TRUE": "write 'true'", "False": "write 'false'", "FALSE": "write 'false'",
	"this": "write 'self'", "super": "the parent's function is called by Class.super.Name(self, …)",
	"print": logHint, "printf": logHint, "echo": logHint, "console": logHint,
	"wait": waitHint, "delay": waitHint, "sleep": waitHint, "Delay": waitHint, "Wait": waitHint,
	"Vector3": "write vector(x, y, z)", "FVector": "write vector(x, y, z)", "FRotator": "write rotator(pitch, yaw, roll)",
	"len": "write #list",
	"io":  "files are out of the reach of scripts", "os": "the machine is out of the reach of scripts; time is world.TimeSeconds",
	"time": "time is world.TimeSeconds", "game": "the match is world.Game", "workspace": "the world is world",
	"load": loadHint, "loadstring": loadHint, "dofile": loadHint, "loadfile": loadHint, "package": loadHint, "module": loadHint,
	"setfenv": fixedHint, "getfenv": fixedHint, "debug": fixedHint, "_G": fixedHint, "collectgarbage": fixedHint,
}

const (
	logHint   = "log(…) and self:Log(…) write to the host's log"
	waitHint  = "Sleep(seconds) waits in the code of a state; elsewhere self:SetTimer(seconds, false, \"Name\") calls a function later"
	loadHint  = moduleHint + "; nothing else can be loaded"
	fixedHint = "scripts do not have it"
)

// ForeignName returns what Lua, or the host, has instead of a name that is usual in other languages, or "".
func ForeignName(name string) string {
	if text, ok := values[name]; ok {
		return text
	}
	return keywords[name]
}

// wordHabit checks the word at which the parser failed and those around it.
func wordHabit(tokens []Token, index int) (habit, bool) {
	at := func(i int) Token {
		if i < 0 || i >= len(tokens) {
			return Token{}
		}
		return tokens[i]
	}
	here, before := at(index), at(index-1)
	if before.Type == parse.TIdent {
		text, ok := keywords[before.Text]
		if ok && (!joins(at(index-2)) || before.Text == "new" && at(index-2).Type != '.' && at(index-2).Type != ':') {
			return habit{before, before.Text, text}, true
		}
		if number := at(index - 2); number.Type == parse.TNumber && adjacent(&number, &before) {
			return habit{number, number.Text + before.Text, numberHint}, true
		}
	}
	switch here.Type {
	case '{':
		if before.Type == ')' {
			return habit{here, "{", blockHint}, true
		}
	case '[':
		switch before.Type {
		case '=', '(', ',', '{', parse.TReturn:
			return habit{here, "[", "a list is written { a, b }"}, true
		}
	case '(':
		if before.Type == parse.TFor {
			return habit{here, "(", loopHint}, true
		}
	case parse.TIn:
		if each := at(index - 3); at(index-2).Type == '(' && each.Text == "foreach" {
			return habit{each, each.Text, loopHint}, true
		}
	case '=':
		return assignmentHabit(tokens, index)
	case parse.TEqeq:
		return habit{here, "==", "'==' compares; to assign write '='"}, true
	case ':':
		if before.Type == parse.TString && inBraces(tokens, index) {
			return habit{here, ":", "a key of a table is written { name = value } or { [\"a name\"] = value }"}, true
		}
		if before.Type == parse.TIdent && (at(index-2).Type == parse.TLocal || at(index-2).Type == ',' || at(index-2).Type == '(') {
			return habit{here, ":", "a variable has no type"}, true
		}
	case '#':
		return habit{here, "#", commentHint}, true
	case parse.TIdent:
		if before.Type == parse.TNumber && adjacent(&before, &here) {
			return habit{before, before.Text + here.Text, numberHint}, true
		}
	case parse.TAnd, parse.TBreak, parse.TDo, parse.TElse, parse.TElseIf, parse.TEnd, parse.TFalse, parse.TFor, parse.TIf,
		parse.TNil, parse.TNot, parse.TOr, parse.TRepeat, parse.TReturn, parse.TThen, parse.TTrue, parse.TUntil, parse.TWhile:
		switch before.Type {
		case parse.TLocal, parse.TFunction, '.', ':':
			return habit{here, here.Text, "it is a word of the language and cannot be a name"}, true
		}
	}
	if before.Type == ':' && at(index-2).Type == parse.TIdent && inBraces(tokens, index) {
		return habit{before, ":", "a key of a table is written { name = value }"}, true
	}
	if b, ok := missingThen(tokens, index); ok {
		return habit{b, "{", blockHint}, true
	}
	return habit{}, false
}

// joins reports whether a token makes the name after it a member or part of an expression.
func joins(t Token) bool {
	switch t.Type {
	case '.', ':', '(', '{', '[', ',', '=', parse.TLocal, parse.TFunction, parse.TEqeq, parse.TNeq, parse.TAnd, parse.TOr, parse.TNot, '#',
		'+', '-', '*', '/', '%', '^', parse.T2Comma, '<', '>', parse.TLte, parse.TGte:
		return true
	}
	return false
}

// assignmentHabit finds an '=' where none is permitted.
func assignmentHabit(tokens []Token, index int) (habit, bool) {
	here := tokens[index]
	depth := 0
	for i := index - 1; i >= 0; i-- {
		switch tokens[i].Type {
		case ')':
			depth++
		case '(':
			if depth--; depth < 0 && i > 0 && isFunctionHead(tokens, i) {
				name := tokens[index-1].Text
				return habit{here, "=", fmt.Sprintf("an argument has no default; write %s = %s or … in the function", name, name)}, true
			}
		case parse.TIf, parse.TElseIf, parse.TWhile, parse.TUntil:
			return habit{here, "=", "to compare write '=='"}, true
		case parse.TThen, parse.TDo, parse.TEnd, parse.TElse, parse.TFunction:
			return habit{}, false
		case '=':
			if tokens[i].Line == here.Line && depth == 0 {
				return habit{here, "=", "an assignment has no value; write one statement for each"}, true
			}
		}
	}
	return habit{}, false
}

// isFunctionHead reports whether a '(' opens the arguments of a function that is being defined.
func isFunctionHead(tokens []Token, open int) bool {
	i := open - 1
	for i >= 0 && (tokens[i].Type == parse.TIdent || tokens[i].Type == '.' || tokens[i].Type == ':') {
		i--
	}
	return i >= 0 && tokens[i].Type == parse.TFunction
}

// inBraces reports whether the innermost open bracket before a token is that of a table.
func inBraces(tokens []Token, index int) bool {
	open := openAt(tokens[:index])
	return len(open) > 0 && open[0].Type == '{'
}

// missingThen returns the brace in `if (x) { … }` or `while (x) { … }`, which the parser reads as a call with a
// table.
func missingThen(tokens []Token, index int) (Token, bool) {
	for i := min(index, len(tokens)) - 1; i >= 0; i-- {
		switch tokens[i].Type {
		case parse.TThen, parse.TDo:
			return Token{}, false
		case parse.TIf, parse.TElseIf, parse.TWhile:
			for j := i + 1; j < index && j < len(tokens); j++ {
				if tokens[j].Type == '{' && tokens[j-1].Type == ')' {
					return tokens[j], true
				}
			}
			return Token{}, false
		}
	}
	return Token{}, false
}

// minusMinus finds `x--`: the '--' begins a comment, and x is alone.
func minusMinus(src string, tokens []Token, index int) (habit, bool) {
	if index == 0 || tokens[index-1].Type != parse.TIdent {
		return habit{}, false
	}
	before := tokens[index-1]
	after := Token{Line: before.Line, Column: before.Column + len(before.Text)}
	line := lineOf(src, before.Line)
	if !strings.HasPrefix(line[min(after.Column-1, len(line)):], "--") || index < len(tokens) && tokens[index].Line == before.Line {
		return habit{}, false
	}
	name := nameBefore(tokens, index)
	return habit{after, "--", fmt.Sprintf("it begins a comment; write %s = %s - 1", name, name)}, true
}

// lineOf returns a line of the source without its end.
func lineOf(src string, line int) string {
	for range line - 1 {
		_, after, found := strings.Cut(src, "\n")
		if !found {
			return ""
		}
		src = after
	}
	text, _, _ := strings.Cut(src, "\n")
	return text
}

// elseIf returns the first 'else if' on one line after an opener that is not closed: most likely it should be one
// word.
func elseIf(tokens []Token, open []opener) (habit, bool) {
	if len(open) == 0 {
		return habit{}, false
	}
	first := open[0].token
	for i := 0; i+1 < len(tokens); i++ {
		t := tokens[i]
		if t.Line < first.Line || t.Type != parse.TElse || tokens[i+1].Type != parse.TIf || tokens[i+1].Line != t.Line {
			continue
		}
		return habit{t, "else if", elseIfHint}, true
	}
	return habit{}, false
}

// characters that no token begins with, by the characters after them if these matter.
var characters = []struct{ text, hint string }{
	{"!=", "'not equal' is written '~='"},
	{"!", "'not' is written 'not x', 'not equal' '~='"},
	{"&&", "write 'and'"},
	{"&", bitsHint},
	{"||", "write 'or'"},
	{"|", bitsHint},
	{"~", "'not equal' is written '~='; " + bitsHint},
	{"??", "write 'or': a or b is b where a is nil or false"},
	{"?.", "write 'x and x.Name'"},
	{"?", "write a and b or c, where b is neither nil nor false"},
	{"`", `a string stands in "quotes", one of several lines in [[ … ]]`},
	{"@", "Lua has no annotations"},
	{"$", "a name has letters, digits and '_'"},
	{"\\", "a line needs no mark to go on"},
}

// characterHint returns what to write instead of a character that the scanner rejects.
func characterHint(rest string) (text, hint string, ok bool) {
	for _, c := range characters {
		if strings.HasPrefix(rest, c.text) {
			return c.text, c.hint, true
		}
	}
	return "", "", false
}
