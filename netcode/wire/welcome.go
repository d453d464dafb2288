package wire

// Welcome is the server's first message, which does not wait for any message of the client:
//
//	[2, version, player, tick, net, time, level, game, epoch, table, manifest]
//
// version int; player int, the connection's number; tick and net int, world ticks and net updates per second; time
// int, the world's time in microseconds; level and game str ≤ 255; epoch int 0…127 and table bin 32, the class
// table in force; manifest bin 32, the file that lists the scripts.
type Welcome struct {
	Version         int
	Player          uint32
	Tick, Net       int
	Time            int64
	Level, Game     string
	Epoch           uint8
	Table, Manifest Hash
}

// AppendWelcome appends a welcome.
func AppendWelcome(b []byte, m *Welcome) []byte {
	b = appendMessage(b, KindWelcome, 10)
	b = appendUints(b, m.Version, int(m.Player), m.Tick, m.Net)
	b = appendTexts(AppendInt(b, m.Time), m.Level, m.Game)
	b = append(b, m.Epoch&0x7f)
	return AppendBin(AppendBin(b, m.Table[:]), m.Manifest[:])
}

// Welcome reads a welcome's fields.
func (r *Reader) Welcome(fields int) (m Welcome) {
	if !r.fields(fields, 10) {
		return m
	}
	m.Version = int(r.uint16())
	m.Player = r.uint32()
	m.Tick, m.Net = int(r.IntIn(1, 1000)), int(r.IntIn(1, 1000))
	m.Time = r.Int()
	r.texts(&m.Level, &m.Game)
	m.Epoch = r.epoch()
	m.Table, m.Manifest = r.hash(), r.hash()
	return m
}
