package scriptvm

import (
	"errors"
	"fmt"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/bus"
	"github.com/tidelock/tidelock/engine/store"
	"github.com/tidelock/tidelock/scriptvm/api"
)

// Messages of scripts between hosts (C4). They leave at once; those that come wait for HandleMessages, between two ticks.

// Bounds of a mod (C4).
const (
	messageRate    = 100 // a second that a mod may send, answers included
	messageBurst   = 200
	mostTopics     = 64   // that a mod may subscribe to
	mostWaiting    = 1024 // messages that wait for the world
	handledAtOnce  = 64   // messages between two ticks
	maxTopic       = 64   // bytes
	requestTimeout = 5 * time.Second
	clusterCost    = 200 // as storeCost
)

func (*clusterValue) String() string       { return "cluster" }
func (*clusterValue) Type() lua.LValueType { return lua.LTUserData }

// checkCluster checks the receiver and returns the namespace of the calling mod.
func (v *VM) checkCluster(L *lua.LState, name string) (namespace string) {
	if _, ok := L.Get(1).(*clusterValue); !ok {
		raiseSelf(L, "cluster", "cluster")
	}
	switch {
	case v.staging != nil:
		L.RaiseError("cluster is not there while files load; use it in functions")
	case v.world.NetMode == engine.NMClient:
		L.RaiseError("cluster:%s: only servers send each other messages; let a function that is a call to the server do this", name)
	case v.opt.Cluster == nil:
		L.RaiseError("cluster:%s: this world has no way to other hosts", name)
	}
	v.vm.Spend(clusterCost)
	return store.OfMod(v.modOfCall(L))
}

// subject returns the subject of a topic: each mod has its own.
func subjectOf(namespace, topic string) string {
	return "msg." + strings.NewReplacer(".", "=", "/", "=").Replace(namespace) + "." + topic
}

func (v *VM) checkTopic(L *lua.LState, ns string) (name, subject string) {
	name = checkString(L, 2)
	subject = subjectOf(ns, name)
	err := bus.CheckSubject(subject)
	if len(name) > maxTopic || err != nil {
		L.RaiseError("%s: topic %q: a topic has 1 to %d letters, digits and - _ =, with dots between parts", running(L).shown(), shortText(name), maxTopic)
	}
	return name, subject
}

func shortText(s string) string {
	if len(s) > maxTopic {
		return s[:maxTopic] + "…"
	}
	return s
}

// allow takes a message from a mod's budget.
func (v *VM) allow(ns string) error {
	b := v.messages.rates[ns]
	now := v.world.Time
	if b == nil {
		b = &messageBudget{left: messageBurst, until: now}
		if v.messages.rates == nil {
			v.messages.rates = map[string]*messageBudget{}
		}
		v.messages.rates[ns] = b
	}
	b.left = min(b.left+(now-b.until)*messageRate, messageBurst)
	b.until = now
	if b.left < 1 {
		return fmt.Errorf("more than %d messages a second; this one was not sent", messageRate)
	}
	b.left--
	return nil
}

// packed encodes the value of a message.
func (v *VM) packed(L *lua.LState, i int) []byte {
	b, err := v.toStored(L.Get(i))
	if err == nil && len(b) > bus.MaxData {
		err = fmt.Errorf("the value has %d bytes; at most %d go into a message", len(b), bus.MaxData)
	}
	if err != nil {
		L.RaiseError("%s: %v", running(L).shown(), err)
	}
	return b
}

