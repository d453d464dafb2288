package scene

import (
	"bytes"
	"strings"

	"github.com/tidelock/tidelock/cmd/host/media"
)

// Content sets the effects, materials, sounds and animations of the world, in order of their names. The next
// frame sends the page the differences: everything, if another world has begun. The list must not change;
// setting the same one again costs nothing.
func (s *Stage) Content(list []media.Item) {
	if len(list) == len(s.content) && (len(list) == 0 || &list[0] == &s.content[0]) {
		return
	}
	s.content, s.stale = list, true
}

// tellContent sends the content that the page does not have yet.
func (s *Stage) tellContent() {
	if !s.stale {
		return
	}
	s.stale = false
	was, is := s.shown, s.content
	for len(was) > 0 || len(is) > 0 {
		order := 0
		switch {
		case len(was) == 0:
			order = 1
		case len(is) == 0:
			order = -1
		default:
			order = strings.Compare(was[0].Name, is[0].Name)
		}
		switch {
		case order < 0:
			s.events.Begin("content").Text("kind", was[0].Kind).Text("name", cut(was[0].Name)).JSON("data", []byte("null")).End()
			was = was[1:]
			continue
		case order > 0 || !bytes.Equal(was[0].Data, is[0].Data):
			s.events.Begin("content").Text("kind", is[0].Kind).Text("name", cut(is[0].Name)).JSON("data", is[0].Data).End()
		}
		if order == 0 {
			was = was[1:]
		}
		is = is[1:]
	}
	s.shown = s.content
}
