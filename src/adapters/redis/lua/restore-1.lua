--[[
  Writes a finished row back from a journal; a SUCCESS row is never replaced (docs/protocol.md sections 2 and 7).

  KEYS[1] row        {wl-xx}:task:<task_id>

  ARGV[1] sha        SHA-256 of the manifest
  ARGV[2] result     exact signed result
  ARGV[3] exp        lease expiry, seconds
  ARGV[4] now        milliseconds
  ARGV[5] retention  milliseconds that a row outlives its lease
  ARGV[6] keep       milliseconds that a row outlives its last change

  Answers 1 written | 0 a SUCCESS stands already.
]]
local rowKey = KEYS[1]
local sha, result, exp, now = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local retention, keep = tonumber(ARGV[5]), tonumber(ARGV[6])

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
local MAX_COUNT, MAX_SECONDS = 1e15, 253402300799

local row = heal(redis.pcall('HMGET', rowKey, 'state', 'epoch', 'exp'))
local state, epoch = row[1], whole(row[2], MAX_COUNT)
local latestExp = math.max(exp, whole(row[3], MAX_SECONDS))
if state == 'success' then return 0 end

-- The epoch stays, so that a worker that still holds a claim of the replaced row cannot record over this one.
redis.call('HSET', rowKey, 'state', 'success', 'sha', sha, 'epoch', epoch, 'owner', '', 'job', '', 'takeovers', 0,
  'cancel', '0', 'exp', latestExp, 'code', '', 'result', result, 'updated', now)
redis.call('PEXPIREAT', rowKey, math.max(latestExp * 1000 + retention, now + keep))
return 1
