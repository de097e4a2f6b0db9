--[[
  Appends entries to the revocation log; all or nothing.

  KEYS[1] log      {wl-00}:revocations, entry n at index n - 1

  ARGV[1] channel  {wl-00}:revoked
  ARGV[2] first    number of the first entry given
  ARGV[3..]        tokens of the entries first, first + 1, ...

  Answers {code, number}:
    {0, newest}    every entry stands in the log now
    {1, newest}    gap: `first` would leave a hole after `newest`; nothing was written
    {2, n}         another token stands under n; nothing was written
]]
local logKey = KEYS[1]
local channel, first = ARGV[1], tonumber(ARGV[2])

local OK, GAP, DIFFERENT = 0, 1, 2
local FIRST_TOKEN = 3

local newest = redis.call('LLEN', logKey)
if first > newest + 1 then return { GAP, newest } end

local present = math.min(newest - first + 1, #ARGV - FIRST_TOKEN + 1)
if present > 0 then
  local stored = redis.call('LRANGE', logKey, first - 1, first - 2 + present)
  for i = 1, present do
    if stored[i] ~= ARGV[FIRST_TOKEN - 1 + i] then return { DIFFERENT, first - 1 + i } end
  end
end
local before = newest
for i = FIRST_TOKEN + present, #ARGV do
  newest = redis.call('RPUSH', logKey, ARGV[i])
end
if newest > before then redis.call('PUBLISH', channel, newest) end
return { OK, newest }
