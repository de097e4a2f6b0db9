import { timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import { Readable, Writable } from 'node:stream';
import type { CliInput, CliIo } from '../services.ts';
import { type Call, readCall, type Terminal } from './call.ts';
import { FRAME_MAX_BYTES, type Frame, type FrameKind, frameCutter, frameOf } from './frames.ts';

/** What a command that is run for another process is given. */
export interface ResidentRun {
  readonly args: readonly string[];
  readonly io: CliIo;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Aborted when the person asks to stop, or is gone; whoever asks for it heeds that. */
  interrupted(): AbortSignal;
  /** Aborted when nobody waits for the command any more. */
  readonly gone: AbortSignal;
  /**
   * Ends the command here, before anything was done: it cannot be run in this process, and who asked runs it. What it has said and
   * says is dropped.
   *
   * @throws Declined always, so that nothing goes on here beside the other process
   */
  decline(): never;
}

/** The end of a command that is run elsewhere. */
class Declined extends Error {}

export interface ServeOptions {
  /** What a call must bring along: the same build, the secret, and who this process is. */
  readonly build: string;
  readonly secret: string;
  readonly identity: string;
  /** Whether a command line may be run here: there is room, and it is a thin one. */
  readonly admit: (args: readonly string[]) => boolean;
  readonly realPath: CliIo['realPath'];
  /** Runs one command; its exit code. Rejects only as it was declined. */
  readonly run: (run: ResidentRun) => Promise<number>;
}

/** Serves one connection: one call, run and answered. Resolves when it has ended, whoever ended it. */
export function serveCall(socket: Socket, options: ServeOptions): Promise<void> {
  return new Promise((resolve) => {
    const cut = frameCutter();
    const gone = new AbortController();
    const interrupt = new AbortController();
    let call: Call | undefined;
    let running: Promise<void> | undefined;

    const begin = (input?: Buffer): void => {
      if (call === undefined || running !== undefined) return void socket.destroy();
      running = runCall(socket, { call, input, options, interrupt: interrupt.signal, gone: gone.signal }).finally(() => socket.end());
    };
    const hear: Partial<Record<FrameKind, (body: Buffer) => void>> = {
      call(body) {
        if (call !== undefined) return void socket.destroy();
        call = readCall(body.toString('utf8'));
        if (call === undefined || !isOurs(call, options)) return void socket.end(frameOf('refused'));
        if (call.input === undefined) begin();
      },
      input: (body) => (call?.input === undefined ? void socket.destroy() : begin(body)),
      interrupt: () => interrupt.abort(),
    };
    socket.on('data', (piece: Buffer) => {
      const frames: readonly Frame[] | undefined = cut(piece);
      if (frames === undefined) return void socket.destroy();
      for (const { kind, body } of frames) {
        const heard = hear[kind];
        if (heard === undefined) return void socket.destroy();
        heard(body);
      }
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      gone.abort();
      interrupt.abort();
      void (running ?? Promise.resolve()).then(resolve);
    });
  });
}

/** Whether a call may be run here. Everything is looked at before one word is believed. */
function isOurs(call: Call, { build, secret, identity, admit }: ServeOptions): boolean {
  const [theirs, ours] = [Buffer.from(call.secret), Buffer.from(secret)];
  return theirs.length === ours.length && timingSafeEqual(theirs, ours) && call.build === build && call.identity === identity && admit(call.args);
}

interface Running {
  readonly call: Call;
  readonly input: Buffer | undefined;
  readonly options: ServeOptions;
  readonly interrupt: AbortSignal;
  readonly gone: AbortSignal;
}

async function runCall(socket: Socket, { call, input, options, interrupt, gone }: Running): Promise<void> {
  const { args, cwd, env, terminal } = call;
  let declined = false;
  let heeds = false;
  const isSilent = (): boolean => declined;
  socket.write(frameOf('accepted'));
  const decline = (): never => {
    declined = true;
    throw new Declined();
  };
  const streams = streamsOf(socket, terminal, isSilent);
  const running = options.run({
    args,
    cwd,
    env,
    gone,
    decline,
    io: {
      ...streams,
      // What is typed or piped belongs to the other process.
      get stdin() {
        return decline();
      },
      openFile: async (path) => inputOf(path, call, input, decline),
      cwd: () => cwd,
      realPath: options.realPath,
      hasColours: () => terminal.colours,
    },
    interrupted() {
      if (!heeds) socket.write(frameOf('heeds'));
      heeds = true;
      return interrupt;
    },
  });
  const code = await running.catch((error: unknown) => {
    if (error instanceof Declined) return NOT_HERE;
    throw error;
  });
  // What was said stands before the exit code.
  await Promise.all([written(streams.stdout), written(streams.stderr)]);
  if (!socket.destroyed) socket.write(declined ? frameOf('refused') : frameOf('exit', Uint8Array.of(code)));
}

/** Nobody is told. */
const NOT_HERE = 3;

function written(stream: Writable): Promise<void> {
  return new Promise((resolve) => void stream.write('', () => resolve()));
}

/** The file that was sent along. Another one would be read with the eyes of this process. */
async function inputOf(path: string, { input: name }: Call, bytes: Buffer | undefined, decline: () => never): Promise<CliInput> {
  if (path !== name || bytes === undefined) return decline();
  return { stream: Readable.from([bytes]) as AsyncIterable<Uint8Array>, bytes: bytes.length };
}

function streamsOf(socket: Socket, { stdout, stderr, columns }: Terminal, isSilent: () => boolean): Pick<CliIo, 'stdout' | 'stderr'> {
  return {
    stdout: Object.assign(streamTo(socket, 'stdout', isSilent), { isTTY: stdout }),
    stderr: Object.assign(streamTo(socket, 'stderr', isSilent), { isTTY: stderr, ...(columns === undefined ? {} : { columns }) }),
  };
}

/** A stream whose bytes travel in frames, as fast as they are read there. */
function streamTo(socket: Socket, kind: 'stdout' | 'stderr', isSilent: () => boolean): Writable {
  return new Writable({
    decodeStrings: true,
    write(bytes: Buffer, _encoding, done) {
      if (socket.destroyed || isSilent()) return done();
      let isTaken = true;
      for (let at = 0; at < bytes.length; at += FRAME_MAX_BYTES) isTaken = socket.write(frameOf(kind, bytes.subarray(at, at + FRAME_MAX_BYTES)));
      if (isTaken) return done();
      const go = (): void => {
        socket.off('drain', go).off('close', go);
        done();
      };
      socket.on('drain', go).on('close', go);
    },
  });
}
