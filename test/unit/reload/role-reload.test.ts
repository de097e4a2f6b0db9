import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fingerprintOf } from '../../../config/fingerprint.ts';
import { loadConfig } from '../../../config/load.ts';
import { judgeReload } from '../../../config/reloadable.ts';
import { createAuditReader } from '../../../src/data-dir/audit-reader.ts';
import { dataDirPaths } from '../../../src/data-dir/paths.ts';
import { runningRoles } from '../../../src/data-dir/running-roles.ts';
import type { Logger } from '../../../src/observability/logging.ts';
import { holdSettings } from '../../../src/reload/live-settings.ts';
import { type RoleReload, reloadRole } from '../../../src/reload/role-reload.ts';

const WATCHED = '[reload]\nwatch = true\nsettle_ms = 50\n';

let home: string;
let role: RoleReload | undefined;
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'writ-role-reload-'));
});
afterEach(async () => {
  await role?.end();
  rmSync(home, { recursive: true });
});

function edit(toml: string): void {
  writeFileSync(path.join(home, '.writ.toml.new'), toml);
  renameSync(path.join(home, '.writ.toml.new'), path.join(home, 'writ.toml'));
}

/** A role that runs with these settings and follows its file. */
function begin(toml: string) {
  edit(toml);
  const read = () => loadConfig({ env: {}, dataDir: home });
  const { config, file } = read();
  const settings = holdSettings(config);
  const problems: string[] = [];
  const quiet = () => undefined;
  const log = { level: 'info', info: quiet, warn: quiet, error: (told: { problem: string }) => problems.push(told.problem) } as unknown as Logger;
  role = reloadRole({
    role: 'worker',
    config,
    fingerprintOf,
    judge: judgeReload,
    reloadable: { settings, read: () => read().config, file },
    places: dataDirPaths(home),
    log,
  });
  role.begin();
  return { settings, problems };
}

async function records() {
  const found: string[] = [];
  for await (const { who, outcome, detail } of createAuditReader(dataDirPaths(home).audit).records()) found.push(`${who} ${outcome} ${JSON.stringify(detail)}`);
  return found;
}

describe('a role that follows the file of its settings', () => {
  it('takes up what is sound, says so in the audit log, and keeps what it has when the next file is bad', async () => {
    const { settings, problems } = begin(WATCHED);
    edit(`${WATCHED}[search]\nmax_run_s = 7\n`);
    await expect.poll(() => settings.generation, { timeout: 20_000 }).toBe(2);
    edit(`${WATCHED}[search]\nmax_run_s = "soon"\n`);
    await expect.poll(() => problems, { timeout: 9000 }).toEqual([expect.stringContaining('search.max_run_s')]);
    expect(settings.current.search.max_run_s).toBe(7);
    edit(`${WATCHED}[search]\nmax_run_s = 8\n[redis]\nurl = "redis://:secret@other:1"\n`);
    await expect.poll(() => settings.current.search.max_run_s, { timeout: 20_000 }).toBe(8);
    const detail = '"needs restart":"redis.url"';
    await expect.poll(() => runningRoles(dataDirPaths(home).running)[0]?.generation).toBe(3);
    await expect
      .poll(records)
      .toEqual([
        'reload.watch asked {"search.max_run_s":"600 -> 7"}',
        'reload.watch done {"search.max_run_s":"600 -> 7"}',
        `reload.watch asked {${detail},"search.max_run_s":"7 -> 8"}`,
        `reload.watch done {${detail},"search.max_run_s":"7 -> 8"}`,
      ]);
  });

  it('follows nothing unless it is set', async () => {
    const { settings } = begin('[reload]\nsettle_ms = 50\n');
    edit('[search]\nmax_run_s = 7\n');
    role?.signalled();
    await expect.poll(() => settings.generation).toBe(2);
    await expect.poll(async () => (await records()).map((one) => one.split(' ')[0])).toEqual(['SIGHUP', 'SIGHUP']);
  });
});
