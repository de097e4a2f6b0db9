import { describe, expect, it } from 'vitest';
import { all } from './pieces.ts';
import { client, type Handler, lines, lost, manifest, none, server, serveScripts } from './scripted-server.ts';

serveScripts();

describe('a bulk push', () => {
  const tasks = (count: number) => Array.from({ length: count }, (_, index) => ({ manifest: { ...manifest, task_id: `t${index + 1}` }, lease: 'l' }));
  const receipts =
    (count?: number, problemOf?: object): Handler =>
    (_request, reply, body) => {
      const given = body.trimEnd().split('\n').slice(0, count);
      const answers = given.map((line, index) => ({
        line: index + 1,
        task_id: (JSON.parse(line) as { manifest: { task_id: string } }).manifest.task_id,
        receipt: 'accepted',
      }));
      reply.end(lines([...answers, { summary: { ...none, lines: answers.length }, ...problemOf }]));
    };

  it('answers with a receipt per task and the sum, over as many requests as it takes', async () => {
    server.script = [receipts(), receipts(), receipts()];
    const pushed = client().tasks.submitMany(tasks(5), { batch: { lines: 2 } });
    const seen: [number, string | undefined][] = [];
    let step = await pushed.next();
    for (; step.done !== true; step = await pushed.next()) seen.push([step.value.line, step.value.task_id]);
    expect(seen).toEqual([1, 2, 3, 4, 5].map((n) => [n, `t${n}`]));
    expect(step.value).toEqual({ ...none, lines: 5, accepted: 5 });
  });

  it('sends a batch again whose answer was cut off, and the rest of one that the server stopped', async () => {
    const stopped = { problem: { type: '', title: '', status: 429, detail: '', code: 'REDIS_FULL' } };
    server.script = [lost, (_request, reply) => void reply.end(lines([{ line: 1, receipt: 'accepted' }])), receipts(1, stopped), receipts()];
    expect((await all(client().tasks.submitMany(tasks(3)))).map(({ line, task_id }) => [line, task_id])).toEqual([
      [1, 't1'],
      [2, 't2'],
      [3, 't3'],
    ]);
    expect(server.came.map(({ body }) => body.trimEnd().split('\n').length)).toEqual([3, 3, 3, 2]);
  });

  it('takes no task before the receipts of the last were taken, and throws what stops it for good', async () => {
    let given = 0;
    async function* source() {
      for (const task of tasks(4)) {
        given += 1;
        yield task;
      }
    }
    server.script = [receipts(), receipts(0, { problem: { type: '', title: '', status: 503, detail: '', code: 'REDIS_UNAVAILABLE' } })];
    const pushed = client({ retries: 0 }).tasks.submitMany(source(), { batch: { lines: 2 } });
    await pushed.next();
    await pushed.next();
    expect(given).toBe(2);
    await expect(pushed.next()).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE' });
  });
});
