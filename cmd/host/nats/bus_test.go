package nats_test

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nkeys"

	"github.com/tidelock/tidelock/cmd/host/cluster/rig"
	"github.com/tidelock/tidelock/cmd/host/nats"
	"github.com/tidelock/tidelock/engine/bus"
	"github.com/tidelock/tidelock/engine/store"
)

// connected returns a new connection when it is there.
func connected(t testing.TB, o nats.Options) *nats.Conn {
	t.Helper()
	c := dial(t, o)
	must(t, c.Await(t.Context()))
	return c
}

// inbox collects the messages of a subscription.
type inbox struct {
	mu   sync.Mutex
	list []string
}

func (i *inbox) take(m bus.Message) {
	i.mu.Lock()
	i.list = append(i.list, string(m.Data))
	i.mu.Unlock()
}

// got returns what came, without what settle sent.
func (i *inbox) got() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(i.list), func(s string) bool { return s == settling })
}

const settling = "settle"

func (i *inbox) all() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return len(i.list)
}

// settle waits until a subscriber gets what a publisher sends.
func settle(t testing.TB, from *nats.Conn, in *inbox, subject string) {
	t.Helper()
	before := in.all()
	until(t, "messages arrive", func() bool {
		if err := from.Bus().Publish(bus.Message{Subject: subject, Data: []byte(settling)}); err != nil {
			return false
		}
		time.Sleep(20 * time.Millisecond)
		return in.all() > before
	})
}

// TestBus: all subscribers get a message, one of each group, in the order of the sender; other clusters nothing.
func TestBus(t *testing.T) {
	t.Parallel()
	r := rig.Start(t, 1, rig.Options{})
	a, b := connected(t, nats.Options{Servers: r.URL()}), connected(t, nats.Options{Servers: r.URL()})
	stranger := connected(t, nats.Options{Servers: r.URL(), Name: "other"})
	var all [3]inbox
	var group [2]inbox
	for i, c := range []*nats.Conn{a, b, stranger} {
		must(t, errOf(c.Bus().Subscribe("x.y", "", all[i].take)))
	}
	for i, c := range []*nats.Conn{a, b} {
		must(t, errOf(c.Bus().Subscribe("x.y", "g", group[i].take)))
	}
	for _, i := range []int{0, 1} {
		settle(t, a, &all[i], "x.y")
	}
	const n = 3000
	for i := range n {
		must(t, a.Bus().Publish(bus.Message{Subject: "x.y", Data: []byte(fmt.Sprint(i))}))
	}
	until(t, "all arrive", func() bool {
		return len(all[0].got()) == n && len(all[1].got()) == n && len(group[0].got())+len(group[1].got()) == n
	})
	for i := range 2 {
		for j, s := range all[i].got() {
			if s != fmt.Sprint(j) {
				t.Fatalf("message %d is %s", j, s)
			}
		}
	}
	if len(all[2].got()) != 0 {
		t.Error("another cluster gets messages")
	}
	for _, bad := range []bus.Message{{Subject: "*"}, {Subject: "x", Reply: "a b"}, {Subject: "x", Data: make([]byte, bus.MaxFrame+1)}} {
		if err := a.Bus().Publish(bad); err == nil {
			t.Error(bad.Subject)
		}
	}
	if _, err := a.Bus().Subscribe("x.>", "", func(bus.Message) {}); err == nil {
		t.Error("a wildcard is a subject")
	}
	if s := a.Bus().Stats(); s.Unsent != 0 || s.Lost != 0 || s.Published < n {
		t.Errorf("%+v", s)
	}
}

