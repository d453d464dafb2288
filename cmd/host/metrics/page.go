package metrics

// write appends what the board shows. The names are documented in docs/operating.md, Figures.
func (b *Board) write(e *exposition, version string) {
	var f Figures
	age := b.Read(&f)
	ago, _ := b.sinceTick()

	e.family("tidelock_build_info", "The version of this host; always 1.", gauge)
	e.sample("version", version, 1)
	e.gauge("tidelock_figures_age_seconds", "How old the figures of the world are; it grows while the world hangs.", age.Seconds())
	e.gauge("tidelock_last_tick_age_seconds", "How long ago the last tick ended; without one, since the start.", ago.Seconds())
	f.writeTicks(e)
	f.writeWorld(e)
	f.writeScripts(e)
	f.writeNetwork(e)
	f.Store.write(e)
	f.Profiles.write(e)
	if f.Cluster.In { // a host by itself has no connection to lose, so it must not raise the alert about one
		f.Cluster.write(e)
	}
}

func (f *Figures) writeTicks(e *exposition) {
	e.counter("tidelock_ticks_total", "Ticks that ran.", float64(f.Ticks))
	e.counter("tidelock_ticks_dropped_total", "Ticks that were skipped because the host was too late to catch up.", float64(f.Dropped))
	e.counter("tidelock_ticks_late_total", "Ticks that began after the next one was due.", float64(f.Late))
	e.counter("tidelock_ticks_overrun_total", "Ticks that took longer than their period.", float64(f.Overrun))
	e.histogram("tidelock_tick_duration_seconds", "How long ticks took, by the wall clock.", &f.Tick)
	e.counter("tidelock_tick_cpu_seconds_total", "Processor time of ticks.", f.TickCPU)
	e.gauge("tidelock_tick_period_seconds", "Length of a tick.", f.TickPeriod)
	e.family("tidelock_tick_phase_seconds_total", "Wall time of ticks by phase.", counter)
	for p := range PhaseOther {
		e.sample("phase", p.String(), f.Phase(p).Seconds)
	}
}

func (f *Figures) writeWorld(e *exposition) {
	e.gauge("tidelock_world_age_seconds", "Age of the world; it begins again with each level.", f.Time)
	e.gauge("tidelock_actors", "Actors in the world.", float64(f.Actors))
	e.gauge("tidelock_classes", "Classes that scripts declare.", float64(f.Classes))
	e.gauge("tidelock_players", "Players in the match.", float64(f.Players))
	e.gauge("tidelock_players_max", "Players that may be in the match; 0 without a network.", float64(f.MaxPlayers))
	e.gauge("tidelock_draining", "1 while the host takes no new players because it ends soon.", oneIf(f.Draining))
	e.gauge("tidelock_relevant_actors", "Actors that were relevant to a connection in the last net update, added up over connections.", float64(f.Relevant))
	e.gauge("tidelock_bandwidth_wait_seconds", "Longest wait of an actor for bandwidth in the last net update.", f.LongestWait)
	e.counter("tidelock_remote_calls_total", "Function calls between server and clients.", float64(f.Calls))
	e.counter("tidelock_remote_calls_dropped_total", "Function calls between server and clients that were refused or surplus.", float64(f.CallsDropped))
}

func (f *Figures) writeScripts(e *exposition) {
	e.counter("tidelock_script_faults_total", "Calls of scripts that ended in an error.", float64(f.Faults))
	e.gauge("tidelock_quarantined_functions", "Functions and classes that are quarantined.", float64(f.Quarantined))
	e.gauge("tidelock_script_memory_bytes", "Memory that scripts kept at the end of the last count.", float64(f.ScriptMemory))
	e.family("tidelock_script_seconds_total", "Time that scripts took by phase, from their cost units.", counter)
	for p := range phases {
		e.sample("phase", p.String(), f.Phase(p).ScriptSeconds)
	}
	e.family("tidelock_script_cost_units_total", "Cost units that scripts spent by phase.", counter)
	for p := range phases {
		e.sample("phase", p.String(), float64(f.Phase(p).Units))
	}
	e.counts("tidelock_script_reports_total", "Reports about scripts in the log, by kind.", "kind", f.Reports)
	e.family("tidelock_reloads_total", "Reloads of scripts and media, by result.", counter)
	e.sample("result", "ok", float64(f.Reloads))
	e.sample("result", "failed", float64(f.ReloadsFailed))
}

