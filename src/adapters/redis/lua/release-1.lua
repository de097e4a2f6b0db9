--[[
  Gives a claim back without an outcome; keeps the number of takeovers (docs/protocol.md section 2).

  KEYS[1] row    {wl-xx}:task:<task_id>

  ARGV[1] epoch  of the claim; another one is ignored

  Answers 1 released | 0 ignored.
]]
local rowKey = KEYS[1]
local epoch = ARGV[1]

local row = redis.pcall('HMGET', rowKey, 'state', 'epoch')
if row.err or row[1] ~= 'running' or row[2] ~= epoch then return 0 end
redis.call('HSET', rowKey, 'owner', '', 'job', '')
return 1
