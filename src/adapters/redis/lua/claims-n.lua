--[[
  Claims tasks, each for one job (docs/protocol.md section 2, table "Claim"), one after the other. In a cluster it is one task a call.

  KEYS, of each task:
  row          {wl-xx}:task:<task_id>
  generation   {wl-xx}:generation

  ARGV[1] retention    milliseconds that a row outlives its lease
  ARGV[2] keep         milliseconds that a row outlives its last change
  and of each task:
  sha          SHA-256 of the manifest
  job          <queue>:<jobId>
  owner        instance of the claiming worker
  exp          lease expiry, seconds
  now          milliseconds
  dead         instance known to be dead, or ''
  look         '1': grant nothing, the process works on the task already
  takes        '1': the job has waited for the end of a run; '2': the task is a step of a plan; else '0'
  wish         which ask the job stands for, or '' where that is not compared

  Answers a list of {code, ...}:
    {0}                  lost: the generation marker is missing, nothing was claimed
    {1, epoch, crashes}  new
    {2, epoch, crashes, takeovers} takeover of a claim that ended without a record
    {3, result}          finished
    {4}                  conflict: the id belongs to another manifest
    {5, owner}           busy
    {6, epoch}           cancelled: granted, so that the refusal can be recorded
    {7, result}          failed: the answer to a job that waited for it, to a step, or to the ask for which it was recorded
]]
local retention, keep = tonumber(ARGV[1]), tonumber(ARGV[2])
local SHARED, EACH = 2, 9
local max = math.max

local LOST, NEW, TAKEOVER, FINISHED, CONFLICT, BUSY, CANCELLED, FAILED = 0, 1, 2, 3, 4, 5, 6, 7
-- Failures that speak of one job's own lease: another job's may be better.
local OF_ONE_LEASE = { LEASE_EXPIRED = true, INVALID_LEASE = true }
-- The one that the plan of a step does not see.
local NO_ANSWER_OF_A_STEP = { LEASE_EXPIRED = true }

-- A later lease of the same task keeps the row longer, whatever the answer is.
local function rememberExp(rowKey, row, exp, now)
  if exp <= row.exp then return end
  call('HSET', rowKey, 'exp', exp, 'updated', now)
  call('PEXPIREAT', rowKey, max(exp * 1000 + retention, now + keep))
end

-- Most tasks are new: a row of theirs is written as it is read where nothing is there, without counts that are 0. The texts are
-- written as they came: the server writes a number of ours with 17 digits' worth of work.
local function grantNew(rowKey, at)
  local owner, exp, now = ARGV[at + 3], ARGV[at + 4], ARGV[at + 5]
  if ARGV[at + 7] == '1' then return { BUSY, owner } end
  -- Before anything is written: what is no number ends the call here.
  local outlives = max(exp * 1000 + retention, now + keep)
  call('HSET', rowKey, 'state', 'running', 'sha', ARGV[at + 1], 'epoch', '1', 'owner', owner, 'job', ARGV[at + 2], 'exp', exp, 'updated', now)
  call('PEXPIREAT', rowKey, outlives)
  return { NEW, 1, 0, 0 }
end

local function claim(rowKey, generationKey, at)
  -- The marker counts twice, the row once: one question for both.
  local there = call('EXISTS', generationKey, generationKey, rowKey)
  if there < 2 then return { LOST } end
  if there == 2 then return grantNew(rowKey, at) end

  local row, damaged = readRow(rowKey)
  if damaged then call('DEL', rowKey) end
  if not row then return grantNew(rowKey, at) end

  local sha, job, owner = ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]
  local exp, now, dead = tonumber(ARGV[at + 4]), tonumber(ARGV[at + 5]), ARGV[at + 6]
  local look, takes, wish = ARGV[at + 7] == '1', ARGV[at + 8], ARGV[at + 9]

  local function grant(code)
    if look then return { BUSY, owner } end
    local latestExp = max(exp, row.exp)
    call('HSET', rowKey, 'state', 'running', 'sha', sha, 'epoch', row.epoch + 1, 'owner', owner, 'job', job,
      'takeovers', row.takeovers, 'exp', latestExp, 'updated', now)
    call('PEXPIREAT', rowKey, max(latestExp * 1000 + retention, now + keep))
    return { code, row.epoch + 1, row.crashes, row.takeovers }
  end

  if row.state == 'waiting' then return grant(CANCELLED) end
  if row.sha ~= sha then return { CONFLICT } end
  if row.state == 'success' then
    rememberExp(rowKey, row, exp, now)
    return { FINISHED, call('HGET', rowKey, 'result') }
  end
  -- Of a claim the row still has the FAILURE before it: who has told that claims nothing for another ask.
  if (row.state == 'failure' and takes ~= '0') or (wish ~= '' and find(call('HGET', rowKey, 'wish') or '', wish .. ' ', 1, true)) then
    local leavesTask = takes == '2' and NO_ANSWER_OF_A_STEP or OF_ONE_LEASE
    if not leavesTask[call('HGET', rowKey, 'code') or ''] then
      rememberExp(rowKey, row, exp, now)
      return { FAILED, call('HGET', rowKey, 'result') or '' }
    end
  end
  if row.state == 'running' and row.owner ~= '' then
    if row.job ~= job and row.owner ~= dead then
      rememberExp(rowKey, row, exp, now)
      return { BUSY, row.owner }
    end
    -- The same process again: its claim was not given back, because Redis was away; no worker was lost.
    if row.owner ~= owner then row.takeovers = row.takeovers + 1 end
    return grant(TAKEOVER)
  end
  -- Released, or ended with FAILURE.
  return grant(row.cancel == '1' and CANCELLED or NEW)
end

local answers = {}
for task = 0, #KEYS / 2 - 1 do
  answers[task + 1] = claim(KEYS[2 * task + 1], KEYS[2 * task + 2], SHARED + EACH * task)
end
return answers
