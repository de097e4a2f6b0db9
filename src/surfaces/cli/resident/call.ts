/** A command line on its way to the process that runs it, with what of its own process decides what it does and prints. */
export interface Call {
  /** Which build of the program asks: another one has other words. */
  readonly build: string;
  /** Shows that whoever asks can read the data directory: a confined process can reach a socket, and reads no file. */
  readonly secret: string;
  readonly args: readonly string[];
  /** Absolute, without links. */
  readonly cwd: string;
  /** The file whose bytes follow, as typed. */
  readonly input?: string;
  /** What of the environment the settings and searches read. */
  readonly env: Readonly<Record<string, string>>;
  /** Who asks, as far as it decides what can be read, and what else must be alike; as text. */
  readonly identity: string;
  readonly terminal: Terminal;
}

/** Where the output of a command goes. */
export interface Terminal {
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly colours: boolean;
  /** Of stderr, where that is a terminal. */
  readonly columns?: number;
}

/** Reads a call; `undefined`: it is none. */
export function readCall(text: string): Call | undefined {
  try {
    const call = JSON.parse(text) as Partial<Record<keyof Call, unknown>> | null;
    return isCall(call) ? call : undefined;
  } catch {
    return undefined;
  }
}

function isCall(call: Partial<Record<keyof Call, unknown>> | null): call is Call & typeof call {
  if (typeof call !== 'object' || call === null) return false;
  const { build, secret, args, cwd, input, env, identity, terminal } = call;
  return (
    [build, secret, cwd, identity].every((word) => typeof word === 'string') &&
    (input === undefined || typeof input === 'string') &&
    Array.isArray(args) &&
    args.every((word) => typeof word === 'string') &&
    isRecord(env) &&
    Object.values(env).every((word) => typeof word === 'string') &&
    isRecord(terminal) &&
    ['stdout', 'stderr', 'colours'].every((name) => typeof terminal[name] === 'boolean') &&
    (terminal['columns'] === undefined || Number.isSafeInteger(terminal['columns']))
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
