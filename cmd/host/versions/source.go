package versions

// MaxSource bounds the text of a file that is saved over the API, in bytes.
const MaxSource = 256 << 10

// Source is a file of the running scripts, as it is on disk.
type Source struct {
	Path string `json:"path"`
	Text string `json:"text"`
	// Sum is that of the text; Save takes it, so that nobody writes over what they have not seen.
	Sum string `json:"sum"`
	// Fixed says why the file cannot be saved, "" for one that can.
	Fixed string `json:"fixed,omitempty"`
}
