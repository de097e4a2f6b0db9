import type { BackendQuery } from '../../core/ports/index.ts';

/** What of an expression of ugrep's stands together: quoted text, what is escaped, a carriage return, anything else. */
const PIECES = /(\\Q[\s\S]*?(?:\\E|$))|\\\r|\r|\\[\s\S]|[^\\\r]+/gu;
const META = /[\\^$.*+?()[\]{}|/#-]/gu;

/**
 * A query whose pattern has no carriage return: ugrep reads its patterns by lines, and takes one within a pattern for the border of
 * two, at the end for nothing. As `\r` it is what it is. A literal with one becomes an expression that means the same.
 */
export function withoutCarriageReturns<Q extends Pick<BackendQuery, 'pattern' | 'fixedStrings'>>(query: Q): Q {
  const { pattern, fixedStrings } = query;
  if (!pattern.includes('\r')) return query;
  if (fixedStrings) return { ...query, fixedStrings: false, pattern: pattern.replace(META, '\\$&').replaceAll('\r', '\\r') };
  return {
    ...query,
    pattern: pattern.replace(PIECES, (piece, quoted: string | undefined) => {
      if (quoted !== undefined) return quoted.replaceAll('\r', '\\E\\r\\Q');
      return piece === '\r' || piece === '\\\r' ? '\\r' : piece;
    }),
  };
}
