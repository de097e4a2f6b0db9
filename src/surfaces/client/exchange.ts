import { piecesOf } from './body.ts';
import { apiErrorOf, WritApiError, WritConnectionError } from './errors.ts';
import type { Settings } from './options.ts';

/** One request. */
export interface Ask {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The path below the base, such as `/v1/tasks`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body, sent as JSON. */
  readonly json?: unknown;
  /** The body as lines of JSON. */
  readonly ndjson?: string;
  /** Seconds that the server may keep the request open. */
  readonly wait?: number | undefined;
  /** Seconds that the server may need without `wait`. */
  readonly patienceS?: number;
  readonly signal?: AbortSignal | undefined;
  /** Whether the request does the same when it is sent twice. */
  readonly repeatable: boolean;
}

/**
 * Sends a request once and reads the answer.
 *
 * @throws WritApiError, WritConnectionError (also for what `read` throws), or the reason of the signal; what cannot be written as
 *   JSON or as a header, and what the caller's `key` throws, as it is: another attempt would not help
 */
export async function exchange<T>(ask: Ask, settings: Settings, read: (response: Response) => Promise<T>): Promise<T> {
  const init = await initOf(ask, settings);
  const watch = createWatch(ask.signal, limitOf(ask, settings));
  try {
    return await read(await respond(ask, settings, init, watch));
  } catch (error) {
    throw understood(error, ask, watch);
  } finally {
    watch.end();
  }
}

/** Sends a request once; the answer piece by piece. Throws like `exchange`; a server that is silent for `idleMs` counts as gone. */
export async function* streamed(ask: Ask, settings: Settings, idleMs: number): AsyncGenerator<Uint8Array> {
  const init = await initOf(ask, settings);
  const watch = createWatch(ask.signal, limitOf(ask, settings));
  try {
    const response = await respond(ask, settings, init, watch);
    watch.alive(idleMs);
    for await (const chunk of piecesOf(response)) {
      // The limit does not run while the reader works.
      watch.rest();
      yield chunk;
      watch.alive(idleMs);
    }
  } catch (error) {
    throw understood(error, ask, watch);
  } finally {
    watch.end();
  }
}

function limitOf({ wait = 0, patienceS = 0 }: Ask, { timeoutMs }: Settings): number {
  return timeoutMs + (wait + patienceS) * 1000;
}

async function respond(ask: Ask, settings: Settings, init: RequestInit, { signal }: Watch): Promise<Response> {
  signal.throwIfAborted();
  const response = await settings.fetch(urlOf(ask, settings), { ...init, signal });
  if (isRedirect(response)) throw new WritConnectionError('the server answered with a redirect, which would take the key elsewhere');
  if (!response.ok) throw await apiErrorOf(response);
  return response;
}

/** Status 0 is how a browser hides one. */
function isRedirect({ status }: Response): boolean {
  return status === 0 || (status >= 300 && status < 400);
}

function understood(error: unknown, { signal }: Ask, watch: Watch): unknown {
  if (signal?.aborted) return signal.reason;
  if (error instanceof WritApiError) return error;
  return connectionErrorOf(watch.signal.aborted ? watch.signal.reason : error);
}

/** A watch that ends an exchange when its caller gives it up, or when it is silent for too long. */
interface Watch {
  readonly signal: AbortSignal;
  /** Starts the time again: something came. */
  alive(limitMs: number): void;
  /** Stops the time: nothing is expected for now. */
  rest(): void;
  end(): void;
}

function createWatch(outer: AbortSignal | undefined, firstMs: number): Watch {
  const controller = new AbortController();
  const giveUp = (): void => controller.abort(outer?.reason);
  outer?.addEventListener('abort', giveUp);
  if (outer?.aborted) giveUp();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const watch: Watch = {
    signal: controller.signal,
    alive(limitMs) {
      clearTimeout(timer);
      timer = setTimeout(() => controller.abort(new WritConnectionError(`the server was silent for ${limitMs} ms`)), limitMs);
    },
    rest: () => clearTimeout(timer),
    end() {
      clearTimeout(timer);
      outer?.removeEventListener('abort', giveUp);
      // Aborting frees the connection of an answer that was not read to its end; after the end it does nothing.
      controller.abort();
    },
  };
  watch.alive(firstMs);
  return watch;
}

function urlOf({ path, query = {} }: Ask, { base }: Settings): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return `${base}${path}${search === '' ? '' : `?${search}`}`;
}

async function initOf(ask: Ask, { key, userAgent }: Settings): Promise<RequestInit> {
  ask.signal?.throwIfAborted();
  const headers: Record<string, string> = { authorization: `Bearer ${await key()}`, 'user-agent': userAgent, accept: 'application/json', ...ask.headers };
  if (ask.wait !== undefined) headers['prefer'] = `wait=${Math.ceil(ask.wait)}`;
  if (ask.ndjson !== undefined) headers['content-type'] = 'application/x-ndjson';
  else if (ask.json !== undefined) headers['content-type'] = 'application/json';
  const body = ask.ndjson ?? (ask.json === undefined ? undefined : JSON.stringify(ask.json));
  // Not followed: that would send the key to another server. And not 'error': Node's fetch has no answer then for a 421 to a body.
  return { method: ask.method, headers: new Headers(headers), redirect: 'manual', ...(body === undefined ? {} : { body }) };
}

function connectionErrorOf(error: unknown): WritConnectionError {
  if (error instanceof WritConnectionError) return error;
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  const inner = cause instanceof Error ? `: ${cause.message || cause.name}` : '';
  return new WritConnectionError(`no answer from the server (${message}${inner})`, { cause: error });
}
