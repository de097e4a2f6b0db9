import { isWritError, messageOf, WritError } from '../../core/errors.ts';

/** What Redis answers to a wrong user or password, and to none. */
const NOT_LET_IN = /^(WRONGPASS|NOAUTH|ERR AUTH|ERR invalid password|NOPERM)\b/;

/** What the client says when the bytes that come back are no reply of Redis. */
const NO_REDIS = /^(Unknown RESP type|Protocol error)/;

const FIELD = 'redis.url';

/** Whether a server of Redis refuses whoever asks. */
export function isNotLetIn(cause: unknown): boolean {
  return NOT_LET_IN.test(messageOf(cause));
}

/** The address of a Redis server as everybody may read it: without user and password. */
export function shownAddress(url: string): string {
  return url.replace(/\/\/[^/?#]*@/, '//***@');
}

/**
 * Why a configured Redis cannot be used, in the words of whoever has configured it: REDIS_UNAVAILABLE with the field and the
 * address, never with a password; an error that says it better already (REDIS_TLS) as it is.
 *
 * @param isCluster its nodes may answer, and it may not serve all the same
 */
export function unreachable(url: string, cause: unknown, isCluster = false): WritError {
  if (isWritError(cause)) return cause;
  const why = messageOf(cause);
  return new WritError('REDIS_UNAVAILABLE', sentence(url, why, isCluster), { field: FIELD, cause });
}

function sentence(url: string, why: string, isCluster: boolean): string {
  const address = shownAddress(url);
  if (NO_REDIS.test(why)) return `what answers at ${address} is no Redis (${why}): look at redis.url (\`writ doctor\`)`;
  if (isCluster && !NOT_LET_IN.test(why))
    return `the Redis Cluster of ${address} does not serve (${why}): look whether a master is away, and at redis.url and redis.cluster_nodes (\`writ doctor\`)`;
  if (!NOT_LET_IN.test(why)) return `Redis at ${address} does not answer (${why}): look at the server and at redis.url (\`writ doctor\`)`;
  const todo = 'redis.url has them as redis://user:password@host:port, in writ.toml or in WRIT_REDIS__URL (`writ doctor`)';
  const how = URL.canParse(url) && new URL(url).password !== '' ? 'with the user and password of redis.url' : 'without a password, and redis.url has none';
  return `Redis at ${address} lets nobody in ${how} (${why}): ${todo}`;
}
