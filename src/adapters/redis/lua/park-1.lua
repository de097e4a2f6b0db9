--[[
  Notes a job that waits for the end of a task or plan (docs/protocol.md section 4, Duplicates).

  KEYS[1] parked   {wl-xx}:parked:<id>

  ARGV[1] job      <queue>:<jobId>
  ARGV[2] started  how often the job was started
  ARGV[3] until    milliseconds since 1970 when the notes may go

  Answers how many jobs wait.
]]
local parkedKey = KEYS[1]
local job, started, till = ARGV[1], ARGV[2], ARGV[3]

if isWrongType(redis.pcall('HSET', parkedKey, job, started)) then
  redis.call('DEL', parkedKey)
  redis.call('HSET', parkedKey, job, started)
end
redis.call('PEXPIREAT', parkedKey, till)
return redis.call('HLEN', parkedKey)
