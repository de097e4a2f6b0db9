import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATIENCE_MS } from '../../support/patience.ts';
import { type Installation, startInstallation } from './installation.ts';

let writ: Installation;
const lines = (...values: unknown[]): string => values.map((value) => JSON.stringify(value)).join('\n');
const there = (name: string): boolean => existsSync(path.join(writ.base, name));

beforeAll(async () => {
  writ = await startInstallation();
  await writ.startWorker();
});
afterAll(() => writ[Symbol.asyncDispose]());

describe('tasks from the command line, on a real Redis with a real kernel and worker', () => {
  it('are signed, pushed, done, and answered with a result that verifies, again and again', { tags: ['FE-38'] }, async () => {
    writ.file('a');
    expect(await writ.cli(['push', '-', '--sign', '--wait'], lines(writ.manifest('copy', 'FILE_COPY', 'a', 'a2')))).toMatchObject({
      code: 0,
      out: expect.stringContaining('accepted 1, succeeded 1'),
    });
    expect(there('a2')).toBe(true);
    expect(await writ.json(['result', 'copy', '--verify'])).toMatchObject({ code: 0, state: 'success', from: 'ledger', verified: true });
    expect(await writ.json(['push', '-', '--sign'], lines(writ.manifest('copy', 'FILE_COPY', 'a', 'a2')))).toMatchObject({ code: 0, summary: { replayed: 1 } });
    expect(await writ.json(['push', '-', '--sign'], lines(writ.manifest('copy', 'FILE_COPY', 'a', 'a3')))).toMatchObject({
      code: 1,
      summary: { conflicts: 1 },
    });
  });

  it('may fail, and the failure can be retried', async () => {
    expect(await writ.json(['push', '-', '--sign', '--wait'], lines(writ.manifest('late', 'FILE_MOVE', 'not-yet', 'now')))).toMatchObject({
      code: 1,
      summary: { failed: 1 },
    });
    expect(await writ.json(['result', 'late', '--verify'])).toMatchObject({ code: 1, state: 'failure', verified: true });
    writ.file('not-yet');
    expect(await writ.json(['retry', 'late', '--wait'])).toMatchObject({ code: 0, regranted: false, state: 'success' });
    expect(there('now')).toBe(true);
  });

  it('get a new lease for a retry when the old one has expired', { tags: ['FE-42'] }, async () => {
    writ.file('slow');
    const manifest = writ.manifest('expired', 'FILE_MOVE', 'slow', 'slow2');
    const { lease } = await writ.json(['lease', 'issue', '-', '--ttl', '1s'], lines(manifest));
    // The lease ends in its second; waiting for it is the point of this test.
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    expect(await writ.json(['push', '-', '--wait'], lines({ manifest, lease }))).toMatchObject({ code: 1, summary: { failed: 1 } });
    expect(await writ.json(['result', 'expired'])).toMatchObject({ result: { error: { error_code: 'LEASE_EXPIRED' } } });
    expect(await writ.json(['retry', 'expired', '--no-regrant'])).toMatchObject({ code: 1, error: { code: 'LEASE_EXPIRED' } });
    expect(await writ.json(['retry', 'expired', '--wait'])).toMatchObject({ code: 0, regranted: true, state: 'success' });
  });

  it('are undone, redone and undone again', { tags: ['FE-53'] }, async () => {
    writ.file('u');
    await writ.cli(['push', '-', '--sign', '--wait'], lines(writ.manifest('move', 'FILE_MOVE', 'u', 'u2')));
    const first = await writ.json(['undo', 'move', '--wait']);
    expect(first).toMatchObject({ code: 0, state: 'success' });
    expect(there('u')).toBe(true);
    expect(await writ.json(['undo', 'move'])).toMatchObject({
      code: 1,
      error: { code: 'WRONG_STATE', message: expect.stringContaining(`by ${String(first['task_id'])}`) },
    });
    expect(await writ.json(['undo', String(first['task_id']), '--wait'])).toMatchObject({ code: 0, state: 'success' });
    expect(there('u2')).toBe(true);
    const second = await writ.json(['undo', 'move', '--wait']);
    expect(second).toMatchObject({ code: 0, state: 'success' });
    expect(second['task_id']).not.toBe(first['task_id']);
    expect(there('u')).toBe(true);
  });

  it('are undone when their job is long gone, with the manifest from the issue log', async () => {
    writ.file('old');
    await writ.cli(['push', '-', '--sign', '--wait'], lines(writ.manifest('old', 'FILE_DELETE', 'old')));
    const redis = await writ.redis.client();
    await redis.del('{writ}:file:t_old');
    expect(await writ.json(['undo', 'old', '--wait'])).toMatchObject({ code: 0, state: 'success' });
    expect(there('old')).toBe(true);
  });

  it('are cancelled while nobody has begun them, and that is too late afterwards', async () => {
    writ.file('c');
    await writ.stopWorker();
    await writ.cli(['push', '-', '--sign'], lines(writ.manifest('cancelled', 'FILE_MOVE', 'c', 'c2')));
    expect(await writ.json(['cancel', 'cancelled', '--timeout', '0s'])).toMatchObject({ code: 0, cancel: 'requested', state: 'waiting' });
    expect(await writ.json(['result', 'cancelled'])).toMatchObject({ code: 3, state: 'waiting', cancel_requested: true });
    const waiting = writ.json(['cancel', 'cancelled', '--timeout', `${Math.ceil(PATIENCE_MS / 1000)}s`]);
    await writ.startWorker();
    expect(await waiting).toMatchObject({ code: 0, cancel: 'cancelled' });
    expect(there('c')).toBe(true);
    expect(await writ.json(['cancel', 'copy'])).toMatchObject({ code: 1, error: { code: 'WRONG_STATE' } });
    expect(await writ.json(['cancel', 'never'])).toMatchObject({ code: 1, error: { code: 'NOT_FOUND' } });
  });

  it('answer from the journal when Redis has lost everything, and the ledger is rebuilt on demand', async () => {
    await writ.stopWorker();
    await writ.redis.flushAll();
    expect(await writ.json(['result', 'copy', '--verify'])).toMatchObject({ code: 0, from: 'journal', verified: true });
    expect(await writ.json(['doctor', '--rebuild-ledger'])).toMatchObject({ code: 0, rebuilt: true });
    expect(await writ.json(['result', 'copy'])).toMatchObject({ code: 0, from: 'ledger' });
    expect(await writ.json(['status'])).toMatchObject({ code: 0, ledger: { markers: 256, expected: 256 } });
    await writ.startWorker();
  });

  it('leave the vault only by a confirmed purge, with a line in the audit file', { tags: ['FE-35'] }, async () => {
    writ.file('gone', 'twelve bytes');
    await writ.cli(['push', '-', '--sign', '--wait'], lines(writ.manifest('gone', 'FILE_DELETE', 'gone')));
    expect(await writ.json(['vault', 'list'])).toMatchObject({ summary: { files: 1, bytes: 12 } });
    const vault = path.join(writ.base, '.writ-vault');
    const files = (): string[] => readdirSync(vault).filter((name) => name.startsWith('d-'));
    expect(await writ.json(['vault', 'purge', '--older-than', '0s'])).toMatchObject({ code: 2 });
    expect(await writ.json(['vault', 'purge', '--older-than', '1d', '--confirm'])).toMatchObject({ code: 0, summary: { purged: 0 } });
    expect(files()).toHaveLength(1);
    expect(await writ.json(['vault', 'purge', '--older-than', '0s', '--confirm'])).toMatchObject({ code: 0, summary: { purged: 1, bytes: 12 } });
    expect(files()).toEqual([]);
    expect(await writ.json(['vault', 'list'])).toMatchObject({ summary: { files: 0 } });
    expect(await writ.spawn(['audit', 'list', '--action', 'vault.purge', '--json'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('"subject":"gone"'),
    });
    const audit = readFileSync(writ.places.audit, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(audit.filter(({ action }) => action === 'vault.purge')).toMatchObject([
      { subject: 'gone', outcome: 'asked', detail: { path: 'gone', bytes: 12, older_than_s: 0 } },
      { subject: 'gone', outcome: 'done', detail: { answer: 'purged' } },
    ]);
    expect(await writ.json(['undo', 'gone', '--wait'])).toMatchObject({ code: 1, state: 'failure' });
  });

  it('are refused under a revoked lease', { tags: ['FE-41'] }, async () => {
    writ.file('r');
    const manifest = writ.manifest('revoked', 'FILE_MOVE', 'r', 'r2');
    const { lease } = await writ.json(['lease', 'issue', '-'], lines(manifest));
    expect(await writ.json(['lease', 'verify', String(lease)])).toMatchObject({ code: 0, valid: true });
    expect(await writ.json(['lease', 'revoke', String(lease)])).toMatchObject({ code: 0, entry: 1, published: true });
    expect(await writ.json(['lease', 'verify', String(lease)])).toMatchObject({ valid: false });
    expect(await writ.json(['push', '-', '--wait'], lines({ manifest, lease }))).toMatchObject({ code: 1, summary: { failed: 1 } });
    expect(there('r')).toBe(true);
  });
});
