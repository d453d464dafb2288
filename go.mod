module github.com/tidelock/tidelock

go 1.26

require (
	github.com/BurntSushi/toml v1.6.0 // indirect
	github.com/alecthomas/kong v1.17.0 // indirect
	github.com/fsnotify/fsnotify v1.10.1 // indirect
	github.com/lmittmann/tint v1.2.1 // indirect
	github.com/rogpeppe/go-internal v1.16.0 // indirect
	github.com/yuin/gopher-lua v1.1.2 // indirect
	go.uber.org/goleak v1.3.0 // indirect
	golang.org/x/sys v0.26.0 // indirect
	golang.org/x/tools v0.26.0 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)
