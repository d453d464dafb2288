package api

import (
	"fmt"
	"slices"
)

// Registry holds the natives of a runtime. It never changes, so any goroutine may read it.
type Registry struct {
	list  []*Function
	named map[key]*Function
}

type key struct {
	space Namespace
	name  string
}

// NewRegistry returns a registry of natives, ordered by namespace and within one in the given order. Two with the
// same name in a namespace are a bug, and a panic.
func NewRegistry(list []*Function) *Registry {
	r := &Registry{list: slices.Clone(list), named: make(map[key]*Function, len(list))}
	order := []Namespace{Actor, Component, Controller, PlayerController, World, Store, Profile, Cluster, Vector, Rotator, FastArray, Canvas, Latent, Global, Define}
	slices.SortStableFunc(r.list, func(a, b *Function) int {
		return slices.Index(order, a.Space) - slices.Index(order, b.Space)
	})
	for _, f := range list {
		k := key{f.Space, f.Name}
		if r.named[k] != nil {
			panic(fmt.Sprintf("api: two natives are called %s.%s", f.Space, f.Name))
		}
		r.named[k] = f
	}
	return r
}

// Functions returns all natives, by namespace and then in the order of the reference. The caller must not change
// the list.
func (r *Registry) Functions() []*Function { return r.list }

// Find returns the native of that name in a namespace, or nil.
func (r *Registry) Find(space Namespace, name string) *Function { return r.named[key{space, name}] }

// Method returns the native that `actor:name(…)` calls on an actor whose class has the ancestors given by isA, or
// nil: Actor's natives for actors, ActorComponent's for components, then those of Controller and PlayerController.
func (r *Registry) Method(isA func(class string) bool, name string) *Function {
	for _, space := range [...]Namespace{Actor, Component, Controller, PlayerController} {
		if f := r.Find(space, name); f != nil && isA(string(space)) {
			return f
		}
	}
	return nil
}

// Members returns the names of the variables and natives of a namespace.
func (r *Registry) Members(space Namespace) []string {
	var out []string
	for _, v := range variables {
		if v.Space == space {
			out = append(out, v.Name)
		}
	}
	for _, f := range r.list {
		if f.Space == space {
			out = append(out, f.Name)
		}
	}
	return out
}
