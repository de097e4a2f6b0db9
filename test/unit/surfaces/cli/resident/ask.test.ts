import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { askResident } from '../../../../../src/surfaces/cli/resident/ask.ts';
import type { Call } from '../../../../../src/surfaces/cli/resident/call.ts';
import { frameOf } from '../../../../../src/surfaces/cli/resident/frames.ts';
import { sinkOf } from '../../../../support/sink.ts';

const TERMINAL = { stdout: false, stderr: false, colours: false };
const CALL: Call = { build: 'b', secret: 's', args: ['push'], cwd: '/work', env: {}, identity: 'me', terminal: TERMINAL };

describe('who has a command run by the resident process', () => {
  it('waits once for a reader that is slower, however many frames came in one piece', async () => {
    const home = mkdtempSync(path.join(tmpdir(), 'writ-ask-'));
    const lines = Array.from({ length: 50 }, (_, at) => `line ${at}\n`);
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.end(Buffer.concat([frameOf('accepted'), ...lines.map((line) => frameOf('stdout', line)), frameOf('exit', Buffer.from([0]))]));
    });
    const file = path.join(home, 'socket');
    await new Promise<void>((resolve) => server.listen(file, resolve));
    const read: string[] = [];
    let most = 0;
    const stdout = new Writable({
      highWaterMark: 1,
      write(chunk: Buffer, _encoding, done) {
        most = Math.max(most, stdout.listenerCount('drain'));
        read.push(chunk.toString());
        setImmediate(done);
      },
    });
    try {
      const asked = await askResident({ socket: connect(file), call: CALL, input: undefined, stdout, stderr: sinkOf().stream, onHeeds: () => undefined });
      await new Promise<void>((resolve) => stdout.end(resolve));
      expect(asked).toEqual({ exit: 0 });
      expect(read.join('')).toBe(lines.join(''));
      expect(most).toBe(1);
    } finally {
      server.close();
      rmSync(home, { recursive: true, force: true });
    }
  });
});
