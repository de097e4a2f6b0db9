import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { withBatches } from '../../../../src/surfaces/mcp/batches.ts';
import { sinkOf } from '../../../support/sink.ts';

/** What a server reads and writes while this version is agreed upon. */
function agreed(version: string) {
  const stdin = new PassThrough();
  const out = sinkOf();
  const lines = withBatches({ stdin, stdout: out.stream });
  let read = '';
  lines.stdin.on('data', (piece: Buffer) => {
    read += piece.toString();
  });
  const say = (message: unknown) => lines.stdout.write(`${JSON.stringify(message)}\n`);
  say({ jsonrpc: '2.0', id: 0, result: { protocolVersion: version } });
  return {
    say,
    ask: async (text: string) => {
      stdin.write(text);
      await new Promise((resolve) => setImmediate(resolve));
    },
    read: () => read,
    async written(): Promise<readonly string[]> {
      await new Promise((resolve) => setImmediate(resolve));
      return out.text().split('\n').slice(1, -1);
    },
  };
}

const ASKED = [{ id: 1, method: 'a' }, { method: 'n' }, { id: 'x', method: 'b' }];

describe('batches of the Model Context Protocol over stdio', () => {
  it('are taken apart, and their answers put together, whatever comes between', async () => {
    const { ask, say, read, written } = agreed('2025-03-26');
    const line = `${JSON.stringify(ASKED)}\n`;
    await ask(line.slice(0, 9));
    await ask(line.slice(9));
    expect(read()).toBe(ASKED.map((one) => `${JSON.stringify(one)}\n`).join(''));
    say({ id: 'x', result: {} });
    say({ method: 'notifications/progress' });
    say({ id: 2, result: {} });
    expect(await written()).toEqual(['{"method":"notifications/progress"}', '{"id":2,"result":{}}']);
    say({ id: 1, error: { code: -1 } });
    expect(JSON.parse((await written()).at(-1) ?? '')).toEqual([
      { id: 'x', result: {} },
      { id: 1, error: { code: -1 } },
    ]);
    say({ id: 1, result: { again: true } });
    expect((await written()).at(-1)).toBe('{"id":1,"result":{"again":true}}');
  });

  it('are none in other versions, when they are empty, too long, or hold the hello', async () => {
    const later = agreed('2025-06-18');
    await later.ask(`${JSON.stringify(ASKED)}\n`);
    expect(later.read()).toBe(`${JSON.stringify(ASKED)}\n`);
    const { ask, read } = agreed('2025-03-26');
    const lines = [
      '[]',
      '[1]',
      '[',
      JSON.stringify([{ id: 1, method: 'initialize' }]),
      JSON.stringify(Array.from({ length: 101 }, () => ASKED[1])),
      '{"id":1}',
    ];
    await ask(`${lines.join('\n')}\n`);
    expect(read()).toBe(`${lines.join('\n')}\n`);
  });

  it('leave what is written as it is when there are none', async () => {
    const { say, written } = agreed('2025-03-26');
    say({ id: 5, result: { protocolVersion: '1' } });
    expect(await written()).toEqual(['{"id":5,"result":{"protocolVersion":"1"}}']);
  });
});
