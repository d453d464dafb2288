package syntax

import (
	"sort"
	"strings"
)

// Comment is one -- or --[[ ]] comment. Text is the content without the marks, trimmed of blanks at the ends of
// lines; further leading dashes (---) are dropped.
type Comment struct {
	Line     int // where it starts
	Column   int
	LastLine int
	Alone    bool // only blanks precede it on its line
	Text     string
}

// Leading returns the text of the block of comments at the head of the file: all comments before the first token up
// to the first empty line, joined by newlines. A leading "#!" line does not count.
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

// Trailing returns the text of the comment that starts on the line after a token, or "".
func (c *Chunk) Trailing(line int) string {
	for i := c.firstCommentFrom(line); i < len(c.comments) && c.comments[i].Line == line; i++ {
		if !c.comments[i].Alone {
			return c.comments[i].Text
		}
	}
	return ""
}

// Above returns the text of the comments that stand alone on the lines directly above a line, or "".
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

// Doc returns the documentation of a line: the trailing comment, else those directly above.
func (c *Chunk) Doc(line int) string {
	if text := c.Trailing(line); text != "" {
		return text
	}
	return c.Above(line)
}

// firstCommentFrom returns the index of the first comment that starts on the line or later.
func (c *Chunk) firstCommentFrom(line int) int {
	return sort.Search(len(c.comments), func(i int) bool { return c.comments[i].Line >= line })
}
