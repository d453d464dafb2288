package sandbox

import (
	lua "github.com/yuin/gopher-lua"
)

// matcher is Lua 5.1's pattern matcher (lstrlib.c), with every step counted against the budget: a pattern like
// ".-.-.-.-b" takes time in a power of the subject's length, and gopher-lua's own matcher does not check the
// context meanwhile. Differences from 5.1: '\0' in a pattern is an ordinary character (as in 5.2), and nesting is
// bounded.
type matcher struct {
	vm       *VM
	L        *lua.LState
	src      string
	pattern  string
	level    int
	captures [maxCaptures]capture
	depth    int
	steps    int
}

type capture struct{ start, length int }

const (
	captureOpen     = -1
	capturePosition = -2
)

func (m *matcher) fail(format string, args ...any) {
	m.L.RaiseError(format, args...)
}

// step counts as an instruction. BenchmarkUnit compares what both take: less on average, up to twice as long where a pattern enters matches within matches.
func (m *matcher) step() {
	if m.steps++; m.steps&63 == 0 {
		m.vm.Charge(m.L, 64)
	}
}

// begin prepares for a match at another place.
func (m *matcher) begin() { m.level, m.depth = 0, 0 }

// match returns the end of the match of the pattern from p at s, -1 if there is none.
func (m *matcher) match(s, p int) int {
	if m.depth++; m.depth > maxPatternDepth {
		m.fail("pattern too complex")
	}
	end := m.run(s, p)
	m.depth--
	return end
}

func (m *matcher) run(s, p int) int {
	for {
		m.step()
		if p >= len(m.pattern) {
			return s
		}
		switch m.pattern[p] {
		case '(':
			if p+1 < len(m.pattern) && m.pattern[p+1] == ')' {
				return m.startCapture(s, p+2, capturePosition)
			}
			return m.startCapture(s, p+1, captureOpen)
		case ')':
			return m.endCapture(s, p+1)
		case '$':
			if p+1 == len(m.pattern) {
				if s == len(m.src) {
					return s
				}
				return -1
			}
		case '%':
			if p+1 >= len(m.pattern) {
				break
			}
			switch c := m.pattern[p+1]; {
			case c == 'b':
				if s = m.balance(s, p+2); s < 0 {
					return -1
				}
				p += 4
				continue
			case c == 'f':
				p += 2
				if p >= len(m.pattern) || m.pattern[p] != '[' {
					m.fail("%s", "missing '[' after '%f' in pattern")
				}
				end := m.classEnd(p)
				var before, here byte
				if s > 0 {
					before = m.src[s-1]
				}
				if s < len(m.src) {
					here = m.src[s]
				}
				if m.inSet(before, p, end-1) || !m.inSet(here, p, end-1) {
					return -1
				}
				p = end
				continue
			case '0' <= c && c <= '9':
				if s = m.backReference(s, c); s < 0 {
					return -1
				}
				p += 2
				continue
			}
		}
		// A single character class, perhaps with a repetition.
		end := m.classEnd(p)
		here := s < len(m.src) && m.single(m.src[s], p, end)
		suffix := byte(0)
		if end < len(m.pattern) {
			suffix = m.pattern[end]
		}
		switch suffix {
		case '?':
			if here {
				if result := m.match(s+1, end+1); result >= 0 {
					return result
				}
			}
			p = end + 1
		case '*':
			return m.longest(s, p, end)
		case '+':
			if !here {
				return -1
			}
			return m.longest(s+1, p, end)
		case '-':
			for {
				if result := m.match(s, end+1); result >= 0 {
					return result
				}
				if s >= len(m.src) || !m.single(m.src[s], p, end) {
					return -1
				}
				s++
			}
		default:
			if !here {
				return -1
			}
			s++
			p = end
		}
	}
}

func (m *matcher) longest(s, p, end int) int {
	n := 0
	for s+n < len(m.src) && m.single(m.src[s+n], p, end) {
		m.step()
		n++
	}
	for ; n >= 0; n-- {
		if result := m.match(s+n, end+1); result >= 0 {
			return result
		}
	}
	return -1
}

func (m *matcher) startCapture(s, p, kind int) int {
	if m.level >= maxCaptures {
		m.fail("too many captures")
	}
	m.captures[m.level] = capture{start: s, length: kind}
	m.level++
	result := m.match(s, p)
	if result < 0 {
		m.level--
	}
	return result
}

func (m *matcher) endCapture(s, p int) int {
	open := -1
	for i := m.level - 1; i >= 0; i-- {
		if m.captures[i].length == captureOpen {
			open = i
			break
		}
	}
	if open < 0 {
		m.fail("invalid pattern capture")
	}
	m.captures[open].length = s - m.captures[open].start
	result := m.match(s, p)
	if result < 0 {
		m.captures[open].length = captureOpen
	}
	return result
}

func (m *matcher) balance(s, p int) int {
	if p+1 >= len(m.pattern) {
		m.fail("unbalanced pattern")
	}
	if s >= len(m.src) || m.src[s] != m.pattern[p] {
		return -1
	}
	open, closing := m.pattern[p], m.pattern[p+1]
	depth := 1
	for s++; s < len(m.src); s++ {
		m.step()
		switch m.src[s] {
		case closing:
			if depth--; depth == 0 {
				return s + 1
			}
		case open:
			depth++
		}
	}
	return -1
}

