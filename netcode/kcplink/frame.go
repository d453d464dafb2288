package kcplink

import "encoding/binary"

// A data packet contains frames, one after another; a packet without frames is a heartbeat. Numbers are big-endian.
//
//	datagram  1 | length 2 | payload
//	time      2 | stamp 4 | echo 4 | held 2
//	close     3 | length 1 | code | length 2 | text
//	push      4 | wnd 2 | ts 4 | sn 4 | una 4 | length 2 | data
//	ack       5 | wnd 2 | ts 4 | sn 4 | una 4
//	ask       6 | wnd 2 | una 4
//	tell      7 | wnd 2 | una 4
//	challenge 8 | token 8
//	answer    9 | token 8
//
// push to tell are KCP's segments without the constant parts: conversation, fragment number, and the length of
// segments without data. 24 bytes become 17, 15 or 7.
const (
	frameDatagram = 1 + iota
	frameTime
	frameClose
	framePush
	frameAck
	frameAsk
	frameTell
	frameChallenge
	frameAnswer
)

const (
	datagramHeader = 3
	timeSize       = 11
	pushHeader     = 17
	ackSize        = 15
	askSize        = 7
	tokenSize      = 8
	challengeSize  = 1 + tokenSize
	// kcpHeader is the size of KCP's own segment header.
	kcpHeader = 24
	// conversation is KCP's, the same in every session: the packet's header identifies the session.
	conversation = 1
)

// KCP's commands. ORDER: frames, push to tell.
const (
	kcpPush = 81
	kcpAck  = 82
)

// frame is one decoded frame. Slices point into the packet.
type frame struct {
	kind byte
	// data is a datagram's payload, a push's data, a close's text, or the token of a challenge or an answer.
	data []byte
	// code is that of a close.
	code []byte
	wnd  uint16
	// ts, sn and una are those of a segment; a time frame's stamp and echo are ts and sn, its held is wnd.
	ts, sn, una uint32
}

// nextFrame removes one frame from b. It returns false for anything that is not a frame.
func nextFrame(b []byte) (f frame, rest []byte, ok bool) {
	if len(b) == 0 {
		return f, nil, false
	}
	f.kind = b[0]
	head := 0
	switch f.kind {
	case frameDatagram:
		head = datagramHeader
	case frameTime:
		head = timeSize
	case frameClose:
		head = 2
	case framePush:
		head = pushHeader
	case frameAck:
		head = ackSize
	case frameAsk, frameTell:
		head = askSize
	case frameChallenge, frameAnswer:
		head = challengeSize
	}
	if head == 0 || len(b) < head {
		return f, nil, false
	}
	be := binary.BigEndian
	h, b := b[:head], b[head:]
	n := 0 // bytes of data that follow
	switch f.kind {
	case frameDatagram:
		n = int(be.Uint16(h[1:]))
	case frameTime:
		f.ts, f.sn, f.wnd = be.Uint32(h[1:]), be.Uint32(h[5:]), be.Uint16(h[9:])
	case frameClose:
		code := int(h[1])
		if code > maxCode || len(b) < code+2 {
			return f, nil, false
		}
		f.code, n, b = b[:code], int(be.Uint16(b[code:])), b[code+2:]
		if n > maxText {
			return f, nil, false
		}
	case framePush, frameAck:
		f.wnd, f.ts, f.sn, f.una = be.Uint16(h[1:]), be.Uint32(h[3:]), be.Uint32(h[7:]), be.Uint32(h[11:])
		if f.kind == framePush {
			// KCP would queue an empty push, and a reader that stops at size 0 would then wait forever.
			if n = int(be.Uint16(h[15:])); n == 0 || n > maxSegment {
				return f, nil, false
			}
		}
	case frameAsk, frameTell:
		f.wnd, f.una = be.Uint16(h[1:]), be.Uint32(h[3:])
	case frameChallenge, frameAnswer:
		f.data = h[1:]
		return f, b, true
	}
	if n > len(b) {
		return f, nil, false
	}
	f.data = b[:n]
	return f, b[n:], true
}

// appendKCP appends the segment that f was made of, in KCP's own form. f is framePush to frameTell.
func (f *frame) appendKCP(dst []byte) []byte {
	le := binary.LittleEndian
	dst = le.AppendUint32(dst, conversation)
	dst = append(dst, kcpPush+f.kind-framePush, 0)
	dst = le.AppendUint16(dst, f.wnd)
	dst = le.AppendUint32(dst, f.ts)
	dst = le.AppendUint32(dst, f.sn)
	dst = le.AppendUint32(dst, f.una)
	dst = le.AppendUint32(dst, uint32(len(f.data)))
	return append(dst, f.data...)
}

// segmentSize returns the length of the frame of a KCP segment.
func segmentSize(seg []byte) int {
	switch framePush + seg[4] - kcpPush {
	case framePush:
		return pushHeader + len(seg) - kcpHeader
	case frameAck:
		return ackSize
	}
	return askSize
}

// appendSegment appends the frame of one KCP segment as KCP wrote it.
func appendSegment(dst, seg []byte) []byte {
	le, be := binary.LittleEndian, binary.BigEndian
	kind := framePush + seg[4] - kcpPush
	dst = append(dst, kind)
	dst = be.AppendUint16(dst, le.Uint16(seg[6:]))
	if kind == framePush || kind == frameAck {
		dst = be.AppendUint32(dst, le.Uint32(seg[8:]))
		dst = be.AppendUint32(dst, le.Uint32(seg[12:]))
	}
	dst = be.AppendUint32(dst, le.Uint32(seg[16:]))
	if kind == framePush {
		dst = be.AppendUint16(dst, uint16(len(seg)-kcpHeader))
		dst = append(dst, seg[kcpHeader:]...)
	}
	return dst
}

func appendDatagram(dst, b []byte) []byte {
	dst = append(dst, frameDatagram)
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(b)))
	return append(dst, b...)
}

func appendTime(dst []byte, stamp, echo uint32, held uint16) []byte {
	dst = append(dst, frameTime)
	dst = binary.BigEndian.AppendUint32(dst, stamp)
	dst = binary.BigEndian.AppendUint32(dst, echo)
	return binary.BigEndian.AppendUint16(dst, held)
}

// appendChallenge appends a challenge or an answer.
func appendChallenge(dst []byte, kind byte, token []byte) []byte {
	return append(append(dst, kind), token...)
}

// appendClose appends a close frame; texts that are too long are cut.
func appendClose(dst []byte, code, text string) []byte {
	code, text = code[:min(len(code), maxCode)], text[:min(len(text), maxText)]
	dst = append(dst, frameClose, byte(len(code)))
	dst = append(dst, code...)
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(text)))
	return append(dst, text...)
}
