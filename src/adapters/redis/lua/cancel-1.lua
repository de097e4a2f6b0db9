--[[
  Asks for a cancel; the outcome of the task decides (docs/protocol.md section 2).

  KEYS[1] row        {wl-xx}:task:<task_id>

  ARGV[1] now        milliseconds
  ARGV[2] retention  milliseconds that a row outlives its lease
  ARGV[3] keep       milliseconds that a row outlives its last change
  ARGV[4] channel    {wl-00}:cancel
  ARGV[5] taskId     message for the channel

  Answers 0 done (finished with SUCCESS, too late) | 1 requested.
]]
local rowKey = KEYS[1]
local now, retention, keep = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local channel, taskId = ARGV[4], ARGV[5]

local DONE, REQUESTED = 0, 1

local row, damaged = readRow(rowKey)
if row and row.state == 'success' then return DONE end
if damaged then redis.call('DEL', rowKey) end

if row then
  redis.call('HSET', rowKey, 'cancel', '1', 'updated', now)
else
  redis.call('HSET', rowKey, 'state', 'waiting', 'sha', '', 'epoch', 0, 'owner', '', 'job', '', 'takeovers', 0,
    'cancel', '1', 'exp', 0, 'updated', now)
end
redis.call('PEXPIREAT', rowKey, math.max((row and row.exp or 0) * 1000 + retention, now + keep))
if row and row.state == 'running' then redis.call('PUBLISH', channel, taskId) end
return REQUESTED
