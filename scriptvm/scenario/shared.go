package scenario

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// SharedFolder is the folder beside scenario files whose modules they require; a module is no scenario file.
const SharedFolder = "shared"

var sharedName = regexp.MustCompile(`^` + SharedFolder + `(\.[A-Za-z_][A-Za-z0-9_]*)+$`)

// require implements require("shared.NAME") of scenario files: shared/NAME.lua runs once a run, and its value is read-only to others.
func (v *fileVM) require(name string) (lua.LValue, error) {
	if value, ok := v.modules[name]; ok {
		if value == nil {
			return nil, fmt.Errorf("module '%s' requires itself, directly or through others; move what both need into a third", name)
		}
		return value, nil
	}
	if v.closed {
		return nil, fmt.Errorf("require(%q) stands at the top level of a file, not inside a scenario", name)
	}
	file, proto, err := v.file.module(v, name)
	if err != nil {
		return nil, err
	}
	v.modules[name] = nil // it is loading
	value, err := v.sb.Call("", v.sb.Load(proto, v.sb.Globals()))
	if err != nil {
		return nil, err
	}
	if value == lua.LNil {
		value = lua.LTrue
	}
	v.modules[name] = v.sb.FreezeModule(name, file, value)
	return v.modules[name], nil
}

// module returns the path of a module and its code, which is compiled when the scenario file is loaded.
func (f *File) module(v *fileVM, name string) (file string, proto *lua.FunctionProto, err error) {
	if !sharedName.MatchString(name) {
		return "", nil, fmt.Errorf("module '%s' not found: scenario files require those of the folder %s beside them, as \"%s.NAME\"", name, SharedFolder, SharedFolder)
	}
	file = path.Join(path.Dir(f.Path), strings.ReplaceAll(name, ".", "/")) + ".lua"
	if proto = f.protos[name]; proto != nil {
		return file, proto, nil
	}
	if f.options.Read == nil || f.loaded {
		return "", nil, fmt.Errorf("module '%s' not found", name)
	}
	text, err := f.options.Read(file)
	if err != nil {
		return "", nil, fmt.Errorf("module '%s' not found: %w", name, err)
	}
	if proto, err = f.compile(v, file, text); err != nil {
		return "", nil, err
	}
	f.protos[name] = proto
	return file, proto, nil
}
