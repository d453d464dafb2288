package scriptvm

// Functions that the looks of a class list in `on` notify viewers of their calls ([engine.Actor.Cue]). Calls by the
// engine pass VM.run and similar functions, which test one flag of the function. A call by a script takes the
// function from the table of its class: only for these functions, that is a wrapper in Lua that notifies viewers
// and then calls the function, so that latent code can run through it.

const (
	cueName   = "=cue"
	cueSource = "local cue, fn = ... return function(self, ...) cue(self) return fn(self, ...) end"
)
