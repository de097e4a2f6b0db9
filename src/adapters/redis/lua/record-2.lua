--[[
  Records the outcome of a claim and tells those who wait (docs/protocol.md section 2).

  KEYS[1] row          {wl-xx}:task:<task_id>
  KEYS[2] generation   {wl-xx}:generation

  ARGV[1] epoch        of the claim
  ARGV[2] state        success | failure
  ARGV[3] code         error code, or ''
  ARGV[4] result       exact signed result
  ARGV[5] now          milliseconds
  ARGV[6] retention    milliseconds that a row outlives its lease
  ARGV[7] keep         milliseconds that a row outlives its last change
  ARGV[8] channel      {wl-xx}:recorded
  ARGV[9] taskId       message for the channel

  Answers 0 lost (marker or row missing) | 1 stale (later claim, or not running) | 2 recorded.
  Nothing is written unless the answer is 2.
]]
local rowKey, generationKey = KEYS[1], KEYS[2]
local epoch, state, code, result, now = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
local retention, keep, channel, taskId = tonumber(ARGV[6]), tonumber(ARGV[7]), ARGV[8], ARGV[9]

local LOST, STALE, RECORDED = 0, 1, 2

if redis.call('EXISTS', generationKey) == 0 then return LOST end
-- A key of another type is no row: somebody else wrote it, and the claim heals it.
local row = redis.pcall('HMGET', rowKey, 'state', 'epoch', 'exp')
if row.err or not row[1] then return LOST end
if row[1] ~= 'running' or row[2] ~= epoch then return STALE end

redis.call('HSET', rowKey, 'state', state, 'code', code, 'result', result, 'owner', '', 'job', '', 'cancel', '0',
  'takeovers', 0, 'updated', now)
-- The claim has set the life that the lease gives already.
if now + keep > (tonumber(row[3] or 0) or 0) * 1000 + retention then redis.call('PEXPIREAT', rowKey, now + keep) end
redis.call('PUBLISH', channel, taskId)
return RECORDED
