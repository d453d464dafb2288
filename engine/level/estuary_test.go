package level_test

import (
	"fmt"

	"github.com/tidelock/tidelock/engine/geom"
)

// estuary is a deathmatch level for 32 with vehicles: two banks of a river that has run dry, equal under half a
// turn. It is 12 000 uu square.
//
//	 896  the top of each lighthouse, by a lift
//	 256  the hills they stand on, the dunes, the upper floors of the storehouses
//	   0  the banks, the bridge in the middle, two broken footbridges
//	-256  the bed of the river: by ramps at four fords, by stairs near the bridge
//
// Wheels get everywhere on the banks, over hills, dunes and the bridge, and through the fords; the houses are for
// who walks. Groynes and wrecks stand where one would see too far.
func estuary(w *writer) {
	w.note("Game: Tidelock")
	w.note("Format: Standard")
	w.entity("worldspawn", "message", "Neap Tide", "killz", "-1500")
	w.note("shell: the banks, the bed between them, walls, sky")
	w.box("bed", -700, -6000, -352, 700, 6000, -256)
	w.box("sky1", -6032, -6032, 2000, 6032, 6032, 2032)
	w.twice(func() {
		w.box("sand", -6000, -6000, -352, -700, 6000, 0)
		w.box("wall", 6000, -6032, -352, 6032, 6032, 2000)
		w.box("wall", -6000, 6000, -352, 6000, 6032, 2000)
	})
	w.note("the bridge: parapets and piers; what goes below it has 224 uu of height")
	w.box("bridge", -700, -256, -32, 700, 256, 0)
	w.twice(func() {
		w.box("bridge", -700, 232, 0, 700, 256, 56)
		w.box("pier", -240, -160, -256, -180, 160, -32)
	})
	w.note("fords: ramps down to the bed and up again")
	w.twice(func() {
		w.ramp("ramp", true, -150, -700, 2600, 3200, -256, 0)
		w.ramp("ramp", true, -150, -700, -3200, -2600, -256, 0)
	})
	w.note("stairs down to the bed, beside the bridge")
	w.twice(func() { w.stairs("step", true, -700, 1, 900, 1100, -256, 0) })
	w.note("footbridges, broken in the middle: one leaps over 220 uu")
	w.twice(func() {
		w.box("bridge", -700, 4420, -16, -110, 4580, 0)
		w.box("bridge", 110, 4420, -16, 700, 4580, 0)
	})
	w.twice(func() { lighthouse(w, -4300, 3900) })
	w.twice(func() { storehouse(w) })
	w.twice(func() { boathouse(w) })
	w.note("huts")
	w.twice(func() {
		hut(w, -5200, 700, false)
		hut(w, -4400, 200, true)
		hut(w, -5300, -500, false)
		hut(w, -4500, -900, true)
	})
	w.note("dunes: up on one side, down on the other, steep at their ends")
	w.twice(func() {
		w.ramp("sand", true, -5600, -5000, -4600, -3400, 0, 256)
		w.box("sand", -5000, -4600, 0, -4400, -3400, 256)
		w.ramp("sand", true, -3800, -4400, -4600, -3400, 0, 256)
		w.ramp("sand", false, -5600, -5100, -2600, -1500, 0, 192)
		w.box("sand", -2600, -5100, 0, -1500, -4700, 192)
		w.ramp("sand", false, -4200, -4700, -2600, -1500, 0, 192)
	})
	w.note("sea walls to hide behind")
	w.twice(func() {
		w.box("wall", -3740, 900, 0, -3700, 2100, 240)
		w.box("wall", -3700, 2060, 0, -3000, 2100, 240)
		w.box("wall", -2600, 400, 0, -2560, 1200, 240)
		w.box("wall", -1250, 350, 0, -1210, 950, 140)
		w.box("wall", -1250, -950, 0, -1210, -350, 140)
		w.box("wall", -3700, -2200, 0, -3660, -1000, 240)
		w.box("wall", -3500, -3000, 0, -2500, -2960, 240)
		w.box("wall", -1500, -3400, 0, -1460, -2400, 240)
		w.box("wall", -5700, 2300, 0, -5000, 2340, 240)
	})
	w.note("wrecks in the bed and groynes on the banks, so that nobody sees all of either")
	w.twice(func() {
		w.box("wreck", -420, 1230, -256, 240, 1330, -40)
		w.box("wreck", -300, 3560, -256, 420, 3660, -40)
		w.box("wreck", -500, 5200, -256, 100, 5300, -40)
		for i := range 5 {
			y := -5000 + 520*float64(i)
			w.box("wood", -3420, y, 0, -3380, y+360, 200)
		}
		for i := range 4 {
			x := -5800 + 520*float64(i)
			w.box("wood", x, -1900, 0, x+360, -1860, 200)
			w.box("wood", x-100, 1180, 0, x+260, 1220, 200)
		}
		for i := range 4 {
			y := 2500 + 560*float64(i)
			w.box("wood", -2000, y, 0, -1960, y+400, 200)
		}
	})
	w.note("the yard: containers, two high in places, with something to climb them by")
	w.twice(func() {
		w.box("container", -2600, 5200, 0, -2200, 5360, 160)
		w.box("container", -2600, 5200, 160, -2400, 5360, 320)
		w.box("container", -2760, 4700, 0, -2600, 5100, 160)
		w.box("container", -2000, 4600, 0, -1600, 4760, 160)
		w.box("container", -1500, 5000, 0, -1340, 5400, 160)
		w.box("crate", -1600, 4608, 0, -1440, 4752, 80)
		w.box("crate", -2200, 5200, 0, -2050, 5360, 80)
		w.box("crate", -1500, 4860, 0, -1340, 5000, 80)
	})
	w.end()

	w.note("lifts of the lighthouses, doors of the storehouses")
	n := 0
	w.twice(func() {
		n++
		w.mover(fmt.Sprint("Lift", n), "lift", geom.V(0, 0, 624), 3, 3, -4428, 3772, 256, -4172, 4028, 272)
		w.mover(fmt.Sprint("Door", n), "door", geom.V(0, 208, 0), 0.5, 3, -2964, -1400, 0, -2948, -1200, 224)
	})
	w.note("player starts, 16 on each bank")
	for _, s := range [][4]float64{
		{-5700, 5700, 0, 315},
		{-5700, 3000, 0, 0},
		{-5700, 1500, 0, 0},
		{-5700, -1600, 0, 0},
		{-5700, -2900, 0, 0},
		{-5700, -5700, 0, 45},
		{-3300, 5700, 0, 270},
		{-3200, 300, 0, 0},
		{-3300, -2500, 0, 90},
		{-2600, 0, 0, 0},
		{-2300, 2900, 0, 0},
		{-1100, 3900, 0, 180},
		{-1100, -3900, 0, 180},
		{-3300, -5700, 0, 90},
		{-4400, -2600, 0, 45},
		{-4800, 4400, 256, 315},
	} {
		w.twice(func() { w.start(s[0], s[1], s[2], s[3]) })
	}
	w.note("pickups: the best below the bridge and in the lighthouses")
	w.point("WeaponPickup", 0, 0, -216, "targetname", "PickupPrize", "ItemClass", "RocketLauncher")
	w.pair("HealthPickup", "PickupLantern", -4300, 4200, 936, "Amount", "100", "RespawnTime", "45")
	w.pair("WeaponPickup", "PickupTower", -4080, 4120, 296, "ItemClass", "RocketLauncher")
	w.pair("WeaponPickup", "PickupLoft", -2300, -1650, 296, "ItemClass", "GrenadeLauncher")
	w.pair("ArmourPickup", "PickupStore", -2700, -1650, 40)
	w.pair("WeaponPickup", "PickupGate", -1850, -900, 40, "ItemClass", "Shotgun")
	w.pair("AmmoPickup", "PickupBoat", -1700, 2150, 40, "WeaponClass", "Rifle", "Amount", "30")
	w.pair("WeaponPickup", "PickupSlip", -1200, 1650, 40, "ItemClass", "Shotgun")
	w.pair("HealthPickup", "PickupHutA", -5200, 700, 40)
	w.pair("WeaponPickup", "PickupHutB", -4400, 200, 40, "ItemClass", "Shotgun")
	w.pair("HealthPickup", "PickupHutC", -5300, -500, 40)
	w.pair("AmmoPickup", "PickupHutD", -4500, -900, 40, "WeaponClass", "GrenadeLauncher", "Amount", "4")
	w.pair("WeaponPickup", "PickupDune", -4700, -4000, 296, "ItemClass", "RocketLauncher")
	w.pair("ArmourPickup", "PickupDuneSmall", -2050, -4900, 232)
	w.pair("HealthPickup", "PickupBed", 0, 1800, -216)
	w.pair("WeaponPickup", "PickupMouth", 0, 3900, -216, "ItemClass", "GrenadeLauncher")
	w.pair("AmmoPickup", "PickupFootbridge", -200, 4500, 40, "WeaponClass", "Shotgun", "Amount", "6")
	w.pair("AmmoPickup", "PickupYard", -1800, 4680, 200, "WeaponClass", "RocketLauncher", "Amount", "4")
	w.pair("WeaponPickup", "PickupYardFloor", -2000, 5500, 40, "ItemClass", "GrenadeLauncher")
	w.pair("AmmoPickup", "PickupWall", -3600, 1980, 40, "WeaponClass", "RocketLauncher", "Amount", "4")
	w.pair("HealthPickup", "PickupBridgehead", -1100, 600, 40)
	w.note("buggies, three a bank")
	w.pair("VehicleFactory", "BuggyBoathouse", -1450, 1900, 60, "angle", "180", "VehicleClass", "Buggy")
	w.pair("VehicleFactory", "BuggyHill", -3200, 4800, 60, "angle", "0", "VehicleClass", "Buggy")
	w.pair("VehicleFactory", "BuggyDune", -3200, -4000, 60, "angle", "0", "VehicleClass", "Buggy")
	w.note("crates to break")
	w.pair("Crate", "CrateStoreA", -2100, -1000, 40)
	w.pair("Crate", "CrateStoreB", -2020, -1000, 40)
	w.pair("Crate", "CrateStoreC", -2500, -1100, 40)
	w.pair("Crate", "CrateYardA", -2300, 5000, 40)
	w.pair("Crate", "CrateYardB", -1800, 5100, 40)
	w.pair("Crate", "CrateHut", -4850, 500, 40)
	w.pair("Crate", "CrateBridge", -900, -150, 40)
}

