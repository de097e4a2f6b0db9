import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runningRoles, tellRunning } from '../../../src/data-dir/running-roles.ts';
import { askReload, followRequests, type ReloadRequest } from '../../../src/reload/request.ts';

let running: string;
beforeEach(() => {
  running = mkdtempSync(path.join(tmpdir(), 'writ-request-'));
});
afterEach(() => rmSync(running, { recursive: true }));

const worker = { role: 'worker', pid: 11, settings: {}, generation: 1 };
const answerTo = ({ id }: ReloadRequest) => ({ request: id, outcome: 'unchanged' as const, changed: [], restart: [] });

describe('a request to reload', () => {
  it('reaches each role that runs, and waits for its answer', async () => {
    const words = [worker, { ...worker, role: 'kernel', pid: 12 }].map((role) => ({ role, word: tellRunning(running, role) }));
    const follows = words.map(({ role, word }) => followRequests(running, 0, (request) => word.change({ ...role, generation: 2, answer: answerTo(request) })));
    const request = { id: 'r1', who: 'me' };
    expect(await askReload(running, request)).toEqual(
      [words[1], words[0]].map((one) => ({ role: one?.role.role, pid: one?.role.pid, generation: 2, answer: answerTo(request) })),
    );
    for (const { end } of [...follows, ...words.map(({ word }) => word)]) end();
  });

  it('is told once, and not of before the role began', async () => {
    const word = tellRunning(running, worker);
    const heard: string[] = [];
    const late: string[] = [];
    writeFileSync(path.join(running, 'reload-request.json'), JSON.stringify({ id: 'old', who: 'me' }));
    const follows = [followRequests(running, 0, ({ id }) => heard.push(id)), followRequests(running, Date.now() + 60_000, ({ id }) => late.push(id))];
    await expect.poll(() => heard).toEqual(['old']);
    await askReload(running, { id: 'new', who: 'me' }, 0);
    await expect.poll(() => heard).toEqual(['old', 'new']);
    expect(late).toEqual([]);
    for (const { end } of [...follows, word]) end();
  });

  it('names who does not answer, who ended, and who knows no reload', async () => {
    const words = [worker, { ...worker, pid: 12 }].map((role) => tellRunning(running, role));
    const old = tellRunning(running, { role: 'api', pid: 13, settings: {} });
    const asking = askReload(running, { id: 'r', who: 'me' }, 0);
    expect((await asking).map(({ pid, answer }) => [pid, answer])).toEqual([
      [13, 'silent'],
      [11, 'silent'],
      [12, 'silent'],
    ]);
    words[0]?.end();
    const follow = followRequests(running, 0, () => words[1]?.end());
    const answers = await askReload(running, { id: 'r2', who: 'me' });
    expect(answers.map(({ pid, answer }) => [pid, answer])).toEqual([
      [13, 'silent'],
      [12, 'gone'],
    ]);
    for (const { end } of [follow, old]) end();
  });

  it('asks nobody where nobody runs', async () => {
    expect(await askReload(path.join(running, 'none'), { id: 'r', who: 'me' })).toEqual([]);
  });

  it('is refused while another one waits', async () => {
    const word = tellRunning(running, worker);
    const first = askReload(running, { id: 'r1', who: 'me' });
    await expect(askReload(running, { id: 'r2', who: 'me' })).rejects.toMatchObject({ code: 'WRONG_STATE' });
    word.change({ ...worker, answer: answerTo({ id: 'r1', who: 'me' }) });
    expect(await first).toHaveLength(1);
    word.end();
  });

  it('is no request when it is too long or no JSON', async () => {
    const word = tellRunning(running, worker);
    const heard: string[] = [];
    const { end } = followRequests(running, 0, ({ id }) => heard.push(id));
    for (const text of ['{"id":', JSON.stringify({ id: 'x', who: 'y'.repeat(5000) })]) writeFileSync(path.join(running, 'reload-request.json'), text);
    await askReload(running, { id: 'good', who: 'me' }, 0);
    await expect.poll(() => heard).toEqual(['good']);
    expect(runningRoles(running)).toHaveLength(1);
    for (const one of [end, word.end]) one();
  });
});
