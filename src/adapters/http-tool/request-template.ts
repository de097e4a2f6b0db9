import type { HttpAction } from '../../contracts/index.ts';
import { WritError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import type { AllowList } from './addresses.ts';
import { parseTarget, type Target } from './target.ts';
import { parseTemplate, secretsOf, type Template } from './template.ts';

/** The request of an action with its templates read. */
export interface RequestTemplate {
  readonly method: HttpAction['request']['method'];
  readonly place: Target;
  /** Between the slashes; a fixed segment is text as it is sent. */
  readonly segments: readonly (string | Template)[];
  readonly query: readonly (readonly [string, Template])[];
  readonly headers: readonly (readonly [string, Template])[];
  readonly body: BodyTemplate | undefined;
  /** Names of the secrets in it. */
  readonly secrets: ReadonlySet<string>;
}

/** JSON whose strings are templates. */
export type BodyTemplate =
  | { readonly kind: 'text'; readonly template: Template }
  | { readonly kind: 'fixed'; readonly value: Json }
  | { readonly kind: 'array'; readonly items: readonly BodyTemplate[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, BodyTemplate])[] };

/** Set by us or by the connection, or meant for a proxy. */
const OWN_HEADERS =
  /^(host|content-length|transfer-encoding|connection|upgrade|te|trailer|expect|keep-alive|accept-encoding|idempotency-key|traceparent|proxy-.*|http2-settings|mcp-.*)$/i;

/** What may stand in a fixed segment: RFC 3986 `pchar`, and no escape that a server could read as a dot or a slash. */
const FIXED_SEGMENT = /^(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%(?!2[eEfF]|5[cC]|0|1|7[fF])[0-9A-Fa-f]{2})*$/;

/** @throws WritError INVALID_CONFIG that names the field of the binding */
export function readRequest(request: HttpAction['request'], allow: AllowList, secrets: ReadonlySet<string>, field: string): RequestTemplate {
  const used = new Set<string>();
  const read = (text: string, where: string): Template => {
    const template = parseTemplate(text, secrets, where);
    for (const name of secretsOf(template)) used.add(name);
    return template;
  };
  const place = parseTarget(request.url, allow, `${field}.url`);
  if (request.body !== undefined && (request.method === 'GET' || request.method === 'HEAD')) {
    throw new WritError('INVALID_CONFIG', `${field}.body: a ${request.method} request has none`, { field: `${field}.body` });
  }
  return {
    method: request.method,
    place,
    segments: place.path
      .slice(1)
      .split('/')
      .map((text, index, all) => segment(text, index === all.length - 1, `${field}.url`, read)),
    query: Object.entries(request.query ?? {}).map(([name, text]) => [name, read(text, `${field}.query.${name}`)]),
    headers: Object.entries(request.headers ?? {}).map(([name, text]) => [
      freeHeader(name, `${field}.headers.${name}`),
      read(text, `${field}.headers.${name}`),
    ]),
    body: request.body === undefined ? undefined : bodyTemplate(request.body, `${field}.body`, read),
    secrets: used,
  };
}

type Read = (text: string, field: string) => Template;

function segment(text: string, last: boolean, field: string, read: Read): string | Template {
  if (text.includes('{{')) return read(text, field);
  if (!FIXED_SEGMENT.test(text) || text === '.' || text === '..' || (text === '' && !last)) {
    throw new WritError('INVALID_CONFIG', `${field} has a path segment that is empty, a dot, or has characters that must be percent-encoded`, { field });
  }
  return text;
}

/** @throws WritError INVALID_CONFIG for a header that is not the binding's to set. */
export function freeHeader(name: string, field: string): string {
  if (OWN_HEADERS.test(name)) throw new WritError('INVALID_CONFIG', `${field} is set by Writ or by the connection`, { field });
  return name;
}

function bodyTemplate(value: Json, field: string, read: Read): BodyTemplate {
  if (typeof value === 'string') return { kind: 'text', template: read(value, field) };
  if (typeof value !== 'object' || value === null) return { kind: 'fixed', value };
  if (Array.isArray(value)) return { kind: 'array', items: value.map((item, index) => bodyTemplate(item, `${field}.${index}`, read)) };
  return { kind: 'object', members: Object.entries(value).map(([key, item]) => [key, bodyTemplate(item, `${field}.${key}`, read)]) };
}
