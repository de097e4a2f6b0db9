--[[
  Forgets a cancel that no run has answered, before a retry or re-push.

  KEYS[1] row    {wl-xx}:task:<task_id>

  ARGV[1] now    milliseconds

  Answers 1 cleared | 0 nothing to clear: no cancel is pending, or a worker has the claim and will see it.
]]
local rowKey = KEYS[1]
local now = ARGV[1]

local row = readRow(rowKey)
if not row or row.cancel ~= '1' or row.owner ~= '' then return 0 end

if row.state == 'waiting' then
  -- Such a row held nothing but the cancel.
  redis.call('DEL', rowKey)
else
  redis.call('HSET', rowKey, 'cancel', '0', 'updated', now)
end
return 1
