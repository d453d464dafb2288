package server

import (
	"reflect"
	"testing"

	"github.com/tidelock/tidelock/netcode/server/shadow"
)

// TestWorkersReach walks through the types of what workers are given. From none of them may a pointer lead to what belongs to
// the server's goroutine or to another connection; else a worker could touch it, and only a comment would say that it must not.
// Fields that other packages keep to themselves are these packages' promise (relevancy.Reading, session.Ledger, shadow.View).
func TestWorkersReach(t *testing.T) {
	const own = "github.com/tidelock/tidelock/netcode/server"
	forbidden := map[string]string{
		own + ".Server":      "the server's goroutine owns it",
		own + ".Conn":        "only its sender is a worker's",
		own + ".repState":    "it leads to the connection and to the actor; a worker has the sendState in it",
		own + ".entity":      "it leads to the actor and to all connections; a worker has a View of the shadow in it",
		own + ".sharedState": "other connections share it",
		own + ".group":       "other connections share it",
		own + ".ownEncoder":  "the server's goroutine encodes with it",
		"github.com/tidelock/tidelock/netcode/session.Session": "it leads to the link; a worker has the Ledger in it",
		"github.com/tidelock/tidelock/netcode/link.Conn":       "links belong to the server's goroutine",
		"github.com/tidelock/tidelock/engine.Actor":            "it leads to the world and its script",
		"github.com/tidelock/tidelock/engine.World":            "the server's goroutine owns it",
		"github.com/tidelock/tidelock/engine/relevancy.Index":  "a worker has a Reading of it",
	}
	// Interfaces and functions could lead anywhere; these do not.
	open := map[string]string{
		"wire.Names": "nil while a worker encodes (encoder.shared)",
	}
	// Nothing changes these, so that it does not matter where they lead.
	constant := map[string]bool{"github.com/tidelock/tidelock/netcode/schema.Class": true}
	seen := map[reflect.Type]bool{}
	var walk func(x reflect.Type, path string)
	walk = func(x reflect.Type, path string) {
		if seen[x] || constant[x.PkgPath()+"."+x.Name()] {
			return
		}
		seen[x] = true
		if why := forbidden[x.PkgPath()+"."+x.Name()]; why != "" {
			t.Errorf("%s leads a worker to %s: %s", path, x, why)
			return
		}
		switch x.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
			walk(x.Elem(), path)
		case reflect.Map:
			walk(x.Key(), path)
			walk(x.Elem(), path)
		case reflect.Struct:
			for i := range x.NumField() {
				f := x.Field(i)
				if f.IsExported() || x.PkgPath() == own {
					walk(f.Type, path+"."+f.Name)
				}
			}
		case reflect.Interface, reflect.Func, reflect.UnsafePointer:
			if open[x.String()] == "" {
				t.Errorf("%s is a %s: it could lead a worker anywhere", path, x)
			}
		default:
		}
	}
	walk(reflect.TypeFor[flushing](), "flushing")
	walk(reflect.TypeFor[surveying](), "surveying")
	for _, x := range []reflect.Type{reflect.TypeFor[sendState](), reflect.TypeFor[shadow.View](), reflect.TypeFor[relState]()} {
		if !seen[x] {
			t.Errorf("the walk did not come to %s", x)
		}
	}
}
