package engine

// Template returns an actor that has the class's defaults and is in no world: for reading them by
// [Actor.ReadProperty]. It must not be changed.
func (c *Class) Template() *Actor {
	return &Actor{Vars: c.defVars, Class: c, words: c.defWords, strs: c.defStrs, fasts: make([]*FastArray, c.fasts)}
}

// LoadValue unpacks a stored value (storage.go). cs may be nil; a class reference then reads as none.
func LoadValue(cs *Classes, t *Type, words []uint64, strs []string) Value {
	return loadValue(cs, t, words, strs)
}
