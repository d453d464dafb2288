package metrics

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/histogram"
	"github.com/tidelock/tidelock/tests/tier"
)

// full is a board with a value in every figure.
func full(t *testing.T, classes int) *Board {
	t.Helper()
	clock := newClock()
	b := NewBoard(clock.now)
	b.SetState(Running)
	b.Tick(clock.now())
	b.Publish(clock.now(), func(f *Figures) {
		f.Ticks, f.Dropped, f.Late, f.Overrun = 600, 2, 3, 4
		for _, d := range []float64{0.0001, 0.003, 0.003, 0.02, 7} {
			f.Tick.Add(d)
		}
		f.TickCPU, f.TickPeriod = 1.5, 1.0/60
		for p := range phases {
			*f.Phase(p) = PhaseFigures{1, 100, 0.5}
		}
		*f.Carrier(CarrierUDP) = CarrierFigures{10, 1000, 20, 2000}
		*f.Carrier(CarrierWeb) = CarrierFigures{1, 100, 2, 200}
		var c Classes
		for i := range classes {
			c.Add(fmt.Sprintf("Class%d", i), uint64(i))
		}
		f.Sent = c.Append(f.Sent[:0])
		f.Refusals = append(f.Refusals, Count{"full", 3})
		f.Discarded = append(f.Discarded, Count{"malformed", 4})
		f.Reports = append(f.Reports, Count{"fault", 5})
		f.Store = StoreFigures{Open: true, Writing: true, Keys: 7, Jobs: 6, Records: 9, Took: histogram.New(histogram.Jobs())}
		f.Store.Took.Add(0.004)
		f.Profiles = ProfileFigures{Loading: 1, Waiting: 2, Held: 3, Failed: 4, Discarded: 5}
		f.Cluster = ClusterFigures{
			In: true, Connected: true, Connects: 3, MessagesOut: 10, MessagesIn: 11, Unsent: 1, Lost: 2, Malformed: 3, Hosts: 4,
			HopsBegun: 9, HopsArrived: 5, HopsFailed: 2, HopsReturned: 1, HopsReceived: 6, HopTook: histogram.New(histogram.Hops()),
		}
		f.Cluster.HopTook.Add(0.3)
	})
	clock.pass(250 * time.Millisecond)
	return b
}

func scrape(t *testing.T, b *Board) string {
	t.Helper()
	w := httptest.NewRecorder()
	Handler(b, "devel").ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("%d: %s", w.Code, w.Body)
	}
	return w.Body.String()
}

