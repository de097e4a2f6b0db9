import { z } from 'zod';
import { isLoopback } from '../src/core/loopback.ts';

/** The section `tracing`: where spans go, and how many. */

const HeaderReference = z.string().regex(/^(file:\/.+|env:[A-Za-z_][A-Za-z0-9_]*)$/, 'must be file:<absolute path> or env:<NAME>');

export const Tracing = z
  .strictObject({
    enabled: z.boolean().default(false).describe('Whether spans are made and sent to a collector (docs/tracing.md).'),
    endpoint: z
      .string()
      .refine((text) => placeOf(text) !== undefined, 'must be an http:// or https:// address without user and password')
      .default('http://127.0.0.1:4318/v1/traces')
      .describe('Where the collector takes OTLP over HTTP (JSON).'),
    sample_ratio: z
      .number()
      .min(0)
      .max(1)
      .default(1)
      .describe('Share of the traces that begin here which is recorded; a context that came along decides for itself.'),
    timeout_ms: z.int().min(50).max(60_000).default(5000).describe('Time for one request to the collector, and for the last ones when a process stops.'),
    max_spans: z.int().min(1).max(100_000).default(4096).describe('Spans that wait for the collector in each process; further ones are dropped and counted.'),
    tell_tools: z.boolean().default(true).describe('Whether tools of the outside are told the context of their call (traceparent).'),
    headers: z
      .record(z.string().regex(/^[a-z0-9!#$%&'*+.^_`|~-]{1,128}$/, 'must be a header name in lower case'), HeaderReference)
      .default({})
      .meta({
        description: 'Headers of the requests to the collector, name = where the value lies; read anew for each request.',
        examples: ['authorization = "file:/run/secrets/otlp"'],
      }),
  })
  .superRefine(({ endpoint, headers }, context) => {
    const place = placeOf(endpoint);
    if (place?.protocol !== 'http:' || isLoopback(place.hostname) || Object.keys(headers).length === 0) return;
    context.addIssue({ code: 'custom', path: ['endpoint'], message: 'must be https:// beyond this host when tracing.headers are sent: they hold secrets' });
  });

function placeOf(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  return (url.protocol === 'http:' || url.protocol === 'https:') && url.username === '' && url.password === '' ? url : undefined;
}
