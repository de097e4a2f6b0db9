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

-- A key of another type is no row: somebody else wrote it, and it is as good as none.
local function heal(found)
  if not found.err then return found end
  redis.call('DEL', rowKey)
  return {}
end

-- A number that no worker has written counts as 0.
local function whole(value, most)
  local number = tonumber(value or 0)
  return number and number >= 0 and number <= most and math.floor(number) or 0
end
local MAX_SECONDS = 253402300799

local row = heal(redis.pcall('HMGET', rowKey, 'state', 'exp'))
local state, exp = row[1], whole(row[2], MAX_SECONDS)
if state == 'success' then return DONE end

if state then
  redis.call('HSET', rowKey, 'cancel', '1', 'updated', now)
else
  redis.call('HSET', rowKey, 'state', 'waiting', 'sha', '', 'epoch', 0, 'owner', '', 'job', '', 'takeovers', 0,
    'cancel', '1', 'exp', 0, 'updated', now)
end
redis.call('PEXPIREAT', rowKey, math.max(exp * 1000 + retention, now + keep))
if state == 'running' then redis.call('PUBLISH', channel, taskId) end
return REQUESTED
