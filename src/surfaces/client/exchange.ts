import { apiErrorOf, WritApiError, WritConnectionError } from './errors.ts';
import type { Settings } from './options.ts';

/** One request. */
export interface Ask {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below the base, `/v1/tasks`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as lines of JSON. */
  readonly ndjson?: string;
  /** Seconds that the server may keep the request open. */
  readonly wait?: number | undefined;
  /** Seconds that the server may need by itself, without being asked to wait. */
  readonly patienceS?: number;
  readonly signal?: AbortSignal | undefined;
  /** Asking twice does the same as asking once. */
  readonly repeatable: boolean;
}

/**
 * Asks once and reads the answer.
 *
 * @throws WritApiError, WritConnectionError (also for what `read` throws), or the reason of the signal
 */
export async function exchange<T>(ask: Ask, settings: Settings, read: (response: Response) => Promise<T>): Promise<T> {
  const watch = createWatch(ask.signal, limitOf(ask, settings));
  try {
    return await read(await respond(ask, settings, watch));
  } catch (error) {
    throw understood(error, ask, watch);
  } finally {
    watch.end();
  }
}

/** Asks once; the answer piece by piece. Throws like `exchange`; a server that is silent for `idleMs` has gone. */
export async function* streamed(ask: Ask, settings: Settings, idleMs: number): AsyncGenerator<Uint8Array> {
  const watch = createWatch(ask.signal, limitOf(ask, settings));
  try {
    const { body } = await respond(ask, settings, watch);
    if (body === null) return;
    watch.alive(idleMs);
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      // The time that the reader takes is not the server's.
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

async function respond(ask: Ask, settings: Settings, { signal }: Watch): Promise<Response> {
  signal.throwIfAborted();
  const response = await settings.fetch(urlOf(ask, settings), { ...(await initOf(ask, settings)), signal });
  if (!response.ok) throw await apiErrorOf(response);
  return response;
}

function understood(error: unknown, { signal }: Ask, watch: Watch): unknown {
  if (signal?.aborted) return signal.reason;
  if (error instanceof WritApiError) return error;
  return connectionErrorOf(watch.signal.aborted ? watch.signal.reason : error);
}

/** Ends an exchange that is given up by its caller, or that is silent for too long. */
interface Watch {
  readonly signal: AbortSignal;
  /** Something came: the time counts anew. */
  alive(limitMs: number): void;
  /** Nothing is expected for now. */
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
      // Frees the connection of an answer that was not read to its end; nothing happens after the end.
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
  const headers: Record<string, string> = { authorization: `Bearer ${await key()}`, 'user-agent': userAgent, accept: 'application/json', ...ask.headers };
  if (ask.wait !== undefined) headers['prefer'] = `wait=${Math.ceil(ask.wait)}`;
  if (ask.ndjson !== undefined) headers['content-type'] = 'application/x-ndjson';
  else if (ask.json !== undefined) headers['content-type'] = 'application/json';
  const body = ask.ndjson ?? (ask.json === undefined ? undefined : JSON.stringify(ask.json));
  // A redirect would carry the key to somewhere else.
  return { method: ask.method, headers, redirect: 'error', ...(body === undefined ? {} : { body }) };
}

function connectionErrorOf(error: unknown): WritConnectionError {
  if (error instanceof WritConnectionError) return error;
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  const inner = cause instanceof Error ? `: ${cause.message || cause.name}` : '';
  return new WritConnectionError(`no answer from the server (${message}${inner})`, { cause: error });
}
