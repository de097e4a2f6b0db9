--[[
  Shows that a plan waits, because somebody pushes it, unless its view has another end than the one that he has seen
  (docs/plan-protocol.md section 2, Views). Forgets a cancel that was asked, and the generation: the next delivery says which it is.

  KEYS[1] plan     {wl-xx}:plan:<plan_sha256>

  ARGV[1] seen     when the end was written that was seen, milliseconds since 1970; empty: there was none
  ARGV[2] steps    concrete steps that have an answer
  ARGV[3] now      milliseconds since 1970
  ARGV[4] until    milliseconds since 1970 when the view may go
  ARGV[5] begins   not before, milliseconds since 1970; empty: now
  ARGV[6] channel  where listeners are told
  ARGV[7] id       <plan_sha256>

  Answers 1, or 0 when the plan has ended meanwhile and nothing was written.
]]
local planKey, seen = KEYS[1], ARGV[1]

local shown = redis.pcall('HMGET', planKey, 'state', 'updated')
if isWrongType(shown) then
  redis.call('DEL', planKey)
  shown = {}
end
-- As its reader has it: a time that is none is 0.
local updated = shown[2] and find(shown[2], '^%d+$') and #shown[2] <= 15 and tonumber(shown[2]) or 0
if (shown[1] == 'success' or shown[1] == 'failure') and updated ~= tonumber(seen) then return 0 end

redis.call('HDEL', planKey, 'cancel', 'generation')
redis.call('HSET', planKey, 'state', 'waiting', 'steps', ARGV[2], 'current', '', 'error', '', 'result', '', 'updated', ARGV[3], 'begins', ARGV[5])
redis.call('PEXPIREAT', planKey, ARGV[4])
redis.call('PUBLISH', ARGV[6], ARGV[7])
return 1
