package wire

import "testing"

func TestUnbroken(t *testing.T) {
	var w Window
	for _, s := range []Seq{30000, 60000, 65530, 65531, 65533, 65535, 0, 1} { // 65532 and 65534 are lost
		w.Take(s)
	}
	for _, c := range []struct {
		from, to Seq
		want     bool
	}{
		{65530, 65531, true},
		{65531, 65533, false},
		{65530, 65533, false},
		{65533, 65535, false},
		{65535, 0, true},
		{65535, 1, true},
		{65530, 1, false},
		{1, 2, true},
		{0, 2, true},
		{1, 3, false},         // 2 has not come
		{65500, 65502, false}, // before the window
	} {
		if got := w.Unbroken(c.from, c.to); got != c.want {
			t.Errorf("from %d to %d: %v", c.from, c.to, got)
		}
	}
	w.Take(65532) // it was only late
	if !w.Unbroken(65530, 65533) {
		t.Error("what comes late has come")
	}
}
