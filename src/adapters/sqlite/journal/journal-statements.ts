/**
 * Every statement of the journal, by name. Parameters are named; nothing is ever spliced into the text.
 * `state = 'open'` and `state = 'success'` are literals, because only so SQLite may use the partial indexes.
 */
export const SQL = {
  dataId: `SELECT value FROM meta WHERE key = 'data_id'`,
  setDataId: `INSERT OR IGNORE INTO meta (key, value) VALUES ('data_id', @value)`,

  attempts: `SELECT coalesce(max(n), (SELECT attempts FROM trimmed WHERE task_id = @taskId), 0) AS attempts FROM attempt WHERE task_id = @taskId`,
  summary: `
    SELECT max(n) AS attempts, max(state = 'open') AS is_open, max(state = 'success') AS done, max(coalesce(closed_at, 0)) AS closed_at, max(exp) AS exp,
      (SELECT manifest_sha256 FROM attempt WHERE task_id = @taskId ORDER BY state = 'success' DESC, n DESC LIMIT 1) AS manifest_sha256,
      EXISTS (SELECT 1 FROM vault WHERE task_id = @taskId) AS is_wanted
    FROM attempt WHERE task_id = @taskId`,
  openOf: `SELECT * FROM attempt WHERE task_id = @taskId AND state = 'open'`,
  successOf: `SELECT * FROM attempt WHERE task_id = @taskId AND state = 'success'`,
  // A withdrawn attempt says nothing about the one before it.
  doubtfulOf: `
    SELECT manifest_sha256, jti, result FROM attempt
    WHERE task_id = @taskId AND doubtful = 1
      AND n = (SELECT max(n) FROM attempt WHERE task_id = @taskId AND result IS NOT '')`,
  allOpen: `SELECT * FROM attempt WHERE state = 'open' ORDER BY task_id`,
  successes: `
    SELECT task_id, manifest_sha256, result, exp FROM attempt
    WHERE state = 'success' AND task_id > @after ORDER BY task_id LIMIT @limit`,

  insertAttempt: `
    INSERT INTO attempt (task_id, n, manifest_sha256, jti, exp, kid, instance, pid, start_time, operation, method,
      source_base, source_path, destination_base, destination_path, source_identity, temporary, retired_base,
      retired_path, undo_of, opened_at)
    VALUES (@task_id, @n, @manifest_sha256, @jti, @exp, @kid, @instance, @pid, @start_time, @operation, @method,
      @source_base, @source_path, @destination_base, @destination_path, @source_identity, @temporary, @retired_base,
      @retired_path, @undo_of, @opened_at)`,
  seal: `
    UPDATE attempt SET stage = 'sealed', sealed_identity = @identity, sealed_sha256 = @sha256
    WHERE task_id = @taskId AND n = @n AND state = 'open' AND stage = 'intent'`,
  publish: `
    UPDATE attempt SET stage = 'published'
    WHERE task_id = @taskId AND n = @n AND state = 'open' AND stage IN ('sealed', 'published')`,
  adopt: `
    UPDATE attempt SET instance = @instance, pid = @pid, start_time = @startTime
    WHERE task_id = @taskId AND n = @n AND state = 'open' AND instance = @from`,
  close: `
    UPDATE attempt SET state = @state, result = @result, outcome_identity = @identity, doubtful = @doubtful, closed_at = @now
    WHERE task_id = @taskId AND n = @n AND state = 'open'
    RETURNING undo_of, source_base, source_path, destination_path, retired_path`,
  // A failure without an answer: nobody was told anything of it.
  withdraw: `
    UPDATE attempt SET state = 'failure', result = '', closed_at = @now
    WHERE task_id = @taskId AND n = @n AND state = 'open' AND stage = 'intent'
    RETURNING undo_of, source_base, source_path, destination_path, retired_path`,
  markUndone: `UPDATE attempt SET undone_by = @by WHERE task_id = @taskId AND state = 'success'`,
  standAgain: `UPDATE attempt SET undone_by = NULL, standing_identity = @identity WHERE task_id = @taskId AND state = 'success'`,

  vaultUsageOf: `SELECT bytes FROM vault_usage WHERE base = @base`,
  vaultUsage: `SELECT base, bytes, files FROM vault_usage ORDER BY base`,
  vaultReserve: `INSERT INTO vault (base, name, task_id, n, bytes, since) VALUES (@base, @name, @taskId, @n, @bytes, @now)`,
  vaultBook: `INSERT INTO vault (base, name, task_id, n, bytes, since, kept) VALUES (@base, @name, @taskId, @n, @bytes, @now, 1)`,
  vaultKeep: `UPDATE vault SET kept = 1, since = @now WHERE task_id = @taskId AND n = @n`,
  vaultFree: `DELETE FROM vault WHERE task_id = @taskId AND n = @n`,
  vaultForget: `DELETE FROM vault WHERE base = @base AND name = @name AND kept = 1`,
  vaultEntries: `
    SELECT vault.base, vault.name, vault.task_id, vault.bytes, vault.since,
      iif(vault.name GLOB 'w-*', attempt.destination_base, attempt.source_base) AS original_base,
      iif(vault.name GLOB 'w-*', attempt.destination_path, attempt.source_path) AS original_path
    FROM vault JOIN attempt USING (task_id, n)
    WHERE vault.kept = 1 AND (vault.task_id, vault.name) > (@after, @afterName)
      AND (@base IS NULL OR vault.base = @base) AND (@before IS NULL OR vault.since < @before)
    ORDER BY vault.task_id, vault.name LIMIT @limit`,

  insertIncident: `INSERT INTO incident (task_id, what, details, at) VALUES (@taskId, @what, @details, @now)`,
  incidents: `SELECT task_id, what, details, at FROM incident ORDER BY id DESC LIMIT @limit`,
  // As doubtfulOf: whoever tried again, under a new lease, has decided about it.
  openIncidents: `
    SELECT incident.task_id, what, details, at FROM incident
    WHERE EXISTS (
      SELECT 1 FROM attempt WHERE attempt.task_id = incident.task_id AND doubtful = 1
        AND n = (SELECT max(n) FROM attempt AS later WHERE later.task_id = incident.task_id AND result IS NOT ''))
    ORDER BY id DESC LIMIT @limit`,
  tally: `SELECT what, rows FROM tally`,
} satisfies Record<string, string>;