// TestAway: without servers a message is refused and never sent, and the log has one line; afterwards subscriptions go on.
func TestAway(t *testing.T) {
	t.Parallel()
	r := rig.Start(t, 1, rig.Options{})
	log := &logged{}
	c := connected(t, nats.Options{Servers: r.URL(), Log: slog.New(slog.NewTextHandler(log, nil))})
	s := c.Store(nats.StoreOptions{})
	t.Cleanup(func() { _ = s.Close() })
	must(t, s.Await(t.Context()))
	rev := put(t, s, "game/a", "1", 0)
	var in inbox
	cancel, err := c.Bus().Subscribe("x", "", in.take)
	must(t, err)
	settle(t, c, &in, "x")
	r.Nodes[0].Kill()
	until(t, "it is noticed", func() bool { return c.Bus().Err() != nil })
	for range 100 {
		if err := c.Bus().Publish(bus.Message{Subject: "x", Data: []byte("stale")}); !errors.Is(err, bus.ErrOffline) {
			t.Fatal(err)
		}
	}
	if _, err := s.Get("game/a"); !errors.Is(err, bus.ErrOffline) {
		t.Error(err)
	}
	if _, err := s.Commit([]store.Write{{Key: "game/a", Value: []byte("2"), If: rev}}); !errors.Is(err, bus.ErrOffline) || store.Unsure(err) || !strings.Contains(err.Error(), "nothing was stored") {
		t.Error(err)
	}
	until(t, "the log is told", func() bool { return strings.Contains(log.String(), "cluster_away") })
	time.Sleep(500 * time.Millisecond) // more attempts
	r.Nodes[0].Start()
	must(t, c.Await(t.Context()))
	settle(t, c, &in, "x")
	must(t, c.Bus().Publish(bus.Message{Subject: "x", Data: []byte("fresh")}))
	until(t, "it arrives", func() bool { return len(in.got()) > 0 })
	if got := strings.Join(in.got(), " "); got != "fresh" {
		t.Error(got)
	}
	until(t, "the record is there", func() bool {
		x, err := s.Get("game/a")
		return err == nil && x.Revision == rev
	})
	if n := strings.Count(log.String(), "cluster_away"); n != 1 {
		t.Errorf("%d lines:\n%s", n, log)
	}
	if n := strings.Count(log.String(), "event=cluster "); n != 2 {
		t.Errorf("%d lines:\n%s", n, log)
	}
	cancel()
	before := len(in.got())
	_ = c.Bus().Publish(bus.Message{Subject: "x"}) // nobody subscribes
	time.Sleep(50 * time.Millisecond)
	if len(in.got()) != before {
		t.Error("a subscription goes on after its end")
	}
}

// TestSlowSubscriber: one who does not take messages loses some, which is counted and told, and holds up nobody else.
func TestSlowSubscriber(t *testing.T) {
	t.Parallel()
	r := rig.Start(t, 1, rig.Options{})
	log := &logged{}
	a := connected(t, nats.Options{Servers: r.URL()})
	b := connected(t, nats.Options{Servers: r.URL(), Log: slog.New(slog.NewTextHandler(log, nil))})
	stop := make(chan struct{})
	defer close(stop)
	must(t, errOf(b.Bus().Subscribe("flood", "", func(bus.Message) { <-stop })))
	var in inbox
	must(t, errOf(b.Bus().Subscribe("other", "", in.take)))
	settle(t, a, &in, "other")
	full := 0
	for i := 0; i < 20000; {
		err := a.Bus().Publish(bus.Message{Subject: "flood", Data: make([]byte, 100)})
		switch {
		case errors.Is(err, nats.ErrFull):
			full++
			time.Sleep(time.Millisecond)
			continue
		case err != nil:
			t.Fatal(err)
		}
		i++
	}
	until(t, "loss is counted", func() bool { return b.Bus().Stats().Lost > 10000 })
	must(t, a.Bus().Publish(bus.Message{Subject: "other", Data: []byte("x")}))
	until(t, "others go on", func() bool { return len(in.got()) == 1 })
	if !strings.Contains(log.String(), "event=bus_lost") || strings.Count(log.String(), "event=bus_lost") > 4 {
		t.Error(log)
	}
}

// TestStalledLine: while a line takes nothing and nobody knows yet, Publish and Subscribe do not wait for it: what is too much is refused.
func TestStalledLine(t *testing.T) {
	t.Parallel()
	r := rig.Start(t, 1, rig.Options{})
	c := connected(t, nats.Options{Servers: r.URL()})
	var in inbox
	must(t, errOf(c.Bus().Subscribe("x", "", in.take)))
	settle(t, c, &in, "x")
	r.Nodes[0].Clients.Cut(true)
	full := false
	for i := 0; !full; i++ {
		err := c.Bus().Publish(bus.Message{Subject: "y", Data: make([]byte, bus.MaxFrame)})
		full = errors.Is(err, nats.ErrFull)
		if err != nil && !full {
			t.Fatal(i, err) // it waited until the line was given up
		}
		must(t, errOf(c.Bus().Subscribe("z", "", in.take)))
	}
	until(t, "the line is given up", func() bool { return errors.Is(c.Bus().Publish(bus.Message{Subject: "x"}), bus.ErrOffline) })
	r.Nodes[0].Clients.Cut(false)
	settle(t, c, &in, "x")
	if n := c.Bus().Stats(); n.Unsent == 0 {
		t.Errorf("%+v", n)
	}
}

