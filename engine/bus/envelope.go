package bus

import (
	"errors"
	"math"
)

// envelope is what every message of a host is: a MessagePack array of a version, the host, the number of a request, the text of
// an error, and a body.
type envelope struct {
	from string
	id   uint64
	text string
	body []byte
}

// Forms of MessagePack.
const (
	formArray5 = 0x95
	formUint64 = 0xcf
	formBin16  = 0xc5
	formBin32  = 0xc6
)

const (
	envelopeVersion = 1
	maxHost         = 64  // bytes
	maxText         = 512 // bytes of an error
)

var errEnvelope = errors.New("no message of a host")

func (e *envelope) append(b []byte) []byte {
	b = append(b, formArray5, envelopeVersion)
	b = appendBytes(b, []byte(e.from))
	b = append(b, formUint64)
	for shift := 56; shift >= 0; shift -= 8 {
		b = append(b, byte(e.id>>shift))
	}
	text := e.text
	if len(text) > maxText {
		text = text[:maxText]
	}
	b = appendBytes(b, []byte(text))
	return appendBytes(b, e.body)
}

// appendBytes appends at most 64 KB.
func appendBytes(b, data []byte) []byte {
	n := len(data)
	if n > math.MaxUint16 {
		b = append(b, formBin32, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
	} else {
		b = append(b, formBin16, byte(n>>8), byte(n))
	}
	return append(b, data...)
}

// readEnvelope reads what anybody may have sent. The body is a part of data.
func readEnvelope(data []byte) (e envelope, err error) {
	r := reader{data: data}
	if len(data) > MaxFrame+1024 || r.byte() != formArray5 || r.byte() != envelopeVersion {
		return e, errEnvelope
	}
	e.from = string(r.bytes(maxHost))
	if r.byte() != formUint64 {
		return e, errEnvelope
	}
	for range 8 {
		e.id = e.id<<8 | uint64(r.byte())
	}
	e.text = string(r.bytes(maxText))
	e.body = r.bytes(MaxFrame)
	if r.bad || len(r.data) != 0 || CheckHost(e.from) != nil {
		return envelope{}, errEnvelope
	}
	return e, nil
}

type reader struct {
	data []byte
	bad  bool
}

func (r *reader) byte() byte {
	if len(r.data) == 0 {
		r.bad = true
		return 0
	}
	c := r.data[0]
	r.data = r.data[1:]
	return c
}

func (r *reader) bytes(most int) []byte {
	n := 0
	switch r.byte() {
	case formBin16:
		n = int(r.byte())<<8 | int(r.byte())
	case formBin32:
		n = int(r.byte())<<24 | int(r.byte())<<16 | int(r.byte())<<8 | int(r.byte())
	default:
		r.bad = true
	}
	if n > most || n > len(r.data) {
		r.bad = true
		return nil
	}
	b := r.data[:n:n]
	r.data = r.data[n:]
	return b
}
