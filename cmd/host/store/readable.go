package store

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// mostNesting bounds the depth of a value.
const mostNesting = 64

// Values of scripts are msgpack. A value is shown as JSON from which exactly the same bytes are made again: integers are numbers without
// a point, floats have one, and what JSON does not have is an object with one key that begins with $:
//
//	{"$f32":1.5}  {"$f64":"7ff8000000000001"} not a number, infinities  {"$bin":"base64"}  {"$str":"base64"} text that is not UTF-8
//	{"$map":[[key,value],…]} a map with other keys than text, or with keys that begin with $

// readable returns a value as JSON; ok is false for what is not msgpack as it is usually written.
func readable(value []byte) (text []byte, ok bool) {
	text, rest, ok := appendJSON(nil, value, 0)
	if !ok || len(rest) > 0 {
		return nil, false
	}
	again, err := packed(text)
	return text, err == nil && bytes.Equal(again, value)
}

// take cuts n bytes off.
func take(b []byte, n uint64) (head, rest []byte, ok bool) {
	if n > uint64(len(b)) {
		return nil, nil, false
	}
	return b[:n], b[n:], true
}

// big reads a number of 1 to 8 bytes.
func big(b []byte) (n uint64) {
	for _, c := range b {
		n = n<<8 | uint64(c)
	}
	return n
}

// appendJSON appends the first value of b.
func appendJSON(to, b []byte, depth int) (text, rest []byte, ok bool) {
	if len(b) == 0 || depth > mostNesting {
		return nil, nil, false
	}
	c, b := b[0], b[1:]
	sized := func(first byte) (n uint64, ok bool) { // the size after a code of 1, 2 or 4 bytes
		var head []byte
		if head, b, ok = take(b, 1<<(c-first)); !ok {
			return 0, false
		}
		return big(head), true
	}
	var n uint64
	switch {
	case c <= 0x7f:
		return strconv.AppendUint(to, uint64(c), 10), b, true
	case c >= 0xe0:
		return strconv.AppendInt(to, int64(int8(c)), 10), b, true
	case c == 0xc0:
		return append(to, "null"...), b, true
	case c == 0xc2:
		return append(to, "false"...), b, true
	case c == 0xc3:
		return append(to, "true"...), b, true
	case c>>4 == 0x8:
		return appendMap(to, b, uint64(c&0xf), depth)
	case c>>4 == 0x9:
		return appendArray(to, b, uint64(c&0xf), depth)
	case c>>5 == 0x5:
		return appendText(to, b, uint64(c&0x1f))
	case c >= 0xc4 && c <= 0xc6:
		if n, ok = sized(0xc4); !ok {
			return nil, nil, false
		}
		v, rest, ok := take(b, n)
		return appendEncoded(to, "$bin", v), rest, ok
	case c == 0xca:
		v, rest, ok := take(b, 4)
		if !ok {
			return nil, nil, false
		}
		f := math.Float32frombits(binary.BigEndian.Uint32(v))
		if f64 := float64(f); math.IsNaN(f64) || math.IsInf(f64, 0) {
			return nil, nil, false
		}
		return append(appendFloat(append(to, `{"$f32":`...), float64(f), 32), '}'), rest, true
	case c == 0xcb:
		v, rest, ok := take(b, 8)
		if !ok {
			return nil, nil, false
		}
		f := math.Float64frombits(binary.BigEndian.Uint64(v))
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Appendf(to, `{"$f64":"%016x"}`, binary.BigEndian.Uint64(v)), rest, true
		}
		return appendFloat(to, f, 64), rest, true
	case c >= 0xcc && c <= 0xcf:
		v, rest, ok := take(b, 1<<(c-0xcc))
		return strconv.AppendUint(to, big(v), 10), rest, ok
	case c >= 0xd0 && c <= 0xd3:
		v, rest, ok := take(b, 1<<(c-0xd0))
		shift := 64 - 8*len(v)
		return strconv.AppendInt(to, int64(big(v)<<shift)>>shift, 10), rest, ok //nolint:gosec // the sign
	case c >= 0xd9 && c <= 0xdb:
		if n, ok = sized(0xd9); !ok {
			return nil, nil, false
		}
		return appendText(to, b, n)
	case c == 0xdc || c == 0xdd:
		c++ // sizes are 2 and 4 bytes
		if n, ok = sized(0xdc); !ok {
			return nil, nil, false
		}
		return appendArray(to, b, n, depth)
	case c == 0xde || c == 0xdf:
		c++
		if n, ok = sized(0xde); !ok {
			return nil, nil, false
		}
		return appendMap(to, b, n, depth)
	}
	return nil, nil, false // extensions
}

