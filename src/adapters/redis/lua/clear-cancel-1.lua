--[[
  Forgets a cancel that no run has answered, before a retry or re-push.

  KEYS[1] row    {wl-xx}:task:<task_id>

  ARGV[1] now    milliseconds

  Answers 1 cleared | 0 nothing to clear: no cancel is pending, or a worker has the claim and will see it.
]]
local rowKey = KEYS[1]
local now = ARGV[1]

local row = redis.pcall('HMGET', rowKey, 'state', 'cancel', 'owner')
-- A key of another type holds no cancel.
if row.err then return 0 end
local state, cancelled, owner = row[1], row[2] == '1', row[3]
if not cancelled or owner ~= '' then return 0 end

if state == 'waiting' then
  -- Such a row held nothing but the cancel.
  redis.call('DEL', rowKey)
else
  redis.call('HSET', rowKey, 'cancel', '0', 'updated', now)
end
return 1
