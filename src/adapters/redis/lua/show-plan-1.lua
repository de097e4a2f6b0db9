--[[
  Writes how a plan stands into its view, unless the view is ahead (docs/plan-protocol.md section 2, Views).

  KEYS[1] plan       {wl-xx}:plan:<plan_sha256>

  ARGV[1] generation how often the plan had been retried when whoever writes began
  ARGV[2] state      waiting, running, success or failure
  ARGV[3] steps      concrete steps that have an answer
  ARGV[4] current    where it is, JSON or empty
  ARGV[5] error      of an end, JSON or empty
  ARGV[6] result     the signed end, or empty
  ARGV[7] now        milliseconds since 1970
  ARGV[8] until      milliseconds since 1970 when the view may go
  ARGV[9] channel    where listeners are told
  ARGV[10] id        <plan_sha256>

  Answers 1 when a cancel was asked, otherwise 0; also when nothing is written, because the view is of a later generation, or has the end of
  this one.
]]
local planKey, generation, state = KEYS[1], tonumber(ARGV[1]), ARGV[2]
local ENDS = { success = true, failure = true }

local shown = redis.pcall('HMGET', planKey, 'state', 'generation', 'cancel')
if isWrongType(shown) then
  redis.call('DEL', planKey)
  shown = {}
end
local cancel = shown[3] == '1' and 1 or 0
-- A generation that is none is nobody's.
local known = shown[2] and count(shown[2])
if known and (known > generation or (known == generation and ENDS[shown[1]] and not ENDS[state])) then return cancel end

redis.call('HSET', planKey, 'generation', ARGV[1], 'state', state, 'steps', ARGV[3], 'current', ARGV[4], 'error', ARGV[5], 'result', ARGV[6], 'updated', ARGV[7])
redis.call('PEXPIREAT', planKey, ARGV[8])
redis.call('PUBLISH', ARGV[9], ARGV[10])
return cancel
