import type { BracketTest } from './bracket.ts';

/**
 * A pattern for one name, without `/`. Most patterns of real ignore files are a name, a beginning or an end: these have
 * shapes of their own, so that tables can answer for them (name-table.ts).
 */
export interface NamePattern {
  readonly shape: 'exact' | 'suffix' | 'prefix' | 'all' | 'general';
  /** The fixed text of the first three shapes. */
  readonly text: string;
  readonly tokens: readonly Token[];
  /** UTF-16 units that a name has at least. */
  readonly minLength: number;
  /** The longest fixed text in it: a name without it does not fit. */
  readonly needle: string;
}

/** A UTF-16 unit, or what stands for code points. */
export type Token = number | BracketTest;

/** Any run of code points. */
export const STAR = -1;
/** Any one code point. */
export const ANY = -2;

const isUnit = (token: Token | undefined): token is number => typeof token === 'number' && token >= 0;
const textOf = (tokens: readonly Token[]): string => tokens.map((token) => (isUnit(token) ? String.fromCharCode(token) : '')).join('');

/** The pattern of these tokens. Stars beside stars say nothing more. */
export function namePattern(raw: readonly Token[]): NamePattern {
  const tokens = raw.filter((token, at) => token !== STAR || raw[at - 1] !== STAR);
  const stars = tokens.filter((token) => token === STAR).length;
  return { shape: shapeOf(tokens), text: textOf(tokens), tokens, minLength: tokens.length - stars, needle: longestText(tokens) };
}

function longestText(tokens: readonly Token[]): string {
  let longest = '';
  let run = '';
  for (const token of tokens) {
    run = isUnit(token) ? run + String.fromCharCode(token) : '';
    if (run.length > longest.length) longest = run;
  }
  return longest;
}

function shapeOf(tokens: readonly Token[]): NamePattern['shape'] {
  const others = tokens.filter((token) => !isUnit(token));
  if (others.length === 0) return 'exact';
  if (others.length > 1 || others[0] !== STAR) return 'general';
  if (tokens.length === 1) return 'all';
  if (tokens[0] === STAR) return 'suffix';
  return tokens.at(-1) === STAR ? 'prefix' : 'general';
}

const MATCH = {
  exact: (pattern, name) => name === pattern.text,
  suffix: (pattern, name) => name.endsWith(pattern.text),
  prefix: (pattern, name) => name.startsWith(pattern.text),
  all: () => true,
  general: (pattern, name) => matchTokens(pattern, name),
} satisfies Record<NamePattern['shape'], (pattern: NamePattern, name: string) => boolean>;

/** Whether the whole name fits. */
export const matchesName = (pattern: NamePattern, name: string): boolean => MATCH[pattern.shape](pattern, name);

/** The unit with which every name that fits ends, or begins; undefined if that is open. */
export const lastUnit = (pattern: NamePattern): number | undefined => unitOf(pattern.tokens.at(-1));
export const firstUnit = (pattern: NamePattern): number | undefined => unitOf(pattern.tokens[0]);
const unitOf = (token: Token | undefined): number | undefined => (isUnit(token) ? token : undefined);

/**
 * Goes back to the last star only: at most (length of the name) × (number of tokens) steps, whatever the pattern. A pattern
 * with more fixed units than the name has is refused before, so a long line of an ignore file costs no more than a short one.
 */
function matchTokens(pattern: NamePattern, name: string): boolean {
  if (pattern.minLength > name.length || !name.includes(pattern.needle)) return false;
  const { tokens } = pattern;
  let token = 0;
  let unit = 0;
  let afterStar = -1;
  let resumeAt = 0;
  while (unit < name.length) {
    const wanted = tokens[token];
    if (wanted === STAR) {
      afterStar = ++token;
      resumeAt = unit;
    } else if (wanted !== undefined && fits(wanted, name, unit)) {
      token++;
      unit += typeof wanted === 'function' || wanted === ANY ? unitsAt(name, unit) : 1;
    } else if (afterStar >= 0) {
      token = afterStar;
      resumeAt += unitsAt(name, resumeAt);
      unit = resumeAt;
    } else {
      return false;
    }
  }
  if (tokens[token] === STAR) token++;
  return token === tokens.length;
}

const fits = (token: Token, name: string, unit: number): boolean =>
  typeof token === 'function' ? token(name.codePointAt(unit) ?? 0) : token === ANY || token === name.charCodeAt(unit);

/** UTF-16 units of the code point there. */
const unitsAt = (name: string, unit: number): number => ((name.codePointAt(unit) ?? 0) > PLANE_END ? 2 : 1);
const PLANE_END = 0xffff;
