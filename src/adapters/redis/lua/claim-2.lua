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

  Answers {code, ...}:
    {0}                  lost: the generation marker is missing, nothing was claimed
    {1, epoch}           new
    {2, epoch, takeovers} takeover of a claim that ended without a record
    {3, result}          finished
    {4}                  conflict: the id belongs to another manifest
    {5, owner}           busy
    {6, epoch}           cancelled: granted, so that the refusal can be recorded
]]
local rowKey, generationKey = KEYS[1], KEYS[2]
local sha, job, owner = ARGV[1], ARGV[2], ARGV[3]
local exp, now, dead = tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6]
local retention, keep = tonumber(ARGV[7]), tonumber(ARGV[8])

local LOST, NEW, TAKEOVER, FINISHED, CONFLICT, BUSY, CANCELLED = 0, 1, 2, 3, 4, 5, 6

if redis.call('EXISTS', generationKey) == 0 then return { LOST } end

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

local row = heal(redis.pcall('HMGET', rowKey, 'state', 'sha', 'epoch', 'owner', 'job', 'takeovers', 'cancel', 'exp'))
local state, rowSha, holder, holderJob = row[1], row[2], row[4], row[5]
local epoch, takeovers, cancelled = whole(row[3], MAX_COUNT), whole(row[6], MAX_COUNT), row[7] == '1'
local knownExp = whole(row[8], MAX_SECONDS)
local latestExp = math.max(exp, knownExp)

local function outlive()
  redis.call('PEXPIREAT', rowKey, math.max(latestExp * 1000 + retention, now + keep))
end

-- A later lease of the same task keeps the row longer, whatever the answer is.
local function rememberExp()
  if latestExp > knownExp then
    redis.call('HSET', rowKey, 'exp', latestExp, 'updated', now)
    outlive()
  end
end

local function grant(code)
  redis.call('HSET', rowKey, 'state', 'running', 'sha', sha, 'epoch', epoch + 1, 'owner', owner, 'job', job,
    'takeovers', takeovers, 'exp', latestExp, 'updated', now)
  outlive()
  if code == TAKEOVER then return { code, epoch + 1, takeovers } end
  return { code, epoch + 1 }
end

if not state then return grant(NEW) end
if state == 'waiting' then return grant(CANCELLED) end
if rowSha ~= sha then return { CONFLICT } end
if state == 'success' then
  rememberExp()
  return { FINISHED, redis.call('HGET', rowKey, 'result') }
end
if state == 'running' and holder ~= '' then
  if holderJob ~= job and holder ~= dead then
    rememberExp()
    return { BUSY, holder }
  end
  takeovers = takeovers + 1
  return grant(TAKEOVER)
end
-- Released, or ended with FAILURE.
return grant(cancelled and CANCELLED or NEW)