// lighthouse is a hill with a tower about x, y: two ramps, two doorways, a shaft for the lift, and at its top a
// gallery from which one may jump.
func lighthouse(w *writer, x, y float64) {
	const hill, top = 256.0, 896.0
	w.note("a lighthouse on its hill")
	w.box("sand", x-700, y-700, 0, x+700, y+700, hill)
	w.ramp("sand", true, x+1400, x+700, y-300, y+300, 0, hill)
	w.ramp("sand", false, y-1400, y-700, x-300, x+300, 0, hill)
	door := opening{y - 96, y + 96, hill, hill + 210}
	w.wall("tower", false, y-320, y+320, x+288, x+320, hill, top-32, door)
	w.wall("tower", false, y-320, y+320, x-320, x-288, hill, top-32)
	w.wall("tower", true, x-288, x+288, y+288, y+320, hill, top-32)
	w.wall("tower", true, x-288, x+288, y-320, y-288, hill, top-32, opening{x - 96, x + 96, hill, hill + 210})
	w.note("its gallery, round the hole for the lift")
	w.box("platform", x-448, y+132, top-32, x+448, y+448, top)
	w.box("platform", x-448, y-448, top-32, x+448, y-132, top)
	w.box("platform", x-448, y-132, top-32, x-132, y+132, top)
	w.box("platform", x+132, y-132, top-32, x+448, y+132, top)
	for _, c := range [][2]float64{{-1, -1}, {-1, 1}, {1, -1}, {1, 1}} {
		px, py := x+272*c[0], y+272*c[1]
		w.box("pillar", px-16, py-16, top, px+16, py+16, top+240)
		w.wall("wall", true, x+min(448*c[0], 160*c[0]), x+max(448*c[0], 160*c[0]), y+440*c[1]-8, y+440*c[1]+8, top, top+56)
	}
	w.box("roof", x-320, y-320, top+240, x+320, y+320, top+272)
}

