// Package animation is animation without poses (R12.7): when notifies happen in a movement, which value a curve
// has at a moment, which section of a montage comes next. It moves no bone and draws nothing; a client that
// draws reads the positions from it.
//
// It owns sequences, composites and montages ([Sequence], [Montage]), their players ([Player], [Timeline]),
// blend spaces ([Space]) and sync groups ([SyncGroup]), and the set of a match ([Library]). All of it is plain
// data and pure functions: it knows no actors, no scripts, no files and no clock. Package engine plays montages
// on actors with it; cmd/host/media reads the files.
//
//	lib, err := animation.NewLibrary([]animation.Spec{{Name: "animations/wave.toml", Length: 2}})
//	p := animation.Start(lib.Find("animations/wave.toml"), 0, 1)
//	cues, ended := p.Advance(1.0/60, nil, animation.AllCues)
//
// Guarantees: Pure: no actors, no files. Each notify runs once and in order, however long the ticks are.
package animation
