package wire

import (
	"encoding/binary"
	"math"
	"unicode/utf8"
)

// The format bytes of msgpack (github.com/msgpack/msgpack/blob/master/spec.md).
const (
	mpFixMap   = 0x80 // …0x8f
	mpFixArray = 0x90 // …0x9f
	mpFixStr   = 0xa0 // …0xbf
	mpNil      = 0xc0
	mpFalse    = 0xc2
	mpTrue     = 0xc3
	mpBin8     = 0xc4
	mpBin16    = 0xc5
	mpBin32    = 0xc6
	mpExt8     = 0xc7 // …0xc9, and 0xd4…0xd8: extensions, never used
	mpFloat32  = 0xca
	mpFloat64  = 0xcb
	mpUint8    = 0xcc
	mpUint16   = 0xcd
	mpUint32   = 0xce
	mpUint64   = 0xcf
	mpInt8     = 0xd0
	mpInt16    = 0xd1
	mpInt32    = 0xd2
	mpInt64    = 0xd3
	mpFixExt1  = 0xd4
	mpStr8     = 0xd9
	mpStr16    = 0xda
	mpStr32    = 0xdb
	mpArray16  = 0xdc
	mpArray32  = 0xdd
	mpMap16    = 0xde
	mpMap32    = 0xdf
)

// AppendBool appends a bool.
func AppendBool(b []byte, v bool) []byte {
	if v {
		return append(b, mpTrue)
	}
	return append(b, mpFalse)
}

// AppendInt appends an integer in the fewest bytes: 1 for −32…127, 2 for −128…255, 3 for −32 768…65 535, 5
// for 32 bits, else 9.
func AppendInt(b []byte, v int64) []byte {
	if uint64(v+32) < 160 {
		return append(b, byte(v))
	}
	return appendInt(b, v)
}

func appendInt(b []byte, v int64) []byte {
	switch {
	case uint64(v-256) < 65536-256: // most numbers that are not small
		return append(b, mpUint16, byte(v>>8), byte(v))
	case v >= 0:
		return appendUint(b, uint64(v))
	case v >= math.MinInt8:
		return append(b, mpInt8, byte(v))
	case v >= math.MinInt16:
		return append(b, mpInt16, byte(v>>8), byte(v))
	case v >= math.MinInt32:
		return append(b, mpInt32, byte(v>>24), byte(v>>16), byte(v>>8), byte(v))
	}
	return binary.BigEndian.AppendUint64(append(b, mpInt64), uint64(v))
}

// AppendUint appends an unsigned integer in the fewest bytes.
func AppendUint(b []byte, v uint64) []byte {
	if v < 128 {
		return append(b, byte(v))
	}
	return appendUint(b, v)
}

func appendUint(b []byte, v uint64) []byte {
	switch {
	case v < 128:
		return append(b, byte(v))
	case v <= math.MaxUint8:
		return append(b, mpUint8, byte(v))
	case v <= math.MaxUint16:
		return append(b, mpUint16, byte(v>>8), byte(v))
	case v <= math.MaxUint32:
		return append(b, mpUint32, byte(v>>24), byte(v>>16), byte(v>>8), byte(v))
	}
	return binary.BigEndian.AppendUint64(append(b, mpUint64), v)
}

// IntSize returns the number of bytes that [AppendInt] takes.
func IntSize(v int64) int {
	switch {
	case v >= -32 && v <= 127:
		return 1
	case v >= math.MinInt8 && v <= math.MaxUint8:
		return 2
	case v >= math.MinInt16 && v <= math.MaxUint16:
		return 3
	case v >= math.MinInt32 && v <= math.MaxUint32:
		return 5
	}
	return 9
}

// AppendFloat appends a 32-bit float: as an integer if that is shorter and exactly the same (−0 is not), else in 5
// bytes.
func AppendFloat(b []byte, f float32) []byte {
	v := math.Float32bits(f)
	// The bits show whether it is a whole number below 65 536: conversion there and back takes longer than
	// everything else.
	if e := v>>23&0xff - 127; e <= 15 && v<<((9+e)&31) == 0 || v == 0 {
		if i := int64(f); i >= -32768 {
			return AppendInt(b, i)
		}
	}
	return append(b, mpFloat32, byte(v>>24), byte(v>>16), byte(v>>8), byte(v))
}

// AppendFloat64 appends a 64-bit float in 9 bytes.
func AppendFloat64(b []byte, f float64) []byte {
	return binary.BigEndian.AppendUint64(append(b, mpFloat64), math.Float64bits(f))
}

// AppendString appends text as a str, or as a bin if it is not UTF-8, because many decoders refuse such a str.
func AppendString(b []byte, s string) []byte {
	switch n := len(s); {
	case !utf8.ValidString(s):
		b = appendBinHeader(b, n)
	case n < 32:
		b = append(b, mpFixStr|byte(n))
	case n <= math.MaxUint8:
		b = append(b, mpStr8, byte(n))
	default:
		b = appendLength(b, mpStr16, n)
	}
	return append(b, s...)
}

// AppendBin appends bytes.
func AppendBin(b, v []byte) []byte { return append(appendBinHeader(b, len(v)), v...) }

func appendBinHeader(b []byte, n int) []byte {
	if n <= math.MaxUint8 {
		return append(b, mpBin8, byte(n))
	}
	return appendLength(b, mpBin16, n)
}

// appendLength appends a length of 16 bits with its format byte, or of 32 bits with the next format byte.
func appendLength(b []byte, format byte, n int) []byte {
	if n <= math.MaxUint16 {
		return append(b, format, byte(n>>8), byte(n))
	}
	return binary.BigEndian.AppendUint32(append(b, format+1), uint32(n))
}

// AppendArray appends the head of an array of n values, which are to follow.
func AppendArray(b []byte, n int) []byte {
	if n < 16 {
		return append(b, mpFixArray|byte(n))
	}
	return appendLength(b, mpArray16, n)
}

// AppendMap appends the head of a map of n pairs, which are to follow.
func AppendMap(b []byte, n int) []byte {
	if n < 16 {
		return append(b, mpFixMap|byte(n))
	}
	return appendLength(b, mpMap16, n)
}

// cut shortens text to at most n bytes, between two characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
