import { WritError } from '../../core/errors.ts';
import { allowList } from './addresses.ts';
import { exchange } from './exchange.ts';
import { type Resolver, resolveHost, systemResolver } from './resolve-host.ts';
import { parseTarget } from './target.ts';

/** What a receiver answered: the head is all that is read of it. */
export type PostAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfter: string | undefined }
  | { readonly kind: 'unanswered'; readonly problem: string };

/** Posts a fixed text to a fixed address, under the rules for tools: no redirect, no proxy, no address that is not public unless allowed. */
export type Post = (headers: Readonly<Record<string, string>>, body: string, signal: AbortSignal) => Promise<PostAnswer>;

export interface PostOptions {
  readonly url: string;
  readonly allow: readonly string[];
  /** Of the setting, for messages. */
  readonly field: string;
  readonly resolver?: Resolver;
}

/** @throws WritError INVALID_CONFIG for an address that is not legal: credentials, query, fragment, plain HTTP to a host that is not allowed */
export function createPost({ url, allow: entries, field, resolver = systemResolver }: PostOptions): Post {
  const allow = allowList(entries, `${field}.allow`);
  const place = parseTarget(url, allow, `${field}.url`);
  if (!URL.canParse(url) || new URL(url).pathname !== place.path) {
    throw new WritError('INVALID_CONFIG', `${field}.url has a path that a URL writes otherwise`, { field: `${field}.url` });
  }
  return async (headers, text, signal) => {
    const reached = await resolveHost(place.host, allow, resolver, signal);
    if (!reached.ok) return { kind: 'unanswered', problem: ofReceiver(reached.error) };
    const body = Buffer.from(text, 'utf8');
    const standard = place.port === (place.secure ? 443 : 80);
    const sent = { host: standard ? place.host : `${place.host}:${place.port}`, ...headers, 'content-length': String(body.length), connection: 'close' };
    const answer = await exchange(
      { method: 'POST', place, target: place.path, headers: sent, body, addresses: reached.value, agent: undefined, authorities: undefined },
      signal,
    );
    if (answer.kind !== 'response') return { kind: 'unanswered', problem: ofReceiver(answer.message) };
    // Whatever follows, however long, is not wanted.
    answer.response.on('error', () => undefined).destroy();
    return { kind: 'answered', status: answer.response.statusCode ?? 0, retryAfter: answer.response.headers['retry-after'] };
  };
}

/** The sentences are worded for tools; here the other side is a receiver. */
function ofReceiver(sentence: string): string {
  return sentence.replaceAll('the tool', 'the receiver').replaceAll('the call', 'the attempt');
}
