import type { PassThrough } from 'node:stream';
import type { PlanEvent, TaskEvent } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import { problemOf } from '../problem.ts';

/** Writes server-sent events; what a slow reader does not take is not collected. */
export interface EventWriter {
  /** Resolves when there is room for the next one; `false`: the reader has gone, or was dropped because it takes nothing. */
  event(event: TaskEvent): Promise<boolean>;
  /** As `event`, for a change of a plan; it has no id, so that a reader goes on after the last task. */
  plan(event: PlanEvent): Promise<boolean>;
  /** The last event says why; then the stream ends. */
  fail(error: unknown): void;
  end(): void;
}

/** How long a reader reconnects after, milliseconds. */
const RECONNECT_MS = 2000;

export function createEventWriter(stream: PassThrough, limits: { readonly heartbeatMs: number; readonly stallMs: number }, over: AbortSignal): EventWriter {
  const heartbeat = setInterval(() => {
    if (!stream.writableNeedDrain) stream.write(': \n\n');
  }, limits.heartbeatMs);
  heartbeat.unref();
  stream.once('close', () => clearInterval(heartbeat)).on('error', () => undefined);
  stream.write(`retry: ${RECONNECT_MS}\n\n`);

  const close = (last: string): void => {
    clearInterval(heartbeat);
    if (stream.destroyed || stream.writableEnded) return;
    stream.end(last);
    // Who does not even read the end is not waited for.
    const impatience = setTimeout(() => stream.destroy(), limits.stallMs);
    impatience.unref();
    stream.once('close', () => clearTimeout(impatience));
  };
  const fail = (error: unknown, name: 'dropped' | 'problem'): void => close(`event: ${name}\ndata: ${JSON.stringify(problemOf(error))}\n\n`);

  const write = async (text: string): Promise<boolean> => {
    if (stream.destroyed || stream.writableEnded || over.aborted) return false;
    if (stream.write(text)) return true;
    const drained = await drainOf(stream, limits.stallMs, over);
    if (!drained) fail(new WritError('TIMEOUT', `the reader took nothing for ${limits.stallMs / 1000} s`), 'dropped');
    return drained;
  };

  return {
    event: (event) => write(`id: ${event.id}\nevent: task\ndata: ${JSON.stringify(event)}\n\n`),
    plan: (event) => write(`event: plan\ndata: ${JSON.stringify(event)}\n\n`),
    fail: (error) => fail(error, 'problem'),
    end: () => close(''),
  };
}

/** `false` when there is no room in time, or the reader has gone. */
function drainOf(stream: PassThrough, stallMs: number, over: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (drained: boolean) => (): void => {
      clearTimeout(timer);
      stream.off('drain', yes).off('close', no);
      over.removeEventListener('abort', no);
      resolve(drained);
    };
    const [yes, no] = [settle(true), settle(false)];
    const timer = setTimeout(no, stallMs);
    stream.on('drain', yes).on('close', no);
    over.addEventListener('abort', no, { once: true });
  });
}
