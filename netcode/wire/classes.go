package wire

// Classes announces that from here on, in the reliable stream and in deltas of its epoch, numbers of classes,
// variables and functions are those of another class table (R5.23):
//
//	[6, epoch, table, manifest, files]
//
// epoch int 0…127, one more than the last modulo 128; table bin 32, the hash of [AppendTable]'s bytes, by which it
// can be fetched like a file; manifest bin 32, the file that lists the scripts; files as in [Want], nil for none:
// those that follow without a request, which are the ones that the last manifest did not list. The manifest itself
// always follows.
//
// The client answers, when it runs them:
//
//	[7, epoch, from]
//
// from int 0…65 535: the client's first datagram that uses these classes. Calls in older ones do not.
type Classes struct {
	Epoch           uint8
	Table, Manifest Hash
	// Files is a slice of the input.
	Files []byte
}

// AppendClasses appends the announcement of a class table.
func AppendClasses(b []byte, m *Classes) []byte {
	b = append(appendMessage(b, KindClasses, 4), m.Epoch&0x7f)
	return appendFiles(AppendBin(AppendBin(b, m.Table[:]), m.Manifest[:]), m.Files)
}

// Classes reads the fields of the announcement of a class table.
func (r *Reader) Classes(fields int) (m Classes) {
	if r.fields(fields, 4) {
		m.Epoch = r.epoch()
		m.Table, m.Manifest, m.Files = r.hash(), r.hash(), r.files()
	}
	return m
}

// AppendReady appends that the client runs the classes of an epoch, and from which datagram on.
func AppendReady(b []byte, epoch uint8, from Seq) []byte {
	return AppendUint(append(appendMessage(b, KindReady, 2), epoch&0x7f), uint64(from))
}

// Ready reads the fields of a ready.
func (r *Reader) Ready(fields int) (epoch uint8, from Seq) {
	if r.fields(fields, 2) {
		epoch, from = r.epoch(), Seq(r.uint16())
	}
	return epoch, from
}
