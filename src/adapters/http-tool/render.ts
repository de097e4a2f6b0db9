import { canonicalJson } from '../../core/canonical-json.ts';
import { WritError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { encode, encodeSegment } from './path-segment.ts';
import type { BodyTemplate, RequestTemplate } from './request-template.ts';
import type { Target } from './target.ts';
import { fillText, fillValue, type Template, type TemplateValues } from './template.ts';

/** A request as it is sent, but for the connection. */
export interface Rendered {
  readonly method: string;
  readonly place: Target;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

const MAX_TARGET = 16 * 1024;
const MAX_HEADER = 8 * 1024;

/**
 * Fills a request in. Parameters end up as whole JSON values, parts of path segments, values of the query, or header
 * values without control characters; scheme, host, port and number of segments are those of the binding.
 *
 * @throws WritError INVALID_ARGUMENT for a parameter that does not fit; the message names it and holds no value
 */
export function render(template: RequestTemplate, filling: TemplateValues): Rendered {
  const path = `/${template.segments.map((segment) => renderSegment(segment, filling)).join('/')}`;
  const target = path + renderQuery(template.query, filling);
  if (target.length > MAX_TARGET) throw new WritError('INVALID_ARGUMENT', `path and query are longer than ${MAX_TARGET} characters`);
  // What was promised, seen with other eyes: a URL parser must find the very same path.
  if (new URL(`https://host${path}`).pathname !== path) throw new WritError('INVALID_ARGUMENT', 'a parameter would change the path');

  const body = template.body === undefined ? undefined : renderBody(template.body, filling);
  const bytes = body === undefined ? undefined : Buffer.from(canonicalJson(body), 'utf8');
  return { method: template.method, place: template.place, target, headers: renderHeaders(template, filling, bytes), body: bytes };
}

function renderSegment(segment: string | Template, filling: TemplateValues): string {
  if (typeof segment === 'string') return segment;
  const text = fillText(segment, filling);
  if (text === undefined) throw new WritError('INVALID_ARGUMENT', 'a parameter of the path is missing');
  return encodeSegment(text, 'the path');
}

function renderQuery(query: RequestTemplate['query'], filling: TemplateValues): string {
  const pairs = query.flatMap(([name, template]) => {
    const value = fillValue(template, filling);
    if (value === undefined) return [];
    return (Array.isArray(value) ? value : [value]).map((one) => `${encode(name)}=${encode(scalar(one, name))}`);
  });
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function scalar(value: Json, name: string): string {
  if (typeof value === 'object')
    throw new WritError('INVALID_ARGUMENT', `the parameter of the query field ${name} must be a string, a number, a boolean, or an array of these`);
  return String(value);
}

function renderHeaders({ headers }: RequestTemplate, filling: TemplateValues, body: Buffer | undefined): Record<string, string> {
  const rendered = new Map<string, string>([
    ['accept', 'application/json'],
    ['user-agent', 'writ'],
  ]);
  if (body !== undefined) rendered.set('content-type', 'application/json');
  for (const [name, template] of headers) {
    const value = fillText(template, filling);
    if (value !== undefined) rendered.set(name.toLowerCase(), headerValue(value, name));
  }
  // Ours come last: a compressed answer could hide what has to be scrubbed.
  rendered.set('accept-encoding', 'identity');
  rendered.set('idempotency-key', filling.taskId);
  if (body !== undefined) rendered.set('content-length', String(body.length));
  return Object.fromEntries(rendered);
}

/** @throws WritError INVALID_ARGUMENT for anything but printable ASCII and tabs. */
export function headerValue(value: string, name: string): string {
  if (!/^[\t\x20-\x7e]*$/.test(value))
    throw new WritError('INVALID_ARGUMENT', `the value of the header ${name} has a line break or characters other than printable ASCII`);
  if (value.length > MAX_HEADER) throw new WritError('INVALID_ARGUMENT', `the value of the header ${name} is longer than ${MAX_HEADER} characters`);
  return value.trim();
}

/** `undefined`: an optional parameter that is absent; its member or item is left out. */
function renderBody(body: BodyTemplate, filling: TemplateValues): Json | undefined {
  switch (body.kind) {
    case 'text':
      return fillValue(body.template, filling);
    case 'fixed':
      return body.value;
    case 'array':
      return body.items.flatMap((item) => {
        const value = renderBody(item, filling);
        return value === undefined ? [] : [value];
      });
    case 'object': {
      const members: (readonly [string, Json])[] = [];
      for (const [key, item] of body.members) {
        const value = renderBody(item, filling);
        if (value !== undefined) members.push([key, value]);
      }
      return Object.fromEntries(members);
    }
  }
}
