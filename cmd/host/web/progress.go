package web

import (
	"fmt"
	"strings"
	"time"
)

const (
	// showEvery is how often BuilderOptions.Show receives a line.
	showEvery = 250 * time.Millisecond
	// tellEvery is how often the log receives one in its place: below the five seconds after which a program seems to hang, so that a busy
	// machine keeps to them, too.
	tellEvery = 16 * showEvery
	// barWidth is that of a bar, in characters.
	barWidth = 10
)

// tell tells how far the build is until over, and lets it yield to players.
func (b *Builder) tell(over <-chan struct{}) {
	tick := time.NewTicker(showEvery)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-over:
			if b.opt.Show != nil {
				b.opt.Show("")
			}
			return
		case <-tick.C:
		}
		if b.opt.Playing != nil && b.opt.Playing() {
			b.tool.yield()
		}
		j := b.join()
		switch seconds := int(j.Seconds); {
		case b.opt.Show != nil:
			b.opt.Show(fmt.Sprintf("browser client: %s%s, %d s", bar(j.Begun, j.Of), j.Text, seconds))
		case n%int(tellEvery/showEvery) == 0:
			b.opt.Log.Info("Browser client: "+j.Text, "seconds", seconds)
		}
	}
}

// bar draws n of of, "" for of 0.
func bar(n, of int) string {
	if of == 0 {
		return ""
	}
	full := n * barWidth / of
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", barWidth-full) + "] "
}
