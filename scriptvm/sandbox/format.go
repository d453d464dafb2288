package sandbox

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// format is Lua 5.1's string.format. gopher-lua passes the format to Go, where %v and %#v print the fields of any
// userdata's content, and a width of nine digits takes a gigabyte. As in Lua 5.2, '%s' accepts any value.
func (vm *VM) format(L *lua.LState) int {
	text := checkText(L, 1)
	var result []byte
	argument := 1
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			result = append(result, text[i])
			continue
		}
		if i++; i < len(text) && text[i] == '%' {
			result = append(result, '%')
			continue
		}
		spec, next := readSpec(L, text, i)
		i = next
		argument++
		result = vm.appendFormatted(L, result, spec, argument)
		vm.checkSize(L, len(result))
		vm.Charge(L, 2)
	}
	vm.checkSize(L, len(result))
	vm.work(L, len(result))
	L.Push(lua.LString(result))
	return 1
}

// spec is one conversion of a format.
type spec struct {
	flags     string
	width     int
	precision int // -1: none
	verb      byte
}

func (s spec) has(flag byte) bool { return strings.IndexByte(s.flags, flag) >= 0 }

// readSpec reads a conversion after its '%', and returns the index of its letter.
func readSpec(L *lua.LState, text string, i int) (spec, int) {
	s := spec{precision: -1}
	start := i
	for i < len(text) && strings.IndexByte("-+ #0", text[i]) >= 0 {
		i++
	}
	if i-start > 5 {
		L.RaiseError("invalid format (repeated flags)")
	}
	s.flags = text[start:i]
	digits := func() int {
		n, from := 0, i
		for i < len(text) && '0' <= text[i] && text[i] <= '9' {
			if i-from == 2 {
				L.RaiseError("invalid format (width or precision too long)")
			}
			n = n*10 + int(text[i]-'0')
			i++
		}
		return n
	}
	s.width = digits()
	if i < len(text) && text[i] == '.' {
		i++
		s.precision = digits()
	}
	if i >= len(text) {
		L.RaiseError("invalid conversion '%%%s' to 'format'", text[start:])
	}
	s.verb = text[i]
	if strings.IndexByte("cdiouxXeEfgGqs", s.verb) < 0 {
		L.RaiseError("invalid option '%%%s' to 'format'", text[start:i+1])
	}
	return s, i
}

func (vm *VM) appendFormatted(L *lua.LState, result []byte, s spec, n int) []byte {
	switch s.verb {
	case 'c':
		return s.pad(result, string([]byte{byte(int64(L.CheckNumber(n)))}))
	case 'd', 'i', 'o', 'u', 'x', 'X':
		return s.appendInteger(L, result, n)
	case 'e', 'E', 'f', 'g', 'G':
		return s.appendFloat(result, float64(L.CheckNumber(n)))
	case 'q':
		return appendQuoted(result, checkText(L, n))
	default: // 's'
		text := string(vm.toString(L, L.CheckAny(n)))
		if s.precision >= 0 && s.precision < len(text) {
			text = text[:s.precision]
		}
		return s.pad(result, text)
	}
}

// pad appends a text, padded with blanks to the width.
func (s spec) pad(result []byte, text string) []byte {
	blanks := max(s.width-len(text), 0)
	if !s.has('-') {
		for range blanks {
			result = append(result, ' ')
		}
	}
	result = append(result, text...)
	if s.has('-') {
		for range blanks {
			result = append(result, ' ')
		}
	}
	return result
}

// number appends sign, prefix and digits, with zeros between prefix and digits if the flag is set.
func (s spec) number(result []byte, negative bool, prefix, digits string, zeros bool) []byte {
	switch {
	case negative:
		prefix = "-" + prefix
	case s.has('+'):
		prefix = "+" + prefix
	case s.has(' '):
		prefix = " " + prefix
	}
	if zeros && s.has('0') && !s.has('-') {
		digits = strings.Repeat("0", max(s.width-len(prefix)-len(digits), 0)) + digits
	}
	return s.pad(result, prefix+digits)
}

func (s spec) appendInteger(L *lua.LState, result []byte, n int) []byte {
	value := float64(L.CheckNumber(n))
	if math.IsNaN(value) || math.Abs(value) >= 1<<63 {
		L.ArgError(n, "number has no integer representation")
	}
	whole := int64(value) // towards zero, as C converts
	var digits, prefix string
	negative := false
	switch s.verb {
	case 'd', 'i':
		negative = whole < 0
		magnitude := uint64(whole)
		if negative {
			magnitude = -magnitude
		}
		digits = strconv.FormatUint(magnitude, 10)
	case 'u':
		digits = strconv.FormatUint(uint64(whole), 10)
	case 'o':
		digits = strconv.FormatUint(uint64(whole), 8)
		if s.has('#') && digits[0] != '0' {
			digits = "0" + digits
		}
	default:
		digits = strconv.FormatUint(uint64(whole), 16)
		if s.has('#') && whole != 0 {
			prefix = "0x"
		}
		if s.verb == 'X' {
			digits, prefix = strings.ToUpper(digits), strings.ToUpper(prefix)
		}
	}
	if s.precision >= 0 {
		if s.precision == 0 && whole == 0 {
			digits = ""
		}
		digits = strings.Repeat("0", max(s.precision-len(digits), 0)) + digits
	}
	if s.verb != 'd' && s.verb != 'i' {
		s.flags = strings.NewReplacer("+", "", " ", "").Replace(s.flags) // signs are for %d
	}
	return s.number(result, negative, prefix, digits, s.precision < 0)
}

func (s spec) appendFloat(result []byte, value float64) []byte {
	negative := math.Signbit(value)
	if math.IsInf(value, 0) || math.IsNaN(value) {
		text := "inf"
		if math.IsNaN(value) {
			text, negative = "nan", false
		}
		if s.verb == 'E' || s.verb == 'G' {
			text = strings.ToUpper(text)
		}
		return s.number(result, negative, "", text, false)
	}
	value = math.Abs(value)
	precision := s.precision
	if precision < 0 {
		precision = 6
	}
	var digits string
	if s.has('#') {
		if s.verb == 'g' || s.verb == 'G' {
			precision = max(precision, 1)
		}
		digits = fmt.Sprintf("%#."+strconv.Itoa(precision)+string(rune(s.verb)), value)
	} else {
		if s.verb == 'g' || s.verb == 'G' {
			precision = max(precision, 1)
		}
		digits = strconv.FormatFloat(value, s.verb, precision, 64)
	}
	return s.number(result, negative, "", digits, true)
}

// appendQuoted writes a string so that Lua reads it back.
func appendQuoted(result []byte, text string) []byte {
	result = append(result, '"')
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"', '\\', '\n':
			result = append(result, '\\', c)
		case '\r':
			result = append(result, '\\', 'r')
		case 0:
			result = append(result, '\\', '0', '0', '0')
		default:
			result = append(result, c)
		}
	}
	return append(result, '"')
}