func appendEncoded(to []byte, kind string, v []byte) []byte {
	return fmt.Appendf(to, `{%q:%q}`, kind, base64.StdEncoding.EncodeToString(v))
}

// appendFloat appends a number that is recognized as a float.
func appendFloat(to []byte, f float64, bits int) []byte {
	s := strconv.FormatFloat(f, 'g', -1, bits)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return append(to, s...)
}

func appendText(to, b []byte, n uint64) (text, rest []byte, ok bool) {
	v, rest, ok := take(b, n)
	if !ok {
		return nil, nil, false
	}
	if !utf8.Valid(v) {
		return appendEncoded(to, "$str", v), rest, true
	}
	return appendString(to, v), rest, true
}

func appendString(to, v []byte) []byte {
	var w bytes.Buffer
	e := json.NewEncoder(&w)
	e.SetEscapeHTML(false)
	_ = e.Encode(string(v)) // a string has no error
	return append(to, bytes.TrimSuffix(w.Bytes(), []byte("\n"))...)
}

func appendArray(to, b []byte, n uint64, depth int) (text, rest []byte, ok bool) {
	if n > uint64(len(b)) {
		return nil, nil, false // each takes a byte at least
	}
	to = append(to, '[')
	for i := range n {
		if i > 0 {
			to = append(to, ',')
		}
		if to, b, ok = appendJSON(to, b, depth+1); !ok {
			return nil, nil, false
		}
	}
	return append(to, ']'), b, true
}

func appendMap(to, b []byte, n uint64, depth int) (text, rest []byte, ok bool) {
	if n > uint64(len(b)) {
		return nil, nil, false
	}
	type pair struct{ key, value []byte }
	pairs := make([]pair, 0, n)
	seen := make(map[string]bool, n)
	plain := true
	for range n {
		var p pair
		if p.key, b, ok = appendJSON(nil, b, depth+1); !ok {
			return nil, nil, false
		}
		if p.value, b, ok = appendJSON(nil, b, depth+1); !ok {
			return nil, nil, false
		}
		plain = plain && p.key[0] == '"' && p.key[1] != '$' && !seen[string(p.key)]
		seen[string(p.key)] = true
		pairs = append(pairs, p)
	}
	open, between, end := "{", ":", "}"
	if !plain {
		to, open, between, end = append(to, `{"$map":[`...), "[", ",", "]"
	} else {
		to, open, end = append(to, '{'), "", ""
	}
	for i, p := range pairs {
		if i > 0 {
			to = append(to, ',')
		}
		to = append(append(append(append(append(to, open...), p.key...), between...), p.value...), end...)
	}
	if !plain {
		to = append(to, ']')
	}
	return append(to, '}'), b, true
}

// packed makes the value again of what readable returned.
func packed(text []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	out, err := appendPacked(nil, d, 0)
	if err == nil && d.More() {
		err = errors.New("there is more than one value")
	}
	return out, err
}

