package main

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	"github.com/tidelock/tidelock/cmd/host/access"
)

// accessFile is the name of the access list beside host.toml.
const accessFile = "access.toml"

// openAccess opens the list of roles, bans and the whitelist.
func (c *serveCmd) openAccess(p *parsed, log *slog.Logger) (*access.List, error) {
	path := c.Access
	if path == "" {
		path = filepath.Join(p.settings.Folder(), accessFile)
	}
	list, err := access.Open(path)
	if err != nil {
		if c.Access != "" {
			err = fmt.Errorf("--access: %w", err)
		}
		return nil, usageError{err}
	}
	if c.Access != "" || !emptyAccess(list) {
		logAccess(log, list)
	}
	return list, nil
}

// reloadAccess reads the list again (SIGHUP). A broken file is an error in the log, and the old list stays.
func reloadAccess(list *access.List, log *slog.Logger) {
	before := list.Version()
	err := list.Reload()
	switch unsaved := (*access.Unsaved)(nil); {
	case errors.As(err, &unsaved):
		log.Error("access list not saved", "error", err.Error(), "event", "access_list")
	case err != nil:
		log.Error("access list not reloaded: the old one stays", "error", err.Error(), "event", "access_list")
	}
	if list.Version() != before {
		logAccess(log, list)
	}
}

func emptyAccess(list *access.List) bool {
	on, keys := list.Whitelisted()
	return !on && len(keys) == 0 && len(list.Roles()) == 0 && len(list.Bans()) == 0
}

// logAccess logs what a list has.
func logAccess(log *slog.Logger, list *access.List) {
	on, keys := list.Whitelisted()
	log.Info("access list", "file", list.Path(), "roles", len(list.Roles()), "bans", len(list.Bans()), "whitelist", on,
		"keys", len(keys), "event", "access_list")
}
