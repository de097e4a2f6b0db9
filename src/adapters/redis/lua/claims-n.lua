--[[
  Claims a task for one job (docs/protocol.md section 2, table "Claim").

  KEYS[1] row          {wl-xx}:task:<task_id>
  KEYS[2] generation   {wl-xx}:generation

  ARGV[1] sha          SHA-256 of the manifest
  ARGV[2] job          <queue>:<jobId>
  ARGV[3] owner        instance of the claiming worker
  ARGV[4] exp          lease expiry, seconds
  ARGV[5] now          milliseconds
  ARGV[6] dead         instance known to be dead, or ''
  ARGV[7] retention    milliseconds that a row outlives its lease
  ARGV[8] keep         milliseconds that a row outlives its last change
  ARGV[9] look         '1': grant nothing, the process works on the task already
  ARGV[10] parked      '1': the job has waited for the end of a run

  Answers {code, ...}:
    {0}                  lost: the generation marker is missing, nothing was claimed
    {1, epoch, crashes}  new
    {2, epoch, crashes, takeovers} takeover of a claim that ended without a record
    {3, result}          finished
    {4}                  conflict: the id belongs to another manifest
    {5, owner}           busy
    {6, epoch}           cancelled: granted, so that the refusal can be recorded
    {7, result}          failed: the answer to a job that waited for it
]]
local rowKey, generationKey = KEYS[1], KEYS[2]
local sha, job, owner = ARGV[1], ARGV[2], ARGV[3]
local exp, now, dead = tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6]
local retention, keep = tonumber(ARGV[7]), tonumber(ARGV[8])
local look, parked = ARGV[9] == '1', ARGV[10] == '1'

local LOST, NEW, TAKEOVER, FINISHED, CONFLICT, BUSY, CANCELLED, FAILED = 0, 1, 2, 3, 4, 5, 6, 7
-- Failures that speak of one job's own lease: another job's may be better.
local OF_ONE_LEASE = { LEASE_EXPIRED = true, INVALID_LEASE = true }

if redis.call('EXISTS', generationKey) == 0 then return { LOST } end

local found, damaged = readRow(rowKey)
if damaged then redis.call('DEL', rowKey) end
local row = found or { epoch = 0, takeovers = 0, crashes = 0, exp = 0, owner = '' }
local latestExp = math.max(exp, row.exp)

local function outlive()
  redis.call('PEXPIREAT', rowKey, math.max(latestExp * 1000 + retention, now + keep))
end

-- A later lease of the same task keeps the row longer, whatever the answer is.
local function rememberExp()
  if latestExp > row.exp then
    redis.call('HSET', rowKey, 'exp', latestExp, 'updated', now)
    outlive()
  end
end

local function grant(code)
  if look then return { BUSY, owner } end
  redis.call('HSET', rowKey, 'state', 'running', 'sha', sha, 'epoch', row.epoch + 1, 'owner', owner, 'job', job,
    'takeovers', row.takeovers, 'exp', latestExp, 'updated', now)
  outlive()
  return { code, row.epoch + 1, row.crashes, row.takeovers }
end

if not found then return grant(NEW) end
if row.state == 'waiting' then return grant(CANCELLED) end
if row.sha ~= sha then return { CONFLICT } end
if row.state == 'success' then
  rememberExp()
  return { FINISHED, redis.call('HGET', rowKey, 'result') }
end
if row.state == 'failure' and parked and not OF_ONE_LEASE[redis.call('HGET', rowKey, 'code') or ''] then
  rememberExp()
  return { FAILED, redis.call('HGET', rowKey, 'result') }
end
if row.state == 'running' and row.owner ~= '' then
  if row.job ~= job and row.owner ~= dead then
    rememberExp()
    return { BUSY, row.owner }
  end
  -- The same process again: its claim was not given back, because Redis was away; no worker was lost.
  if row.owner ~= owner then row.takeovers = row.takeovers + 1 end
  return grant(TAKEOVER)
end
-- Released, or ended with FAILURE.
return grant(row.cancel == '1' and CANCELLED or NEW)
