--[[
  Forgets a row that claims an outcome which does not verify: Redis is not trusted (docs/protocol.md section 7).
  A row that waits or runs claims none.

  KEYS[1] row     {wl-xx}:task:<task_id>

  ARGV[1] result  the text that did not verify; a row with another one stays

  Answers 1 forgotten | 0 not this row.
]]
local rowKey = KEYS[1]
local result = ARGV[1]

local row = redis.call('HMGET', rowKey, 'state', 'result')
if not row[1] or row[1] == 'waiting' or row[1] == 'running' or (row[2] or '') ~= result then return 0 end
redis.call('DEL', rowKey)
return 1
