package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tidelock/tidelock/cmd/host/histogram"
)

// addCluster adds what concerns profiles and other hosts. A host by itself shows nothing of a cluster, so that an alert about a missing
// connection does not concern it.
func (c *collector) addCluster() {
	in := func(f *Figures) bool { return f.Cluster.In }
	gauge := func(name, help string, value func(*ClusterFigures) float64) {
		c.plain = append(c.plain, plain{describe(name, help), prometheus.GaugeValue, func(f *Figures) float64 { return value(&f.Cluster) }, in})
	}
	counter := func(name, help string, value func(*ClusterFigures) uint64) {
		c.plain = append(c.plain, plain{describe(name+"_total", help), prometheus.CounterValue, func(f *Figures) float64 { return float64(value(&f.Cluster)) }, in})
	}
	counters := func(name, help, label string, each func(f *ClusterFigures, add func(value uint64, label string))) {
		c.series = append(c.series, series{describe(name+"_total", help, label), prometheus.CounterValue, func(f *Figures, add func(float64, string)) {
			if f.Cluster.In {
				each(&f.Cluster, func(n uint64, label string) { add(float64(n), label) })
			}
		}})
	}
	gauge("cluster_connected", "1 while the host has a connection to the cluster's servers.", func(f *ClusterFigures) float64 {
		if f.Connected {
			return 1
		}
		return 0
	})
	counter("cluster_reconnects", "Connections to the cluster's servers after the first one.", func(f *ClusterFigures) uint64 { return f.Connects - min(f.Connects, 1) })
	gauge("cluster_hosts", "Hosts in the directory, this one included.", func(f *ClusterFigures) float64 { return float64(f.Hosts) })
	counter("cluster_sent_messages", "Messages sent to other hosts.", func(f *ClusterFigures) uint64 { return f.MessagesOut })
	counter("cluster_received_messages", "Messages received from hosts, this one's own included.", func(f *ClusterFigures) uint64 { return f.MessagesIn })
	counters("cluster_dropped_messages", "Messages that were lost, by reason.", "reason", func(f *ClusterFigures, add func(uint64, string)) {
		add(f.Unsent, "connection")
		add(f.Lost, "slow")
		add(f.Malformed, "malformed")
	})
	counter("hops_begun", "Ways of players to other hosts that began here.", func(f *ClusterFigures) uint64 { return f.HopsBegun })
	counters("hops", "Ways of players to other hosts that began here and are over, by result.", "result", func(f *ClusterFigures, add func(uint64, string)) {
		add(f.HopsArrived, "arrived")
		add(f.HopsFailed, "failed")
		add(f.HopsReturned, "returned")
	})
	counter("hops_received", "Players who came from other hosts.", func(f *ClusterFigures) uint64 { return f.HopsReceived })
	c.spans = append(c.spans, span{
		describe("hop_duration_seconds", "How long players were on their way to other hosts, until these had them."),
		func(f *Figures) *histogram.Histogram { return &f.Cluster.HopTook }, in,
	}, span{
		describe("store_job_duration_seconds", "How long reads and writes of the store took, with their wait in the queue."),
		func(f *Figures) *histogram.Histogram { return &f.Store.Took }, func(f *Figures) bool { return f.Store.Open },
	})
	c.series = append(c.series, series{describe("profiles", "Profiles of players, by state.", "state"), prometheus.GaugeValue, func(f *Figures, add func(float64, string)) {
		p := &f.Profiles
		add(float64(p.Loading), "loading")
		add(float64(p.Waiting), "waiting")
		add(float64(p.Held), "held")
		add(float64(p.Failed), "failed")
	}})
	c.plain = append(c.plain, plain{
		describe("profiles_discarded_total", "Profiles that another host took, so that what was not saved here is gone."), prometheus.CounterValue,
		func(f *Figures) float64 { return float64(f.Profiles.Discarded) }, nil,
	})
}
