package serve

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/loop"
	"github.com/tidelock/tidelock/cmd/host/watch"
)

// change is a set of files to read again, all or nothing.
type change struct {
	what           []string // for the log: the files
	scripts, media bool
	// snapshot is the folders' content from the watcher (assets.Assets.Scripts); nil reads all scripts from
	// disk.
	snapshot map[string]map[string]string
}

// take applies a set of saved files: scripts, sounds and animations at once, levels when they are played next.
func (s *server) take(ctx context.Context, set watch.Set) {
	saved := s.Assets.Sort(set.Paths())
	if len(saved.Scripts)+len(saved.Shown)+len(saved.Mods) > 0 {
		s.reload(ctx, change{ // a mod that is added or removed changes its content, too
			what: slices.Concat(saved.Mods, saved.Scripts, saved.Shown), scripts: len(saved.Scripts)+len(saved.Mods) > 0,
			media: len(saved.Shown)+len(saved.Mods) > 0, snapshot: set.Files,
		})
	}
	gone := map[string]bool{}
	for _, name := range s.Assets.Sort(set.Removed).Levels {
		gone[name] = true
	}
	for _, name := range saved.Levels {
		s.levelSaved(ctx, name, gone[name])
	}
}

// reload reads and checks the changes here and lets the loop apply them between two ticks.
func (s *server) reload(ctx context.Context, c change) {
	s.changing.Lock()
	defer s.changing.Unlock()
	var list []assets.Script
	var media Media
	var err error
	if c.scripts {
		if list, err = s.Assets.Scripts(c.snapshot); err != nil {
			s.failed.Add(1)
			s.Log.Error("scripts cannot be read; the old code stays", "error", err.Error())
			s.note(c.what, Reloaded{Failed: true, Notes: []string{err.Error()}})
			return
		}
		for _, n := range s.Assets.News() {
			if n.Bad {
				s.Log.Error(n.Text)
			} else {
				s.Log.Info(n.Text)
			}
		}
	}
	if c.media {
		if media, err = s.Game.ReadMedia(); err != nil {
			s.failed.Add(1)
			s.Log.Error(err.Error())
			s.Log.Error(notReloaded, "files", strings.Join(c.what, " "))
			s.note(c.what, Reloaded{Failed: true, Notes: []string{err.Error()}})
			return
		}
	}
	if c.scripts {
		err = s.runRead(ctx, c, list, media)
	} else {
		s.Game.Check(nil, media)
		var r Reloaded
		err = s.do(ctx, func() error {
			r = s.Game.Reload(nil, media, false)
			s.tell(c.what, r)
			return nil
		})
		if err == nil {
			s.note(c.what, r)
		}
	}
	if err != nil && !over(err) {
		s.Log.Error("files were not reloaded", "error", err.Error())
	}
}

// runRead makes scripts run that were read, with what is set on top of them.
func (s *server) runRead(ctx context.Context, c change, list []assets.Script, media Media) error {
	p := s.versions.Read(list, strings.Join(c.what, " "))
	s.versions.Files(list)
	for _, e := range p.Dropped {
		s.Log.Warn("no longer set: " + e.Error())
	}
	_, err := s.runVersion(ctx, c.what, &p, media)
	return err
}

// over reports whether an error of loop.Do only means that the host ends.
func over(err error) bool { return errors.Is(err, loop.ErrOver) || errors.Is(err, context.Canceled) }

// levelSaved checks a level whose file was saved and announces it for the next match.
func (s *server) levelSaved(ctx context.Context, name string, gone bool) {
	playing := false
	var work func() ([]string, error)
	err := s.do(ctx, func() error {
		playing = s.Game.Status().Level == name
		work = s.Game.CheckLevel(name)
		return nil
	})
	if err != nil {
		if !over(err) {
			s.Log.Error("level "+name+" was not checked", "error", err.Error())
		}
		return
	}
	warnings, err := work()
	for i, w := range warnings {
		if i == maxShown {
			s.Log.Warn("more of the same", "count", len(warnings)-maxShown)
			break
		}
		s.Log.Warn(w)
	}
	switch {
	case err != nil && gone && playing:
		s.Log.Warn("level " + name + " is gone: the match goes on with it as it was, and the next one cannot be played there")
	case err != nil && gone:
		s.Log.Info("level " + name + " is gone")
	case err != nil:
		s.Log.Error(err.Error())
		s.Log.Error("level " + name + ": no match can be played there until the file is fixed")
	case playing:
		s.Log.Info("level " + name + " changed: used from the next match; `reload level` loads it now")
	default:
		s.Log.Info("level " + name + " changed: used when it is played next")
	}
}
