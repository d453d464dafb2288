-- Spark: shows where a shot hit something, on machines with a screen.
local Spark = class("Spark", "Actor")

Spark.defaults {
	RemoteRole = ROLE_None,
	LifeSpan = 0.3, -- seconds
}

Spark.looks { shape = "none", on = { BeginPlay = "effects/spark.toml" } }

return Spark
