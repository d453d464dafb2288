package main

import (
	"fmt"
	"text/tabwriter"
)

type storeVersionsCmd struct {
	Player string `arg:"" help:"The player's id, as the log shows it: key-…, token-NAME or local."`
	storeSource
}

// Run lists the states of a profile.
func (c *storeVersionsCmd) Run(sys *system) error {
	return c.with(sys, false, func(a storeAccess) error {
		list, err := a.versions(c.Player)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			return fmt.Errorf("there is no profile of %s; host store list profile/ prints all", c.Player)
		}
		w := tabwriter.NewWriter(sys.stdout, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(w, "version\tvariables\tbytes\tstate") // Flush has the error
		for _, v := range list {
			state := "kept"
			switch {
			case v.Damage != "":
				state = v.Damage
			case v.Now && v.Holder != "":
				state = "now, held by host " + v.Holder
			case v.Now:
				state = "now"
			}
			_, _ = fmt.Fprintf(w, "%d\t%d\t%d\t%s\n", v.Version, v.Variables, v.Bytes, state) // as above
		}
		return w.Flush()
	})
}

type storeRestoreCmd struct {
	Player  string `arg:"" help:"The player's id, as the log shows it: key-…, token-NAME or local."`
	Version uint64 `arg:"" help:"The version, as host store versions lists it."`
	storeSource
}

// Run makes an older state of a profile the present one.
func (c *storeRestoreCmd) Run(sys *system) error {
	if c.At == "" && c.Cluster == "" {
		if err := present(c.File); err != nil { // it would be made
			return err
		}
	}
	return c.with(sys, true, func(a storeAccess) error {
		if err := a.restore(c.Player, c.Version); err != nil {
			return err
		}
		_, err := fmt.Fprintf(sys.stdout, "%s has version %d again; what was there before is kept as a version\n", c.Player, c.Version)
		return err
	})
}
