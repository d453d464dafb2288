package serve

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/versions"
	"github.com/tidelock/tidelock/engine"
)

// Source returns a file of the scripts that run, by its path in messages: scripts/core/Pawn.lua. It must not be called in a turn.
func (t *Turn) Source(path string) (versions.Source, error) {
	s := t.server.Load()
	if s == nil {
		return versions.Source{}, errNoTurn
	}
	s.changing.Lock()
	defer s.changing.Unlock()
	return s.source(path)
}

// source is Source while changing is held.
func (s *server) source(path string) (versions.Source, error) {
	f, err := s.fileOf(path)
	switch {
	case f.Path == "":
		return versions.Source{}, err
	case err != nil:
		return versions.Source{Path: path, Text: f.Text, Sum: sumOf(f.Text), Fixed: err.Error()}, nil
	}
	b, err := os.ReadFile(f.File)
	if err != nil {
		return versions.Source{}, err
	}
	return versions.Source{Path: path, Text: string(b), Sum: sumOf(string(b))}, nil
}

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Save makes a file of the scripts have another text and run, while everybody plays. sum is that of the text that was read: a file that has another
// by now is left alone. A text with an error runs nowhere and is not written; the error has a line for each diagnostic. It must not be called in a turn.
func (t *Turn) Save(ctx context.Context, path, sum, text string) (answer []string, err error) {
	s := t.server.Load()
	switch {
	case s == nil:
		return nil, errNoTurn
	case len(text) > versions.MaxSource:
		return nil, fmt.Errorf("%s: a text of %d bytes; at most %d can be saved here", path, len(text), versions.MaxSource)
	case strings.ContainsRune(text, 0):
		return nil, fmt.Errorf("%s: the text has a zero byte", path)
	}
	s.changing.Lock()
	defer s.changing.Unlock()
	old, err := s.source(path)
	switch {
	case err != nil:
		return nil, err
	case old.Fixed != "":
		return nil, errors.New(old.Fixed)
	case old.Sum != sum:
		return nil, fmt.Errorf("%s has changed on disk since you opened it; open it again", path)
	}
	list, err := s.Assets.Scripts(nil)
	if err != nil {
		return nil, err
	}
	var file string
	for i := range list {
		if list[i].Path == path {
			list[i].Text, file = text, list[i].File
		}
	}
	if file == "" {
		return nil, fmt.Errorf("there is no file %s any more", path)
	}
	return s.saveAs(ctx, path, file, text, list)
}

// saveAs runs a set of scripts in which one file has a new text, and writes that.
func (s *server) saveAs(ctx context.Context, path, file, text string, list []assets.Script) (answer []string, err error) {
	p := s.versions.Read(list, path)
	for _, e := range p.Dropped {
		answer = append(answer, "no longer set: "+e.Error())
	}
	r, err := s.runVersion(ctx, []string{path}, &p, nil)
	if err != nil {
		return nil, err
	}
	if r.Failed {
		var lines []string
		for _, d := range r.Diagnostics {
			if d.Severity == engine.SevError {
				lines = append(lines, d.String())
			}
		}
		return nil, errors.New(strings.Join(lines, "\n"))
	}
	if err := replaceFile(file, text); err != nil {
		return nil, fmt.Errorf("it runs, but the file was not written: %w", err)
	}
	s.versions.Files(list)
	return append(answer, r.Changes), nil
}
