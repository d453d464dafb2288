package metrics

import (
	"strconv"
	"unicode/utf8"
)

// The types of families, as TYPE lines name them.
const (
	counter       = "counter"
	gauge         = "gauge"
	histogramType = "histogram"
	summary       = "summary"
)

// exposition is a page in Prometheus' text format, version 0.0.4
// (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format). The zero value is empty.
//
// A family begins with its name, help and type, and its samples follow. A family without samples is not on the page.
type exposition struct {
	text             []byte
	name, help, kind string // of the current family
	begun            bool   // its HELP and TYPE lines are written
}

// family begins a family. Names are literals of this package; TestConventions and promtool check them.
func (e *exposition) family(name, help, kind string) {
	e.name, e.help, e.kind, e.begun = name, help, kind, false
}

// sample appends a value of the current family, with one label unless its name is "".
func (e *exposition) sample(label, labelValue string, value float64) {
	e.start("", label, labelValue)
	e.number(value)
	e.text = append(e.text, '\n')
}

// counter appends a family that is a single counter, and gauge one that is a single gauge.
func (e *exposition) counter(name, help string, value float64) {
	e.family(name, help, counter)
	e.sample("", "", value)
}

func (e *exposition) gauge(name, help string, value float64) {
	e.family(name, help, gauge)
	e.sample("", "", value)
}

// durations is a histogram. Each calls a function with each upper bound, rising, and how many durations were not above it.
type durations interface {
	Each(f func(bound float64, below uint64))
	Count() uint64
	Sum() float64
}

// histogram appends a family that is a single histogram.
func (e *exposition) histogram(name, help string, d durations) {
	e.family(name, help, histogramType)
	d.Each(func(bound float64, below uint64) {
		e.count("_bucket", "le", strconv.FormatFloat(bound, 'g', -1, 64), below)
	})
	e.count("_bucket", "le", "+Inf", d.Count())
	e.sum(d.Sum())
	e.count("_count", "", "", d.Count())
}

// sum appends the sum of the values of the current histogram or summary.
func (e *exposition) sum(v float64) {
	e.start("_sum", "", "")
	e.number(v)
	e.text = append(e.text, '\n')
}

// count appends a number of observations, all digits of it.
func (e *exposition) count(suffix, label, labelValue string, n uint64) {
	e.start(suffix, label, labelValue)
	e.text = append(strconv.AppendUint(e.text, n, 10), '\n')
}

// start appends a sample up to its value, and before the first one the lines that describe the family.
func (e *exposition) start(suffix, label, labelValue string) {
	if !e.begun {
		e.begun = true
		e.text = append(append(append(e.text, "# HELP "...), e.name...), ' ')
		e.escape(e.help, false)
		e.text = append(append(append(e.text, "\n# TYPE "...), e.name...), ' ')
		e.text = append(append(e.text, e.kind...), '\n')
	}
	e.text = append(append(e.text, e.name...), suffix...)
	if label != "" {
		e.text = append(append(append(e.text, '{'), label...), `="`...)
		e.escape(labelValue, true)
		e.text = append(e.text, `"}`...)
	}
	e.text = append(e.text, ' ')
}

// number appends a value; NaN and infinities are NaN, +Inf and -Inf, as the format wants them.
func (e *exposition) number(v float64) { e.text = strconv.AppendFloat(e.text, v, 'g', -1, 64) }

// escape appends text without line ends, and without quotation marks in a label's value. Bytes that are not UTF-8, which
// make Prometheus reject the whole page, become U+FFFD.
func (e *exposition) escape(s string, label bool) {
	for _, r := range s {
		switch {
		case r == '\n':
			e.text = append(e.text, `\n`...)
		case r == '\\' || r == '"' && label:
			e.text = append(e.text, '\\', byte(r))
		default:
			e.text = utf8.AppendRune(e.text, r)
		}
	}
}
