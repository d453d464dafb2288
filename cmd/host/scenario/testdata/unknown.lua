scenario("a", function(t) print(t) end)
