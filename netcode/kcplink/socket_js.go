package kcplink

import "errors"

// openSocket has nothing to open: a browser gives no UDP.
func openSocket(string) (socket, error) {
	return nil, errors.New("there is no UDP in a browser; set PipesOnly")
}
