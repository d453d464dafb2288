package scenario

import (
	"fmt"
	"math"
	"sort"
	"strings"
	"time"

	"github.com/tidelock/tidelock/engine"
	netserver "github.com/tidelock/tidelock/netcode/server"
)

// config holds the settings of config = { … } of t:server.
type config struct {
	server  netserver.Config
	silence time.Duration // 0 is the link's default
	url     string        // options of the start URL
}

// setting parses one key of host.toml. Its name may have underscores in place of dashes.
type setting func(c *config, v any) error

func configOf(values map[string]any) (config, error) {
	c := config{}
	c.server.Validate = true // in every scenario (R4.7)
	known := configKeys()
	names := make([]string, 0, len(values))
	for n := range values {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		key := strings.ReplaceAll(n, "-", "_")
		set := known[key]
		if set == nil {
			all := make([]string, 0, len(known))
			for k := range known {
				all = append(all, k)
			}
			sort.Strings(all)
			return c, fmt.Errorf("config: unknown key %s%s; it takes %s", n, engine.Nearest(key, all), strings.Join(all, ", "))
		}
		if err := set(&c, values[n]); err != nil {
			return c, fmt.Errorf("config: %s: %w", n, err)
		}
	}
	return c, nil
}

// configKeys returns the keys of host.toml that a scenario can set: those about players and updates to them.
// Durations are seconds or, as there, "5s".
func configKeys() map[string]setting {
	return map[string]setting{
		"budget":           whole(64, 1e9, func(c *config, n int) { c.server.Limits.Budget = n }),
		"bytes_per_second": whole(256, 1e9, func(c *config, n int) { c.server.Limits.BytesPerSecond = n }),
		"calls_per_second": whole(1, 1e6, func(c *config, n int) { c.server.Limits.CallsPerSecond = n }),
		"download_rate":    whole(1000, 1e9, func(c *config, n int) { c.server.Limits.DownloadRate = n }),
		"max_players":      whole(1, 1024, func(c *config, n int) { c.url += fmt.Sprintf("?maxplayers=%d", n) }),
		"offences":         whole(1, 1e6, func(c *config, n int) { c.server.Limits.Offences = n }),
		"reliable_queue":   whole(1, 1e5, func(c *config, n int) { c.server.Limits.ReliableCalls = n }),

		"idle_time":        duration(0.5, 3600, func(c *config, f float64) { c.silence = time.Duration(f * float64(time.Second)) }),
		"login_time":       duration(0.1, 3600, func(c *config, f float64) { c.server.Limits.LoginTime = f }),
		"relevant_timeout": duration(2, 10, func(c *config, f float64) { c.server.Relevancy.Timeout = f }),

		"dormancy_validation": flag(func(c *config, b bool) { c.server.Validate = b }),
		"sight":               flag(func(c *config, b bool) { c.server.Relevancy.NoSight = !b }),
		"validation": choice(map[string]func(*config){
			"kick": func(c *config) { c.server.Limits.KeepOnRefusedCall = false },
			"drop": func(c *config) { c.server.Limits.KeepOnRefusedCall = true },
		}),
	}
}

func duration(least, most float64, set func(*config, float64)) setting {
	seconds := number(least, most, set)
	return func(c *config, v any) error {
		if s, ok := v.(string); ok {
			d, err := time.ParseDuration(s)
			if err != nil {
				return fmt.Errorf("expected seconds or a duration such as \"5s\", got %q", s)
			}
			v = d.Seconds()
		}
		return seconds(c, v)
	}
}

func number(least, most float64, set func(*config, float64)) setting {
	return func(c *config, v any) error {
		f, ok := v.(float64)
		if !ok || !(f >= least && f <= most) {
			return fmt.Errorf("expected a number from %g to %g, got %v", least, most, v)
		}
		set(c, f)
		return nil
	}
}

func whole(least, most float64, set func(*config, int)) setting {
	return func(c *config, v any) error {
		f, ok := v.(float64)
		if !ok || !(f >= least && f <= most) || f != math.Trunc(f) {
			return fmt.Errorf("expected a whole number from %g to %g, got %v", least, most, v)
		}
		set(c, int(f))
		return nil
	}
}

func flag(set func(*config, bool)) setting {
	return func(c *config, v any) error {
		b, ok := v.(bool)
		if !ok {
			return fmt.Errorf("expected true or false, got %v", v)
		}
		set(c, b)
		return nil
	}
}

// heartbeat returns how often a quiet connection sends, if the limit on silence is not the link's own.
func (c *config) heartbeat() time.Duration {
	if c.silence == 0 {
		return 0
	}
	return min(2*time.Second, c.silence/4)
}

func choice(of map[string]func(*config)) setting {
	names := make([]string, 0, len(of))
	for n := range of {
		names = append(names, n)
	}
	sort.Strings(names)
	return func(c *config, v any) error {
		s, _ := v.(string)
		set := of[s]
		if set == nil {
			return fmt.Errorf("expected one of %s, got %v", strings.Join(names, ", "), v)
		}
		set(c)
		return nil
	}
}
