--[[
  Stands before every script that reads a row (docs/protocol.md section 2).

  readRow(key) answers the fields of a row by name, nil for those that are not there; or nothing when there is no row.
  A key of another type, and a row with fields that we never write, count as no row; damaged tells the two apart.
]]
local STATES = { waiting = true, running = true, success = true, failure = true }
local FIELDS = { 'state', 'sha', 'epoch', 'owner', 'job', 'takeovers', 'cancel', 'exp', 'crashes' }

-- Whether a call failed because the key holds something else; every other failure is raised.
local function isWrongType(reply)
  if type(reply) ~= 'table' or not reply.err then return false end
  if string.find(reply.err, 'WRONGTYPE', 1, true) then return true end
  error(reply.err)
end

local function count(text)
  return tonumber(string.match(text or '0', '^%d+$'))
end

local function readRow(key)
  local values = redis.pcall('HMGET', key, unpack(FIELDS))
  if isWrongType(values) then return nil, true end
  local row, any = {}, false
  for i, name in ipairs(FIELDS) do
    row[name] = values[i] or nil
    any = any or values[i]
  end
  if not any then return nil, false end
  row.epoch, row.takeovers, row.exp, row.crashes = count(row.epoch), count(row.takeovers), count(row.exp), count(row.crashes)
  local sha = row.sha or ''
  local fits = row.epoch and row.takeovers and row.exp and row.crashes
    and ((row.state == 'waiting' and sha == '') or (row.state ~= 'waiting' and string.match(sha, '^%x+$') and #sha == 64))
  if not STATES[row.state or ''] or not fits then return nil, true end
  row.owner, row.job = row.owner or '', row.job or ''
  return row, false
end
