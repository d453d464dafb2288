package level

import (
	"crypto/sha256"
	"sync"
	"weak"
)

// Cache shares levels between the worlds of a process: the same file is parsed once as long as some world plays
// it. The zero value works, a nil Cache shares nothing, and any number of goroutines may use one.
type Cache struct {
	mu     sync.Mutex
	parsed map[cacheKey]weak.Pointer[Level]
}

type cacheKey struct {
	file string
	sum  [sha256.Size]byte
	opt  Options
}

// Parse is [Parse], or returns the level of an earlier call with the same arguments that is still in use.
func (c *Cache) Parse(file string, src []byte, opt Options) (*Level, error) {
	if c == nil {
		return Parse(file, src, opt)
	}
	key := cacheKey{file, sha256.Sum256(src), opt}
	c.mu.Lock() // also during parsing: others wait for the result
	defer c.mu.Unlock()
	if l := c.parsed[key].Value(); l != nil {
		return l, nil
	}
	l, err := Parse(file, src, opt)
	if err != nil {
		return nil, err
	}
	for k, o := range c.parsed { // any order: unused levels are dropped; there are few, and requests are rare
		if o.Value() == nil {
			delete(c.parsed, k)
		}
	}
	if c.parsed == nil {
		c.parsed = map[cacheKey]weak.Pointer[Level]{}
	}
	c.parsed[key] = weak.Make(l)
	return l, nil
}
