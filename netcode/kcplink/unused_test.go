package kcplink

import (
	"strings"
	"testing"

	"github.com/xtaci/kcp-go/v5"
)

// TestUnusedPartsFail: what unused/README.md says is not built cannot be switched on by accident.
func TestUnusedPartsFail(t *testing.T) {
	if _, err := kcp.NewSM4BlockCrypt(make([]byte, 16)); err == nil || !strings.Contains(err.Error(), "netcode/kcplink/unused") {
		t.Errorf("SM4: %v", err)
	}
}
