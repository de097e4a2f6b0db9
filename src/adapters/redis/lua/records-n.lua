--[[
  Records the outcomes of claims, one after the other, and tells those who wait (docs/protocol.md section 2). In a cluster it is one a call.

  KEYS, of each task:
  row          {wl-xx}:task:<task_id>
  generation   {wl-xx}:generation
  parked       {wl-xx}:parked:<task_id>

  ARGV[1] retention    milliseconds that a row outlives its lease
  ARGV[2] keep         milliseconds that a row outlives its last change
  and of each task:
  epoch        of the claim
  state        success | failure
  code         error code, or ''
  result       exact signed result
  now          milliseconds
  channel      {wl-xx}:recorded
  taskId       message for the channel
  owner        instance of the claim: after a loss of Redis epochs begin anew; '': whoever has it

  Answers a list of: 0 lost (marker or row missing) | 1 stale (another claim, or not running) | 2 recorded | 3 recorded, and jobs are parked.
  Nothing is written unless the answer is 2 or 3.
]]
local retention, keep = tonumber(ARGV[1]), tonumber(ARGV[2])
local SHARED, EACH = 2, 8

local LOST, STALE, RECORDED, AWAITED = 0, 1, 2, 3

local function record(rowKey, generationKey, parkedKey, at)
  local epoch, state, code, result = tonumber(ARGV[at + 1]), ARGV[at + 2], ARGV[at + 3], ARGV[at + 4]
  local now, channel, taskId, owner = tonumber(ARGV[at + 5]), ARGV[at + 6], ARGV[at + 7], ARGV[at + 8]

  if redis.call('EXISTS', generationKey) == 0 then return LOST end
  local row = readRow(rowKey)
  if not row then return LOST end
  if row.state ~= 'running' or row.epoch ~= epoch or (owner ~= '' and row.owner ~= owner) then return STALE end

  redis.call('HSET', rowKey, 'state', state, 'code', code, 'result', result, 'owner', '', 'cancel', '0',
    'takeovers', '0', 'updated', ARGV[at + 5])
  if row.crashes > 0 then redis.call('HDEL', rowKey, 'crashes') end
  -- The claim has set the life that the lease gives already.
  if now + keep > row.exp * 1000 + retention then redis.call('PEXPIREAT', rowKey, now + keep) end
  redis.call('PUBLISH', channel, taskId)
  return redis.call('EXISTS', parkedKey) == 1 and AWAITED or RECORDED
end

local answers = {}
for task = 0, #KEYS / 3 - 1 do
  answers[task + 1] = record(KEYS[3 * task + 1], KEYS[3 * task + 2], KEYS[3 * task + 3], SHARED + EACH * task)
end
return answers
