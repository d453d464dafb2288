// Package bus carries messages between hosts (C4): what scripts publish, who is there, and the steps of protocols.
//
// A [Bus] is a transport that a process has once: package cmd/host/nats has one on NATS, [Local] is that of a host by itself,
// [Simulated] joins hosts of a scenario on the virtual clock. A [Client] belongs to a world: it hands over what came between two
// ticks, in the order of each sender, and matches answers with requests.
//
// Guarantees: Never waits; at most once; what anybody sends is bounded and checked.
package bus

import (
	"errors"
	"fmt"
)

// Bounds (C4).
const (
	MaxSubject = 200     // bytes
	MaxData    = 8 << 10 // bytes of what a script sends, encoded
	// MaxFrame bounds what hosts send each other in protocols, such as a player's state at teleport.
	MaxFrame = 64 << 10
)

// Message is one message. At most once: it may be lost, and never comes twice.
type Message struct {
	Subject string
	// Reply is the subject that waits for an answer; "" if none does.
	Reply string
	Data  []byte // the receiver may keep it, and must not change it
}

// Bus carries messages. Its functions may be called from any goroutine, and none waits for a network.
type Bus interface {
	// Publish sends a message to all who subscribe to its subject, once to each group. Without a network it returns an error that
	// wraps [ErrOffline]; nil does not mean that anybody gets it.
	Publish(m Message) error
	// Subscribe has fn called with each message of a subject, on a goroutine of the bus, in the order of each sender. Of those who
	// subscribe with the same group, other than "", one gets each message. Subscriptions outlive a network that is gone for a
	// while.
	Subscribe(subject, group string, fn func(Message)) (cancel func(), err error)
	// Err says why nothing gets through at present, nil while it does.
	Err() error
}

// ErrOffline means that the network between hosts is gone; nothing was sent.
var ErrOffline = errors.New("the cluster cannot be reached")

// CheckSubject returns an error for what is no subject: up to [MaxSubject] bytes, in parts with a dot between them that have
// letters, digits and - _ = only. There are no wildcards.
func CheckSubject(s string) error {
	if s == "" || len(s) > MaxSubject {
		return fmt.Errorf("a subject has 1 to %d bytes; this one has %d", MaxSubject, len(s))
	}
	part := 0
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '=':
			part++
		case c == '.' && part > 0 && i+1 < len(s):
			part = 0
		default:
			return fmt.Errorf("subject %q: a subject has parts of letters, digits and - _ = with one dot between them", s)
		}
	}
	return nil
}

// CheckHost returns an error for what is no id of a host: 1 to 64 bytes of letters, digits and - _.
func CheckHost(id string) error {
	if id == "" || len(id) > maxHost {
		return fmt.Errorf("the id of a host has 1 to %d bytes; this one has %d", maxHost, len(id))
	}
	for i := range len(id) {
		c := id[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return fmt.Errorf("host %q: the id of a host has letters, digits and - _ only", id)
		}
	}
	return nil
}
