--[[
  Records the outcome of a claim and tells those who wait (docs/protocol.md section 2).

  KEYS[1] row          {wl-xx}:task:<task_id>
  KEYS[2] generation   {wl-xx}:generation
  KEYS[3] parked       {wl-xx}:parked:<task_id>

  ARGV[1] epoch        of the claim
  ARGV[2] state        success | failure
  ARGV[3] code         error code, or ''
  ARGV[4] result       exact signed result
  ARGV[5] now          milliseconds
  ARGV[6] retention    milliseconds that a row outlives its lease
  ARGV[7] keep         milliseconds that a row outlives its last change
  ARGV[8] channel      {wl-xx}:recorded
  ARGV[9] taskId       message for the channel

  Answers 0 lost (marker or row missing) | 1 stale (later claim, or not running) | 2 recorded | 3 recorded, and jobs are parked.
  Nothing is written unless the answer is 2 or 3.
]]
local rowKey, generationKey, parkedKey = KEYS[1], KEYS[2], KEYS[3]
local epoch, state, code, result, now = tonumber(ARGV[1]), ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
local retention, keep, channel, taskId = tonumber(ARGV[6]), tonumber(ARGV[7]), ARGV[8], ARGV[9]

local LOST, STALE, RECORDED, AWAITED = 0, 1, 2, 3

if redis.call('EXISTS', generationKey) == 0 then return LOST end
local row = readRow(rowKey)
if not row then return LOST end
if row.state ~= 'running' or row.epoch ~= epoch then return STALE end

redis.call('HSET', rowKey, 'state', state, 'code', code, 'result', result, 'owner', '', 'cancel', '0',
  'takeovers', 0, 'updated', now)
if row.crashes > 0 then redis.call('HDEL', rowKey, 'crashes') end
-- The claim has set the life that the lease gives already.
if now + keep > row.exp * 1000 + retention then redis.call('PEXPIREAT', rowKey, now + keep) end
redis.call('PUBLISH', channel, taskId)
return redis.call('EXISTS', parkedKey) == 1 and AWAITED or RECORDED
