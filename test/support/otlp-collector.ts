import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { PATIENCE_MS } from './patience.ts';

/** A span as it arrived. */
export interface Received {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: number;
  /** Nanoseconds since 1970. */
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly failed: boolean;
  readonly statusMessage: string | undefined;
  readonly events: number;
  /** `writ.role` of the process. */
  readonly role: string;
  /** Which process. */
  readonly instance: string;
}

/** A real OTLP/HTTP receiver of a test: it reads requests as the specification (OTLP 1.x, JSON) has them, and refuses all others. */
export interface Collector extends AsyncDisposable {
  /** To be set as `tracing.endpoint`. */
  readonly endpoint: string;
  readonly spans: readonly Received[];
  /** Headers of each request. */
  readonly headers: readonly IncomingMessage['headers'][];
  /** Bodies that were no OTLP/JSON. */
  readonly broken: readonly string[];
  /** What is done with requests from now on: taken, refused with 400, or not answered before the next change, and refused then. */
  behave(how: 'take' | 'refuse' | 'hang'): void;
  /** Requests that wait for an answer. */
  readonly waiting: number;
  /** Spans so far as soon as they are such. */
  until(isIt: (spans: readonly Received[]) => boolean, timeoutMs?: number): Promise<readonly Received[]>;
}

const Id = (digits: number) => z.string().regex(new RegExp(`^(?!0+$)[0-9a-f]{${digits}}$`));
/** A 64-bit number is a string in JSON of protobuf. */
const Nanos = z.union([z.string().regex(/^\d{1,20}$/), z.int()]).transform(BigInt);
const Value = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ boolValue: z.boolean() }),
  z.strictObject({
    intValue: z.union([
      z.int(),
      z
        .string()
        .regex(/^-?\d+$/)
        .transform(Number),
    ]),
  }),
  z.strictObject({ doubleValue: z.number() }),
]);
const Attributes = z.array(z.strictObject({ key: z.string().min(1), value: Value }));
const Request = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: Attributes }),
      scopeSpans: z.array(
        z.object({
          scope: z.object({ name: z.string() }),
          spans: z.array(
            z.object({
              traceId: Id(32),
              spanId: Id(16),
              parentSpanId: Id(16).optional(),
              name: z.string().min(1),
              kind: z.int().min(1).max(5),
              startTimeUnixNano: Nanos,
              endTimeUnixNano: Nanos,
              attributes: Attributes,
              links: z.array(z.object({ traceId: Id(32), spanId: Id(16) })).optional(),
              events: z.array(z.unknown()).optional(),
              status: z.object({ code: z.int().min(0).max(2), message: z.string().optional() }),
            }),
          ),
        }),
      ),
    }),
  ),
});

export async function startCollector(): Promise<Collector> {
  const spans: Received[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const broken: string[] = [];
  const listeners = new Set<() => void>();
  let how: 'take' | 'refuse' | 'hang' = 'take';
  const hanging = new Set<ServerResponse>();

  const server = createServer((request, response) => {
    void bodyOf(request).then((text) => {
      headers.push(request.headers);
      if (how === 'hang') return void hanging.add(response);
      if (how === 'refuse') return response.writeHead(400).end();
      const read = request.headers['content-type'] === 'application/json' ? readRequest(text) : undefined;
      if (read === undefined || request.url !== '/v1/traces' || request.method !== 'POST') broken.push(text);
      else spans.push(...read);
      for (const listener of listeners) listener();
      response.writeHead(read === undefined ? 400 : 200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    endpoint: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/v1/traces`,
    spans,
    headers,
    broken,
    get waiting() {
      return [...hanging].filter(({ destroyed }) => !destroyed).length;
    },
    behave(next) {
      how = next;
      for (const response of hanging) response.writeHead(400).end();
      hanging.clear();
    },
    until: (isIt, timeoutMs = PATIENCE_MS) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          listeners.delete(look);
          reject(
            new Error(
              `no such spans within ${timeoutMs} ms; there are ${spans.map(({ name, role }) => `${role}: ${name}`).join(', ')}; broken: ${broken.length}`,
            ),
          );
        }, timeoutMs);
        const look = (): void => {
          if (!isIt(spans)) return;
          clearTimeout(timer);
          listeners.delete(look);
          resolve(spans);
        };
        listeners.add(look);
        look();
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function readRequest(text: string): readonly Received[] | undefined {
  const parsed = Request.safeParse(JSON.parse(text));
  if (!parsed.success) return undefined;
  return parsed.data.resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const about = valuesOf(resource.attributes);
    return scopeSpans.flatMap((scope) =>
      scope.spans.map(
        (span): Received => ({
          traceId: span.traceId,
          spanId: span.spanId,
          parentSpanId: span.parentSpanId,
          name: span.name,
          kind: span.kind,
          start: span.startTimeUnixNano,
          end: span.endTimeUnixNano,
          attributes: valuesOf(span.attributes),
          links: span.links ?? [],
          failed: span.status.code === 2,
          statusMessage: span.status.message,
          events: span.events?.length ?? 0,
          role: String(about['writ.role']),
          instance: String(about['service.instance.id']),
        }),
      ),
    );
  });
}

function valuesOf(attributes: z.infer<typeof Attributes>): Record<string, string | number | boolean> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] as string | number | boolean]));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** A tree of spans as text, for comparison: children below their parent, in the order of their beginnings. */
export function treeOf(spans: readonly Received[], traceId: string): string {
  const own = spans.filter((span) => span.traceId === traceId).sort((a, b) => (a.start < b.start ? -1 : 1));
  const ids = new Set(own.map(({ spanId }) => spanId));
  const lines = (parent: string | undefined, depth: number): string[] =>
    own
      .filter(({ parentSpanId }) => (parent === undefined ? parentSpanId === undefined || !ids.has(parentSpanId) : parentSpanId === parent))
      .flatMap((span) => [`${'  '.repeat(depth)}${span.role}: ${span.name}`, ...lines(span.spanId, depth + 1)]);
  return lines(undefined, 0).join('\n');
}
