import type { EngineMatch, WordFinding } from '../../core/ports/message-engine.ts';
import { bareTerms, likeTerms } from './like-terms.ts';
import { namesAsPhrases, namesField } from './names.ts';
import type { NormalQuery } from './query.ts';
import { isOperator } from './sanitize.ts';

/**
 * What is looked for when a list of words finds nothing, one after the other, until something is found: other spellings and
 * longer words for those that nothing has, any of the words, parts of words. The answer says which it was (D237).
 */
export type RetryBy = 'spelling' | 'any_word' | 'substrings';

export interface RetryStep {
  readonly by: RetryBy;
  readonly match: EngineMatch;
  /** What was looked for, as a person would type it. */
  readonly text: string;
  readonly replaced: readonly Replaced[];
}

/** A word that nothing has, and what stood in for it. */
export interface Replaced {
  readonly word: string;
  readonly by: readonly string[];
}

/** A word, or a name as a phrase. */
interface Unit {
  readonly typed: string;
  readonly expression: string;
}

/** Further ones are not looked for again. */
const MAX_UNITS = 12;
/** Signs and words of a syntax: who writes these means what they say. */
const SYNTAX = /["*^{}]|(?:^|\s)(?:AND|OR|NOT|NEAR)(?=\s|\(|$)/u;
const EDGES = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}\p{M}]+$/gu;
/** Words of questions, which say nothing of what is asked for. */
const STOP_WORDS = new Set(
  'a about after again all also am an and any are as at be because been before being but by can could did do does doing done for from get gets getting got had has have having he her here his how i if in into is it its just me might more most must my need needs no not now of off on once one only or other our out over own please should show so some such tell than that the their them then there these they this those through to too under until up use used very was we were what when where whether which while who whom whose why will with would you your'.split(
    ' ',
  ),
);

/** The words of a text that may be tried again; `undefined` where it has a syntax of its own, or none. */
export function plainUnits(text: string): readonly Unit[] | undefined {
  if (SYNTAX.test(text) || text.split(' ').some(namesField)) return undefined;
  const units = new Map<string, Unit>();
  for (const typed of text
    .split(' ')
    .flatMap((token) => token.split(/[,;()[\]]/u))
    .map((token) => token.replace(EDGES, ''))) {
    if (typed === '' || isOperator(typed) || units.size === MAX_UNITS) continue;
    const isBare = /^[\p{L}\p{N}\p{M}_]+$/u.test(typed);
    const named = namesAsPhrases(typed);
    units.set(typed.toLowerCase(), { typed, expression: named === typed && !isBare ? `"${typed}"` : named });
  }
  return units.size === 0 ? undefined : [...units.values()];
}

/** Words that an engine is asked about: names and phrases are looked for as they are. */
export function wordsAsked(units: readonly Unit[]): readonly string[] {
  return units.filter(isWord).map(({ typed }) => typed);
}

function isWord({ typed, expression }: Unit): boolean {
  return typed === expression && /^[\p{L}\p{N}]+$/u.test(typed);
}

/**
 * What to try, in this order. Where terms had signs at their edges, rows that have all of them without these come before rows that
 * have any; one word that FTS5 was not asked for, because of its signs, is asked for as a word.
 */
export function retrySteps(query: Pick<NormalQuery, 'text'>, units: readonly Unit[], findings: readonly WordFinding[]): readonly RetryStep[] {
  const found = new Map(findings.map((finding) => [finding.word, finding]));
  const choices = units.map((unit) => choiceOf(unit, found.get(unit.typed)));
  const replaced = choices.flatMap(({ replaced }) => replaced ?? []);
  const useful = choices.filter(({ expression }) => expression !== undefined);
  const telling = useful.filter(({ unit }) => !STOP_WORDS.has(unit.typed.toLowerCase()));
  const any = telling.length > 0 ? telling : useful;
  const bare = bareTerms(query.text);
  const hadEdges = bare.join(' ') !== likeTerms(query.text).join(' ');
  const words = any.length > 0 && (units.length > 1 || units[0]?.typed !== query.text) ? [step('any_word', any, ' OR ', replaced)] : [];
  const parts = substringsOf(bare.filter((term) => [...term].length >= 3));
  return [
    ...(replaced.length > 0 && useful.length === choices.length ? [step('spelling', useful, ' AND ', replaced)] : []),
    ...(hadEdges && units.length > 1 ? [...parts, ...words] : [...words, ...parts]),
  ];
}

function substringsOf(terms: readonly string[]): readonly RetryStep[] {
  return terms.length === 0 ? [] : [{ by: 'substrings', match: { by: 'substrings', terms }, text: terms.join(' '), replaced: [] }];
}

interface Choice {
  readonly unit: Unit;
  /** `undefined`: nothing has it, and nothing like it. */
  readonly expression: string | undefined;
  readonly typed: string;
  readonly replaced?: Replaced;
}

function choiceOf(unit: Unit, finding: WordFinding | undefined): Choice {
  if (finding === undefined || finding.has) return { unit, expression: unit.expression, typed: unit.typed };
  const { word, begins, apart, alike } = finding;
  const by = [...(apart === null ? [] : [apart]), ...(begins ? [`${word}*`] : []), ...alike];
  if (by.length === 0) return { unit, expression: undefined, typed: word };
  const others = [...(apart === null ? [] : [`"${apart}"`]), ...(begins ? [`${word}*`] : []), ...alike.map((other) => `"${other}"`)];
  return { unit, expression: others.length === 1 ? (others[0] ?? '') : `(${others.join(' OR ')})`, typed: by[0] ?? word, replaced: { word, by } };
}

function step(by: RetryBy, choices: readonly Choice[], operator: ' AND ' | ' OR ', replaced: readonly Replaced[]): RetryStep {
  const expression = choices.map((choice) => choice.expression ?? '').join(operator);
  const text = choices.map(({ typed }) => typed).join(by === 'any_word' ? ' OR ' : ' ');
  return { by, match: { by: 'words', expression, text: choices.map(({ typed }) => typed.replace(/\*$/u, '')).join(' ') }, text, replaced };
}
