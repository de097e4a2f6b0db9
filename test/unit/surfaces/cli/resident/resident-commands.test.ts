import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Asked, askResident } from '../../../../../src/surfaces/cli/resident/ask.ts';
import { type ResidentRunner, residentCommands } from '../../../../../src/surfaces/cli/resident/resident-commands.ts';
import { sinkOf } from '../../../../support/sink.ts';

const TERMINAL = { stdout: false, stderr: false, colours: false };

let home: string;
let loads: number;
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'writ-commands-'));
  loads = 0;
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const socketFile = (): string => path.join(home, 'socket');

/** Takes commands on a socket, and loads what runs them from `load`. */
async function taking(load: () => Promise<ResidentRunner | undefined>) {
  let server: Server | undefined;
  const commands = await residentCommands({
    build: 'b',
    identity: 'me',
    realPath: (name) => name,
    async listen(_, onConnection) {
      server = createServer((socket) => onConnection(socket, 's'));
      await new Promise<void>((resolve) => server?.listen(socketFile(), resolve));
      return { close: async () => void server?.close() };
    },
    load: () => {
      loads += 1;
      return load();
    },
  });
  if (commands === undefined) throw new Error('nobody listens');
  return { [Symbol.asyncDispose]: commands.close };
}

function ask(): Promise<Asked> {
  const call = { build: 'b', secret: 's', identity: 'me', args: ['status'], cwd: '/', env: {}, terminal: TERMINAL };
  const [stdout, stderr] = [sinkOf(), sinkOf()];
  return askResident({ socket: connect(socketFile()), call, input: undefined, stdout: stdout.stream, stderr: stderr.stream, onHeeds: () => undefined });
}

describe('commands of other processes', () => {
  it('are loaded when the first one comes, once, and what they kept is closed at the end', async () => {
    let closed = 0;
    const close = (): void => {
      closed += 1;
    };
    {
      await using _ = await taking(async () => ({ run: async () => 7, close }));
      expect(loads).toBe(0);
      expect(await Promise.all([ask(), ask()])).toEqual([{ exit: 7 }, { exit: 7 }]);
      expect([loads, closed]).toEqual([1, 0]);
    }
    expect([loads, closed]).toEqual([1, 1]);
  });

  it.each<[string, () => Promise<undefined>]>([
    ['are those of another build by now', async () => undefined],
    ['cannot be loaded', () => Promise.reject(new Error('no such file'))],
  ])('run elsewhere when they %s', async (_, load) => {
    await using _commands = await taking(load);
    expect(await ask()).toBe('elsewhere');
    expect(await ask()).toBe('elsewhere');
    expect(loads).toBe(1);
  });

  it('are taken by nobody where somebody else has the socket', async () => {
    const nobody = { build: 'b', identity: 'me', realPath: (name: string) => name, listen: async () => undefined, load: async () => undefined };
    expect(await residentCommands(nobody)).toBeUndefined();
  });
});
