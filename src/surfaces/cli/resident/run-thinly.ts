import { closeSync, fstatSync, openSync, readFileSync, realpathSync, statSync } from 'node:fs';
import type { Socket } from 'node:net';
import path from 'node:path';
import { askResident } from './ask.ts';
import { readThinCall } from './commands.ts';
import { FRAME_MAX_BYTES } from './frames.ts';

/** What is known of this process and of the resident one. */
export interface ThinSurroundings {
  /** `undefined`: this program cannot be known again. */
  readonly build: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  identity(): string;
  /** @param dataDir as typed */
  resident(dataDir: string | undefined): { readonly secretFile: string; connect(): Promise<Socket | undefined> };
}

/**
 * Has the process that is there anyway run a command line, where it is one that it runs: starting a process costs less than
 * loading the program. The exit code; `undefined`: this process must run it (docs/cli.md, "The short way").
 */
export async function runThinly(args: readonly string[], { build, env, cwd, identity, resident }: ThinSurroundings): Promise<number | undefined> {
  const thin = readThinCall(args);
  if (thin === undefined || build === undefined) return undefined;
  const { secretFile, connect } = resident(thin.dataDir);
  const secret = readSmall(secretFile);
  const input = thin.input === undefined ? undefined : readSmall(path.resolve(cwd, thin.input));
  if (secret === undefined || (thin.input !== undefined && input === undefined)) return undefined;
  const socket = await connect();
  if (socket === undefined) return undefined;
  const { stdout, stderr } = process;
  const asked = await askResident({
    socket,
    call: {
      build,
      secret: secret.toString('utf8'),
      args,
      cwd: realPath(cwd),
      ...(thin.input === undefined ? {} : { input: thin.input }),
      env,
      identity: identity(),
      terminal: {
        stdout: stdout.isTTY === true,
        stderr: stderr.isTTY === true,
        colours: stdout.isTTY === true && stdout.hasColors(),
        ...(stderr.isTTY === true ? { columns: stderr.columns } : {}),
      },
    },
    input,
    stdout,
    stderr,
    onHeeds: heedSignals,
  });
  if (asked === 'elsewhere') return undefined;
  if (asked !== 'lost') return asked.exit;
  stderr.write('writ: the process that ran the command has ended (INTERNAL)\n');
  return 3;
}

/** As in a process of its own: the first Ctrl-C asks the command to end in order, the second ends this process. */
function heedSignals(interrupt: () => void): void {
  let asked = false;
  const onSignal = (): void => {
    if (asked) process.exit(1);
    asked = true;
    interrupt();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
}

/** A file that travels whole; `undefined` for whatever is no plain file, cannot be read or is too long. A pipe is not even opened. */
function readSmall(file: string): Buffer | undefined {
  try {
    if (!statSync(file).isFile()) return undefined;
    const fd = openSync(file, 'r');
    try {
      const { size } = fstatSync(fd);
      if (size > FRAME_MAX_BYTES) return undefined;
      const bytes = readFileSync(fd);
      return bytes.length <= FRAME_MAX_BYTES ? bytes : undefined;
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

function realPath(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return directory;
  }
}
