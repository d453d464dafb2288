package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/tidelock/tidelock/cmd/host/doctor"
	"github.com/tidelock/tidelock/cmd/host/nats"
	"github.com/tidelock/tidelock/cmd/host/settings"
	"github.com/tidelock/tidelock/cmd/host/store"
	"github.com/tidelock/tidelock/engine/bus"
)

const (
	// clusterTime is how long a host waits for its cluster at the start before it begins without, and loadTime if it is to continue a
	// saved world, which it cannot do without.
	clusterTime, loadTime = 3 * time.Second, 20 * time.Second
	// electionTime is how much longer it waits if a server answers: servers that were started together first elect who leads, in 4 to 9 s.
	electionTime = 9 * time.Second
)

// clusterFlags are the flags of the cluster; each is a key of host.toml and a variable, too.
type clusterFlags struct {
	Cluster            string `placeholder:"URL,…" help:"NATS servers of the host's cluster: nats://10.0.0.1:4222,nats://10.0.0.2:4222. Profiles, records and saved worlds are there then, and not in a file; hosts exchange messages. Default: none, a host by itself."`
	ClusterName        string `default:"tidelock" placeholder:"NAME" help:"Name of the cluster: hosts with the same name share everything, others on the same servers nothing."`
	ClusterCredentials string `placeholder:"FILE" help:"Credentials file (.creds) that proves the host to the NATS servers."`
	ClusterReplicas    int    `default:"1" enum:"1,3,5" help:"How many NATS servers keep each record, when the cluster's store is created: 1, 3 or 5."`
}

// away is the connection to other hosts; nil for a host by itself.
type away struct{ conn *nats.Conn }

// dial begins to connect to the cluster, if there is one.
func (f *clusterFlags) dial(p *parsed, name string, log *slog.Logger) (*away, error) {
	if f.Cluster == "" {
		for _, flag := range []string{"cluster-credentials", "cluster-replicas"} {
			if p.settings.From(p.ctx, flag) != settings.FromDefault {
				return nil, usageError{fmt.Errorf("--%s is of no use without --cluster; give the NATS servers, or leave it out", flag)}
			}
		}
		return nil, nil //nolint:nilnil // a host by itself
	}
	if p.settings.From(p.ctx, "store") != settings.FromDefault && p.commands.Serve.Store != storeOff {
		return nil, usageError{fmt.Errorf("--store and --cluster are both given: with a cluster everything is stored there; leave one out")}
	}
	host, err := os.Hostname()
	if err != nil {
		host = "host"
	}
	c, err := nats.Dial(nats.Options{
		Servers: f.Cluster, Credentials: f.ClusterCredentials, Name: f.ClusterName, Host: host + "/" + name, Replicas: f.ClusterReplicas, Log: log,
	})
	if err != nil {
		return nil, usageError{fmt.Errorf("--cluster: %w", err)}
	}
	return &away{c}, nil
}

// Bus returns the bus, nil for a host by itself.
func (a *away) Bus() bus.Bus {
	if a == nil {
		return nil
	}
	return a.conn.Bus()
}

// close ends the connection.
func (a *away) close(within time.Duration, log *slog.Logger) {
	if a == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	if err := a.conn.Close(ctx); err != nil {
		log.Warn(err.Error(), "event", "cluster")
	}
}

// openStore opens the store of the cluster, or else of this host.
func (c *serveCmd) openStore(p *parsed, a *away, log *slog.Logger) (*store.Service, error) {
	if a == nil {
		return c.storeFlags.open(p, log)
	}
	if c.Store == storeOff {
		return nil, nil //nolint:nilnil // none is wanted
	}
	s := a.conn.Store(nats.StoreOptions{Quota: c.storeFlags.options(log).Quota})
	within := clusterTime
	if c.Load != "" {
		within = loadTime
	}
	await := func(t time.Duration) error {
		ctx, cancel := context.WithTimeout(context.Background(), t)
		defer cancel()
		return s.Await(ctx)
	}
	err := await(within)
	if err != nil && a.conn.Err() == nil {
		err = await(electionTime)
	}
	if err != nil && a.conn.Err() == nil { // that there is no connection is logged there
		log.Error("The match begins without the cluster's store; profiles and records come when it is there", "event", "cluster_away", "error", err.Error())
	}
	return store.Start(s, store.ServiceOptions{Log: log}), nil
}

// checkCluster looks whether the cluster can be used.
func (f *clusterFlags) checkCluster(p *parsed) doctor.Result {
	const check = "cluster"
	if f.Cluster == "" {
		return doctor.Result{Grade: doctor.Skip, Check: check, Text: "a host by itself"}
	}
	a, err := f.dial(p, "doctor", slog.New(slog.DiscardHandler))
	if err != nil {
		return doctor.Result{Grade: doctor.Fail, Check: check, Text: err.Error()}
	}
	defer a.close(time.Second, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithTimeout(context.Background(), clusterTime)
	defer cancel()
	if err := a.conn.Await(ctx); err != nil {
		return doctor.Result{Grade: doctor.Fail, Check: check, Text: err.Error(), Do: "start the NATS servers, or correct --cluster"}
	}
	return doctor.Result{Check: check, Text: "cluster " + f.ClusterName + " can be reached"}
}
