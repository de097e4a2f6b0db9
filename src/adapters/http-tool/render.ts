import { canonicalJson } from '../../core/canonical-json.ts';
import type { Json } from '../../core/json.ts';
import { encode, encodeSegment } from './path-segment.ts';
import type { BodyTemplate, RequestTemplate } from './request-template.ts';
import type { Target } from './target.ts';
import { fillText, fillValue, misfit, paramsIn, type Template, type TemplateValues } from './template.ts';

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
 * @throws WritError INVALID_ARGUMENT for a value that does not fit; `field` names the parameter, and there is none for a secret's.
 *   The message holds no value
 */
export function render(template: RequestTemplate, filling: TemplateValues): Rendered {
  const path = `/${template.segments.map((segment) => renderSegment(segment, filling)).join('/')}`;
  const target = path + renderQuery(template.query, filling);
  if (target.length > MAX_TARGET) throw misfit(`make path and query longer than ${MAX_TARGET} characters`, 'inputs.params');
  // What was promised, seen with other eyes: a URL parser must find the very same path.
  if (new URL(`https://host${path}`).pathname !== path) {
    throw misfit('would change the path', 'inputs.params');
  }

  const body = template.body === undefined ? undefined : renderBody(template.body, filling);
  const bytes = body === undefined ? undefined : Buffer.from(canonicalJson(body), 'utf8');
  return { method: template.method, place: template.place, target, headers: renderHeaders(template, filling, bytes), body: bytes };
}

function renderSegment(segment: string | Template, filling: TemplateValues): string {
  if (typeof segment === 'string') return segment;
  const text = fillText(segment, filling);
  const field = paramsIn(segment);
  if (text === undefined) throw misfit('is missing, and the path needs it', field);
  return encodeSegment(text, field);
}

function renderQuery(query: RequestTemplate['query'], filling: TemplateValues): string {
  const pairs = query.flatMap(([name, template]) => {
    const value = fillValue(template, filling);
    if (value === undefined) return [];
    return (Array.isArray(value) ? value : [value]).map((one) => `${encode(name)}=${encode(scalar(one, paramsIn(template)))}`);
  });
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function scalar(value: Json, field: string | undefined): string {
  if (typeof value === 'object') throw misfit('must be a string, a number, a boolean, or an array of these', field);
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
    if (value !== undefined) rendered.set(name.toLowerCase(), headerValue(value, name, paramsIn(template)));
  }
  // Ours come last: a compressed answer could hide what has to be scrubbed.
  rendered.set('accept-encoding', 'identity');
  rendered.set('idempotency-key', filling.taskId);
  if (body !== undefined) rendered.set('content-length', String(body.length));
  return Object.fromEntries(rendered);
}

/**
 * @param field what was filled in, if that was a parameter
 * @throws WritError INVALID_ARGUMENT with this `field` for anything but printable ASCII and tabs
 */
export function headerValue(value: string, name: string, field?: string): string {
  const what = field === undefined ? `the value of the header ${name}` : `fills the header ${name} and`;
  if (!/^[\t\x20-\x7e]*$/.test(value)) throw misfit(`${what} has a line break or characters other than printable ASCII`, field);
  if (value.length > MAX_HEADER) throw misfit(`${what} is longer than ${MAX_HEADER} characters`, field);
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
