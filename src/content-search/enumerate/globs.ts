import { expand } from 'brace-expansion';
import type { Rule } from './ignore-file.ts';
import { dotOf } from './name-table.ts';
import { parsePattern } from './pattern.ts';
import { compileRules, enter, matchRules, type RuleState } from './rules.ts';

/** The globs of a request, at the order root. */
export interface Globs {
  readonly state: RuleState;
  readonly none: boolean;
  /** With a glob that lets files in, files that none fits stay out. */
  readonly selects: boolean;
}

export type CompiledGlobs = { readonly ok: true; readonly globs: Globs } | { readonly ok: false; readonly index: number; readonly message: string };

/** All globs of a request, after braces. */
const PATTERNS_MAX = 4_096;
/** Characters of them together. */
const LENGTH_MAX = 1 << 20;
/** What `brace-expansion` may do for one glob; an honest one needs some hundreds. */
const BRACE_STEPS_MAX = 1_000_000;

/**
 * Globs in gitignore's language with braces, relative to the order root; `!` in front turns one around; the last that fits
 * decides. A glob is a pattern and no line of a file: `#` is a character, and so is a space at the end.
 */
export function compileGlobs(globs: readonly string[]): CompiledGlobs {
  const rules: Rule[] = [];
  let length = 0;
  for (const [index, glob] of globs.entries()) {
    const excludes = glob.startsWith('!');
    const body = excludes ? glob.slice(1) : glob;
    if (body === '' || glob.includes('\0')) return { ok: false, index, message: 'is empty or has a NUL' };
    const bodies = withoutBraces(body, PATTERNS_MAX - rules.length + 1);
    length += bodies.reduce((sum, each) => sum + each.length, 0);
    if (rules.length + bodies.length > PATTERNS_MAX || length > LENGTH_MAX) return { ok: false, index, message: `has more than ${PATTERNS_MAX} alternatives` };
    for (const each of bodies) {
      const pattern = parsePattern(each);
      if (pattern === undefined) return { ok: false, index, message: 'fits nothing: a bracket that is not closed, an empty name, or a backslash at the end' };
      rules.push({ negative: !excludes, pattern });
    }
  }
  return { ok: true, globs: { state: compileRules(rules), none: rules.length === 0, selects: rules.some((rule) => rule.negative) } };
}

/** The same globs in a directory of this one. */
export function enterGlobs(globs: Globs, name: string): Globs {
  const state = enter(globs.state, name);
  return state === globs.state ? globs : { ...globs, state };
}

/** Whether the globs let an entry of this directory in. A directory is kept unless a `!` glob names it. */
export function globsAdmit(globs: Globs, name: string, isDirectory: boolean, dot = dotOf(name)): boolean {
  if (globs.none) return true;
  const said = matchRules(globs.state, name, isDirectory, dot);
  return said === undefined ? isDirectory || !globs.selects : said === 'in';
}

/** An escaped character, or a bracket expression: braces and commas in these are characters. */
const HELD = /\\[\s\S]|\[[!^]?\]?(?:\\[\s\S]|\[:\w+:\]|[^\]\\])*\]/g;
const PLACEHOLDER = /\0(\d+)\0/g;

function withoutBraces(body: string, max: number): readonly string[] {
  if (!body.includes('{')) return [body];
  const held: string[] = [];
  const bare = body.replace(HELD, (text) => `\0${held.push(text) - 1}\0`);
  // A `$` in front of a brace keeps it as it is in a shell; not here, so it is held too.
  const parts = expand(
    bare.replaceAll('$', () => `\0${held.push('$') - 1}\0`),
    { max, maxLength: LENGTH_MAX, maxSteps: BRACE_STEPS_MAX },
  );
  return parts.map((part) => part.replace(PLACEHOLDER, (_, number: string) => held[Number(number)] ?? ''));
}
