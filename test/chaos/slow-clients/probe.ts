import { setTimeout as delay } from 'node:timers/promises';
import { failingManifest } from '../door/installation.ts';

/** Times of one kind of question, milliseconds, and what did not go well. */
export interface Latency {
  readonly asked: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** Answers other than the right one, by what came instead. */
  readonly wrong: Readonly<Record<string, number>>;
}

interface Question {
  readonly path: string;
  readonly init: (n: number) => RequestInit;
  readonly status: number;
  readonly pauseMs: number;
}

const PATIENCE_MS = 30_000;

/** Asks one after the other until `signal`, with a pause in between. */
async function ask(url: string, { path, init, status, pauseMs }: Question, signal: AbortSignal): Promise<Latency> {
  const times: number[] = [];
  const wrong: Record<string, number> = {};
  for (let n = 0; !signal.aborted; n += 1) {
    const begun = performance.now();
    const came = await answerOf(`${url}${path}`, init(n));
    times.push(performance.now() - begun);
    if (came !== String(status)) wrong[came] = (wrong[came] ?? 0) + 1;
    await delay(pauseMs);
  }
  times.sort((a, b) => a - b);
  const at = (share: number): number => Math.round((times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0) * 10) / 10;
  return { asked: times.length, p50: at(0.5), p99: at(0.99), max: at(1), wrong };
}

async function answerOf(url: string, init: RequestInit): Promise<string> {
  try {
    const reply = await fetch(url, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) });
    await reply.arrayBuffer();
    return String(reply.status);
  } catch (error) {
    return error instanceof Error ? error.name : String(error);
  }
}

export interface ProbeOptions {
  readonly url: string;
  readonly key: string;
  readonly base: string;
  readonly forMs: number;
  /** Begin of the task ids. */
  readonly name: string;
}

/** What an honest client sees: `/healthz`, and a task that is signed and queued. A new connection for each, as strangers have. */
export async function probe({ url, key, base, forMs, name }: ProbeOptions) {
  const signal = AbortSignal.timeout(forMs);
  const close = { connection: 'close' };
  const push = (n: number): RequestInit => ({
    method: 'POST',
    headers: { ...close, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ manifest: failingManifest(base, `${name}-${n}`) }),
  });
  const [healthz, tasks] = await Promise.all([
    ask(url, { path: '/healthz', init: () => ({ headers: close }), status: 200, pauseMs: 50 }, signal),
    ask(url, { path: '/v1/tasks?sign=true', init: push, status: 202, pauseMs: 200 }, signal),
  ]);
  return { healthz, tasks };
}