// appendPacked appends the next value of d as msgpack.
func appendPacked(to []byte, d *json.Decoder, depth int) ([]byte, error) {
	if depth > 2*mostNesting+2 { // maps with other keys nest twice
		return nil, fmt.Errorf("it is nested deeper than %d", mostNesting)
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch v := t.(type) {
	case nil:
		return append(to, 0xc0), nil
	case bool:
		if v {
			return append(to, 0xc3), nil
		}
		return append(to, 0xc2), nil
	case json.Number:
		return appendNumber(to, string(v))
	case string:
		return appendStr(to, v), nil
	case json.Delim:
		if v == '{' {
			return packObject(to, d, depth)
		}
		var items []byte
		n := 0
		for ; d.More(); n++ {
			if items, err = appendPacked(items, d, depth+1); err != nil {
				return nil, err
			}
		}
		_, err = d.Token()
		return append(appendSize(to, n, 0x90, 0xdc), items...), err
	}
	return nil, fmt.Errorf("%v is no value", t)
}

// packObject appends a map, or what an object with $ stands for.
func packObject(to []byte, d *json.Decoder, depth int) ([]byte, error) {
	var items []byte
	n := 0
	seen := map[string]bool{}
	for ; d.More(); n++ {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		key, _ := t.(string)
		if n == 0 && strings.HasPrefix(key, "$") {
			out, err := packSpecial(to, key, d, depth)
			if err != nil {
				return nil, err
			}
			if end, err := d.Token(); err != nil || end != json.Delim('}') {
				return nil, fmt.Errorf("%s has more than one key beside it", key)
			}
			return out, nil
		}
		if seen[key] || strings.HasPrefix(key, "$") {
			return nil, fmt.Errorf("the key %q is there twice, or begins with $; write {\"$map\":[[key,value]]}", key)
		}
		seen[key] = true
		if items, err = appendPacked(appendStr(items, key), d, depth+1); err != nil {
			return nil, err
		}
	}
	_, err := d.Token()
	return append(appendSize(to, n, 0x80, 0xde), items...), err
}

func packSpecial(to []byte, kind string, d *json.Decoder, depth int) ([]byte, error) {
	if kind == "$map" {
		var pairs []json.RawMessage
		if err := d.Decode(&pairs); err != nil {
			return nil, err
		}
		to = appendSize(to, len(pairs), 0x80, 0xde)
		for _, p := range pairs {
			var kv []json.RawMessage
			if err := json.Unmarshal(p, &kv); err != nil || len(kv) != 2 {
				return nil, errors.New("$map: expected [key,value]")
			}
			for _, part := range kv {
				in := json.NewDecoder(bytes.NewReader(part))
				in.UseNumber()
				var err error
				if to, err = appendPacked(to, in, depth+2); err != nil {
					return nil, err
				}
			}
		}
		return to, nil
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	text, number := "", json.Number("")
	switch v := t.(type) {
	case string:
		text = v
	case json.Number:
		number = v
	}
	var raw []byte
	if kind == "$bin" || kind == "$str" {
		if raw, err = base64.StdEncoding.Strict().DecodeString(text); err != nil {
			return nil, fmt.Errorf("%s: %w", kind, err)
		}
	}
	switch kind {
	case "$bin":
		return append(appendBin(to, len(raw)), raw...), nil
	case "$str":
		return appendStr(to, string(raw)), nil
	case "$f32":
		f, err := strconv.ParseFloat(string(number), 32)
		return binary.BigEndian.AppendUint32(append(to, 0xca), math.Float32bits(float32(f))), err
	case "$f64":
		bits, err := strconv.ParseUint(text, 16, 64)
		return binary.BigEndian.AppendUint64(append(to, 0xcb), bits), err
	}
	return nil, fmt.Errorf("%s is not known; expected $f32, $f64, $bin, $str or $map", kind)
}

func appendNumber(to []byte, s string) ([]byte, error) {
	if strings.ContainsAny(s, ".eE") {
		f, err := strconv.ParseFloat(s, 64)
		return binary.BigEndian.AppendUint64(append(to, 0xcb), math.Float64bits(f)), err
	}
	if strings.HasPrefix(s, "-") {
		n, err := strconv.ParseInt(s, 10, 64)
		switch {
		case err != nil:
			return nil, err
		case n >= -32:
			return append(to, byte(n)), nil
		case n >= math.MinInt8:
			return append(to, 0xd0, byte(n)), nil
		case n >= math.MinInt16:
			return binary.BigEndian.AppendUint16(append(to, 0xd1), uint16(n)), nil //nolint:gosec // the two's complement
		case n >= math.MinInt32:
			return binary.BigEndian.AppendUint32(append(to, 0xd2), uint32(n)), nil //nolint:gosec // as above
		}
		return binary.BigEndian.AppendUint64(append(to, 0xd3), uint64(n)), nil //nolint:gosec // as above
	}
	n, err := strconv.ParseUint(s, 10, 64)
	switch {
	case err != nil:
		return nil, err
	case n <= 0x7f:
		return append(to, byte(n)), nil
	case n <= math.MaxUint8:
		return append(to, 0xcc, byte(n)), nil
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(to, 0xcd), uint16(n)), nil
	case n <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(to, 0xce), uint32(n)), nil
	}
	return binary.BigEndian.AppendUint64(append(to, 0xcf), n), nil
}

// appendSize appends the head of an array or a map: fix has room for 15, wide is the code with two bytes.
func appendSize(to []byte, n int, fix, wide byte) []byte {
	switch {
	case n <= 15:
		return append(to, fix|byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(to, wide), uint16(n)) //nolint:gosec // checked
	}
	return binary.BigEndian.AppendUint32(append(to, wide+1), uint32(n)) //nolint:gosec // at most a line
}

func appendBin(to []byte, n int) []byte {
	switch {
	case n <= math.MaxUint8:
		return append(to, 0xc4, byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(to, 0xc5), uint16(n)) //nolint:gosec // checked
	}
	return binary.BigEndian.AppendUint32(append(to, 0xc6), uint32(n)) //nolint:gosec // at most a line
}

func appendStr(to []byte, s string) []byte {
	switch n := len(s); {
	case n <= 31:
		to = append(to, 0xa0|byte(n))
	case n <= math.MaxUint8:
		to = append(to, 0xd9, byte(n))
	case n <= math.MaxUint16:
		to = binary.BigEndian.AppendUint16(append(to, 0xda), uint16(n))
	default:
		to = binary.BigEndian.AppendUint32(append(to, 0xdb), uint32(n)) //nolint:gosec // at most a line
	}
	return append(to, s...)
}
