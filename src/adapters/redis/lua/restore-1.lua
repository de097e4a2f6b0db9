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

local row, damaged = readRow(rowKey)
if row and row.state == 'success' then return 0 end
if damaged then redis.call('DEL', rowKey) end
local latestExp = math.max(exp, row and row.exp or 0)

-- The epoch stays, so that a worker that still holds a claim of the replaced row cannot record over this one.
redis.call('HSET', rowKey, 'state', 'success', 'sha', sha, 'epoch', row and row.epoch or 0, 'owner', '',
  'job', row and row.job or '', 'takeovers', 0, 'cancel', '0', 'exp', latestExp, 'code', '', 'result', result, 'updated', now)
redis.call('HDEL', rowKey, 'crashes')
redis.call('PEXPIREAT', rowKey, math.max(latestExp * 1000 + retention, now + keep))
return 1
