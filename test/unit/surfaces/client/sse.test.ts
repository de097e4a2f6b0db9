import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serverSentOf } from '../../../../src/surfaces/client/sse.ts';
import { all, cut, cuts, text } from './pieces.ts';

describe('the reader of server-sent events', () => {
  it('reads server-sent events wherever the chunks are cut, with every kind of line end and comments in between', async () => {
    const event = fc.record({ id: fc.nat(), data: fc.array(text, { minLength: 1, maxLength: 3 }), name: fc.constantFrom('task', 'problem') });
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 6 }), cuts, fc.constantFrom('\n', '\r\n', '\r'), async (events, at, end) => {
        const lines = events.flatMap(({ id, data, name }) => [': alive', '', `id: ${id}`, `event: ${name}`, ...data.map((line) => `data: ${line}`), '', '']);
        const read = await all(serverSentOf(cut(lines.map((line) => line + end).join(''), at)));
        expect(read).toEqual(events.map(({ id, data, name }) => ({ kind: 'event', event: name, data: data.join('\n'), id: String(id) })));
      }),
    );
  });

  it('drops an event that the end of the stream cuts off, and reads the pause for reconnecting', async () => {
    expect(await all(serverSentOf(cut('retry: 2000\n\nid: 1\ndata: whole\n\nid: 2\ndata: half\n', [])))).toEqual([
      { kind: 'retry', ms: 2000 },
      { kind: 'event', event: 'message', data: 'whole', id: '1' },
    ]);
  });
});
