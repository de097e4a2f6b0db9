--[[
  Keeps an answer that never touches the task's row, and tells those who wait.

  KEYS[1] refused  {wl-xx}:refused:<queue>:<jobId>

  ARGV[1] result   exact signed result
  ARGV[2] keep     milliseconds
  ARGV[3] channel  {wl-xx}:recorded
  ARGV[4] taskId   message for the channel
]]
local refusedKey = KEYS[1]
local result, keep, channel, taskId = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

redis.call('SET', refusedKey, result, 'PX', keep)
redis.call('PUBLISH', channel, taskId)
return 1
