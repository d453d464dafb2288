scenario("a", function(t)
	t:eq(1, 1
end)
