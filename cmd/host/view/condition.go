package view

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tidelock/tidelock/engine"
)

// barWidth is the width of the health bar in columns.
const barWidth = 20

// condition returns the player's state and what to do about it, as parts of a line, and their style. If the
// match's HUD draws, its elements are left out.
func condition(s Seat, keys, hud bool) (parts []string, style string) {
	w, pc := s.World(), s.Controller()
	if pc == nil {
		return []string{"The game has not let you in yet."}, faint
	}
	state := w.Actor(w.GameState)
	word := Text(state, "MatchState")
	left, clocked := timeLeft(w, state)
	pawn := Pawn(pc)
	health, _ := Number(pawn, "Health")
	most, hurts := Number(pawn, "HealthMax")
	switch {
	case word == "WaitingPostMatch" && clocked:
		return []string{fmt.Sprintf("The match is over. The next one starts in %d s.", left)}, strong
	case word == "WaitingPostMatch":
		return []string{"The match is over. The next one starts soon."}, strong
	case spectates(pc):
		return watching(pc, keys), strong
	case word == "WaitingToStart" && clocked:
		return []string{fmt.Sprintf("The match starts in %d s.", left)}, strong
	case word == "WaitingToStart":
		return []string{"The match has not started yet: it waits for players."}, strong
	case pawn == nil || pawn.IsA("SpectatorPawn") || hurts && health <= 0:
		return []string{absent(w, pc, keys)}, own
	}
	if !hud {
		parts = vitals(s, pawn, health, most)
	}
	if text := status(s, pawn); text != "" {
		parts = append(parts, text)
	}
	if pawn.IsA("Vehicle") {
		parts = append(parts, "in a "+pawn.Class.Name)
	}
	return parts, ""
}

// spectates reports whether a controller's player only watches.
func spectates(pc *engine.Actor) bool {
	n, _ := Number(Reference(pc, "PlayerReplicationInfo"), "bIsSpectator")
	return n != 0
}

// watching describes whom a spectator watches, and how to change that.
func watching(pc *engine.Actor, keys bool) []string {
	text := "You watch from your own place."
	if target := Reference(pc, "ViewTarget"); target != nil {
		text = "You watch " + playerName(target) + "."
	}
	if !keys {
		return []string{text}
	}
	return []string{text, "N and P: another player. V: play."}
}

// absent describes why there is no pawn, and how to get one.
func absent(w *engine.World, pc *engine.Actor, keys bool) string {
	deaths, _ := Number(Reference(pc, "PlayerReplicationInfo"), "Deaths")
	due, known := Number(pc, "RespawnTime")
	switch {
	case known && due > 0 && deaths > 0:
		return fmt.Sprintf("You are dead. You come back in %s.", seconds(due-w.ServerTime()))
	case known && due > 0:
		return fmt.Sprintf("You come in in %s.", seconds(due-w.ServerTime()))
	case deaths > 0 && known && keys:
		return "You are dead until the next match. V: watch the others."
	case deaths > 0:
		return "You are dead until the next match."
	}
	return "You have no pawn yet: the game gives you one."
}

// vitals returns the health, armour and weapon of a pawn.
func vitals(s Seat, pawn *engine.Actor, health, most float64) []string {
	parts := []string{fmt.Sprintf("health %s %g", bar(health, most), health)}
	if armour, ok := Number(pawn, "Armour"); ok && armour > 0 {
		parts = append(parts, fmt.Sprintf("armour %g", armour))
	}
	if text := weapon(s, pawn); text != "" {
		parts = append(parts, text)
	}
	return parts
}

// bar draws a share.
func bar(part, whole float64) string {
	n := max(0, min(barWidth, int(part*barWidth/max(1, whole))))
	return strings.Repeat("█", n) + strings.Repeat("░", barWidth-n)
}

// weapon describes a pawn's weapon and its ammunition: "sounding rifle 25 +60", the last number being the spare
// rounds.
func weapon(s Seat, pawn *engine.Actor) string {
	a := Reference(pawn, "Weapon")
	if a == nil {
		return ""
	}
	text := cmp.Or(Text(a, "ItemName"), a.Class.Name)
	for i, count := range [...]string{"GetAmmo", "GetSpareAmmo"} {
		if a.Dispatch.Functions[count] == nil {
			break
		}
		if out := s.Call(a, count); len(out) > 0 && out[0].Kind == engine.KindFloat {
			text += fmt.Sprintf([...]string{" %g", " +%g"}[i], out[0].Num)
		}
	}
	return text
}

// status returns the result of GetStatus of a pawn's class, "" for none.
func status(s Seat, pawn *engine.Actor) string {
	if pawn.Dispatch.Functions["GetStatus"] == nil {
		return ""
	}
	if out := s.Call(pawn, "GetStatus"); len(out) > 0 && out[0].Kind == engine.KindString {
		return Clean(out[0].Str)
	}
	return ""
}

// playerName returns the name of a pawn's player, or of the pawn's class.
func playerName(pawn *engine.Actor) string {
	return cmp.Or(OwnName(pawn), Clean(pawn.Name))
}
