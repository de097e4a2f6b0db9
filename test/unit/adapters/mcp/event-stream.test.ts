import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventData } from '../../../../src/adapters/mcp/event-stream.ts';

async function read(bytes: Buffer, cuts: readonly number[]): Promise<string[]> {
  const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b);
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let at = 1; at < places.length; at += 1) yield bytes.subarray(places[at - 1], places[at]);
  }
  const data: string[] = [];
  for await (const text of eventData(pieces())) data.push(text);
  return data;
}

describe('server-sent events', () => {
  it('read the same in whatever pieces they come, with each kind of line end', async () => {
    const lines = ': note';
    const end = fc.constantFrom('\n', '\r\n', '\r');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.stringMatching(/^[a-zé€ :]{1,20}$/), { maxLength: 5 }),
        end,
        fc.array(fc.nat(), { maxLength: 20 }),
        async (texts, eol, cuts) => {
          // A single blank behind the colon does not count.
          const stream = texts.map((text) => [lines, 'event: message', 'id: 1', `data: ${text}`, `data:${text.trimStart()}`, '', ''].join(eol)).join('');
          expect(await read(Buffer.from(`${stream}\n`), cuts)).toEqual(texts.map((text) => `${text}\n${text.trimStart()}`));
        },
      ),
    );
  });

  it('leave out events without data, and one that is not complete', async () => {
    expect(await read(Buffer.from('id: 1\nretry: 5\ndata:\n\ndata: a\n\ndata: b\n'), [])).toEqual(['a']);
  });
});
