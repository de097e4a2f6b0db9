import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Asked, askResident } from '../../../../../src/surfaces/cli/resident/ask.ts';
import type { Call } from '../../../../../src/surfaces/cli/resident/call.ts';
import { readThinCall } from '../../../../../src/surfaces/cli/resident/commands.ts';
import { frameOf } from '../../../../../src/surfaces/cli/resident/frames.ts';
import { type ResidentRun, type ServeOptions, serveCall } from '../../../../../src/surfaces/cli/resident/serve.ts';
import { sinkOf } from '../../../../support/sink.ts';
import { createWorld } from '../world.ts';

const CALL: Call = {
  build: 'b',
  secret: 's',
  args: ['status'],
  cwd: '/work',
  env: {},
  identity: 'me',
  terminal: { stdout: false, stderr: false, colours: false },
};

let home: string;
let server: Server | undefined;
let ended: Promise<void>[];
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'writ-resident-'));
  ended = [];
});
afterEach(async () => {
  server?.close();
  server = undefined;
  rmSync(home, { recursive: true, force: true });
});

/** Serves on a socket with what a resident process has, but for `changes`. */
async function serving(run: ServeOptions['run'], changes: Partial<ServeOptions> = {}): Promise<string> {
  const options: ServeOptions = { build: 'b', secret: 's', identity: 'me', admit: () => true, realPath: (name) => name, run, ...changes };
  const file = path.join(home, 'socket');
  server = createServer((socket) => void ended.push(serveCall(socket, options)));
  await new Promise<void>((resolve) => server?.listen(file, resolve));
  return file;
}

interface Told {
  readonly asked: Asked;
  readonly out: string;
  readonly err: string;
}

async function ask(
  file: string,
  changes: Partial<Call> = {},
  input?: string,
  onHeeds: (interrupt: () => void, socket: Socket) => void = () => undefined,
): Promise<Told> {
  const [stdout, stderr] = [sinkOf(), sinkOf()];
  const socket = connect(file);
  const asked = await askResident({
    socket,
    call: { ...CALL, ...changes },
    input: input === undefined ? undefined : Buffer.from(input),
    stdout: stdout.stream,
    stderr: stderr.stream,
    onHeeds: (interrupt) => onHeeds(interrupt, socket),
  });
  return { asked, out: stdout.text(), err: stderr.text() };
}

const says = async ({ io }: ResidentRun): Promise<number> => {
  io.stdout.write('out');
  io.stderr.write('err');
  return 7;
};

