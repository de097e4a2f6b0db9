import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createAuditReader, verifyAuditFile } from '../../../src/data-dir/audit-reader.ts';
import { runningRoles } from '../../../src/data-dir/running-roles.ts';
import type { ReloadPoint } from '../../../src/reload/live-settings.ts';
import { scriptArgs } from '../../support/compiled/script.ts';
import { PATIENCE } from '../../support/patience.ts';
import { FAST_LOCKS } from '../../support/rig.ts';
import { startCommand, type WritProcess } from '../../support/writ-process.ts';
import { type Installation, startInstallation } from './installation.ts';

const CHILD = new URL('./cut-role-child.ts', import.meta.url);

/** A step, the records that the log has of a reload that ended behind it, and the step before. */
const CASES = [
  ['judged', [], ''],
  ['asked', ['asked'], 'judged'],
  ['swapped', ['asked'], 'asked'],
  ['told', ['asked'], 'swapped'],
] as const satisfies readonly (readonly [ReloadPoint, readonly string[], string])[];

let site: Installation;
/** Dies behind the step that the next test is about. */
let doomed: WritProcess;
beforeAll(async () => {
  site = await startInstallation();
  settings('main');
  doomed = await worker(CASES[0][0]);
});
afterAll(async () => {
  doomed.child.kill('SIGKILL');
  await doomed.ended;
  await site[Symbol.asyncDispose]();
});

/** A worker whose settings are as the file says, ready. */
async function worker(deadly: string): Promise<WritProcess> {
  const role = startCommand(process.execPath, scriptArgs(CHILD, [site.places.dataDir, deadly]));
  await vi.waitFor(() => expect(runningRoles(site.places.running).map(({ pid }) => pid)).toEqual([role.child.pid]), PATIENCE);
  return role;
}

/** The file of the settings with these base directories, which are made. */
function settings(...bases: readonly string[]): void {
  const rows = bases.map((name) => {
    const directory = name === 'main' ? site.base : path.join(path.dirname(site.base), name);
    mkdirSync(directory, { recursive: true });
    return `${name} = ${JSON.stringify(directory)}`;
  });
  const locks = Object.entries(FAST_LOCKS).map(([key, value]) => `${key} = ${value}`);
  writeFileSync(site.places.configFile, ['[worker]', ...locks, '[log]\nlevel = "warn"', '[file.base_directories]', ...rows].join('\n'), { mode: 0o600 });
}

/** Outcomes of the records since `from`, and what the chain says. */
async function records(from: number): Promise<readonly string[]> {
  if (!existsSync(site.places.audit)) return [];
  const found: string[] = [];
  for await (const { action, outcome } of createAuditReader(site.places.audit).records()) if (action === 'settings.reload') found.push(outcome);
  return found.slice(from);
}

describe('a worker that is killed in the midst of a reload', () => {
  it.each(CASES)('behind %s: the log is whole and has %j, `writ reload` says so, and the next worker has the file as it is', async (point, kept) => {
    const before = (await records(0)).length;
    // A task that nobody has begun when the worker dies.
    expect((await site.cli(['queue', 'pause', 'file'])).code).toBe(0);
    const manifest = site.manifest(`t-${point}`, 'FILE_COPY', `../late-${point}/a`, `../late-${point}/b`);
    settings('main', `late-${point}`);
    writeFileSync(path.join(path.dirname(site.base), `late-${point}`, 'a'), point);
    const inside = { ...manifest, inputs: Object.fromEntries(Object.entries(manifest.inputs).map(([key, value]) => [key, path.resolve(String(value))])) };
    expect((await site.cli(['push', '-', '--sign'], JSON.stringify(inside))).code).toBe(0);

    const reload = await site.cli(['reload']);
    expect([reload.code, reload.out]).toEqual([0, expect.stringContaining('ended meanwhile')]);
    expect(await doomed.ended).toBe('SIGKILL');
    expect(await records(before)).toEqual(kept);
    if (existsSync(site.places.audit)) expect(await verifyAuditFile(site.places.audit)).toMatchObject({ ok: true });

    doomed = await worker(CASES.find(([, , after]) => after === point)?.[0] ?? 'never');
    expect(runningRoles(site.places.running)).toMatchObject([{ generation: 1 }]);
    expect((await site.cli(['queue', 'resume', 'file'])).code).toBe(0);
    await expect.poll(() => site.json(['result', `t-${point}`]), PATIENCE).toMatchObject({ result: { status: 'SUCCESS' } });
  });
});
