package main

import (
	"github.com/tidelock/tidelock/cmd/host/scenario"
	"github.com/tidelock/tidelock/netcode/carrier"
)

type testCmd struct {
	assetFlags

	Transport string   `enum:"sim,kcp" default:"sim" help:"Links between peers: sim on a virtual clock, or kcp over real sockets in real time."`
	Via       string   `enum:"udp,wt,ws" default:"udp" only:"cli" help:"With --transport kcp: the carrier of packets: udp, wt (WebTransport) or ws (WebSocket)."`
	Seed      uint64   `default:"1" only:"cli" help:"Seed of every run: the same seed gives the same run."`
	Seeds     int      `default:"0" range:"0,10000" help:"Run each scenario with so many seeds, from --seed on. Default: the scenario's own number."`
	Again     int      `default:"1" range:"1,1000" help:"Run each seed so many times, and fail if a run differs from the first."`
	Pattern   string   `name:"run" placeholder:"PATTERN" help:"Run only scenarios whose name matches this Go regular expression."`
	Verbose   bool     `short:"v" help:"Show what the peers logged."`
	Files     []string `arg:"" name:"file" help:"Scenario files, and folders of them."`
}

// Help refers to the documentation.
func (c *testCmd) Help() string {
	return "docs/scenarios.md is the guide to them, with all that they can use."
}

// Run runs scenario files. Its output is TAP; it exits with 1 if one failed, 2 for usage and load errors.
func (c *testCmd) Run(sys *system, p *parsed) error {
	scenario.CollectLess()
	code := scenario.Main(scenario.Options{
		Files: c.Files, Scripts: c.Scripts, Content: c.Content, Off: p.settings.Guard().Off, Transport: c.Transport, Via: carrier.Via(c.Via), Seed: c.Seed, Seeds: c.Seeds,
		Again: c.Again, Run: c.Pattern, Verbose: c.Verbose, Out: sys.stdout, Err: sys.stderr,
	})
	if code != 0 {
		return exitError(code)
	}
	return nil
}
