package kcplink

import "errors"

// openSocket always fails: a browser has no UDP.
func openSocket(string) (socket, error) {
	return nil, errors.New("there is no UDP in a browser; set PipesOnly")
}
