package syntax

import (
	"sort"
	"strings"
)

// Comment is one -- or --[[ ]] comment. Text is what stands between the marks, trimmed of blanks at
// the ends of lines; further leading dashes (---) are dropped.
type Comment struct {
	Line     int // where it starts
	Column   int
	LastLine int
	Alone    bool // nothing but blanks before it on its line
	Text     string
}

// Comments gives all comments in order.
func (c *Chunk) Comments() []Comment { return c.comments }

// Leading is the text of the block of comments at the head of the file: all comments before the first
// token up to the first empty line, joined by newlines. A leading "#!" line does not count.
func (c *Chunk) Leading() string {
	first := int(^uint(0) >> 1)
	if len(c.tokens) > 0 {
		first = c.tokens[0].Line
	}
	var lines []string
	last := 0
	for i, comment := range c.comments {
		if comment.LastLine >= first || i > 0 && comment.Line > last+1 {
			break
		}
		lines = append(lines, comment.Text)
		last = comment.LastLine
	}
	return strings.Join(lines, "\n")
}

// Trailing is the text of the comment that starts on the line after a token, or "".
func (c *Chunk) Trailing(line int) string {
	for i := c.firstCommentFrom(line); i < len(c.comments) && c.comments[i].Line == line; i++ {
		if !c.comments[i].Alone {
			return c.comments[i].Text
		}
	}
	return ""
}

// Above is the text of the comments that stand alone on the lines directly above a line, or "".
func (c *Chunk) Above(line int) string {
	var lines []string
	want := line - 1
	for i := c.firstCommentFrom(line) - 1; i >= 0; i-- {
		if comment := &c.comments[i]; comment.LastLine == want && comment.Alone {
			lines = append(lines, comment.Text)
			want = comment.Line - 1
			continue
		}
		break
	}
	for i, j := 0, len(lines)-1; i < j; i, j = i+1, j-1 {
		lines[i], lines[j] = lines[j], lines[i]
	}
	return strings.Join(lines, "\n")
}

// Doc is what documents a line: the trailing comment, else those directly above.
func (c *Chunk) Doc(line int) string {
	if text := c.Trailing(line); text != "" {
		return text
	}
	return c.Above(line)
}

// firstCommentFrom is the index of the first comment that starts on the line or later.
func (c *Chunk) firstCommentFrom(line int) int {
	return sort.Search(len(c.comments), func(i int) bool { return c.comments[i].Line >= line })
}

// scanComments finds the comments by a scan of its own, because gopher-lua's scanner drops them. It
// knows as much of the language as it takes to tell a comment from a string. The source has been
// scanned successfully before, so unfinished strings need no care beyond not running off the end.
func scanComments(src string) []Comment {
	var comments []Comment
	line, start := 1, 0 // start of the current line
	alone := true
	newline := func(i int) int { // i is at a line end; gives the index after it
		next := i + 1
		if next < len(src) && (src[next] == '\n' || src[next] == '\r') && src[next] != src[i] {
			next++
		}
		line, start = line+1, next
		return next
	}
	// long gives the length of a long bracket's opening "[==[" at i, or 0.
	long := func(i int) int {
		j := i + 1
		for j < len(src) && src[j] == '=' {
			j++
		}
		if i < len(src) && src[i] == '[' && j < len(src) && src[j] == '[' {
			return j - i + 1
		}
		return 0
	}
	skipLong := func(i, opening int) int { // past the closing bracket, counting lines
		closing := "]" + strings.Repeat("=", opening-2) + "]"
		for i += opening; i < len(src); {
			if src[i] == '\n' || src[i] == '\r' {
				i = newline(i)
			} else if strings.HasPrefix(src[i:], closing) {
				return i + len(closing)
			} else {
				i++
			}
		}
		return i
	}
	for i := 0; i < len(src); {
		switch ch := src[i]; {
		case ch == '\n' || ch == '\r':
			i = newline(i)
			alone = true
		case ch == ' ' || ch == '\t':
			i++
		case ch == '"' || ch == '\'':
			alone = false
			for i++; i < len(src) && src[i] != ch; {
				switch {
				case src[i] == '\\' && i+1 < len(src) && (src[i+1] == '\n' || src[i+1] == '\r'):
					i = newline(i + 1)
				case src[i] == '\\':
					i += 2
				case src[i] == '\n' || src[i] == '\r':
					i = newline(i)
				default:
					i++
				}
			}
			i++
		case ch == '[' && long(i) > 0:
			alone = false
			i = skipLong(i, long(i))
		case strings.HasPrefix(src[i:], "--"):
			comment := Comment{Line: line, Column: i - start + 1, Alone: alone}
			body := i + 2
			if opening := long(body); opening > 0 {
				end := skipLong(body, opening)
				comment.LastLine = line
				comment.Text = trimLines(src[body+opening : max(body+opening, min(end-opening, len(src)))])
				i = end
			} else {
				for i = body; i < len(src) && src[i] != '\n' && src[i] != '\r'; {
					i++
				}
				comment.LastLine = line
				comment.Text = strings.TrimSpace(strings.TrimLeft(src[body:i], "-"))
			}
			comments = append(comments, comment)
		default:
			alone = false
			i++
		}
	}
	return comments
}

func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
