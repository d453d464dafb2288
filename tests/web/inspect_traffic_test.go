//go:build unix

package web

import (
	"fmt"
	"strings"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// chart is what was sent over time, as the API and the page have it.
type chart struct {
	Times  []float64
	Series []struct {
		Name   string
		Values []float64
	}
}

// rates tries the chart of traffic: it has the API's values, divided as chosen by keyboard, for all players and for one.
func (p *inspected) rates() {
	t := p.t
	p.eval(`document.querySelector("#tab-traffic").click()`, nil)
	const panel = `document.querySelector("#traffic")`
	p.untilTrue("the chart has some seconds", panel+`.dataset.seconds >= 4 && Boolean(`+panel+`.querySelector(".uplot canvas"))`)
	first := p.connections()[0]
	for _, by := range []string{"class", "variable", "function", "connection"} {
		for _, connection := range []string{"", fmt.Sprint(first.ID)} {
			p.choose(`#traffic select[aria-label="Player"]`, connection)
			if by == "variable" && connection == "" { // once by keyboard
				p.eval(`document.querySelector("#traffic select[aria-label='Lines of the chart']").focus()`, nil)
				p.run(chromedp.KeyEvent(kb.ArrowDown))
			} else {
				p.choose(`#traffic select[aria-label="Lines of the chart"]`, by)
			}
			want := "by=" + by
			if connection != "" {
				want += "&connection=" + connection
			}
			p.untilTrue("the page shows "+want, fmt.Sprintf(panel+`.shown === %q`, want))
			var now struct { // at once: the next second may have another line
				Data   [][]float64
				Series string
			}
			p.eval(`({ Data: `+panel+`.chart.data, Series: `+panel+`.dataset.series })`, &now)
			shown, names := now.Data, strings.Split(now.Series, ", ")
			var told chart
			p.read("rates?"+want+"&most=64", &told)
			if len(shown) != len(names)+1 || len(names) == 0 || names[0] == "" {
				t.Fatalf("%s: %d lines of %q", want, len(shown)-1, names)
			}
			compared := 0
			for i, name := range names {
				for _, s := range told.Series {
					for k, at := range told.Times {
						for j, on := range shown[0] {
							if s.Name == name && at == on {
								compared++
								if shown[i+1][j] != s.Values[k] {
									t.Errorf("%s: %s is %g at %g, the API told %g", want, name, shown[i+1][j], at, s.Values[k])
								}
							}
						}
					}
				}
			}
			if compared < 3 {
				t.Errorf("%s: only %d values of %q were compared", want, compared, names)
			}
		}
	}
	p.picture("inspector-rates.png")
}
