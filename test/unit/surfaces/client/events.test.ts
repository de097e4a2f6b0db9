import { describe, expect, it } from 'vitest';
import { WritConnectionError } from '../../../../src/surfaces/client/index.ts';
import { all } from './pieces.ts';
import { client, type Handler, problem, server, serveScripts } from './scripted-server.ts';

serveScripts();

describe('events', () => {
  const stream =
    (text: string, end: 'end' | 'destroy' | 'open'): Handler =>
    (_request, reply) => {
      reply.writeHead(200, { 'content-type': 'text/event-stream' });
      reply.write(text, () => end === 'destroy' && reply.destroy());
      if (end === 'end') reply.end();
    };
  const event = (id: number) => `id: ${id}\nevent: task\ndata: ${JSON.stringify({ id, task_id: `t${id}` })}\n\n`;

  it('go on after the last one when the stream ends, breaks, falls silent or is dropped', async () => {
    server.script = [
      stream(`retry: 1\n\n${event(1)}`, 'end'),
      stream(event(2), 'destroy'),
      stream(`${event(3)}event: dropped\ndata: {}\n\n`, 'end'),
      stream(event(4), 'open'),
      stream(event(5), 'open'),
    ];
    const seen: number[] = [];
    for await (const { id } of client().events({ after: 0, silenceMs: 100 })) {
      seen.push(id);
      if (id === 5) break;
    }
    expect(seen).toEqual([1, 2, 3, 4, 5]);
    expect(server.came.map(({ headers }) => headers['last-event-id'])).toEqual(['0', '1', '2', '3', '4']);
  });

  it('end quietly with their signal, and loudly with a refusal', async () => {
    const controller = new AbortController();
    server.script = [stream(event(1), 'open')];
    const seen: number[] = [];
    for await (const { id } of client().events({ signal: controller.signal })) {
      seen.push(id);
      controller.abort();
    }
    expect(seen).toEqual([1]);
    server.script = [problem(400, 'INVALID_ARGUMENT')];
    await expect(all(client().events({ after: 1 }))).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await expect(all(client({ retries: 1 }).events())).rejects.toBeInstanceOf(WritConnectionError);
  });
});
