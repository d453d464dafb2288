package profiles

// Trace has every change of a state told: of "profile" or "save".
func (b *Book) Trace(f func(of, from, to string)) { b.trace = f }
