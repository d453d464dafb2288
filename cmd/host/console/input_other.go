//go:build !unix

package console

func readInBackground() {}

func refused(error) bool { return false }
