//go:build !js || gate

package kcplink

// serves says that this program can accept connections.
const serves = true