func TestMetrics(t *testing.T) {
	text := scrape(t, full(t, 3))
	for _, line := range []string{
		`tidelock_build_info{version="devel"} 1`,
		`tidelock_ticks_total 600`,
		`tidelock_ticks_dropped_total 2`,
		`tidelock_tick_duration_seconds_bucket{le="0.0005"} 1`,
		`tidelock_tick_duration_seconds_bucket{le="0.004"} 3`,
		`tidelock_tick_duration_seconds_bucket{le="0.025"} 4`,
		`tidelock_tick_duration_seconds_bucket{le="5"} 4`,
		`tidelock_tick_duration_seconds_bucket{le="+Inf"} 5`,
		`tidelock_tick_duration_seconds_count 5`,
		`tidelock_tick_phase_seconds_total{phase="world"} 1`,
		`tidelock_script_seconds_total{phase="other"} 0.5`,
		`tidelock_network_sent_bytes_total{carrier="udp"} 2000`,
		`tidelock_network_received_packets_total{carrier="web"} 1`,
		`tidelock_class_sent_bytes_total{class="Class2"} 2`,
		`tidelock_gate_refusals_total{code="full"} 3`,
		`tidelock_gate_discarded_packets_total{reason="malformed"} 4`,
		`tidelock_script_reports_total{kind="fault"} 5`,
		`tidelock_figures_age_seconds 0.25`,
		`tidelock_last_tick_age_seconds 0.25`,
		`tidelock_connections{state="playing"} 0`,
		`tidelock_reloads_total{result="failed"} 0`,
		`tidelock_store_written_records_total 9`,
		`tidelock_store_job_duration_seconds_bucket{le="0.002"} 0`,
		`tidelock_store_job_duration_seconds_bucket{le="0.005"} 1`,
		`tidelock_profiles{state="held"} 3`,
		`tidelock_profiles_discarded_total 5`,
		`tidelock_cluster_connected 1`,
		`tidelock_cluster_reconnects_total 2`,
		`tidelock_cluster_hosts 4`,
		`tidelock_cluster_sent_messages_total 10`,
		`tidelock_cluster_received_messages_total 11`,
		`tidelock_cluster_dropped_messages_total{reason="connection"} 1`,
		`tidelock_cluster_dropped_messages_total{reason="slow"} 2`,
		`tidelock_cluster_dropped_messages_total{reason="malformed"} 3`,
		`tidelock_hops_begun_total 9`,
		`tidelock_hops_total{result="arrived"} 5`,
		`tidelock_hops_total{result="failed"} 2`,
		`tidelock_hops_total{result="returned"} 1`,
		`tidelock_hops_received_total 6`,
		`tidelock_hop_duration_seconds_bucket{le="0.25"} 0`,
		`tidelock_hop_duration_seconds_bucket{le="0.5"} 1`,
		`tidelock_hop_duration_seconds_count 1`,
	} {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("no line %s", line)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

// TestByItself: a host that is in no cluster shows nothing of one, and one without a store no times of it.
func TestByItself(t *testing.T) {
	clock := newClock()
	b := NewBoard(clock.now)
	b.Publish(clock.now(), func(*Figures) {})
	text := scrape(t, b)
	for _, name := range []string{"tidelock_cluster_", "tidelock_hop", "tidelock_store_job_duration"} {
		if strings.Contains(text, name) {
			t.Errorf("%s… is shown", name)
		}
	}
	if !strings.Contains(text, "\ntidelock_profiles_discarded_total 0\n") {
		t.Error("profiles are not shown")
	}
}

// TestConventions: all names have one prefix, counters alone end in _total, and labels are from a fixed list. TestPromtool
// checks what Prometheus itself demands.
func TestConventions(t *testing.T) {
	text := scrape(t, full(t, 3))
	own := 0
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (\S+) (\S+)$`).FindAllStringSubmatch(text, -1) {
		name, kind := m[1], m[2]
		if strings.HasPrefix(name, "tidelock_") {
			own++
		} else if !strings.HasPrefix(name, "go_") && !strings.HasPrefix(name, "process_") {
			t.Errorf("%s has no prefix tidelock_", name)
		}
		if strings.HasSuffix(name, "_total") != (kind == counter) {
			t.Errorf("%s is of type %s", name, kind)
		}
	}
	if own < 30 {
		t.Errorf("only %d families", own)
	}
	labels := strings.Fields("version phase carrier class code reason kind result state le quantile")
	for _, m := range regexp.MustCompile(`(?m)^(\w+){(\w+)=`).FindAllStringSubmatch(text, -1) {
		if !slices.Contains(labels, m[2]) {
			t.Errorf("%s has the label %s; add it to this list if its values are bounded", m[1], m[2])
		}
	}
}

// TestBounded: ten thousand classes are 65 series, and no counter of a class or of the others ever decreases.
func TestBounded(t *testing.T) {
	text := scrape(t, full(t, 10_000))
	if n := strings.Count(text, "\ntidelock_class_sent_bytes_total{"); n != MaxClasses+1 {
		t.Errorf("%d series by class", n)
	}
	if !strings.Contains(text, `{class="Class9999"} 9999`) || strings.Contains(text, `{class="Class17"}`) {
		t.Error("the classes with the most bytes have no label, or others have")
	}
	if n := strings.Count(text, "\ntidelock_"); n > 250 {
		t.Errorf("%d series", n)
	}

	var c Classes
	last := map[string]uint64{}
	for round := range uint64(50) {
		c.Begin()
		for i := range 10 * (round + 1) {
			c.Add(fmt.Sprintf("Class%d", i), round*(i+1))
		}
		sum := uint64(0)
		for _, s := range c.Append(nil) {
			if s.Bytes < last[s.Class] {
				t.Fatalf("round %d: %s fell from %d to %d", round, s.Class, last[s.Class], s.Bytes)
			}
			last[s.Class] = s.Bytes
			sum += s.Bytes
		}
		n := 10 * (round + 1)
		if want := round * n * (n + 1) / 2; sum != want {
			t.Fatalf("round %d: %d bytes in all, want %d", round, sum, want)
		}
	}
}

// TestPromtool: Prometheus' own tool finds nothing to say about the figures. It is in Debian's package prometheus.
func TestPromtool(t *testing.T) {
	tool, err := exec.LookPath("promtool")
	if err != nil {
		if tier.IsChange() {
			t.Fatal("promtool is missing; install the package prometheus")
		}
		t.Skip("promtool is not installed (Debian: prometheus); TestConventions checks names without it")
	}
	cmd := exec.Command(tool, "check", "metrics")
	cmd.Stdin = strings.NewReader(scrape(t, full(t, 100)))
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("promtool check metrics: %v\n%s", err, out)
	}
}
