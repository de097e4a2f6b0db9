import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createOutput } from '../../../../src/surfaces/cli/output.ts';

describe('what a command says to a reader that is slower', () => {
  it('waits with one listener, however many lines are said at once', async () => {
    let most = 0;
    const read: string[] = [];
    const stdout = new Writable({
      highWaterMark: 1,
      write(chunk: Buffer, _encoding, done) {
        most = Math.max(most, stdout.listenerCount('drain'));
        read.push(chunk.toString());
        setImmediate(done);
      },
    });
    const output = createOutput(true, stdout, stdout);
    await Promise.all(Array.from({ length: 50 }, (_, at) => output.line({ at })));
    await output.line({ at: 50 });
    expect(read).toHaveLength(51);
    expect(most).toBe(1);
  });
});
