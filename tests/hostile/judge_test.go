//go:build unix

package hostile

import (
	"regexp"
	"strings"
)

// What must hold of every attack (docs/security.md).
const (
	// tickTimes is by how much the p99 of a tick may rise, tickLeast up to how many milliseconds it may in any case.
	tickTimes, tickLeast = 2, 8
	// ticksPerSecond is how many ticks a second there must be, and lateShare the part of those of the quiet phase that is as
	// good where the machine had no time for more even then.
	ticksPerSecond, lateShare = 55, 0.92
	// liveMB and residentMB are by how much memory may grow.
	liveMB, residentMB = 128, 320
	// maxLog bounds what the host may have written, in bytes: 20 lines a second of each class, and what a match says by itself.
	maxLog = 1 << 20
)

var (
	// broken are lines that no host may write.
	broken = regexp.MustCompile(`^(panic: |fatal error: |goroutine \d+ \[)|runtime error|left behind`)
	// lost are lines of a player who left though nobody wanted it.
	lost = regexp.MustCompile(`\(Bot\d+, .*\) left: (.*)`)
	// stopped are lines of what is not called any more.
	stopped = regexp.MustCompile(`quarantined|is called less often`)
	// stay is the last table of the bots: how often each came back.
	stay = regexp.MustCompile(`^Bot\d+ .* (\d+)$`)
)

// judge says what did not hold.
func (s *stage) judge() {
	b, a := s.before, s.after
	s.t.Logf("%-28s quiet %.1f/s p50 %.1f p99 %.1f ms %.0f MB live %.0f resident; attacked %.1f/s p50 %.1f p99 %.1f longest %.0f ms %.0f MB live %.0f resident; log %d kB",
		s.names(), b.perSecond, b.p50, b.p99, b.live, b.resident, a.perSecond, a.p50, a.p99, a.longest, a.live, a.resident, s.host.Written()/1024)
	if a.ticks > 0 {
		if most := max(tickTimes*b.p99, tickLeast); a.p99 > most {
			s.slow("from %v after the attack began on, p99 of a tick was %.1f ms; %.1f ms before it, at most %.1f ms are allowed", settled, a.p99, b.p99, most)
		}
		if least := min(ticksPerSecond, lateShare*b.perSecond); a.perSecond < least {
			s.slow("%.1f ticks a second during the attack, %.1f before it; at least %.1f must be", a.perSecond, b.perSecond, least)
		}
		if grown := a.live - b.live; grown > liveMB {
			s.wrong("the live heap grew by %.0f MB, at most %d MB are allowed", grown, liveMB)
		}
		if grown := a.resident - b.resident; grown > residentMB {
			s.wrong("the process grew by %.0f MB, at most %d MB are allowed", grown, residentMB)
		}
	}
	if n := s.host.Written(); n > maxLog {
		s.wrong("the host wrote %d kB of log, at most %d kB are allowed", n/1024, maxLog/1024)
	}
	for _, l := range s.host.Lines() {
		switch {
		case broken.MatchString(l):
			s.wrong("the host says: %.300s", l)
		case stopped.MatchString(l) && !s.blames(l):
			s.slow("somebody else was stopped: %.300s", l)
		}
	}
	s.judgeLines()
}

// judgeLines compares what was said with what must be.
func (s *stage) judgeLines() {
	for _, a := range s.attacks {
		for _, re := range a.expect {
			if _, _, ok := s.host.Find(0, re); !ok {
				s.wrong("%v: the host has no line %q", a, re)
			}
		}
		for _, re := range a.never {
			if line, _, ok := s.host.Find(0, re); ok {
				s.wrong("%v: the host has the line %.300q", a, line)
			}
		}
		for _, re := range a.said {
			if _, _, ok := s.bots.Find(0, re); !ok {
				s.wrong("%v: the players have no line %q\n%s", a, re, s.bots.tail(12))
			}
		}
	}
}

// judgeBots judges how the honest players fared.
func (s *stage) judgeBots(code int) {
	if code != 0 {
		s.wrong("the honest players did not all stay: exit %d\n%s", code, s.bots.tail(14))
	}
	for _, l := range s.bots.Lines() {
		if broken.MatchString(l) {
			s.wrong("the players say: %.300s", l)
		}
		if m := stay.FindStringSubmatch(l); m != nil && m[1] != "0" {
			s.wrong("an honest player lost the connection: %s", l)
		}
	}
	for _, l := range s.host.Lines() {
		if m := lost.FindStringSubmatch(l); m != nil && m[1] != "the player left" {
			s.wrong("an honest player was lost: %.300s", l)
		}
	}
}

// judgeRefusal judges a host that must not start.
func (s *stage) judgeRefusal() {
	if _, _, err := s.host.Await(0, `^ready: `); err == nil {
		s.wrong("the host has not refused to start")
		return
	}
	if _, err := s.host.Ended(); err != nil {
		s.wrong("%v", err)
		return
	}
	if code := s.host.Cmd.ProcessState.ExitCode(); code != 1 && code != 2 {
		s.wrong("the host ended with %d, expected 1 or 2", code)
	}
	for _, l := range s.host.Lines() {
		if broken.MatchString(l) {
			s.wrong("the host says: %.300s", l)
		}
	}
	s.judgeLines()
}

// names are those of the attacks.
func (s *stage) names() string {
	var out []string
	for _, a := range s.attacks {
		out = append(out, a.String())
	}
	return strings.Join(out, " ")
}

// blames reports whether a line names one of the attacks' mods.
func (s *stage) blames(line string) bool {
	for _, a := range s.attacks {
		if a.script() && strings.Contains(line, "[mod "+a.name+"]") {
			return true
		}
	}
	return false
}
