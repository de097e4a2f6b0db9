import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { dataDirPaths } from '../../../src/data-dir/paths.ts';
import { runningRoles } from '../../../src/data-dir/running-roles.ts';
import { ensureKeys } from '../../../src/data-dir/signing-keys.ts';
import { commandLine, lastJson } from '../../support/command-line.ts';
import { PATIENCE } from '../../support/patience.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';
import { FAST_LOCKS } from '../../support/rig.ts';
import { startWrit, type WritProcess } from '../../support/writ-process.ts';

/** `writ kernel`, `writ worker` and `writ api` as processes on a Redis of their own, which follow the file of their settings. */

const ROLES = ['kernel', 'worker', 'api'] as const;

let home: string;
let redis: TestRedis;
let url: string;
let key: string;
let cookie: string;
const started: WritProcess[] = [];
const places = () => dataDirPaths(path.join(home, 'data'));
const base = (name: string): string => path.join(home, name);

beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'writ-roles-'));
  for (const name of ['main', 'late']) mkdirSync(base(name));
  await ensureKeys(places());
  settings();
  redis = await startTestRedis({ directory: places().redis });
  for (const role of ROLES) started.push(startWrit(['--data-dir', places().dataDir, '--set', 'http.port=0', role]));
  await vi.waitFor(() => expect(runningRoles(places().running)).toHaveLength(ROLES.length), PATIENCE);
  url = readFileSync(places().apiUrl, 'utf8').trim();
  const made = await cli(['key', 'create', 'me', '--roles', 'read,operate,submit', '--print']);
  key = String(lastJson(made)['secret'] ?? /writ_\S+/.exec(made.out)?.[0]);
  const login = await fetch(`${url}/login`, { method: 'POST', redirect: 'manual', headers: { origin: url }, body: new URLSearchParams({ key }) });
  cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
});
afterAll(async () => {
  for (const { child, ended } of started) {
    child.kill('SIGTERM');
    await ended;
  }
  await redis.stop();
  rmSync(home, { recursive: true, force: true });
});

/** Exchanges the file of the settings, as an editor does that writes beside it and renames. */
function settings(lease = '', bases: readonly string[] = ['main']): void {
  const worker = Object.entries(FAST_LOCKS).map(([name, value]) => `${name} = ${value}`);
  const lines = [
    '[worker]',
    ...worker,
    '[log]\nlevel = "warn"',
    '[reload]\nwatch = true\nsettle_ms = 50',
    `[lease]\n${lease}`,
    '[file.base_directories]',
    ...bases.map((name) => `${name} = ${JSON.stringify(base(name))}`),
  ];
  writeFileSync(`${places().configFile}.new`, lines.join('\n'), { mode: 0o600 });
  renameSync(`${places().configFile}.new`, places().configFile);
}

/** Nobody has said so to the roles: each has seen the file. */
const allAt = (generation: number) =>
  expect.poll(() => runningRoles(places().running).map((role) => role.generation), PATIENCE).toEqual(ROLES.map(() => generation));
const cli = (args: readonly string[], input?: string) => commandLine(['--data-dir', places().dataDir, ...args, '--json'], input);
const json = async (args: readonly string[], input?: string) => lastJson(await cli(args, input));
const manifestOf = (id: string, directory = 'main') => {
  writeFileSync(path.join(base(directory), id), id);
  return {
    task_id: id,
    capability_id: 'FILE_COPY',
    inputs: { source_path: path.join(base(directory), id), destination_path: path.join(base(directory), `${id}.copy`) },
    constraints: {},
  };
};
const look = async (page: string): Promise<{ status: number; text: string }> => {
  const reply = await fetch(`${url}${page}`, { headers: { accept: 'text/html', cookie }, redirect: 'manual' });
  return { status: reply.status, text: await reply.text() };
};

