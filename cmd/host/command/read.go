package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Read calls do with every line of an input until it ends, and returns the first error of the input or of do,
// nil at the end. For a line longer than [MaxLine] do gets an error instead. The last line needs no line end.
func Read(in io.Reader, do func(line string, err error) error) error {
	r := bufio.NewReaderSize(in, MaxLine)
	long := false
	for {
		b, err := r.ReadSlice('\n')
		var stop error
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			long = true
			continue
		case err == nil && long:
			long = false
			stop = do("", &UsageError{fmt.Sprintf("a line of more than %d bytes is not a command", MaxLine)})
		case err == nil || len(b) > 0 && !long:
			stop = do(strings.TrimRight(string(b), "\r\n"), nil)
		}
		switch {
		case stop != nil:
			return stop
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}
