import { readFileSync } from 'node:fs';
import { Agent, type RequestOptions, request } from 'node:http';

/** The load generator: a process of its own, with everything that it sends in memory before the clock starts. */
export interface LoadSetup {
  readonly url: string;
  readonly secret: string;
  /** NDJSON, a task a line. */
  readonly file: string;
}
export interface LoadWish {
  readonly kind: 'single' | 'bulk';
  /** The first so many lines of the file. */
  readonly tasks: number;
}
export interface LoadReport {
  readonly ms: number;
  readonly accepted: number;
}

const CONCURRENCY = 64;
/** Pieces in which the body is handed to the socket. */
const PIECE = 64 * 1024;

const { url, secret, file } = JSON.parse(process.argv[2] ?? '') as LoadSetup;
const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
const bodies = lines.map((line) => Buffer.from(line));
const whole = new Map<number, Buffer>();
const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
const headers = { authorization: `Bearer ${secret}` };

const LOADS = { single, bulk } satisfies Record<LoadWish['kind'], (tasks: number) => Promise<number>>;

process.on('message', (wish: LoadWish) => void serve(wish));

process.on('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
process.send?.('ready');

/** `POST /v1/tasks` with a task each, 64 at a time on connections that stay. */
async function single(tasks: number): Promise<number> {
  let next = 0;
  let accepted = 0;
  const client = async (): Promise<void> => {
    while (next < tasks) {
      const body = bodies[next] ?? Buffer.alloc(0);
      next += 1;
      const answer = await call('/v1/tasks', { agent, headers: { ...headers, 'content-type': 'application/json', 'content-length': body.length } }, [body]);
      if (answer.status === 202) accepted += 1;
      else throw new Error(`${answer.status}: ${answer.text}`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, client));
  return accepted;
}

/** One NDJSON stream; ends when the summary of the last line has been read. */
async function bulk(tasks: number): Promise<number> {
  const body = whole.get(tasks) ?? Buffer.alloc(0);
  const pieces = Array.from({ length: Math.ceil(body.length / PIECE) }, (_, at) => body.subarray(at * PIECE, (at + 1) * PIECE));
  const answer = await call('/v1/tasks', { headers: { ...headers, 'content-type': 'application/x-ndjson' } }, pieces);
  const last: unknown = JSON.parse(answer.text.trimEnd().split('\n').at(-1) ?? '');
  const { summary } = last as { summary?: { accepted: number } };
  if (summary?.accepted !== tasks) throw new Error(`${answer.status}: ${JSON.stringify(last)}`);
  return summary.accepted;
}

function call(path: string, options: RequestOptions, pieces: readonly Buffer[]): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), { method: 'POST', ...options }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString('utf8') }));
      response.on('error', reject);
    });
    sent.on('error', reject);
    void (async () => {
      for (const piece of pieces) if (!sent.write(piece)) await new Promise<void>((drained) => sent.once('drain', drained));
      sent.end();
    })();
  });
}

async function serve({ kind, tasks }: LoadWish): Promise<void> {
  if (!whole.has(tasks)) whole.set(tasks, Buffer.from(`${lines.slice(0, tasks).join('\n')}\n`));
  const start = performance.now();
  const accepted = await LOADS[kind](tasks);
  process.send?.({ ms: performance.now() - start, accepted } satisfies LoadReport);
}
