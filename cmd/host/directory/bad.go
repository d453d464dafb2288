package directory

import (
	"fmt"
)

var errFull = fmt.Errorf("the directory has %d hosts already", MaxHosts)

// refuse remembers an announcement that cannot be used, for the next line about them.
func (d *Directory) refuse(from string, err error) {
	d.bad++
	d.badFrom, d.badLast = from, err
}

// tellBad writes a line about announcements that were refused: the first at once, then at most one in [quiet].
func (d *Directory) tellBad() {
	if d.bad == 0 || d.badSaid && d.now < d.badAt+quiet {
		return
	}
	d.o.Log.Warn("The directory of hosts: an announcement was refused: "+d.badLast.Error(), "host", d.badFrom, "count", d.bad, "event", "directory_refused")
	d.bad, d.badLast, d.badSaid, d.badAt = 0, nil, true, d.now
}
