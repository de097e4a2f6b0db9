/** How a slow client behaves, and when the API must have shown it out. */
export interface SlowKind {
  /** Share of all clients. */
  readonly share: number;
  /** What it sends when the connection stands. */
  readonly opening: (target: { readonly host: string; readonly key: string }) => string;
  /** What it adds, every `everyMs`. */
  readonly drip: { readonly text: string; readonly everyMs: number } | undefined;
  /** Whether it reads what comes. */
  readonly reads: boolean;
  /** Time after which the API cuts it, milliseconds; `undefined`: it may stay. */
  readonly cutAfterMs: number | undefined;
}

/** As listener.ts and `http.request_timeout_s` have them. */
const HEADERS_MS = 10_000;
const BODY_MS = 30_000;

export const SLOW_KINDS = {
  idle: { share: 0.3, opening: () => '', drip: undefined, reads: true, cutAfterMs: HEADERS_MS },
  headers: {
    share: 0.3,
    opening: ({ host }) => `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nX-Slow: `,
    drip: { text: 'a', everyMs: 2000 },
    reads: true,
    cutAfterMs: HEADERS_MS,
  },
  bodies: {
    share: 0.3,
    opening: ({ host, key }) =>
      `POST /v1/tasks HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
    drip: { text: ' ', everyMs: 2000 },
    reads: true,
    cutAfterMs: BODY_MS,
  },
  // Allowed to stay: a stream without an end is what they asked for. How many there may be is bounded by key.
  streams: {
    share: 0.1,
    opening: ({ host, key }) => `GET /v1/events HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\nAccept: text/event-stream\r\n\r\n`,
    drip: undefined,
    reads: false,
    cutAfterMs: undefined,
  },
} as const satisfies Record<string, SlowKind>;

export type SlowKindName = keyof typeof SLOW_KINDS;
export const SLOW_KIND_NAMES = Object.keys(SLOW_KINDS) as readonly SlowKindName[];

/** Event streams that one key may hold open (routes/events.ts). */
export const STREAMS_OF_A_KEY = 16;
