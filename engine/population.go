package engine

// The population answers which actors in space are of a class, or of one of its children.

func (p *population) add(a *Actor) {
	m := p.byClass[a.Class]
	if m == nil {
		if p.byClass == nil {
			p.byClass, p.kin = map[*Class]*members{}, map[*Class][]*members{}
		}
		m = &members{class: a.Class}
		p.byClass[a.Class] = m
		clear(p.kin)
	}
	a.body.member = int32(len(m.list))
	m.list = append(m.list, a)
}

func (p *population) remove(a *Actor) {
	m := p.byClass[a.Class]
	last := len(m.list) - 1
	other := m.list[last]
	m.list[a.body.member], other.body.member = other, a.body.member
	m.list[last] = nil
	m.list = m.list[:last]
}

// of lists the members of a class and its children, in no particular order; total counts them.
func (p *population) of(c *Class) (kin []*members, total int) {
	kin, known := p.kin[c]
	if !known && p.byClass != nil {
		for class, m := range p.byClass { // any order: so is the answer's
			if class.Descends(c) {
				kin = append(kin, m)
			}
		}
		p.kin[c] = kin
	}
	for _, m := range kin {
		total += len(m.list)
	}
	return kin, total
}
