package sandbox

import (
	"math"
	"strconv"
	"strings"
)

// formatNumber formats a number as Lua 5.1 does (%.14g). gopher-lua uses Go's format, in which 1e15 and 1/3 differ
// from what every Lua book says.
func formatNumber(n float64) string {
	if n == math.Trunc(n) && math.Abs(n) < 1e14 && !(n == 0 && math.Signbit(n)) {
		return strconv.FormatInt(int64(n), 10)
	}
	return string(appendNumber(nil, n))
}

func appendNumber(buffer []byte, n float64) []byte {
	switch {
	case n == math.Trunc(n) && math.Abs(n) < 1e14 && !(n == 0 && math.Signbit(n)):
		return strconv.AppendInt(buffer, int64(n), 10)
	case math.IsNaN(n):
		return append(buffer, "nan"...)
	case math.IsInf(n, 1):
		return append(buffer, "inf"...)
	case math.IsInf(n, -1):
		return append(buffer, "-inf"...)
	}
	return strconv.AppendFloat(buffer, n, 'g', 14, 64)
}

// parseNumber reads a decimal or hexadecimal number, without Go's other forms.
func parseNumber(text string) (float64, bool) {
	if text == "" || len(text) > 400 {
		return 0, false
	}
	digits := strings.TrimPrefix(strings.TrimPrefix(text, "-"), "+")
	if len(digits) < len(text)-1 {
		return 0, false
	}
	if len(digits) > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') {
		n, err := strconv.ParseUint(digits[2:], 16, 64)
		if err != nil {
			return 0, false
		}
		if text[0] == '-' {
			return -float64(n), true
		}
		return float64(n), true
	}
	for i := 0; i < len(digits); i++ {
		if c := digits[i]; (c < '0' || c > '9') && strings.IndexByte(".eE+-", c) < 0 {
			return 0, false
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(n, 0) {
		return 0, false
	}
	return n, true
}
