package join

import (
	"fmt"
	"time"
)

// Millis formats a duration for figures.
func Millis(d time.Duration) string {
	return fmt.Sprintf("%d ms", d.Round(time.Millisecond).Milliseconds())
}

// Percent formats a share.
func Percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// BytesRate formats bytes per second.
func BytesRate(b float64) string {
	if b < 9950 {
		return fmt.Sprintf("%.0f B/s", b)
	}
	return fmt.Sprintf("%.1f kB/s", b/1000)
}
