package engine

import "strconv"

// Counted formats a number of things for a line that people read: 1 player, 2 players. thing takes an s in the plural.
func Counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}
