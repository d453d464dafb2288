package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/tidelock/tidelock/cmd/host/cluster"
)

// clusterCmd are commands for clusters.
type clusterCmd struct {
	Up clusterUpCmd `cmd:"" settings:"none" help:"Run hosts and NATS servers on this machine, to try what several hosts do; Ctrl-C ends all."`
}

// clusterUpCmd runs a cluster on one machine.
type clusterUpCmd struct {
	N        int      `short:"n" name:"hosts" only:"cli" default:"3" enum:"1,3,5" help:"How many hosts, and as many NATS servers: 1, 3 or 5."`
	Data     string   `only:"cli" default:"./cluster" placeholder:"DIR" help:"Folder for what they store. Scripts, content and settings are those of the present folder."`
	NATSPort int      `name:"nats-port" only:"cli" default:"4222" range:"1,65000" help:"TCP port of the first NATS server; it and the next ones are used, twice as many as there are hosts."`
	Port     int      `only:"cli" default:"7777" range:"1,65000" help:"UDP port for players of the first host; the others have the next ones."`
	Name     string   `name:"cluster" only:"cli" default:"dev" placeholder:"NAME" help:"Name of the cluster."`
	Serve    []string `arg:"" optional:"" passthrough:"" help:"Level and flags of \"host serve\" for each host, after --."`
}

// Run runs the cluster until a signal.
func (c *clusterUpCmd) Run(sys *system) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	say := func(line string) { _, _ = fmt.Fprintln(sys.stdout, line) } // there is nobody else to tell
	data, err := filepath.Abs(c.Data)
	if err != nil {
		return usageError{fmt.Errorf("--data: %w", err)}
	}
	server, err := cluster.FindServer(ctx, say)
	if err != nil {
		return err
	}
	host, err := os.Executable()
	if err != nil {
		return err
	}
	args := c.Serve
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	for i := range c.N {
		say(fmt.Sprintf("host-%d: players on UDP %d; nats-%d: nats://127.0.0.1:%d", i+1, c.Port+i, i+1, c.NATSPort+i))
	}
	return cluster.Up(ctx, cluster.Options{
		N: c.N, Data: data, NATSPort: c.NATSPort, HostPort: c.Port, Name: c.Name, Server: server, Host: host, Args: args, Out: sys.stdout,
	})
}
