package engine

import (
	"strings"
	"testing"
)

// What is suggested for a misspelt name, and what is not: a suggestion that nobody can have meant is worse than none.
func TestNearestName(t *testing.T) {
	names := []string{
		"Touch", "Tick", "Timer", "Health", "Location", "SetLocation", "PlaySound", "Bump", "Fire", "FireTime", "AmmoCount",
		"bNetInitial", "MinNetUpdateFrequency", "NetUpdateFrequency", "HandleSeamlessTravelPlayer", "X", "ABC",
	}
	for name, want := range map[string]string{
		// Slips: a letter missing, too many, wrong, swapped; case.
		"Helth": "Health", "Healtth": "Health", "Healdh": "Health", "Locatoin": "Location", "health": "Health",
		"Toch": "Touch", "Tcik": "Tick", "onfire": "", "playsound": "PlaySound", "Fyre": "Fire",
		// Two from nine letters on, three from sixteen on.
		"SetLoctaon": "SetLocation", "bNetInital": "bNetInitial", "HandelSeamlesTravlePlayer": "HandleSeamlessTravelPlayer",
		"MinNetUpdateFreqency": "MinNetUpdateFrequency",
		// Unrelated names.
		"NoSuch": "", "Pick": "", "Jump": "", "Hire": "", "Healing": "", "Lotion": "", "PlayRound": "PlaySound", "Ammo": "", "Y": "", "Quux": "",
		"": "", "Touch": "", strings.Repeat("a", 500): "",
	} {
		if got := NearestName(name, names); got != want {
			t.Errorf("NearestName(%q) = %q, want %q", name, got, want)
		}
	}
}

// The order of the candidates does not decide, so that a message is the same in every run.
func TestNearestNameOfEquals(t *testing.T) {
	for _, list := range [][]string{{"Barb", "Bare", "Bark"}, {"Bark", "Barb", "Bare"}} {
		if got := NearestName("Bar", list); got != "Barb" {
			t.Errorf("%v: %q", list, got)
		}
	}
}
