package control

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tidelock/tidelock/cmd/host/command"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/server"
)

// Bounds of the commands lag, in milliseconds, and loss, in percent.
const (
	mostLag  = float64(link.MaxLag / time.Millisecond)
	mostLoss = 100 * link.MaxLoss
)

// lag sets the simulated lag of a player's connection; its loss stays.
func (c control) lag(call *command.Call, m *match.Match, s *server.Server) ([]string, error) {
	return impair(call, m, s, func(lag *time.Duration, _ *float64) {
		*lag = time.Duration(call.Number(1, 0) * float64(time.Millisecond))
	})
}

// loss sets the simulated loss of a player's connection; its lag stays.
func (c control) loss(call *command.Call, m *match.Match, s *server.Server) ([]string, error) {
	return impair(call, m, s, func(_ *time.Duration, loss *float64) { *loss = call.Number(1, 0) / 100 })
}

// impair changes the simulated path of the player whom the first argument names.
func impair(call *command.Call, m *match.Match, s *server.Server, change func(lag *time.Duration, loss *float64)) ([]string, error) {
	if s == nil {
		return nil, errNoNetwork
	}
	conn, err := connectionOf(m, s, call.Text(0))
	if err != nil {
		return nil, err
	}
	path, ok := conn.Session().Conn.(link.Impairer)
	if !ok {
		return nil, fmt.Errorf("%q is not connected over a network", conn.Name)
	}
	lag, loss := path.Impaired()
	change(&lag, &loss)
	if err := path.Impair(lag, loss); errors.Is(err, link.ErrClosed) {
		return nil, fmt.Errorf("%q is disconnecting", conn.Name)
	} else if err != nil {
		return nil, err
	}
	if text := simulated(float64(lag)/float64(time.Millisecond), loss); text != "" {
		return []string{fmt.Sprintf("the path to %q: %s", conn.Name, text)}, nil
	}
	return []string{fmt.Sprintf("the path to %q is as it is", conn.Name)}, nil
}

// simulated formats a simulated path, "" for none.
func simulated(ms, loss float64) string {
	var parts []string
	if ms > 0 {
		parts = append(parts, fmt.Sprintf("%.0f ms", ms))
	}
	if loss > 0 {
		parts = append(parts, fmt.Sprintf("%.0f %% lost", 100*loss))
	}
	return strings.Join(parts, ", ")
}
