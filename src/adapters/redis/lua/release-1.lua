--[[
  Gives a claim back without an outcome; keeps the number of takeovers (docs/protocol.md section 2).

  KEYS[1] row      {wl-xx}:task:<task_id>

  ARGV[1] epoch    of the claim; another one is ignored
  ARGV[2] crashed  '1': the delivery crashed, which is counted
  ARGV[3] owner    instance of the claim; another one is ignored: after a loss of Redis epochs begin anew; '': whoever has it

  Answers 1 released | 0 ignored.
]]
local rowKey = KEYS[1]
local epoch, crashed, owner = tonumber(ARGV[1]), ARGV[2] == '1', ARGV[3]

local row = readRow(rowKey)
if not row or row.state ~= 'running' or row.epoch ~= epoch or (owner ~= '' and row.owner ~= owner) then return 0 end
redis.call('HSET', rowKey, 'owner', '')
if crashed then redis.call('HINCRBY', rowKey, 'crashes', 1) end
return 1
