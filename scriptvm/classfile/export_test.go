package classfile

import "github.com/tidelock/tidelock/scriptvm/api"

// Natives are those of the runtime. The tests of this package cannot import it, so TestMain, which can, sets them.
var Natives func() *api.Registry

// CoreSources are the base classes, for the tests that can import the runtime.
var CoreSources = coreSources
