import { EnvelopeHeader, Timestamp } from '../../contracts/index.ts';
import { canonicalJson } from '../../core/canonical-json.ts';
import { sha256Hex } from '../../core/hash.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { isObject } from './json-copy.ts';
import { LIMITS } from './limits.ts';
import { member } from './paths.ts';

/** No clock: what says no time has none. */
const NO_TIME = '1970-01-01T00:00:00Z';

export type Header = JsonObject & { readonly id: string };

/**
 * The header that an envelope brings, unchanged, or one made from its content: the same envelope has the same header for ever, and so is the
 * same run. Who wants two runs varies `header.id`.
 */
export function headerOf(envelope: Json): Header {
  const own = member(envelope, 'header');
  return isHeader(own) ? own : generated(envelope);
}

function isHeader(header: Json | undefined): header is Header {
  return EnvelopeHeader.safeParse(header).success;
}

function generated(envelope: Json): Header {
  const timestamp = member(member(member(envelope, 'input'), 'event'), 'timestamp');
  const source = isObject(envelope) ? member(member(envelope, 'context'), 'source') : undefined;
  return Object.freeze({
    id: `env-${sha256Hex(canonicalJson(envelope, LIMITS.envelope.levels)).slice(0, 32)}`,
    version: '1.0',
    timestamp: Timestamp.safeParse(timestamp).data ?? NO_TIME,
    source: EnvelopeHeader.shape.source.safeParse(source).data ?? 'legacy',
    destination: 'executor',
    type: 'execution',
  });
}