describe('a command in the resident process', () => {
  it('says there what it says, and ends with its exit code', async () => {
    expect(await ask(await serving(says))).toEqual({ asked: { exit: 7 }, out: 'out', err: 'err' });
  });

  it.each<[string, Partial<Call>, Partial<ServeOptions>]>([
    ['of another build', { build: 'c' }, {}],
    ['without the secret', { secret: '' }, {}],
    ['with a wrong secret', { secret: 't' }, {}],
    ['of another user, group or name space', { identity: 'you' }, {}],
    ['when there is no room, or the command is none of the thin ones', {}, { admit: () => false }],
  ])('is refused for a call %s, and nothing is run', async (_, call, options) => {
    let runs = 0;
    const file = await serving(async () => {
      runs += 1;
      return 0;
    }, options);
    expect(await ask(file, call)).toEqual({ asked: 'elsewhere', out: '', err: '' });
    expect(runs).toBe(0);
  });

  it.each<[string, Buffer]>([
    ['no frame', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['no JSON', frameOf('call', '{')],
    ['another shape', frameOf('call', JSON.stringify({ ...CALL, args: [1] }))],
    ['a frame of the other side', frameOf('exit', Uint8Array.of(0))],
    ['input without a call', frameOf('input', 'x')],
  ])('is not run for %s', async (_, bytes) => {
    let runs = 0;
    const file = await serving(async () => {
      runs += 1;
      return 0;
    });
    const socket = connect(file);
    socket.on('error', () => undefined);
    socket.write(bytes);
    await new Promise((resolve) => socket.on('close', resolve).resume());
    expect(runs).toBe(0);
  });

  it('reads the file that came along, and no other one', async () => {
    const reads =
      (name: string) =>
      async ({ io }: ResidentRun): Promise<number> => {
        try {
          for await (const part of (await io.openFile(name)).stream) io.stdout.write(part);
          return 0;
        } catch {
          io.stderr.write('no such file');
          return 2;
        }
      };
    expect(await ask(await serving(reads('a.json')), { input: 'a.json' }, 'text')).toEqual({ asked: { exit: 0 }, out: 'text', err: '' });
    server?.close();
    rmSync(path.join(home, 'socket'), { force: true });
    expect(await ask(await serving(reads('/etc/passwd')), { input: 'a.json' }, 'text')).toEqual({ asked: 'elsewhere', out: '', err: '' });
  });

  it('that wants to read what is typed elsewhere is given back', async () => {
    const file = await serving(async ({ io }) => {
      io.stdin.resume();
      io.stdout.write('read nothing');
      return 0;
    });
    expect(await ask(file)).toEqual({ asked: 'elsewhere', out: '', err: '' });
  });

  it('hears of an interrupt when it heeds them', async () => {
    const file = await serving(async ({ io, interrupted }) => {
      const signal = interrupted();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      io.stdout.write('in order');
      return 1;
    });
    expect(await ask(file, {}, undefined, (interrupt) => interrupt())).toEqual({ asked: { exit: 1 }, out: 'in order', err: '' });
  });

  it('is told when nobody waits any more', async () => {
    let isGone = false;
    const file = await serving(async ({ gone, interrupted }) => {
      interrupted();
      await new Promise((resolve) => gone.addEventListener('abort', resolve));
      isGone = true;
      return 0;
    });
    expect((await ask(file, {}, undefined, (_, socket) => void socket.destroy())).asked).toBe('elsewhere');
    await Promise.all(ended);
    expect(isGone).toBe(true);
  });

  it.each<[string, string, Asked]>([
    ['before a word: it may be run elsewhere', '', 'elsewhere'],
    ['in the midst: nobody may begin anew', 'half', 'lost'],
  ])('whose process dies %s', async (_, word, asked) => {
    const file = path.join(home, 'socket');
    server = createServer((socket) =>
      socket.once('data', () => socket.end(Buffer.concat([frameOf('accepted'), ...(word === '' ? [] : [frameOf('stdout', word)])]))),
    );
    await new Promise<void>((resolve) => server?.listen(file, resolve));
    expect(await ask(file)).toEqual({ asked, out: word, err: '' });
  });

  it('passes a long answer on as fast as it is read', async () => {
    const text = 'x'.repeat(5_000_000);
    const file = await serving(async ({ io }) => {
      io.stdout.write(text);
      return 0;
    });
    const told = await ask(file);
    expect(told.asked).toEqual({ exit: 0 });
    expect(told.out.length).toBe(text.length);
  });
});

describe('both ways', () => {
  const option = fc.constantFrom(
    ...[
      [],
      ['--json'],
      ['--sign'],
      ['--verify'],
      ['--max', '3'],
      ['--max', 'x'],
      ['--ttl', '5m'],
      ['--timeout', 'never'],
      ['--attempts', '99'],
      ['-F'],
      ['-i', '-s'],
    ],
    ...[['--limit', '0'], ['--kind', 'nothing'], ['--since', 'yesterday'], ['--set', 'redis.port=1'], ['--set', 'x'], ['--data-dir', '/d'], ['--']],
  );
  const head = fc.constantFrom(
    ['status'],
    ['push', 'input'],
    ['result', 't-1'],
    ['result', 'no such'],
    ['find', 's', 'q'],
    ['search', 'x'],
    ['messages', 'search', 'x'],
  );
  const line = fc
    .tuple(head, fc.array(option, { maxLength: 3 }), fc.array(option, { maxLength: 1 }))
    .map(([words, after, before]) => [...before.flat().filter((word) => word !== '--'), ...words, ...after.flat()]);
  const FILE = JSON.stringify([{ task_id: 't-1', capability_id: 'FILE_DELETE', inputs: { source_path: '/x' }, constraints: {} }, 4]);

  it('say the same bytes and end with the same code, whatever stands on the line', async () => {
    let thin = 0;
    await fc.assert(
      fc.asyncProperty(line, async (args) => {
        const call = readThinCall(args);
        if (call === undefined) return;
        thin += 1;
        const [here, there] = [await createWorld(), await createWorld()];
        const whole = await here.cli(args, FILE);
        const file = await serving(async (run) => {
          const { stdout, stderr, openFile } = run.io;
          return (await there.cli(args, '', { io: { stdout, stderr, openFile } })).code;
        });
        const told = await ask(file, { args, ...(call.input === undefined ? {} : { input: call.input }) }, call.input && FILE);
        server?.close();
        expect(told).toEqual({ asked: { exit: whole.code }, out: whole.out, err: whole.err });
      }),
      { numRuns: 150 },
    );
    expect(thin).toBeGreaterThan(30);
  });
});
