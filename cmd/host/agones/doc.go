// Package agones tells Agones how a host is, and takes its requests to drain, by the REST gateway of the SDK server.
// Agones starts that server beside every game server (C7; https://agones.dev/site/docs/guides/client-sdks/rest/).
//
// It owns what is said and when:
//
//	POST /ready        when players can join, once
//	POST /health       every two seconds, while ticks advance
//	POST /allocate     when the first player joins, if Options.Allocate
//	POST /reserve      when the last one has left, for Options.Hold: after that Agones may take the host away
//	PUT  /metadata/…   annotations players and capacity and the label draining, when they change, at most once a second
//	POST /shutdown     at the end
//	GET  /gameserver, /watch/gameserver   a drain is requested by the state Shutdown, and by the annotation or label tidelock.dev/drain
//
// The SDK server is another program: it may start late, go away, be slow or answer with anything. Every call has a time, every answer a
// bound, calls that fail are repeated at growing intervals, and the log has one line when it fails and one when it works again. The match
// never waits for it.
//
//	s, err := agones.Open(sys.lookup) // nil without Agones
//	s.Start(agones.Options{…})
//	defer s.Close()
//
// Goroutines: one calls, one watches; Start starts both, Close ends and awaits them. It deliberately does not: know worlds, or use gRPC or
// the SDK, which would add some megabytes and a minute to the build.
//
// Guarantees: The match never waits for it; every answer is bounded; one log line when it fails and one when it works
// again.
package agones