func (f *Figures) writeNetwork(e *exposition) {
	e.family("tidelock_connections", "Connections by state.", gauge)
	e.sample("state", "playing", float64(f.Players))
	e.sample("state", "connecting", float64(f.Connecting))
	carried := func(name, help string, value func(*CarrierFigures) uint64) {
		e.family(name, help, counter)
		for c := range carriers {
			e.sample("carrier", c.String(), float64(value(f.Carrier(c))))
		}
	}
	carried("tidelock_network_received_packets_total", "Packets received from players and strangers.", func(c *CarrierFigures) uint64 { return c.PacketsIn })
	carried("tidelock_network_received_bytes_total", "Bytes received, headers of UDP and IP included.", func(c *CarrierFigures) uint64 { return c.BytesIn })
	carried("tidelock_network_sent_packets_total", "Packets sent.", func(c *CarrierFigures) uint64 { return c.PacketsOut })
	carried("tidelock_network_sent_bytes_total", "Bytes sent, headers of UDP and IP included.", func(c *CarrierFigures) uint64 { return c.BytesOut })
	e.family("tidelock_class_sent_bytes_total", "Payload sent for actors of a class; \"other\" are classes beyond the first 64.", counter)
	for _, s := range f.Sent {
		e.sample("class", s.Class, float64(s.Bytes))
	}
	e.counts("tidelock_gate_refusals_total", "Connections refused before the game knew of them, by code.", "code", f.Refusals)
	e.counts("tidelock_gate_discarded_packets_total", "Packets discarded before the game knew of them, by reason.", "reason", f.Discarded)
	e.family("tidelock_queries_total", "Queries without joining, by result.", counter)
	e.sample("result", "answered", float64(f.Queries))
	e.sample("result", "dropped", float64(f.QueriesDropped))
}

func (s *StoreFigures) write(e *exposition) {
	e.gauge("tidelock_store_writable", "1 while the store can be written; 0 without one, and after damage.", oneIf(s.Open && s.Writing))
	e.gauge("tidelock_store_keys", "Keys in the store.", float64(s.Keys))
	e.gauge("tidelock_store_bytes", "Bytes of keys and values in the store.", float64(s.Bytes))
	e.gauge("tidelock_store_file_bytes", "Size of the store's file.", float64(s.FileBytes))
	e.gauge("tidelock_store_waiting_jobs", "Reads and writes of the store that are not done.", float64(s.Waiting))
	e.gauge("tidelock_store_waiting_bytes", "Size of the reads and writes of the store that are not done.", float64(s.WaitingBytes))
	e.counter("tidelock_store_written_records_total", "Records of the store that were written or removed.", float64(s.Records))
	e.counter("tidelock_store_commits_total", "Transactions of the store that are on the disk.", float64(s.Commits))
	e.family("tidelock_store_jobs_total", "Reads and writes of the store, by result.", counter)
	e.sample("result", "ok", float64(s.Jobs-min(s.Jobs, s.Errors+s.Conflicts+s.Quotas)))
	e.sample("result", "failed", float64(s.Errors))
	e.sample("result", "conflict", float64(s.Conflicts))
	e.sample("result", "quota", float64(s.Quotas))
	e.sample("result", "refused", float64(s.Refused))
	if s.Open {
		e.histogram("tidelock_store_job_duration_seconds", "How long reads and writes of the store took, with their wait in the queue.", &s.Took)
	}
}

func (p *ProfileFigures) write(e *exposition) {
	e.family("tidelock_profiles", "Profiles of players, by state.", gauge)
	e.sample("state", "loading", float64(p.Loading))
	e.sample("state", "waiting", float64(p.Waiting))
	e.sample("state", "held", float64(p.Held))
	e.sample("state", "failed", float64(p.Failed))
	e.counter("tidelock_profiles_discarded_total", "Profiles that another host took, so that what was not saved here is gone.", float64(p.Discarded))
}

func (c *ClusterFigures) write(e *exposition) {
	e.gauge("tidelock_cluster_connected", "1 while the host has a connection to the cluster's servers.", oneIf(c.Connected))
	e.counter("tidelock_cluster_reconnects_total", "Connections to the cluster's servers after the first one.", float64(c.Connects-min(c.Connects, 1)))
	e.gauge("tidelock_cluster_hosts", "Hosts in the directory, this one included.", float64(c.Hosts))
	e.counter("tidelock_cluster_sent_messages_total", "Messages sent to other hosts.", float64(c.MessagesOut))
	e.counter("tidelock_cluster_received_messages_total", "Messages received from hosts, this one's own included.", float64(c.MessagesIn))
	e.family("tidelock_cluster_dropped_messages_total", "Messages that were lost, by reason.", counter)
	e.sample("reason", "connection", float64(c.Unsent))
	e.sample("reason", "slow", float64(c.Lost))
	e.sample("reason", "malformed", float64(c.Malformed))
	e.counter("tidelock_hops_begun_total", "Ways of players to other hosts that began here.", float64(c.HopsBegun))
	e.family("tidelock_hops_total", "Ways of players to other hosts that began here and are over, by result.", counter)
	e.sample("result", "arrived", float64(c.HopsArrived))
	e.sample("result", "failed", float64(c.HopsFailed))
	e.sample("result", "returned", float64(c.HopsReturned))
	e.counter("tidelock_hops_received_total", "Players who came from other hosts.", float64(c.HopsReceived))
	e.histogram("tidelock_hop_duration_seconds", "How long players were on their way to other hosts, until these had them.", &c.HopTook)
}

// counts appends a family of counters, each with its name in a label.
func (e *exposition) counts(name, help, label string, list []Count) {
	e.family(name, help, counter)
	for _, c := range list {
		e.sample(label, c.Name, float64(c.N))
	}
}

func oneIf(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