// token makes a token of NATS: claims signed by a key.
func token(t *testing.T, by nkeys.KeyPair, subject, name string, claims map[string]any) string {
	t.Helper()
	issuer, err := by.PublicKey()
	must(t, err)
	body, err := json.Marshal(map[string]any{"jti": rand.Text(), "iat": time.Now().Unix(), "iss": issuer, "name": name, "sub": subject, "nats": claims})
	must(t, err)
	text := base64.RawURLEncoding.EncodeToString([]byte(`{"typ":"JWT","alg":"ed25519-nkey"}`)) + "." + base64.RawURLEncoding.EncodeToString(body)
	sig, err := by.Sign([]byte(text))
	must(t, err)
	return text + "." + base64.RawURLEncoding.EncodeToString(sig)
}

// keyPair returns a key and its public half.
func keyPair(t *testing.T, make func() (nkeys.KeyPair, error)) (nkeys.KeyPair, string) {
	t.Helper()
	k, err := make()
	must(t, err)
	public, err := k.PublicKey()
	must(t, err)
	return k, public
}

// TestCredentials: a host proves itself by a credentials file. Without one, or with a wrong one, it says so, goes on trying, and comes in
// when the file is replaced; nothing of the file is ever in the log (C8).
func TestCredentials(t *testing.T) {
	t.Parallel()
	operator, operatorID := keyPair(t, nkeys.CreateOperator)
	account, accountID := keyPair(t, nkeys.CreateAccount)
	unlimited := map[string]any{"subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1, "leaf": -1, "mem_storage": -1, "disk_storage": -1, "streams": -1, "consumer": -1}
	operatorToken := token(t, operator, operatorID, "operator", map[string]any{"type": "operator", "version": 2})
	accountToken := token(t, operator, accountID, "hosts", map[string]any{"type": "account", "version": 2, "limits": unlimited})
	_, systemID := keyPair(t, nkeys.CreateAccount)
	systemToken := token(t, operator, systemID, "system", map[string]any{"type": "account", "version": 2})
	r := rig.Start(t, 1, rig.Options{More: fmt.Sprintf("operator: %s\nsystem_account: %s\nresolver: MEMORY\nresolver_preload: {\n%s: %s\n%s: %s\n}\n",
		operatorToken, systemID, accountID, accountToken, systemID, systemToken)})
	credentials := func(by nkeys.KeyPair) (text string, secrets []string) {
		user, userID := keyPair(t, nkeys.CreateUser)
		seed, err := user.Seed()
		must(t, err)
		jwt := token(t, by, userID, "host", map[string]any{"type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1})
		return fmt.Sprintf("-----BEGIN NATS USER JWT-----\n%s\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n%s\n------END USER NKEY SEED------\n", jwt, seed), []string{jwt, string(seed)}
	}
	other, _ := keyPair(t, nkeys.CreateAccount)
	wrong, secrets := credentials(other)
	right, more := credentials(account)
	secrets = append(secrets, more...)
	file := filepath.Join(t.TempDir(), "host.creds")
	if _, err := nats.Dial(nats.Options{Servers: r.URL(), Credentials: file, Log: slog.New(slog.DiscardHandler)}); err == nil {
		t.Error("there is no such file")
	}
	must(t, os.WriteFile(file, []byte(wrong), 0o600))
	log := &logged{}
	c := dial(t, nats.Options{Servers: r.URL(), Credentials: file, Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	until(t, "the log is told", func() bool { return strings.Contains(log.String(), "cluster_away") })
	if err := c.Err(); err == nil || !strings.Contains(strings.ToLower(err.Error()), "authorization") {
		t.Error(err)
	}
	must(t, os.WriteFile(file, []byte(right), 0o600))
	must(t, c.Await(t.Context()))
	s := c.Store(nats.StoreOptions{})
	t.Cleanup(func() { _ = s.Close() })
	must(t, s.Await(t.Context()))
	put(t, s, "game/a", "x", 0)
	for _, secret := range secrets {
		if strings.Contains(log.String(), secret) || strings.Contains(log.String(), secret[len(secret)-20:]) {
			t.Errorf("a secret is in the log:\n%s", log)
		}
	}
}

// TestOptions: what is wrong with options is one line without secrets.
func TestOptions(t *testing.T) {
	for _, o := range []nats.Options{
		{},
		{Servers: "x"},
		{Servers: "http://a"},
		{Servers: "nats://user:hunter2@a:1"},
		{Servers: "nats://a,nats://hunter2@b"},
		{Servers: "nats://hunter2:%zz@b"},
		{Servers: "nats://a", Name: "a.b"},
		{Servers: "nats://a", Name: strings.Repeat("x", 33)},
		{Servers: "nats://a", Replicas: 2},
		{Servers: "nats://a", Credentials: "/nonexistent"},
		{Servers: strings.Repeat("nats://a,", 17) + "nats://a"},
	} {
		o.Log = slog.New(slog.DiscardHandler)
		if _, err := nats.Dial(o); err == nil || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%+v: %v", o.Servers, err)
		}
	}
}
