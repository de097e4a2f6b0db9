--[[
  Stands before every script that reads a row (docs/protocol.md section 2).

  readRow(key) answers the fields of a row by name, nil for those that are not there; or nothing when there is no row.
  A key of another type, and a row with fields that we never write, count as no row; damaged tells the two apart.
]]
local STATES = { waiting = true, running = true, success = true, failure = true }
local call, find = redis.call, string.find

-- Whether a call failed because the key holds something else; every other failure is raised.
local function isWrongType(reply)
  if type(reply) ~= 'table' or not reply.err then return false end
  if find(reply.err, 'WRONGTYPE', 1, true) then return true end
  error(reply.err)
end

-- What is absent is 0; what is no number is nil.
local function count(text)
  if not text then return 0 end
  return find(text, '^%d+$') and tonumber(text) or nil
end

local function readRow(key)
  local values = redis.pcall('HMGET', key, 'state', 'sha', 'epoch', 'owner', 'job', 'takeovers', 'cancel', 'exp', 'crashes')
  if isWrongType(values) then return nil, true end
  local state, sha, epochText, owner, job, takeoversText, cancel, expText, crashesText = unpack(values, 1, 9)
  if not (state or sha or epochText or owner or job or takeoversText or cancel or expText or crashesText) then return nil, false end
  local epoch, takeovers, exp, crashes = count(epochText), count(takeoversText), count(expText), count(crashesText)
  sha = sha or ''
  local fits = STATES[state] and epoch and takeovers and exp and crashes
    and ((state == 'waiting' and sha == '') or (state ~= 'waiting' and #sha == 64 and find(sha, '^%x+$')))
  if not fits then return nil, true end
  return {
    state = state, sha = sha, epoch = epoch, owner = owner or '', job = job or '',
    takeovers = takeovers, cancel = cancel or nil, exp = exp, crashes = crashes,
  }, false
end
