--[[
  Forgets that a job waits, because it is here again.

  KEYS[1] parked   {wl-xx}:parked:<id>

  ARGV[1] job      <queue>:<jobId>
  ARGV[2] started  how often the job was started, this time included

  Answers 1 it has waited | 0 it has not, or it was added or retried anew since.
]]
local parkedKey = KEYS[1]
local job, started = ARGV[1], tonumber(ARGV[2])

local noted = redis.pcall('HGET', parkedKey, job)
if isWrongType(noted) or not noted then return 0 end
redis.call('HDEL', parkedKey, job)
return (tonumber(noted) or started) < started and 1 or 0
