import { bracketEnd, bracketTest } from './bracket.ts';
import { ANY, type NamePattern, namePattern, STAR, type Token } from './name-pattern.ts';

/** A whole pattern of gitignore's language. */
export interface Pattern {
  /** Fits directories only. */
  readonly directoryOnly: boolean;
  /** Names one after the other from the directory of the rules down; a single one with `anywhere` fits at any depth. */
  readonly segments: readonly Segment[];
  readonly anywhere: boolean;
}

/** A pattern for one name, or any number of directories. */
export type Segment = NamePattern | typeof ANY_DIRECTORIES;

export const ANY_DIRECTORIES = '**';

interface Piece {
  readonly tokens: readonly Token[];
  /** Ends at a plain `/` or at the end of the pattern; `\/` separates too, but makes no `**` of its neighbours. */
  readonly plainEnd: boolean;
}

/**
 * The pattern of one rule, without its `!`; undefined if it can fit no path (an empty segment, a bracket that nothing closes,
 * a backslash with nothing behind it). The same language as `ignore` 7, which a property shows.
 */
export function parsePattern(body: string): Pattern | undefined {
  const pieces = split(body);
  if (pieces === undefined) return undefined;
  const directoryOnly = body.endsWith('/');
  if (directoryOnly) pieces.pop();
  if (body.startsWith('/')) pieces.shift();
  if (pieces.length === 0 || pieces.some((piece) => piece.tokens.length === 0)) return undefined;
  const segments = pieces.map((piece, at) => segmentOf(piece, pieces[at - 1]?.plainEnd ?? true));
  const isAnchored = body.slice(0, -1).includes('/');
  return { directoryOnly, ...located(segments, isAnchored) };
}

/** `**` in front means what no slash at all means, if one name is left. */
function located(segments: Segment[], isAnchored: boolean): Pick<Pattern, 'segments' | 'anywhere'> {
  const named = segments.findIndex((segment) => segment !== ANY_DIRECTORIES);
  if (named === -1) return { segments: [namePattern([STAR])], anywhere: true };
  const isLast = named === segments.length - 1;
  return isLast && (named > 0 || !isAnchored) ? { segments: segments.slice(named), anywhere: true } : { segments, anywhere: false };
}

function segmentOf(piece: Piece, plainStart: boolean): Segment {
  const isRun = piece.tokens.length >= 2 && piece.tokens.every((token) => token === STAR);
  return isRun && plainStart && piece.plainEnd ? ANY_DIRECTORIES : namePattern(piece.tokens);
}

function split(body: string): Piece[] | undefined {
  const pieces: Piece[] = [];
  let tokens: Token[] = [];
  const close = (plainEnd: boolean): void => {
    pieces.push({ tokens, plainEnd });
    tokens = [];
  };
  for (let at = 0; at < body.length; at++) {
    const char = body[at];
    if (char === '/') {
      close(true);
    } else if (char === '\\') {
      at++;
      if (at === body.length || (body[at] === '/' && at === body.length - 1)) return undefined;
      if (body[at] === '/') close(false);
      else tokens.push(body.charCodeAt(at));
    } else if (char === '[') {
      const end = bracketEnd(body, at);
      if (end === undefined) return undefined;
      tokens.push(bracketTest(body.slice(at, end)));
      at = end - 1;
    } else {
      tokens.push(char === '*' ? STAR : char === '?' ? ANY : body.charCodeAt(at));
    }
  }
  close(true);
  return pieces;
}