// clusterNatives returns the natives of messages between hosts.
func clusterNatives() []native {
	return []native{
		{
			Space: api.Cluster, Name: "Publish", Params: "topic: string, value: any", Returns: "sent: boolean, err: string?",
			Doc:     "On the server: sends a value, up to 8 KB, to all hosts that subscribe to the topic, this one included. It arrives between two ticks, at most once, and in the order in which one host sends. A mod has its own topics, and may send 100 messages a second. false and a text if it cannot be sent, for example while the cluster is gone.",
			Example: `cluster:Publish("news", { Kind = "record", By = self.PlayerName })`,
			Do: func(v *VM, L *lua.LState) int {
				ns := v.checkCluster(L, "Publish")
				_, subject := v.checkTopic(L, ns)
				body := v.packed(L, 3)
				err := v.allow(ns)
				if err == nil {
					err = v.opt.Cluster.Publish(subject, body)
				}
				if err != nil {
					L.Push(lua.LFalse)
					L.Push(lua.LString(err.Error()))
					return 2
				}
				L.Push(lua.LTrue)
				return 1
			},
		},
		{
			Space: api.Cluster, Name: "Subscribe", Params: "topic: string, handler: ClusterHandler, group?: string",
			Doc:     "On the server: has the function called with each message of the topic until the actor that subscribes is destroyed; subscribing again replaces the function. With a group, one of the hosts that name the same group gets each message. What the function returns answers a Request. A saved world does not keep it: subscribe in BeginPlay and in Restored.",
			Example: `cluster:Subscribe("news", function(news, from) self:ShowNews(news, from) end)`,
			Do:      (*VM).subscribe,
		},
		{
			Space: api.Cluster, Name: "Unsubscribe", Params: "topic: string",
			Doc:     "On the server: the calling actor gets no more messages of the topic.",
			Example: `cluster:Unsubscribe("news")`,
			Do: func(v *VM, L *lua.LState) int {
				ns := v.checkCluster(L, "Unsubscribe")
				_, subject := v.checkTopic(L, ns)
				for _, t := range v.messages.topics[subject] {
					if t.actor == v.caller() {
						v.unsubscribe(subject, t)
						break
					}
				}
				return 0
			},
		},
		{
			Space: api.Cluster, Name: "Request", Params: "topic: string, value: any, done?: ClusterDone", Returns: "answer: any, err: string?",
			Doc:     "On the server: sends a value to all hosts that subscribe to the topic and returns what the first of them answers other than nil: the value that its function returns. After 5 seconds without an answer it returns nil and a text. In latent code the call waits; elsewhere pass done.",
			Example: `local free, err = cluster:Request("free-seats", self.Squad)`,
			Do: func(v *VM, L *lua.LState) int {
				ns := v.checkCluster(L, "Request")
				name, subject := v.checkTopic(L, ns)
				body := v.packed(L, 3)
				done, n := v.asks(L, 4)
				answer := func(in bus.In, err error) {
					if v.closed {
						return
					}
					var values []lua.LValue
					if err == nil {
						var x lua.LValue
						x, err = fromStored(in.Body)
						values = []lua.LValue{x}
					}
					if err != nil {
						err = fmt.Errorf("cluster:Request(%q): %w", name, err)
					}
					done(values, err)
				}
				err := v.allow(ns)
				if err == nil {
					err = v.opt.Cluster.Request(subject, body, requestTimeout, answer)
				}
				if err != nil {
					if n == 0 {
						L.RaiseError("cluster:Request(%q): %v", name, err)
					}
					answer(bus.In{}, err)
				}
				return n
			},
		},
	}
}

// caller returns the actor whose function runs, the GameInfo for code of none.
func (v *VM) caller() *engine.Actor {
	if v.context.actor != nil {
		return v.context.actor
	}
	return v.world.Actor(v.world.Game)
}

func (v *VM) subscribe(L *lua.LState) int {
	ns := v.checkCluster(L, "Subscribe")
	name, subject := v.checkTopic(L, ns)
	fn, ok := L.Get(3).(*lua.LFunction)
	if !ok {
		argError(L, 3, "a function")
	}
	group := optString(L, 4, "")
	if group != "" && (bus.CheckHost(group) != nil || len(group) > maxTopic) {
		argError(L, 4, "a name of letters, digits and - _")
	}
	a := v.caller()
	if a == nil {
		L.RaiseError("cluster:Subscribe: there is no actor to call")
	}
	m := &v.messages
	for _, t := range m.topics[subject] {
		if t.actor == a {
			v.unsubscribe(subject, t)
			break
		}
	}
	if m.count[ns] >= mostTopics {
		L.RaiseError("cluster:Subscribe(%q): %d subscriptions are all that a mod may have", name, mostTopics)
	}
	t := &topic{actor: a, ns: ns, name: name, fn: fn}
	cancel, err := v.opt.Cluster.Subscribe(subject, group, func(in bus.In) { v.arrive(subject, t, in) })
	if err != nil {
		L.RaiseError("cluster:Subscribe(%q): %v", name, err)
	}
	t.cancel = cancel
	if m.topics == nil {
		m.topics, m.count = map[string][]*topic{}, map[string]int{}
	}
	m.topics[subject] = append(m.topics[subject], t)
	m.count[ns]++
	return 0
}

