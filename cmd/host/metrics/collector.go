package metrics

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/tidelock/tidelock/cmd/host/histogram"
)

const (
	// scrapes is how many run at once at most; others are answered with 503.
	scrapes = 3
	// scrapeTime bounds one.
	scrapeTime = 5 * time.Second
)

// Handler returns the handler of /metrics: the published figures, those of the Go runtime and those of the process, in the
// formats of Prometheus and OpenMetrics. version is that of the program.
func Handler(b *Board, version string) http.Handler {
	return promhttp.HandlerFor(newRegistry(b, version), promhttp.HandlerOpts{
		ErrorHandling: promhttp.HTTPErrorOnError, MaxRequestsInFlight: scrapes, Timeout: scrapeTime, EnableOpenMetrics: true,
	})
}

func newRegistry(b *Board, version string) *prometheus.Registry {
	r := prometheus.NewRegistry() // not the default one, to which any library can add
	// Package collectors would be the newer place of these two; it also compiles database/sql into the host.
	//lint:ignore SA1019 for this reason
	r.MustRegister(newCollector(b, version), prometheus.NewGoCollector(), prometheus.NewProcessCollector(prometheus.ProcessCollectorOpts{}))
	return r
}

// collector shows a board. Its methods are for any goroutine.
type collector struct {
	board *Board
	// plain are single values, series have labels; info and age are described by neither.
	plain         []plain
	series        []series
	spans         []span
	tick          *prometheus.Desc
	info          *prometheus.Desc
	age, lastTick *prometheus.Desc
}

type plain struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(*Figures) float64
	// when says when there is a value; nil means always.
	when func(*Figures) bool
}

// span is a histogram.
type span struct {
	desc *prometheus.Desc
	of   func(*Figures) *histogram.Histogram
	when func(*Figures) bool
}

type series struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	each func(f *Figures, add func(value float64, label string))
}

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("tidelock_"+name, help, labels, nil)
}