// storehouse is a hall with a gate for vehicles, a door that slides, and an upper floor.
func storehouse(w *writer) {
	w.note("a storehouse: gate, doors, stairs to the loft, windows")
	w.wall("brick", true, -3000, -1400, -732, -700, 0, 512, opening{-2456, -1944, 0, 320})
	w.wall("brick", true, -3000, -1400, -1900, -1868, 0, 512, opening{-2896, -2704, 0, 220}, opening{-2300, -2100, 320, 440})
	w.wall("brick", false, -1868, -732, -3000, -2968, 0, 512, opening{-1396, -1204, 0, 220})
	w.wall("brick", false, -1868, -732, -1432, -1400, 0, 512, opening{-1800, -1600, 256, 440}, opening{-880, -780, 90, 200})
	w.box("roof", -3000, -1900, 512, -1400, -700, 544)
	w.box("platform", -2968, -1868, 224, -1432, -1450, 256)
	w.stairs("step", false, -1450, 1, -1632, -1432, 0, 256)
	w.box("pillar", -2600, -1490, 0, -2560, -1450, 224)
	w.box("pillar", -2000, -1490, 0, -1960, -1450, 224)
}

// boathouse is open towards the river.
func boathouse(w *writer) {
	w.note("a boathouse: a gate to the land, open to the river")
	w.wall("brick", false, 1500, 2300, -1900, -1868, 0, 400, opening{1700, 2100, 0, 320})
	w.wall("brick", true, -1868, -1000, 1500, 1532, 0, 400, opening{-1500, -1350, 90, 220})
	w.wall("brick", true, -1868, -1000, 2268, 2300, 0, 400, opening{-1600, -1450, 0, 220})
	w.box("roof", -1900, 1500, 400, -1000, 2300, 432)
}

// hut has a doorway on its south or east side and a window opposite.
func hut(w *writer, x, y float64, east bool) {
	const h, t = 260, 24
	door, window := opening{-80, 80, 0, 220}, opening{-90, 90, 100, 200}
	shift := func(o opening, by float64) opening { return opening{o.a + by, o.b + by, o.z0, o.z1} }
	if east {
		w.wall("wood", false, y-240, y+240, x+240-t, x+240, 0, h, shift(door, y))
		w.wall("wood", false, y-240, y+240, x-240, x-240+t, 0, h, shift(window, y))
		w.wall("wood", true, x-240+t, x+240-t, y-240, y-240+t, 0, h)
		w.wall("wood", true, x-240+t, x+240-t, y+240-t, y+240, 0, h)
	} else {
		w.wall("wood", true, x-240, x+240, y-240, y-240+t, 0, h, shift(door, x))
		w.wall("wood", true, x-240, x+240, y+240-t, y+240, 0, h, shift(window, x))
		w.wall("wood", false, y-240+t, y+240-t, x-240, x-240+t, 0, h)
		w.wall("wood", false, y-240+t, y+240-t, x+240-t, x+240, 0, h)
	}
	w.box("roof", x-260, y-260, h, x+260, y+260, h+24)
}
