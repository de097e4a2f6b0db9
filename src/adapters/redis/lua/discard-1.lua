--[[
  Forgets a row that claims an outcome which does not verify: Redis is not trusted (docs/protocol.md section 7).
  A row that waits or runs claims none.

  KEYS[1] row     {wl-xx}:task:<task_id>

  ARGV[1] result  the text that did not verify; a row with another one stays

  Answers 1 forgotten | 0 not this row.
]]
local rowKey = KEYS[1]
local result = ARGV[1]

local row = readRow(rowKey)
if not row or row.state == 'waiting' or row.state == 'running' or (redis.call('HGET', rowKey, 'result') or '') ~= result then return 0 end
redis.call('DEL', rowKey)
return 1
