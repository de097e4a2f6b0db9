-- How far the events of the plan queue were looked at (docs/webhooks.md, Ends of plans): a place in each shard, and the time up to which
-- everything was seen. A notice or a wish about a plan has `plan:` and its hash as its task_id, which no task has.
CREATE TABLE plan_place (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  queue TEXT,
  seen_at INTEGER NOT NULL
) STRICT;
