-- What mutants of the source (tests/mutants) showed that nothing else notices. The names begin with the rule.

local BOOK = [[
	local Book = class("Book", "Info")
	Book.properties { Text = str("", { max = 1000 }) }
	function Book:Write(s) self.Text = self.Text .. s .. " " end
	local Part = class("Part")
	Part.properties { Book = ref("Book"), Mark = "" }
	function Part:Tick(_) self.Book:Write(self.Mark) end
]]

scenario("R1.3 who ticks again after a pause has the turn of its spawning", function(t)
	t:scripts(BOOK)
	local s = t:server{ tick = 10, net = 10 }
	local book = s:spawn("Book")
	local a = s:spawn("Part", { Book = book, Mark = "a" })
	local b = s:spawn("Part", { Book = book, Mark = "b" })
	s:spawn("Part", { Book = book, Mark = "c" })
	a:SetTickEnabled(false)
	b:SetTickEnabled(false)
	t:ticks(1)
	t:eq(book.Text, "c ")
	b:SetTickEnabled(true)
	t:ticks(1)
	a:SetTickEnabled(true)
	book.Text = ""
	t:ticks(1)
	t:eq(book.Text, "a b c ")
end)

scenario("R1.3 what is spawned during a tick does not tick in it, not even as somebody's Base", function(t)
	t:scripts(BOOK)
	t:scripts [[
		local Parent = class("Parent")
		Parent.properties { Book = ref("Book"), Rider = ref("Part"), bDone = false }
		function Parent:Tick(_)
			if not self.bDone then
				self.bDone = true
				self.Rider:SetBase(self:Spawn("Part", { Book = self.Book, Mark = "base" }))
			end
		end
	]]
	local s = t:server{ tick = 10, net = 10 }
	local book = s:spawn("Book")
	local parent = s:spawn("Parent", { Book = book })
	parent.Rider = s:spawn("Part", { Book = book, Mark = "rider" })
	t:ticks(1)
	t:eq(book.Text, "rider ")
	book.Text = ""
	t:ticks(1)
	t:eq(book.Text, "base rider ")
end)
