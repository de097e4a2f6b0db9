--[[
  Leaves behind the job that an ended task would have had, as BullMQ leaves one (docs/plan-protocol.md 1).

  KEYS[1] job       <prefix>:<queue>:<jobId>
  KEYS[2] ended     <prefix>:<queue>:completed | failed
  KEYS[3] other     the other of these two
  KEYS[4] events    <prefix>:<queue>:events

  ARGV[1] jobId
  ARGV[2] state     completed | failed
  ARGV[3] endedAt   milliseconds
  ARGV[4] keep      how many ended jobs are kept
  ARGV[5] keepFrom  milliseconds; older ones go
  ARGV[6] says      returnvalue | failedReason: the field of the event
  ARGV[7] said      its value
  ARGV[8..]         fields of the job

  Answers 0 when a job of that id is on its way: nothing was written | 1.
]]
local job, ended, other, events = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local jobId, state, endedAt, keep, keepFrom = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])

-- A call costs no more than this many old jobs, and takes more away than it adds.
local MOST = 4
local EVENTS = 10000

if redis.call('EXISTS', job) == 1 and not redis.call('ZSCORE', ended, jobId) and not redis.call('ZSCORE', other, jobId) then return 0 end

redis.call('ZREM', other, jobId)
redis.call('HSET', job, unpack(ARGV, 8))
redis.call('ZADD', ended, endedAt, jobId)
redis.call('XADD', events, 'MAXLEN', '~', EVENTS, '*', 'event', state, 'jobId', jobId, ARGV[6], ARGV[7], 'prev', 'active')

local base = string.sub(job, 1, #job - #jobId)
local tooMany = math.min(MOST, redis.call('ZCARD', ended) - keep)
local old = tooMany > 0 and redis.call('ZRANGE', ended, 0, tooMany - 1) or redis.call('ZRANGEBYSCORE', ended, '-inf', keepFrom, 'LIMIT', 0, MOST)
for _, id in ipairs(old) do
  redis.call('ZREM', ended, id)
  redis.call('DEL', base .. id, base .. id .. ':logs')
end
return 1
