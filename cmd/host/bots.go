package main

import (
	"context"
	"fmt"
	"time"

	"github.com/tidelock/tidelock/cmd/host/bots"
	"github.com/tidelock/tidelock/cmd/host/join"
)

type botsCmd struct {
	clientFlags

	N     int           `short:"n" only:"cli" default:"8" range:"1,1000" help:"How many."`
	Name  string        `only:"cli" default:"Bot" help:"Prefix of their names; a number follows."`
	Every time.Duration `only:"cli" default:"5s" range:"0s,1h" help:"How often a table is printed; 0s only at the end."`
	Each  bool          `only:"cli" help:"List every bot in every table, not only in the last."`
	Seed  uint64        `only:"cli" default:"1" help:"Seed of their random decisions."`
	Skill int           `only:"cli" default:"3" range:"0,7" help:"Their skill, from 0 for a beginner to 7 for an expert."`
	// Profiles is for trying out what hosts keep.
	Profiles bool `only:"cli" help:"Hosts keep a profile of each, by a key made from the seed: for trials, since anybody can make it too. Without, they are guests."`
	Brain    bool `only:"cli" default:"true" negatable:"" help:"A brain of the match's scripts controls them; without it, they only walk around, which costs less."`
}

// longestNumber is the longest suffix of a bot's name.
const longestNumber = "1000"

// Run joins with many players. It exits with 0 if all joined and stayed.
func (c *botsCmd) Run(sys *system) error {
	o, err := c.options(sys)
	if err != nil {
		return err
	}
	if err := join.CheckName(c.Name + longestNumber); err != nil {
		return usageError{fmt.Errorf("--name: with its number appended: %w", err)}
	}
	o.Name, o.Seed, o.Brain, o.Skill = c.Name, c.Seed, c.Brain, c.Skill
	return bots.Run(context.Background(), bots.Options{
		Options: o, N: c.N, Every: c.Every, Each: c.Each, Profiles: c.Profiles, RunFor: c.RunFor, Signals: sys.signals, Out: sys.stdout, Hung: sys.hung(nil),
	})
}
