//go:build unix

package sockets

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// child is a process of this test binary. It answers every line on its standard input with a line on its standard
// output, and ends with its input: it does not outlive the test.
type child struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	ended bool
}

func startChild(t *testing.T, c childConfig) *child {
	t.Helper()
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	k := &child{t: t, cmd: exec.Command(os.Args[0])}
	k.cmd.Env = append(os.Environ(), childVariable+"="+string(text))
	k.cmd.Stderr = os.Stderr
	if k.in, err = k.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := k.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	k.out = bufio.NewReader(out)
	if err := k.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.kill)
	return k
}

// ask sends a line and reads the answer.
func (k *child) ask(line string, answer any) {
	k.t.Helper()
	if _, err := io.WriteString(k.in, line+"\n"); err != nil {
		k.t.Fatalf("a part of the test has gone: %v", err)
	}
	text, err := k.out.ReadBytes('\n')
	if err != nil {
		k.t.Fatalf("a part of the test has gone: %v", err)
	}
	if err := json.Unmarshal(text, answer); err != nil {
		k.t.Fatalf("a part of the test said %q: %v", text, err)
	}
}

// report is how the players of a crowd are, and their round trips since the last report.
func (k *child) report() (r crowdReport) {
	k.t.Helper()
	k.ask("report", &r)
	return r
}

// quit ends it as it wants to end.
func (k *child) quit() {
	k.t.Helper()
	if k.ended {
		return
	}
	k.ended = true
	_ = k.in.Close() // that is how it is told
	if err := k.cmd.Wait(); err != nil {
		k.t.Errorf("a part of the test ended badly: %v", err)
	}
}

// kill ends it as a power cut does.
func (k *child) kill() {
	if k.ended {
		return
	}
	k.ended = true
	_ = k.cmd.Process.Kill() // it may be gone
	_ = k.cmd.Wait()         // it was killed
}

// answer serves the other end of ask until the input ends.
func answer(f func(line string) any) error {
	in := bufio.NewScanner(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	for in.Scan() {
		if err := out.Encode(f(in.Text())); err != nil {
			return err
		}
	}
	return in.Err()
}

// cpu is the time that this process has used, threadCPU what the calling thread has; 0 where the system does not tell.
func cpu() time.Duration       { return usage(syscall.RUSAGE_SELF) }
func threadCPU() time.Duration { return usage(rusageThread) }

// rusageThread is Linux's RUSAGE_THREAD; others refuse it.
const rusageThread = 1

func usage(who int) time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(who, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
