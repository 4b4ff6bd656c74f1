-- Small tools.
local M = {}

--- Reads a whole file.
-- @param path where it is
function M.read(path)
  local file, why = io.open(path, "rb")
  if not file then
    return nil, why
  end
  local text = file:read("*a")
  file:close()
  return text
end

--- Writes a whole file.
-- @param path where it goes
-- @param text what it holds
function M.write(path, text)
  local file, why = io.open(path, "wb")
  if not file then
    return nil, why
  end
  file:write(text)
  file:close()
  return true
end

-- Splits a text at every newline.
function M.lines(text)
  local lines = {}
  for line in text:gmatch("([^\n]*)\n?") do
    lines[#lines + 1] = line
  end
  return lines
end

--[[ A longer remark,
     over two lines. ]]
function M.map(list, fn)
  local result = {}
  for index, value in ipairs(list) do
    result[index] = fn(value)
  end
  return result
end

function M.filter(list, fn)
  local result = {}
  for _, value in ipairs(list) do
    if fn(value) then
      result[#result + 1] = value
    end
  end
  return result
end

return M
