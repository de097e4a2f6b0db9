import type { BackendKind } from '../../../src/core/ports/index.ts';
import type { Random } from '../random.ts';
import { GLOBS, randomText } from './random-tree.ts';
import type { Pattern } from './reference-pattern.ts';

/** A pattern, and how much of a regular expression it is. */
export interface RandomPattern {
  readonly pattern: Pattern;
  readonly fixedStrings: boolean;
}

/** Literal text in half of the cases. What ugrep answers in a way of its own is not asked of it (docs/search-backends.md). */
export function randomPattern(random: Random, backend: BackendKind): RandomPattern {
  if (random.chance(0.5)) return { pattern: { kind: 'text', text: notEmpty(random) }, fixedStrings: true };
  return { pattern: anchored(random, expression(random, backend, 0)), fixedStrings: false };
}

function notEmpty(random: Random): string {
  const text = randomText(random);
  return text === '' ? notEmpty(random) : text;
}

function anchored(random: Random, pattern: Pattern): Pattern {
  if (random.chance(0.8)) return pattern;
  return { kind: 'sequence', parts: random.chance(0.5) ? [{ kind: 'begin' }, pattern] : [pattern, { kind: 'end' }] };
}

const DEEPEST = 2;

function expression(random: Random, backend: BackendKind, depth: number): Pattern {
  const deeper = (): Pattern => expression(random, backend, depth + 1);
  // Repeats of repeats would take the reference for ever: JavaScript tries all ways.
  const plain = (): Pattern => expression(random, backend, DEEPEST + 1);
  const kinds = [
    (): Pattern => ({ kind: 'text', text: notEmpty(random) }),
    (): Pattern => atom(random, backend),
    (): Pattern => ({ kind: 'sequence', parts: [deeper(), deeper()] }),
    (): Pattern => ({ kind: 'either', parts: [deeper(), deeper()] }),
    (): Pattern => ({ kind: 'repeat', part: plain(), least: 1 + random.integer(2), most: [undefined, 2, 3][random.integer(3)] }),
    (): Pattern => ({ kind: 'sequence', parts: [deeper(), { kind: 'repeat', part: plain(), least: 0, most: [undefined, 1][random.integer(2)] }, deeper()] }),
  ];
  return random.pick(depth > DEEPEST ? kinds.slice(0, 2) : kinds)();
}

function atom(random: Random, backend: BackendKind): Pattern {
  const sets: Pattern[] = [
    { kind: 'any' },
    {
      kind: 'set',
      not: false,
      members: [
        ['a', 'b'],
        ['é', 'é'],
      ],
    },
  ];
  const negated: Pattern[] = [
    { kind: 'set', not: true, members: [['a', 'a']] },
    {
      kind: 'set',
      not: true,
      members: [
        [' ', ' '],
        ['k', 'k'],
      ],
    },
  ];
  return random.pick(backend === 'rg' ? [...sets, ...negated] : sets);
}

export interface RandomOptions {
  readonly case: 'smart' | 'sensitive' | 'insensitive';
  readonly wordRegexp: boolean;
  readonly hidden: boolean;
  readonly follow: boolean;
  readonly noIgnore: boolean;
  readonly globs: readonly string[];
  readonly context: number;
  readonly maxResults: number;
}

export function randomOptions(random: Random): RandomOptions {
  return {
    case: random.pick(['smart', 'sensitive', 'insensitive']),
    wordRegexp: random.chance(0.2),
    hidden: random.chance(0.4),
    follow: random.chance(0.3),
    noIgnore: random.chance(0.4),
    globs: random.chance(0.3) ? Array.from({ length: 1 + random.integer(3) }, () => random.pick(GLOBS)) : [],
    context: random.chance(0.4) ? 1 + random.integer(3) : 0,
    maxResults: random.chance(0.4) ? 1 + random.integer(8) : 1_000,
  };
}