func (m *matcher) backReference(s int, digit byte) int {
	i := int(digit) - '1'
	if i < 0 || i >= m.level || m.captures[i].length == captureOpen {
		m.fail("invalid capture index")
	}
	c := m.captures[i]
	length := max(c.length, 0)
	if len(m.src)-s < length {
		return -1
	}
	m.vm.work(m.L, length)
	if m.src[c.start:c.start+length] != m.src[s:s+length] {
		return -1
	}
	return s + length
}

// classEnd returns the index after the single character class at p.
func (m *matcher) classEnd(p int) int {
	c := m.pattern[p]
	p++
	switch c {
	case '%':
		if p >= len(m.pattern) {
			m.fail("%s", "malformed pattern (ends with '%')")
		}
		return p + 1
	case '[':
		if p < len(m.pattern) && m.pattern[p] == '^' {
			p++
		}
		for first := true; first || p >= len(m.pattern) || m.pattern[p] != ']'; first = false {
			if p >= len(m.pattern) {
				m.fail("malformed pattern (missing ']')")
			}
			m.step()
			c := m.pattern[p]
			p++
			if c == '%' && p < len(m.pattern) {
				p++
			}
		}
		return p + 1
	}
	return p
}

func (m *matcher) single(c byte, p, end int) bool {
	switch m.pattern[p] {
	case '.':
		return true
	case '%':
		return inClass(c, m.pattern[p+1])
	case '[':
		return m.inSet(c, p, end-1)
	}
	return m.pattern[p] == c
}

// inSet reports whether a character is in the set that starts at '[' and whose ']' is at closing.
func (m *matcher) inSet(c byte, p, closing int) bool {
	positive := true
	if m.pattern[p+1] == '^' {
		positive = false
		p++
	}
	for p++; p < closing; p++ {
		m.step()
		switch {
		case m.pattern[p] == '%':
			p++
			if inClass(c, m.pattern[p]) {
				return positive
			}
		case p+2 < closing && m.pattern[p+1] == '-':
			if m.pattern[p] <= c && c <= m.pattern[p+2] {
				return positive
			}
			p += 2
		case m.pattern[p] == c:
			return positive
		}
	}
	return !positive
}

// inClass reports whether a character is in a class such as %a, in the C locale.
func inClass(c, class byte) bool {
	var in bool
	switch lower(class) {
	case 'a':
		in = 'a' <= lower(c) && lower(c) <= 'z'
	case 'c':
		in = c < 32 || c == 127
	case 'd':
		in = '0' <= c && c <= '9'
	case 'l':
		in = 'a' <= c && c <= 'z'
	case 'p':
		in = c > 32 && c < 127 && !alphanumeric(c)
	case 's':
		in = c == ' ' || 9 <= c && c <= 13
	case 'u':
		in = 'A' <= c && c <= 'Z'
	case 'w':
		in = alphanumeric(c)
	case 'x':
		in = '0' <= c && c <= '9' || 'a' <= lower(c) && lower(c) <= 'f'
	case 'z':
		in = c == 0
	default:
		return class == c
	}
	if 'A' <= class && class <= 'Z' {
		return !in
	}
	return in
}

func alphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= lower(c) && lower(c) <= 'z'
}

// value returns a capture; if there are none, the whole match is the first.
func (m *matcher) value(i, start, end int) lua.LValue {
	if i >= m.level {
		if i != 0 {
			m.fail("invalid capture index")
		}
		return lua.LString(cut(m.src, start, end))
	}
	c := m.captures[i]
	switch c.length {
	case capturePosition:
		return lua.LNumber(c.start + 1)
	case captureOpen:
		m.fail("unfinished capture")
	}
	return lua.LString(cut(m.src, c.start, c.start+c.length))
}

func (m *matcher) pushCaptures(start, end int, whole bool) int {
	n := m.level
	if n == 0 && whole {
		n = 1
	}
	for i := range n {
		m.L.Push(m.value(i, start, end))
	}
	return n
}

// appendReplacement appends gsub's replacement for a match.
func (m *matcher) appendReplacement(result []byte, start, end int, replacement lua.LValue) []byte {
	var value lua.LValue
	switch r := replacement.(type) {
	case lua.LString:
		for i := 0; i < len(r); i++ {
			if r[i] != '%' {
				result = append(result, r[i])
				continue
			}
			if i++; i >= len(r) {
				m.fail("%s", "invalid use of '%' in replacement string")
			}
			switch c := r[i]; {
			case c == '0':
				result = append(result, m.src[start:end]...)
			case '1' <= c && c <= '9':
				text, _ := textOf(m.value(int(c)-'1', start, end))
				result = append(result, text...)
			default:
				result = append(result, c)
			}
			m.vm.checkSize(m.L, len(result))
		}
		m.vm.Charge(m.L, int64(len(r))/16+1)
		return result
	case *lua.LTable:
		value = m.L.GetTable(r, m.value(0, start, end))
	case *lua.LFunction:
		m.L.Push(r)
		n := m.pushCaptures(start, end, true)
		m.L.Call(n, 1)
		value = m.L.Get(-1)
		m.L.Pop(1)
	}
	if lua.LVIsFalse(value) {
		return append(result, m.src[start:end]...)
	}
	text, ok := textOf(value)
	if !ok {
		m.fail("invalid replacement value (a %s)", value.Type())
	}
	return append(result, text...)
}
