-- book: an actor that writes down what others tell it, so that a scenario can look at the order of events.
return [[
	local Book = class("Book", "Info")
	function Book:PreBeginPlay() self.Lines = {} end
	function Book:Write(line) table.insert(self.Lines, line) end
	function Book:Read()
		local text = table.concat(self.Lines, " ")
		self.Lines = {}
		return text
	end
]]
