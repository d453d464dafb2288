package scriptvm

import (
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/bus"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// clustered is some worlds on one bus.
type clustered struct {
	t      *testing.T
	net    *bus.Network
	now    time.Duration
	benchs []*bench
	actors []*engine.Actor
}

func newClustered(t *testing.T, n int, text string, libs ...classfile.Source) *clustered {
	c := &clustered{t: t, net: bus.NewNetwork(1)}
	for i := range n {
		b := newBench(t, text, libs...)
		node := c.net.Host(string(rune('a' + i)))
		b.v.opt.Cluster = &bus.Client{Bus: node, Host: string(rune('a' + i))}
		c.benchs = append(c.benchs, b)
		c.actors = append(c.actors, b.spawn("Talker"))
	}
	return c
}

// turn lets so many milliseconds pass.
func (c *clustered) turn(ms int) {
	for range ms {
		c.now += time.Millisecond
		c.net.Deliver(c.now)
		for _, b := range c.benchs {
			b.v.opt.Cluster.Deliver(c.now)
			b.v.HandleMessages()
		}
	}
}

func (c *clustered) call(i int, name string) {
	c.t.Helper()
	if _, err := c.benchs[i].v.Call(c.actors[i], name); err != nil {
		c.t.Error(err)
	}
}

func (c *clustered) expect(i int, want string) {
	c.t.Helper()
	b := c.benchs[i]
	if got := strings.Join(b.logs, "\n"); got != want {
		c.t.Errorf("host %d:\n%s\nwant\n%s", i, got, want)
	}
	b.logs = nil
}

const talker = `
local Talker = class("Talker", "Actor")
Talker.properties { N = int(0) }
function Talker:Listen()
	cluster:Subscribe("news", function(v) self.N = self.N + 1 end)
end
function Talker:Share() cluster:Subscribe("work", function(v) log("work", v) end, "workers") end
function Talker:Serve() cluster:Subscribe("seats", function(v) if v > 0 then return { free = v * 2 } end end) end
function Talker:Fails() cluster:Subscribe("seats", function(v) self.N = 50; error("no") end) end
function Talker:Work() for i = 1, 6 do cluster:Publish("work", i) end end
function Talker:Ask()
	cluster:Request("seats", 4, function(v, err) log("seats", v and v.free, err) end)
	cluster:Request("seats", 0, function(v, err) log("none", v, err) end)
end
function Talker:Flood()
	local sent, err = 0, nil
	for _ = 1, 300 do
		local ok, e = cluster:Publish("news", { text = "x" })
		if ok then sent = sent + 1 else err = e end
	end
	log(sent, err)
end
function Talker:Many() for i = 1, 65 do cluster:Subscribe("t" .. i, function() end) end end
function Talker:Long() cluster:Publish("news", string.rep("x", 9000)) end
function Talker:Bad() cluster:Publish("a.*", 1) end
Talker.state("Asking", {})
function Talker.state.Asking:Code()
	local v, err = cluster:Request("seats", 1)
	log("latent", v and v.free, err)
end
`

// TestGroups: one host of a group gets each message.
func TestGroups(t *testing.T) {
	c := newClustered(t, 3, talker)
	for i := range 3 {
		c.call(i, "Share")
	}
	c.call(0, "Work")
	c.turn(5)
	n := 0
	for _, b := range c.benchs {
		n += len(b.logs)
	}
	if n != 6 {
		t.Errorf("6 messages came %d times", n)
	}
}

// TestRequestsOfScripts: an answer, an error and silence each end a request once.
func TestRequestsOfScripts(t *testing.T) {
	c := newClustered(t, 2, talker)
	c.call(0, "Serve")
	c.call(1, "Ask")
	c.turn(5)
	c.expect(1, "seats 8 nil")
	c.turn(5000)
	c.expect(1, `none nil cluster:Request("seats"): no host answered in time`)
	c.actors[1].GotoState("Asking")
	c.benchs[1].w.Step(0.05)
	c.turn(5)
	c.benchs[1].w.Step(0.05)
	c.expect(1, "latent 2 nil")
	c.call(0, "Fails")
	c.call(1, "Ask")
	c.turn(5)
	c.expect(1, "seats nil cluster:Request(\"seats\"): the function that answers failed\nnone nil cluster:Request(\"seats\"): the function that answers failed")
	if c.benchs[0].get(c.actors[0], "N").Num != 0 {
		t.Error("a handler that failed changed its actor")
	}
}

// TestMessagesAreBounded: a mod cannot send, hold or listen to more than its share (C4, guard.md).
func TestMessagesAreBounded(t *testing.T) {
	c := newClustered(t, 2, talker)
	c.call(0, "Listen")
	c.call(1, "Flood")
	c.expect(1, "200 more than 100 messages a second; this one was not sent")
	c.turn(3)
	handled := func() float64 { return c.benchs[0].get(c.actors[0], "N").Num }
	if n := handled(); n == 0 || n > 3*handledAtOnce {
		t.Errorf("%v messages were handled in three turns", n)
	}
	c.turn(5)
	if n := handled(); n != 200 {
		t.Errorf("%v of 200 came", n)
	}
	for name, want := range map[string]string{
		"Many": `cluster:Subscribe("t65"): 64 subscriptions are all`, "Long": "at most 8192 go into a message", "Bad": `topic "a.*": a topic has 1 to 64`,
	} {
		c.benchs[1].reports = nil
		_, err := c.benchs[1].v.Call(c.actors[1], name)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestForgedMessages: what anybody writes to the bus is a report, not a fault.
func TestForgedMessages(t *testing.T) {
	c := newClustered(t, 1, talker)
	c.call(0, "Listen")
	other := &bus.Client{Bus: c.net.Host("x"), Host: "x"}
	for _, body := range [][]byte{{0xc1}, {0xdd, 0xff, 0xff, 0xff, 0xff}} {
		if err := other.Publish(subjectOf("game", "news"), body); err != nil {
			t.Error(err)
		}
	}
	c.turn(5)
	if n := len(c.benchs[0].reports); n != 2 || !strings.Contains(c.benchs[0].reports[0].String(), "is no value and is dropped") {
		t.Errorf("%d reports of nonsense: %v", n, c.benchs[0].reports)
	}
}
