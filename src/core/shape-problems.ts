import type { z } from 'zod';
import { type ErrorCode, type FieldProblem, WritError } from './errors.ts';
import { nearestWord } from './nearest-word.ts';
import { type Issue, keysOf, type PlacedIssue, placed, TYPE_WORDS, valueAt } from './union-problems.ts';

/** So many are told of one document, each so short, however much of it is wrong. */
export const MAX_PROBLEMS = 20;
const MAX_FIELD = 200;
const MAX_MESSAGE = 400;

/**
 * Everything that a schema found wrong, in the order of its fields, in sentences of ours: a library's own may change with its
 * version and language. At least one, at most 20.
 *
 * @param value what was checked, as it came
 */
export function problemsOf(error: z.ZodError, schema: z.ZodType, value: unknown): readonly [FieldProblem, ...FieldProblem[]] {
  const issues = placed(error.issues.slice(0, MAX_PROBLEMS), schema, value);
  const found = issues.slice(0, MAX_PROBLEMS).flatMap((issue) => told(issue, value));
  // One sentence for a field: an empty text is too short before it is anything else.
  const problems = new Map(found.toReversed().map((problem) => [problem.field, problem]));
  const [first = fault('', 'is invalid'), ...rest] = found
    .filter((problem) => problems.get(problem.field) === problem)
    .slice(0, MAX_PROBLEMS)
    .map(short);
  return [first, ...rest];
}

/** The error with these problems: code, field and sentence are those of the first. `whole`: what an empty field is called. */
export function refusalOf(code: ErrorCode, problems: readonly [FieldProblem, ...FieldProblem[]], whole: string): WritError {
  const [{ field, message }, ...rest] = problems;
  const more = rest.length === 0 ? '' : ` (and ${rest.length} more)`;
  return new WritError(code, `${field === '' ? whole : field}: ${message}${more}`, { problems, ...(field === '' ? {} : { field }) });
}

function told({ issue, path, schema }: PlacedIssue, value: unknown): FieldProblem[] {
  if (issue.code === 'unrecognized_keys') {
    const known = keysOf(schema);
    return issue.keys.slice(0, MAX_PROBLEMS).map((key) => fault([...path, key].join('.'), `is not known here${meant(key, known)}${offered(known)}`));
  }
  const found = valueAt(value, path);
  // What a contract says of two fields together is said of one that may be left out, too.
  const isMissing = found === undefined && issue.code !== 'custom';
  return [fault(path.join('.'), isMissing ? 'is missing' : `${sentence(issue)}${meantBy(found, issue)}`)];
}

const UNITS = new Map([
  ['string', 'characters'],
  ['array', 'items'],
  ['set', 'items'],
]);

function sentence(issue: Issue): string {
  // What a contract says in words of its own stays.
  if (!/^(?:Invalid|Too |Unrecognized|Expected)/.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPE_WORDS.get(issue.expected) ?? 'of another type'}`;
    case 'too_small':
    case 'too_big':
      return bound(issue);
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'invalid_key':
      return `has a name that is not allowed: ${issue.issues[0] === undefined ? '' : sentence(issue.issues[0])}`;
    case 'invalid_format':
      return `has not the form of ${FORMATS.get(issue.format) ?? 'what belongs here'}`;
    default:
      return 'is not what belongs here';
  }
}

const FORMATS = new Map([
  ['datetime', 'a time (RFC 3339)'],
  ['url', 'a URL'],
]);

function bound(issue: Extract<Issue, { code: 'too_small' | 'too_big' }>): string {
  const unit = UNITS.get(issue.origin);
  const [word, most] = issue.code === 'too_big' ? ['at most', issue.maximum] : ['at least', issue.minimum];
  return unit === undefined ? `must be ${word} ${most}` : `must have ${word} ${most} ${unit}`;
}

/** The word that a value may have been meant to be, where the contract has a closed list of them. */
function meantBy(found: unknown, issue: Issue): string {
  const known = issue.code === 'invalid_value' ? issue.values.map(String) : issue.code === 'custom' ? listed(issue.params) : [];
  return typeof found === 'string' ? meant(found, known) : '';
}

function listed(params: Record<string, unknown> | undefined): readonly string[] {
  const known = params?.['known'];
  return Array.isArray(known) ? known.map(String) : [];
}

/** `; did you mean 'x'?` where one of the words is near enough that somebody may have meant it. */
function meant(word: string, known: readonly string[]): string {
  const near = nearestWord(word, known);
  return near === undefined ? '' : `; did you mean ${quoted(near)}?`;
}

function offered(known: readonly string[]): string {
  return known.length === 0 ? '' : ` (known: ${known.join(', ')})`;
}

function quoted(word: string): string {
  return `'${cut(word, 100)}'`;
}

function fault(field: string, message: string): FieldProblem {
  return { field, message };
}

/** Bounded, and without what would write on a terminal or break a log line. */
function short({ field, message }: FieldProblem): FieldProblem {
  return { field: cut(field, MAX_FIELD), message: cut(message, MAX_MESSAGE) };
}

function cut(text: string, most: number): string {
  const whole = text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be shown
  return whole.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '\u{fffd}');
}