func (v *VM) unsubscribe(subject string, t *topic) {
	m := &v.messages
	list := m.topics[subject]
	for i, x := range list {
		if x == t {
			m.topics[subject] = append(list[:i:i], list[i+1:]...)
			m.count[t.ns]--
			t.cancel()
			t.cancel = nil
			break
		}
	}
	if len(m.topics[subject]) == 0 {
		delete(m.topics, subject)
	}
}

// arrive keeps a message until HandleMessages.
func (v *VM) arrive(subject string, t *topic, in bus.In) {
	switch {
	case v.closed || t.cancel == nil:
	case t.actor.Deleted() || v.world.Actor(t.actor.ID()) != t.actor:
		v.unsubscribe(subject, t)
	case len(v.messages.waiting) >= mostWaiting:
		v.messages.lost++
	default:
		v.messages.waiting = append(v.messages.waiting, arrived{t, in})
	}
}

// HandleMessages passes messages of other hosts to scripts, up to a number at once. It must be called between two ticks, after
// [bus.Client.Deliver].
func (v *VM) HandleMessages() {
	m := &v.messages
	if m.lost > 0 && !m.told {
		m.told = true
		v.Report(engine.SevWarning, v.world.Actor(v.world.Game), fmt.Sprintf("messages of other hosts come faster than scripts handle them: %d are handled between two ticks, %d may wait; others are lost", handledAtOnce, mostWaiting))
	}
	n := min(len(m.waiting), handledAtOnce)
	for i := range n {
		x := m.waiting[i]
		m.waiting[i] = arrived{}
		v.handle(x)
		if v.closed {
			return
		}
	}
	left := copy(m.waiting, m.waiting[n:])
	clear(m.waiting[left:])
	m.waiting = m.waiting[:left]
}

func (v *VM) handle(x arrived) {
	t := x.t
	if t.cancel == nil || t.actor.Deleted() || v.world.Actor(t.actor.ID()) != t.actor {
		return
	}
	value, err := fromStored(x.in.Body)
	if err != nil {
		v.Report(engine.SevWarning, t.actor, fmt.Sprintf("a message of topic %q from host %s is no value and is dropped: %v", t.name, x.in.From, err))
		return
	}
	answer, err := v.callFunction(t.actor, "handler of cluster:Subscribe", t.fn, []lua.LValue{value, lua.LString(x.in.From)}, false)
	if !x.in.Wanted() || v.closed {
		return
	}
	text := ""
	var body []byte
	switch {
	case err != nil:
		text = "the function that answers failed"
	case answer == lua.LNil:
		return
	default:
		if body, err = v.toStored(answer); err == nil && len(body) > bus.MaxData {
			err = fmt.Errorf("the answer has %d bytes; at most %d go into a message", len(body), bus.MaxData)
		}
		if err != nil {
			text = err.Error()
			v.Report(engine.SevError, t.actor, fmt.Sprintf("the answer to a request of topic %q cannot be sent: %v", t.name, err))
		}
	}
	if err := v.allow(t.ns); err != nil {
		return // the sender's time ends
	}
	if err := v.opt.Cluster.Answer(x.in, body, text); err != nil && !errors.Is(err, bus.ErrOffline) {
		v.Report(engine.SevError, t.actor, fmt.Sprintf("the answer to a request of topic %q was not sent: %v", t.name, err))
	}
}

// endMessages ends all subscriptions.
func (v *VM) endMessages() {
	for _, list := range v.messages.topics { // any order: each only stops listening
		for _, t := range list {
			t.cancel()
			t.cancel = nil
		}
	}
	v.messages = messaging{}
}
