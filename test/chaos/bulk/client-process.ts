import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { WritClient } from '../../../src/surfaces/client/index.ts';
import { failingManifest } from '../door/installation.ts';

/** A client in a process of its own: it works when asked, and tells how far it is. */
export interface ClientSetup {
  readonly url: string;
  readonly key: string;
  readonly base: string;
  readonly tasks: number;
}
export type ClientWish = 'push' | 'retry';
/** Lines of the answer so far; once it is over, the summary and what the lines said. */
export interface ClientSaid {
  readonly done: number;
  readonly over?: { readonly summary: unknown; readonly words: Readonly<Record<string, number>>; readonly inOrder: boolean };
}
type Over = NonNullable<ClientSaid['over']>;

const TELL_EVERY = 500;

const { url, key, base, tasks } = JSON.parse(process.argv[2] ?? '') as ClientSetup;
const WORK = { push, retry } satisfies Record<ClientWish, () => Promise<Over>>;

process.on('message', (wish: ClientWish) => {
  void WORK[wish]().then((over) => process.send?.({ done: tasks, over } satisfies ClientSaid));
});
process.on('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
process.send?.('ready');

/** One request with all lines: made while the API takes them, read while it answers. */
function push(): Promise<Over> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' };
    const sent = request(new URL('/v1/tasks?sign=true', url), { method: 'POST', headers }, (answer) => {
      readReceipts(answer).then(resolve, reject);
    });
    sent.on('error', reject);
    Readable.from(lines()).pipe(sent);
  });
}

function* lines(): Generator<string> {
  for (let n = 0; n < tasks; n += 1) yield `${JSON.stringify({ manifest: failingManifest(base, `bulk-${n}`) })}\n`;
}

async function readReceipts(answer: Readable): Promise<Over> {
  const count = counter();
  let summary: unknown;
  let inOrder = true;
  for await (const text of createInterface({ input: answer })) {
    const line = JSON.parse(text) as { line: number; task_id: string; receipt: string; summary?: unknown };
    if (line.summary === undefined) inOrder &&= line.line === count(line.receipt) && line.task_id === `bulk-${line.line - 1}`;
    else summary = line;
  }
  return { summary, words: count.words, inOrder };
}

/** Every failed task below the base directory, with Writ's own client. */
async function retry(): Promise<Over> {
  const count = counter();
  const run = new WritClient({ baseUrl: url, key, timeoutMs: 600_000 }).tasks.retryMany({ error_code: 'EXECUTION_FAILED', path: base });
  let step = await run.next();
  for (; step.done !== true; step = await run.next()) count(step.value.outcome);
  return { summary: step.value, words: count.words, inOrder: true };
}

function counter() {
  const words: Record<string, number> = {};
  let done = 0;
  const count = (word: string): number => {
    done += 1;
    words[word] = (words[word] ?? 0) + 1;
    if (done % TELL_EVERY === 0) process.send?.({ done } satisfies ClientSaid);
    return done;
  };
  return Object.assign(count, { words });
}
