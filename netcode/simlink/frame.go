package simlink

import "encoding/binary"

// A data packet contains frames, one after another, with the sizes of kcplink's. Numbers are big-endian.
//
//	datagram  1 | length 2 | payload
//	time      2 | stamp 4 | echo 4 | held 2
//	close     3 | length 1 | code | length 2 | text
//	push      4 | window 2 | ts 4 | sn 4 | una 4 | length 2 | data
//	ack       5 | window 2 | ts 4 | sn 4 | una 4
const (
	frameDatagram = 1 + iota
	frameTime
	frameClose
	framePush
	frameAck
)

const (
	datagramHeader = 3
	timeSize       = 11
	pushHeader     = 17
	ackSize        = 15
)

func appendDatagram(b, data []byte) []byte {
	b = append(b, frameDatagram, byte(len(data)>>8), byte(len(data)))
	return append(b, data...)
}

func appendTime(b []byte, stamp, echo uint32, held uint16) []byte {
	b = binary.BigEndian.AppendUint32(append(b, frameTime), stamp)
	b = binary.BigEndian.AppendUint32(b, echo)
	return append(b, byte(held>>8), byte(held))
}

func appendClose(b []byte, code, text string) []byte {
	code, text = code[:min(len(code), maxCode)], text[:min(len(text), maxText)]
	b = append(append(b, frameClose, byte(len(code))), code...)
	b = append(b, byte(len(text)>>8), byte(len(text)))
	return append(b, text...)
}

func appendAck(b []byte, kind byte, ts, sn, una uint32) []byte {
	b = append(b, kind, 0, segmentWindow)
	b = binary.BigEndian.AppendUint32(b, ts)
	b = binary.BigEndian.AppendUint32(b, sn)
	return binary.BigEndian.AppendUint32(b, una)
}

func appendPush(b []byte, ts, sn, una uint32, data []byte) []byte {
	b = appendAck(b, framePush, ts, sn, una)
	return append(append(b, byte(len(data)>>8), byte(len(data))), data...)
}

// nextFrame removes a frame from b. All come from [appendDatagram] and similar functions, so a malformed one is a
// bug and panics.
func nextFrame(b []byte) (kind byte, body, rest []byte) {
	n := 0
	switch kind = b[0]; kind {
	case frameDatagram:
		n = datagramHeader + int(binary.BigEndian.Uint16(b[1:]))
	case frameTime:
		n = timeSize
	case frameClose:
		n = 2 + int(b[1])
		n += 2 + int(binary.BigEndian.Uint16(b[n:]))
	case framePush:
		n = pushHeader + int(binary.BigEndian.Uint16(b[15:]))
	case frameAck:
		n = ackSize
	default:
		panic("simlink: a frame that was never written")
	}
	return kind, b[:n], b[n:]
}
