package engine

import "fmt"

// builder builds the classes of one set from their specs and collects the diagnostics.
type builder struct {
	cs    *Classes
	prev  *Classes
	specs map[string]*ClassSpec
	names []string
	state map[string]int // 0 unseen, 1 in progress, 2 done
	diags []Diagnostic
}

func (b *builder) errorf(pos Pos, rule, format string, args ...any) {
	b.diags = append(b.diags, Diagnostic{pos, SevError, rule, fmt.Sprintf(format, args...)})
}

func (b *builder) warnf(pos Pos, rule, format string, args ...any) {
	b.diags = append(b.diags, Diagnostic{pos, SevWarning, rule, fmt.Sprintf(format, args...)})
}
