package fuzz

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tidelock/tidelock/scriptvm/sandbox"
	"github.com/tidelock/tidelock/scriptvm/syntax"
)

// slower is how many times the time of the yardstick a call may take. A call that spends its whole budget in a native is allowed to
// take as long as one that spends it in instructions, and some more, since the two are not measured in the same instant.
const slower = 2.5

// yardstick tells how fast the machine is at this moment: it spends the whole budget of a call in plain instructions.
//
// Longest alone judges the machine together with the native: where other programs take a core's caches and its sister's half of the
// core, every call takes longer, in processor time too. A native that is slow in itself is so beside the yardstick as well.
type yardstick struct {
	vm   *sandbox.VM
	call func() error
}

func newYardstick() (*yardstick, error) {
	vm, err := sandbox.New(sandbox.Options{Rand: rand.New(rand.NewPCG(1, 1))})
	if err != nil {
		return nil, err
	}
	chunk, err := syntax.Parse("yardstick", "local n = 0 while true do n = n + 1 end")
	if err != nil {
		return nil, err
	}
	if err := syntax.Harden(chunk, vm.HardenOptions()); err != nil {
		return nil, err
	}
	proto, err := syntax.Compile(chunk)
	if err != nil {
		return nil, err
	}
	fn := vm.Load(proto, vm.Globals())
	return &yardstick{vm, func() error {
		if _, err := vm.Call("Yardstick", fn); !errors.Is(err, sandbox.ErrInstructions) {
			return fmt.Errorf("fuzz: the yardstick ended with %v, expected it to spend its instructions", err)
		}
		return nil
	}}, nil
}

// time is the processor time of one call, by a clock of cputime.
func (y *yardstick) time(clock func() int64) (time.Duration, error) {
	before := clock()
	err := y.call()
	return time.Duration(clock() - before), err
}

func (y *yardstick) close() { y.vm.Close() }

// tooLong reports whether a call takes longer than it may, with the time of the yardstick at the same moment.
func tooLong(took, yardstick time.Duration) bool {
	return took > Longest && took > time.Duration(slower*float64(yardstick))
}
