package condition

// Natives are what conditions compile, by name.
var Natives = natives
