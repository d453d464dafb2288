package store

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Bounds of an ordered list (C1): it is one record, which every change writes.
const (
	MaxRanked   = 500 // the best of a list; who is behind them is not kept
	MaxRankName = 64  // bytes of a name in a list
)

// Ranked is an entry of an ordered list. A higher score is a better place.
type Ranked struct {
	Name  string
	Score float64
}

// RankKey is the key of an ordered list in a namespace. No script's own key begins like it.
func RankKey(namespace, list string) string { return Full(namespace, "~"+list) }

// IsRank reports whether a key without its namespace is that of an ordered list.
func IsRank(key string) bool { return key != "" && key[0] == '~' }

// DecodeRanks decodes an ordered list, the best first; nil is an empty one.
func DecodeRanks(b []byte) ([]Ranked, error) {
	if b == nil {
		return nil, nil
	}
	x, err := Decode(b)
	if err != nil {
		return nil, err
	}
	t, ok := x.(*Table)
	if !ok || len(t.Pairs) > 0 {
		return nil, errNoRanks
	}
	list := make([]Ranked, len(t.Array))
	for i, e := range t.Array {
		pair, ok := e.(*Table)
		if !ok || len(pair.Array) != 2 {
			return nil, errNoRanks
		}
		name, named := pair.Array[0].(string)
		score, scored := pair.Array[1].(float64)
		if !named || !scored {
			return nil, errNoRanks
		}
		list[i] = Ranked{name, score}
	}
	return list, nil
}

var errNoRanks = errors.New("the record is no ordered list")

// Place returns a name's place in a list, 1 for the best; 0 if it is not there.
func Place(list []Ranked, name string) int {
	return slices.IndexFunc(list, func(r Ranked) bool { return r.Name == name }) + 1
}

// Rank is the Apply of an [Op] that gives a name a score, or with a nil score removes it. Of equal scores the older one is
// ahead; an unchanged score keeps its place.
func Rank(name string, score *float64) func(old []byte) ([]byte, error) {
	return func(old []byte) ([]byte, error) {
		list, err := DecodeRanks(old)
		if err != nil {
			return nil, err
		}
		at := Place(list, name) - 1
		if at >= 0 && (score == nil || list[at].Score != *score) {
			list = slices.Delete(list, at, at+1)
			at = -1
		}
		if score != nil && at < 0 {
			i, _ := slices.BinarySearchFunc(list, *score, func(r Ranked, s float64) int {
				if r.Score >= s {
					return -1
				}
				return cmp.Compare(s, r.Score)
			})
			list = slices.Insert(list, i, Ranked{name, *score})
		}
		if list = list[:min(len(list), MaxRanked)]; len(list) == 0 {
			return nil, nil
		}
		t := &Table{}
		for _, r := range list {
			t.Array = append(t.Array, &Table{Array: []any{r.Name, r.Score}})
		}
		return Append(nil, t)
	}
}

// CheckRankName returns an error for a name that a list does not take.
func CheckRankName(name string) error {
	if name == "" || len(name) > MaxRankName {
		return fmt.Errorf("a name in a list has 1 to %d bytes; this one has %d", MaxRankName, len(name))
	}
	return nil
}
