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
  wish         which ask the job stands for, or ''; kept with a failure
  goesOn       '1': a job may run the task again though nobody asks anew, and a cancel that was asked ends that attempt

  Answers a list of: 0 lost (marker or row missing) | 1 stale (another claim, or not running) | 2 recorded | 3 recorded, and jobs are parked.
  Nothing is written unless the answer is 2 or 3.
]]
local retention, keep = tonumber(ARGV[1]), tonumber(ARGV[2])
local SHARED, EACH = 2, 10

-- Asks that a row remembers, as long as each other.
local MAX_WISHES = 8

local LOST, STALE, RECORDED, AWAITED = 0, 1, 2, 3

local function record(rowKey, generationKey, parkedKey, at)
  -- The marker counts twice, parked jobs once: one question for both.
  local there = call('EXISTS', generationKey, generationKey, parkedKey)
  if there < 2 then return LOST end
  local row = readRow(rowKey)
  if not row then return LOST end
  local owner, now = ARGV[at + 8], ARGV[at + 5]
  if row.state ~= 'running' or row.epoch ~= tonumber(ARGV[at + 1]) or (owner ~= '' and row.owner ~= owner) then return STALE end

  call('HSET', rowKey, 'state', ARGV[at + 2], 'code', ARGV[at + 3], 'result', ARGV[at + 4], 'owner', '', 'updated', now)
  -- The youngest first, a blank after each.
  local wish = ARGV[at + 9]
  if wish ~= '' and ARGV[at + 2] == 'failure' then
    call('HSET', rowKey, 'wish', string.sub(wish .. ' ' .. (call('HGET', rowKey, 'wish') or ''), 1, MAX_WISHES * (#wish + 1)))
  end
  -- What is not there counts as 0 and as no cancel.
  local cancel = row.cancel == '1' and ARGV[at + 10] or '0'
  if row.cancel or row.takeovers > 0 then call('HSET', rowKey, 'cancel', cancel, 'takeovers', '0') end
  if row.crashes > 0 then call('HDEL', rowKey, 'crashes') end
  -- The claim has set the life that the lease gives already.
  if now + keep > row.exp * 1000 + retention then call('PEXPIREAT', rowKey, now + keep) end
  call('PUBLISH', ARGV[at + 6], ARGV[at + 7])
  return there == 3 and AWAITED or RECORDED
end

local answers = {}
for task = 0, #KEYS / 3 - 1 do
  answers[task + 1] = record(KEYS[3 * task + 1], KEYS[3 * task + 2], KEYS[3 * task + 3], SHARED + EACH * task)
end
return answers