func newCollector(b *Board, version string) *collector {
	c := &collector{
		board: b,
		tick:  describe("tick_duration_seconds", "How long ticks took, by the wall clock."),
		info:  prometheus.NewDesc("tidelock_build_info", "The version of this host; always 1.", nil, prometheus.Labels{"version": version}),
		age:   describe("figures_age_seconds", "How old the figures of the world are; it grows while the world hangs."),
		lastTick: describe("last_tick_age_seconds",
			"How long ago the last tick ended; without one, since the start."),
	}
	gauge := func(name, help string, value func(*Figures) float64) {
		c.plain = append(c.plain, plain{describe(name, help), prometheus.GaugeValue, value, nil})
	}
	counter := func(name, help string, value func(*Figures) float64) {
		c.plain = append(c.plain, plain{describe(name+"_total", help), prometheus.CounterValue, value, nil})
	}
	counters := func(name, help, label string, each func(f *Figures, add func(value float64, label string))) {
		c.series = append(c.series, series{describe(name+"_total", help, label), prometheus.CounterValue, each})
	}

	counter("ticks", "Ticks that ran.", func(f *Figures) float64 { return float64(f.Ticks) })
	counter("ticks_dropped", "Ticks that were skipped because the host was too late to catch up.", func(f *Figures) float64 { return float64(f.Dropped) })
	counter("ticks_late", "Ticks that began after the next one was due.", func(f *Figures) float64 { return float64(f.Late) })
	counter("ticks_overrun", "Ticks that took longer than their period.", func(f *Figures) float64 { return float64(f.Overrun) })
	counter("tick_cpu_seconds", "Processor time of ticks.", func(f *Figures) float64 { return f.TickCPU })
	gauge("tick_period_seconds", "Length of a tick.", func(f *Figures) float64 { return f.TickPeriod })
	gauge("world_age_seconds", "Age of the world; it begins again with each level.", func(f *Figures) float64 { return f.Time })
	gauge("actors", "Actors in the world.", func(f *Figures) float64 { return float64(f.Actors) })
	gauge("classes", "Classes that scripts declare.", func(f *Figures) float64 { return float64(f.Classes) })
	gauge("players", "Players in the match.", func(f *Figures) float64 { return float64(f.Players) })
	gauge("players_max", "Players that may be in the match; 0 without a network.", func(f *Figures) float64 { return float64(f.MaxPlayers) })
	gauge("draining", "1 while the host takes no new players because it ends soon.", func(f *Figures) float64 {
		if f.Draining {
			return 1
		}
		return 0
	})
	gauge("relevant_actors", "Actors that were relevant to a connection in the last net update, added up over connections.", func(f *Figures) float64 { return float64(f.Relevant) })
	gauge("bandwidth_wait_seconds", "Longest wait of an actor for bandwidth in the last net update.", func(f *Figures) float64 { return f.LongestWait })
	counter("remote_calls", "Function calls between server and clients.", func(f *Figures) float64 { return float64(f.Calls) })
	counter("remote_calls_dropped", "Function calls between server and clients that were refused or surplus.", func(f *Figures) float64 { return float64(f.CallsDropped) })
	counter("script_faults", "Calls of scripts that ended in an error.", func(f *Figures) float64 { return float64(f.Faults) })
	gauge("quarantined_functions", "Functions and classes that are quarantined.", func(f *Figures) float64 { return float64(f.Quarantined) })
	gauge("script_memory_bytes", "Memory that scripts kept at the end of the last count.", func(f *Figures) float64 { return float64(f.ScriptMemory) })

	gauge("store_writable", "1 while the store can be written; 0 without one, and after damage.", func(f *Figures) float64 {
		if f.Store.Open && f.Store.Writing {
			return 1
		}
		return 0
	})
	gauge("store_keys", "Keys in the store.", func(f *Figures) float64 { return float64(f.Store.Keys) })
	gauge("store_bytes", "Bytes of keys and values in the store.", func(f *Figures) float64 { return float64(f.Store.Bytes) })
	gauge("store_file_bytes", "Size of the store's file.", func(f *Figures) float64 { return float64(f.Store.FileBytes) })
	gauge("store_waiting_jobs", "Reads and writes of the store that are not done.", func(f *Figures) float64 { return float64(f.Store.Waiting) })
	gauge("store_waiting_bytes", "Size of the reads and writes of the store that are not done.", func(f *Figures) float64 { return float64(f.Store.WaitingBytes) })
	counter("store_written_records", "Records of the store that were written or removed.", func(f *Figures) float64 { return float64(f.Store.Records) })
	counter("store_commits", "Transactions of the store that are on the disk.", func(f *Figures) float64 { return float64(f.Store.Commits) })

	c.series = append(c.series, series{describe("connections", "Connections by state.", "state"), prometheus.GaugeValue, func(f *Figures, add func(float64, string)) {
		add(float64(f.Players), "playing")
		add(float64(f.Connecting), "connecting")
	}})
	phase := func(name, help string, most Phase, value func(*PhaseFigures) float64) {
		counters(name, help, "phase", func(f *Figures, add func(float64, string)) {
			for p := range most {
				add(value(f.Phase(p)), p.String())
			}
		})
	}
	phase("tick_phase_seconds", "Wall time of ticks by phase.", PhaseOther, func(p *PhaseFigures) float64 { return p.Seconds })
	phase("script_seconds", "Time that scripts took by phase, from their cost units.", phases, func(p *PhaseFigures) float64 { return p.ScriptSeconds })
	phase("script_cost_units", "Cost units that scripts spent by phase.", phases, func(p *PhaseFigures) float64 { return float64(p.Units) })
	carried := func(name, help string, value func(*CarrierFigures) uint64) {
		counters(name, help, "carrier", func(f *Figures, add func(float64, string)) {
			for k := range carriers {
				add(float64(value(f.Carrier(k))), k.String())
			}
		})
	}
	carried("network_received_packets", "Packets received from players and strangers.", func(k *CarrierFigures) uint64 { return k.PacketsIn })
	carried("network_received_bytes", "Bytes received, headers of UDP and IP included.", func(k *CarrierFigures) uint64 { return k.BytesIn })
	carried("network_sent_packets", "Packets sent.", func(k *CarrierFigures) uint64 { return k.PacketsOut })
	carried("network_sent_bytes", "Bytes sent, headers of UDP and IP included.", func(k *CarrierFigures) uint64 { return k.BytesOut })
	counters("class_sent_bytes", "Payload sent for actors of a class; \"other\" are classes beyond the first 64.", "class", func(f *Figures, add func(float64, string)) {
		for _, s := range f.Sent {
			add(float64(s.Bytes), s.Class)
		}
	})
	counted := func(name, help, label string, list func(*Figures) []Count) {
		counters(name, help, label, func(f *Figures, add func(float64, string)) {
			for _, n := range list(f) {
				add(float64(n.N), n.Name)
			}
		})
	}
	counted("gate_refusals", "Connections refused before the game knew of them, by code.", "code", func(f *Figures) []Count { return f.Refusals })
	counted("gate_discarded_packets", "Packets discarded before the game knew of them, by reason.", "reason", func(f *Figures) []Count { return f.Discarded })
	counted("script_reports", "Reports about scripts in the log, by kind.", "kind", func(f *Figures) []Count { return f.Reports })
	counters("queries", "Queries without joining, by result.", "result", func(f *Figures, add func(float64, string)) {
		add(float64(f.Queries), "answered")
		add(float64(f.QueriesDropped), "dropped")
	})
	counters("store_jobs", "Reads and writes of the store, by result.", "result", func(f *Figures, add func(float64, string)) {
		s := &f.Store
		add(float64(s.Jobs-min(s.Jobs, s.Errors+s.Conflicts+s.Quotas)), "ok")
		add(float64(s.Errors), "failed")
		add(float64(s.Conflicts), "conflict")
		add(float64(s.Quotas), "quota")
		add(float64(s.Refused), "refused")
	})
	counters("reloads", "Reloads of scripts and media, by result.", "result", func(f *Figures, add func(float64, string)) {
		add(float64(f.Reloads), "ok")
		add(float64(f.ReloadsFailed), "failed")
	})
	c.addCluster()
	return c
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range [...]*prometheus.Desc{c.tick, c.info, c.age, c.lastTick} {
		ch <- d
	}
	for _, p := range c.plain {
		ch <- p.desc
	}
	for _, s := range c.series {
		ch <- s.desc
	}
	for _, s := range c.spans {
		ch <- s.desc
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	var f Figures
	age := c.board.Read(&f)
	ago, _ := c.board.sinceTick()
	// An error makes the scrape fail; a panic would end the host.
	send := func(d *prometheus.Desc, m prometheus.Metric, err error) {
		if err != nil {
			m = prometheus.NewInvalidMetric(d, err)
		}
		ch <- m
	}
	value := func(d *prometheus.Desc, kind prometheus.ValueType, value float64, labels ...string) {
		m, err := prometheus.NewConstMetric(d, kind, value, labels...)
		send(d, m, err)
	}
	value(c.info, prometheus.GaugeValue, 1)
	value(c.age, prometheus.GaugeValue, age.Seconds())
	value(c.lastTick, prometheus.GaugeValue, ago.Seconds())
	cumulative, below := make(map[float64]uint64, len(bounds)), uint64(0)
	for i, b := range bounds {
		below += f.Tick.buckets[i]
		cumulative[b] = below
	}
	ticks, err := prometheus.NewConstHistogram(c.tick, f.Tick.count, f.Tick.sum, cumulative)
	send(c.tick, ticks, err)
	for _, p := range c.plain {
		if p.when == nil || p.when(&f) {
			value(p.desc, p.kind, p.value(&f))
		}
	}
	for _, s := range c.spans {
		if !s.when(&f) {
			continue
		}
		h := s.of(&f)
		cumulative := make(map[float64]uint64, histogram.MaxBuckets)
		h.Each(func(bound float64, below uint64) { cumulative[bound] = below })
		m, err := prometheus.NewConstHistogram(s.desc, h.Count(), h.Sum(), cumulative)
		send(s.desc, m, err)
	}
	for _, s := range c.series {
		s.each(&f, func(v float64, label string) { value(s.desc, s.kind, v, label) })
	}
}
