scenario("wants real sockets", { transport = "kcp" }, function(t)
	t:server{}
end)
