// Package nats connects a host to the other hosts of its cluster through NATS servers, which the operator runs (C1, C4, C8).
//
// A [Conn] is the one connection of the process. [Conn.Store] is a [store.Backend] on JetStream: one message a record, replicated
// to as many servers as [Options].Replicas says. [Conn.Bus] is a [bus.Bus] on core NATS. Both go on by themselves when the
// servers are back; until then they fail at once, or after a few seconds, and say whether something may have been stored.
//
//	c, err := nats.Dial(nats.Options{Servers: "nats://a:4222,nats://b:4222", Log: log})
//	service := disk.Start(c.Store(disk.Quota{}), disk.ServiceOptions{Log: log})
//	err = c.Bus().Publish(bus.Message{Subject: "chat", Data: text})
//
// # What is stored
//
// A cluster's stream KV_name has the subjects $KV.name.> and one message for each of them, so that it can be inspected as a
// key-value bucket. The parts of a full key are the parts of a subject; bytes that NATS does not take in one are =hh, and an empty
// part is a lone =. The revision of a record is the sequence of its message. A message is
//
//	checksum of key, kind and rest 4 | kind 1 | rest
//
// and a removed record is a message without a body and with the header KV-Operation: DEL, which the server forgets after a day.
// Values that are too long for a message are in the stream OBJ_name, in messages of one subject; the record then tells where.
//
// # Trust
//
// Anyone who has the cluster's credentials can write to both streams and send any message (C8). What comes from there is bounded and
// checked: a forged record is an error that names the key, a forged message is dropped and counted.
//
// It deliberately does not: run servers (package cmd/host/cluster does, for developers), know scripts or profiles, or keep
// messages for hosts that are away.
//
// Guarantees: Nothing is acknowledged before the servers have it; a lost answer is told as such; what comes from the
// cluster is checked like what clients send.
package nats
