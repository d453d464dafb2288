package scriptvm

import (
	"slices"
	"sync"

	"github.com/tidelock/tidelock/scriptvm/api"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// Natives returns all functions that scripts can call.
func Natives() *api.Registry { return natives().Registry }

// natives is computed once: it never changes. The order of files is the order of the reference within each
// namespace.
var natives = sync.OnceValue(func() *registry {
	list := slices.Concat(
		actorNatives(), controllerNatives(), worldNatives(), stateNatives(), placeNatives(), rewindNatives(), moveNatives(),
		movePartNatives(), soundNatives(), messageNatives(), animNatives(), replicationNatives(), bodyNatives(), componentNatives(),
		travelNatives(), storeNatives(), profileNatives(), clusterNatives(), saveNatives(), navigationNatives(), valueNatives(), fastArrayNatives(), canvasNatives(), latentNatives(), globalNatives(),
	)
	r := &registry{entries: make([]entry, len(list))}
	functions := make([]*api.Function, len(list), len(list)+16)
	for i := range list {
		n := &list[i]
		f := &api.Function{
			Space: n.Space, Name: n.Name, Params: api.Params(n.Params), Returns: api.Params(n.Returns), Pure: n.Pure, Doc: n.Doc, Example: n.Example,
		}
		args, err := guardOf(f)
		if err != nil {
			panic("scriptvm: " + err.Error()) // the literal is wrong, which a test finds
		}
		functions[i], r.entries[i] = f, entry{Function: f, do: n.Do, args: args, self: hasSelf(f.Space)}
	}
	r.Registry = api.NewRegistry(append(functions, classfile.Definitions()...))
	return r
})
