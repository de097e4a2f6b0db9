import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAST_LOCKS } from '../../support/rig.ts';
import { type Installation, startInstallation } from './installation.ts';

let writ: Installation;
beforeAll(async () => {
  writ = await startInstallation();
});
afterAll(() => writ[Symbol.asyncDispose]());

describe('the program as a process', () => {
  it('pushes a file of tasks, tells bad lines on stderr and sums up on stdout', async () => {
    const file = path.join(writ.places.dataDir, 'tasks.ndjson');
    const good = Array.from({ length: 450 }, (_, at) => JSON.stringify(writ.manifest(`bulk-${at}`, 'FILE_COPY', `s${at}`, `d${at}`)));
    writeFileSync(file, [...good, '{"task_id":'].join('\n'));
    const said = await writ.spawn(['push', file, '--sign']);
    expect(said.code).toBe(1);
    expect(said.out).toMatch(/^accepted 450, rejected 1 in /);
    expect(said.err).toMatch(/^line 451: .*INVALID_MANIFEST/);
    const { out } = await writ.cli(['status', '--json']);
    expect(JSON.parse(out)).toMatchObject({
      queues: [
        { queue: 'file', waiting: 450, workers: 0, oldest_waiting_ms: expect.any(Number) },
        { queue: 'search', waiting: 0, workers: 0 },
        { queue: 'plan', waiting: 0, workers: 0 },
        { queue: 'message-index', waiting: 0, workers: 0 },
      ],
    });
  });

  it('ends with a summary on Ctrl-C while it waits for more input', async () => {
    const { child, said } = writ.start(['push', '-', '--sign', '--json']);
    child.stdin.write(`${JSON.stringify(writ.manifest('one', 'FILE_COPY', 's', 'd'))}\n`);
    await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
    child.kill('SIGINT');
    const { code, out, err } = await said;
    expect(JSON.parse(out.trim().split('\n').at(-1) ?? '')).toMatchObject({ summary: { accepted: 1, interrupted: true } });
    expect(err).toBe('');
    expect(code).toBe(1);
  });

  it('ends as SIGPIPE would end it when its reader leaves in the midst of a push, and with 0 when it only reads', async () => {
    const push = writ.start(['push', '-', '--sign', '--json']);
    push.child.stdout.once('data', () => push.child.stdout.destroy());
    const tasks = Array.from({ length: 3000 }, (_, at) => JSON.stringify(writ.manifest(`left-${at}`, 'FILE_COPY', `s${at}`, `d${at}`)));
    push.child.stdin.end(tasks.join('\n'));
    expect(await push.said).toMatchObject({ code: 141, err: '' });
    const list = writ.start(['--help']);
    list.child.stdout.destroy();
    expect(await list.said).toMatchObject({ code: 0, err: '' });
  });

  it('does without the kernel where it can, and names it where it cannot', async () => {
    await writ.stopKernel();
    expect(await writ.spawn(['push', '-', '--sign'], JSON.stringify(writ.manifest('x', 'FILE_COPY', 's', 'd')))).toMatchObject({
      code: 3,
      out: expect.stringMatching(/^no task was answered \(broken off\) in /),
      err: expect.stringContaining('KERNEL_UNAVAILABLE'),
    });
    expect((await writ.cli(['result', 'bulk-0'])).code).toBe(3);
  });

  it('says in one line what to start when Redis is down, without a stack trace', async () => {
    await writ.redis.kill();
    const { code, out, err } = await writ.spawn(['status']);
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toBe(`writ: Redis of the data directory ${writ.places.dataDir} does not answer: start it with \`writ up\` (REDIS_UNAVAILABLE)\n`);
  });
});

describe('setting up', () => {
  it('writes settings and keys once, rotates a key, and never shows or overwrites a private part', async () => {
    const home = mkdtempSync(path.join(tmpdir(), 'writ-init-'));
    try {
      const dataDir = path.join(home, 'data');
      const init = await writ.spawn(['--data-dir', dataDir, 'init', '--json']);
      expect(init.code).toBe(0);
      expect(JSON.parse(init.out)).toMatchObject({ config_written: true, keys: [{ role: 'kernel' }, { role: 'executor' }] });
      writeFileSync(path.join(dataDir, 'writ.toml'), '# mine\n');
      expect(JSON.parse((await writ.cli(['--data-dir', dataDir, 'init', '--json'])).out)).toMatchObject({ config_written: false, keys: [] });
      expect(readFileSync(path.join(dataDir, 'writ.toml'), 'utf8')).toBe('# mine\n');

      const keyFile = path.join(dataDir, 'keys', 'kernel.key.json');
      const old = JSON.parse(readFileSync(keyFile, 'utf8')) as { kid: string; d: string };
      const made = await writ.cli(['--data-dir', dataDir, 'keygen', '--capabilities', 'FILE_COPY', '--json']);
      const fresh = JSON.parse(readFileSync(keyFile, 'utf8')) as { kid: string; d: string };
      expect(JSON.parse(made.out)).toMatchObject({ kid: fresh.kid, role: 'kernel' });
      expect(made.out).not.toContain(fresh.d);
      expect(statSync(keyFile).mode & 0o777).toBe(0o600);
      expect(existsSync(path.join(dataDir, 'keys', `kernel.key.${old.kid}.json`))).toBe(true);
      const ring = JSON.parse(readFileSync(path.join(dataDir, 'keys', 'kernel.jwks.json'), 'utf8')) as { keys: Record<string, unknown>[] };
      expect(ring.keys.map((key) => [key['kid'], key['writ:capabilities'], key['d']])).toEqual([
        [old.kid, ['*'], undefined],
        [fresh.kid, ['FILE_COPY'], undefined],
      ]);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });

  it('shows with doctor every setting with its source, and exits 3 while servers are missing', async () => {
    const { code, out } = await writ.cli(['doctor', '--json', '--set', 'log.level=warn']);
    expect(code).toBe(3);
    const { settings, checks } = JSON.parse(out) as { settings: Record<string, unknown>[]; checks: Record<string, unknown>[] };
    expect(settings).toContainEqual({ key: 'log.level', value: '"warn"', source: expect.stringContaining('flag') });
    expect(settings).toContainEqual({ key: 'worker.lock_ms', value: String(FAST_LOCKS.lock_ms), source: expect.stringContaining('writ.toml') });
    const found = (title: string): unknown => checks.find((check) => check['title'] === title)?.['level'];
    for (const title of [
      'Node.js',
      'platform',
      'renameat2',
      'pidfd',
      'inotify',
      'data directory',
      'base directory main',
      'kernel key',
      'executor key',
      'redis-server',
    ])
      expect([title, found(title)]).toEqual([title, 'ok']);
    expect(found('separation of users')).toBe('warn');
    expect(found('Redis')).toBe('fail');
    expect(found('kernel')).toBe('fail');
    expect(checks.filter(({ level }) => level !== 'ok').every(({ todo }) => typeof todo === 'string' && todo !== '')).toBe(true);
  });

  it('takes no password from the command line', async () => {
    const said = await writ.cli(['status', '--set', 'redis.url=redis://:secret@127.0.0.1:1']);
    expect(said).toMatchObject({ code: 2, err: expect.stringContaining('WRIT_REDIS__URL') });
    expect(said.err).not.toContain('secret');
  });

  it('refuses unknown settings by name', async () => {
    expect(await writ.cli(['status', '--set', 'redis.prot=1'])).toMatchObject({ code: 2, err: expect.stringContaining('redis.prot: is not a setting') });
  });
});