describe('roles that follow the file of their settings', () => {
  it('take up limits of leases: the kernel signs none that is longer, the worker runs none that it had taken before, and both forget the limit again', async () => {
    const long = manifestOf('long');
    const lease = String((await json(['lease', 'issue', '-', '--ttl', '1h'], JSON.stringify(long)))['lease']);
    expect((await cli(['queue', 'pause', 'file'])).code).toBe(0);
    expect(await json(['push', '-'], JSON.stringify({ manifest: long, lease }))).toMatchObject({ summary: { accepted: 1 } });

    settings('max_ttl_s = 60\ndefault_ttl_s = 60');
    await allAt(2);
    expect(await json(['lease', 'issue', '-', '--ttl', '1h'], JSON.stringify(long))).toMatchObject({ error: { code: 'INVALID_ARGUMENT' } });
    expect(await json(['push', '-', '--sign'], JSON.stringify(manifestOf('short')))).toMatchObject({ summary: { accepted: 1 } });
    expect((await cli(['queue', 'resume', 'file'])).code).toBe(0);
    const refused = { result: { status: 'FAILURE', error: { error_code: 'INVALID_LEASE', message: expect.stringContaining('60 seconds') } } };
    await expect.poll(() => json(['result', 'long']), PATIENCE).toMatchObject(refused);
    await expect.poll(() => json(['result', 'short']), PATIENCE).toMatchObject({ result: { status: 'SUCCESS' } });

    settings();
    await allAt(3);
    expect((await cli(['tasks', 'retry', 'long'])).code).toBe(0);
    await expect.poll(() => json(['result', 'long']), PATIENCE).toMatchObject({ result: { status: 'SUCCESS' } });
  });

  it('keep who reads: a stream of events that is open, and a browser that is logged in, go on over a reload', async () => {
    const [{ generation = 0 } = {}] = runningRoles(places().running);
    const leaving = new AbortController();
    const stream = await fetch(`${url}/v1/events`, { headers: { authorization: `Bearer ${key}` }, signal: leaving.signal });
    let heard = '';
    const reading = (async () => {
      for await (const piece of stream.body ?? []) heard += Buffer.from(piece as Uint8Array).toString();
    })().catch(() => undefined);
    expect((await look('/console')).status).toBe(200);

    settings('', ['main', 'late']);
    await allAt(generation + 1);
    expect(await json(['push', '-', '--sign', '--wait'], JSON.stringify(manifestOf('over', 'late')))).toMatchObject({ summary: { accepted: 1 } });
    // The same connection tells of a task in a base directory that it has seen come.
    await expect.poll(() => heard, PATIENCE).toMatch(/"task_id":"over"[^\n]*"state":"success"/);
    expect((await look('/console/tasks/over')).text).toContain('verified');
    leaving.abort();
    await reading;
  });
});

describe('the console while Redis is gone', () => {
  it('says so on each page that needs it, shows what the index knows, keeps who is logged in, and goes on when Redis is back', async () => {
    await redis.kill();
    const now = await look('/console');
    expect([now.status, now.text]).toEqual([200, expect.stringContaining('REDIS_UNAVAILABLE')]);
    expect((await look('/console/tasks')).text).toContain('/console/tasks/over');
    for (const page of ['/console/tasks/over', '/console/plans']) {
      expect([page, await look(page)]).toEqual([page, { status: 503, text: expect.stringMatching(/REDIS_UNAVAILABLE[\s\S]*nothing is lost/i) }]);
    }
    expect((await look('/console/sessions')).status).toBe(200);
    const press = await fetch(`${url}/console/tasks/over/retry`, {
      method: 'POST',
      redirect: 'manual',
      headers: { accept: 'text/html', cookie, origin: url, 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(press.status).toBe(503);
    await redis.restart();
    await expect.poll(async () => (await look('/console/tasks/over')).status, PATIENCE).toBe(200);
    expect(await json(['push', '-', '--sign', '--wait'], JSON.stringify(manifestOf('after')))).toMatchObject({ summary: { accepted: 1 } });
    await expect.poll(async () => (await look('/console/tasks/after')).text, PATIENCE).toContain('verified');
  });
});
