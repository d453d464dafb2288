package level_test

import (
	"fmt"

	"github.com/tidelock/tidelock/engine/geom"
)

// arena is a deathmatch level for 8: three storeys about a centre, equal under half a turn.
//
//	448  balconies west and east, and the bridge between them with a hole over the dais
//	352  islands to leap by, from the balconies towards the platforms
//	256  platforms north and south, with an alcove below each, behind a door
//	128  the dais in the middle
//	  0  the floor, with walls to hide behind
//
// Every way up has a faster way down: stairs and lifts to the balconies, ramps and crates to the platforms,
// and open edges everywhere.
func arena(w *writer) {
	w.note("Game: Tidelock")
	w.note("Format: Standard")
	w.entity("worldspawn", "message", "Spring Tide", "killz", "-1000")
	w.note("shell: floor, walls, sky")
	w.box("floor", -2032, -2032, -32, 2032, 2032, 0)
	w.box("sky1", -2032, -2032, 1200, 2032, 2032, 1232)
	w.twice(func() {
		w.box("wall", 2000, -2032, 0, 2032, 2032, 1200)
		w.box("wall", -2000, 2000, 0, 2000, 2032, 1200)
	})
	w.note("the dais, with stairs west and east, ramps north and south, and four pillars")
	w.prism("dais", 0, 128,
		geom.V(384, -160, 0), geom.V(384, 160, 0), geom.V(160, 384, 0), geom.V(-160, 384, 0),
		geom.V(-384, 160, 0), geom.V(-384, -160, 0), geom.V(-160, -384, 0), geom.V(160, -384, 0))
	w.twice(func() {
		w.stairs("step", true, 384, 1, -160, 160, 0, 128)
		w.ramp("ramp", false, 640, 384, -160, 160, 0, 128)
		w.box("pillar", 200, 200, 128, 248, 248, 320)
		w.box("pillar", -248, 200, 128, -200, 248, 320)
	})
	w.note("balconies, their columns and parapets")
	w.twice(func() {
		w.box("balcony", -2000, -704, 416, -1400, 704, 448)
		for _, y := range []float64{-704, -224, 176, 656} {
			w.box("pillar", -1448, y, 0, -1400, y+48, 416)
		}
		w.box("wall", -1416, 160, 448, -1400, 480, 496)
		w.box("wall", -1416, -480, 448, -1400, -160, 496)
	})
	w.note("the bridge: solid to the sides, two beams over the dais")
	w.twice(func() {
		w.box("bridge", -1400, -96, 416, -224, 96, 448)
		w.box("bridge", -224, -96, 416, 224, -48, 448)
		w.box("pillar", -824, -24, 0, -776, 24, 416)
	})
	w.note("stairs along the side walls up to the balconies")
	w.twice(func() { w.stairs("step", false, 704, 1, -2000, -1760, 0, 448) })
	w.note("platforms with an alcove below, a ramp on one side, crates on the other")
	w.twice(func() {
		w.box("platform", -512, 1440, 216, 512, 2000, 256)
		w.box("pillar", -512, 1440, 0, -464, 1488, 216)
		w.box("pillar", 464, 1440, 0, 512, 1488, 216)
		w.ramp("ramp", true, -960, -512, 1560, 1840, 0, 256)
		w.box("crate", 512, 1480, 0, 640, 1640, 240)
		w.box("crate", 640, 1480, 0, 768, 1640, 160)
		w.box("crate", 768, 1480, 0, 896, 1640, 80)
	})
	w.note("the alcoves' fronts with a doorway, one side shut; beside the crates one gets in without opening")
	w.twice(func() {
		w.wall("wall", true, -464, 464, 1440, 1472, 0, 216, opening{-96, 96, 0, 200})
		w.box("wall", -512, 1488, 0, -480, 2000, 216)
	})
	w.note("islands, low crates, and the corners to hide behind")
	w.twice(func() {
		w.box("pillar", -1060, 864, 0, -836, 1088, 352)
		w.box("crate", -700, 500, 0, -572, 628, 80)
		w.box("wall", 700, 700, 0, 764, 1100, 192)
		w.box("wall", 764, 700, 0, 1100, 764, 192)
	})
	w.end()

	w.note("lifts to the balconies, doors of the alcoves")
	n := 0
	w.twice(func() {
		n++
		w.mover(fmt.Sprint("Lift", n), "lift", geom.V(0, 0, 432), 2, 3, -1960, -976, 0, -1704, -720, 16)
		w.mover(fmt.Sprint("Door", n), "door", geom.V(208, 0, 0), 0.5, 3, -100, 1476, 0, 100, 1492, 204)
	})
	w.note("player starts")
	w.twice(func() { w.start(-1700, 0, 0, 0) })
	w.twice(func() { w.start(-1800, 1800, 0, 315) })
	w.twice(func() { w.start(-1800, -1800, 0, 45) })
	w.twice(func() { w.start(0, 1700, 256, 270) })
	w.twice(func() { w.start(-1200, 1200, 0, 315) })
	w.twice(func() { w.start(-1700, 300, 448, 0) })
	w.note("pickups: the prize on the dais below the hole in the bridge; pairs elsewhere")
	w.point("WeaponPickup", 0, 0, 168, "targetname", "PickupPrize", "ItemClass", "RocketLauncher")
	w.pair("ArmourPickup", "PickupAlcove", 0, 1720, 40)
	w.pair("WeaponPickup", "PickupBalcony", -1700, -300, 488, "ItemClass", "GrenadeLauncher")
	w.pair("HealthPickup", "PickupBridge", -600, 0, 488)
	w.pair("WeaponPickup", "PickupCorner", 900, 900, 40, "ItemClass", "Shotgun")
	w.pair("HealthPickup", "PickupIsland", -920, 980, 392, "Amount", "100", "RespawnTime", "45")
	w.pair("AmmoPickup", "PickupHall", -1700, -500, 40, "WeaponClass", "RocketLauncher", "Amount", "4")
	w.pair("WeaponPickup", "PickupPlatform", 300, 1700, 296, "ItemClass", "RocketLauncher")
	w.pair("AmmoPickup", "PickupRamp", -500, 1100, 40, "WeaponClass", "Rifle", "Amount", "30")
	w.pair("AmmoPickup", "PickupFloor", -1250, 800, 40, "WeaponClass", "Shotgun", "Amount", "6")
	w.pair("WeaponPickup", "PickupUnder", -1100, 0, 40, "ItemClass", "GrenadeLauncher")
	w.pair("WeaponPickup", "PickupRampFoot", 450, 1000, 40, "ItemClass", "Shotgun")
	w.note("a buggy on either side, and crates to break")
	w.pair("VehicleFactory", "BuggyPlace", 1150, 420, 60, "angle", "0", "VehicleClass", "Buggy")
	w.pair("Crate", "CrateCorner", 1300, 1300, 40)
	w.pair("Crate", "CrateDoor", -300, 1250, 40)
	w.pair("Crate", "CrateHall", -1300, -900, 40)
}
