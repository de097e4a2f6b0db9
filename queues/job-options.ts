import type { JobsOptions } from 'bullmq';
import { MAX_ATTEMPTS } from './catalog.ts';

type Is = (value: unknown) => boolean;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null && !Array.isArray(value);
const isWhole: Is = (value) => value === undefined || Number.isSafeInteger(value);
const isNumeral: Is = (value) => (typeof value === 'number' || typeof value === 'string') && Number.isFinite(Number(value));
const isKept: Is = (value) =>
  typeof value === 'boolean' || isWhole(value) || (isObject(value) && ['age', 'count', 'limit'].every((key) => isWhole(value[key])));
const isPause: Is = (value) => value === undefined || (typeof value === 'number' && Number.isFinite(value));
const BACKOFFS: ReadonlySet<unknown> = new Set(['fixed', 'exponential']);
const isBackoff: Is = (value) => value === null || isPause(value) || (isObject(value) && BACKOFFS.has(value['type']) && isPause(value['delay']));

/**
 * What BullMQ reads of a job's options when the job ends, and what it must be: with anything else BullMQ could not end the job and would
 * have it run again and again, or would lose it. Other options do no harm, whatever they are.
 */
const READ_AT_THE_END: Readonly<Record<string, readonly [Is, string]>> = {
  attempts: [isNumeral, 'a number'],
  backoff: [isBackoff, 'milliseconds, or of the type fixed or exponential with a delay in milliseconds'],
  removeOnComplete: [isKept, 'true, false, a whole number, or an age and a count'],
  removeOnFail: [isKept, 'true, false, a whole number, or an age and a count'],
  repeat: [isObject, 'an object'],
};

/** What is wrong with a job's options, in words of ours; `undefined` where BullMQ can end the job. */
export function optionsFault(options: object): string | undefined {
  for (const [name, [isRight, words]] of Object.entries(READ_AT_THE_END)) {
    const value: unknown = Reflect.get(options, name);
    if (value !== undefined && !isRight(value)) return `${name} of the options must be ${words}`;
  }
  return Reflect.has(options, 'repeatJobKey') && !Reflect.has(options, 'repeat') ? 'repeat of the options is missing' : undefined;
}

/** Longest pause between two attempts, milliseconds: as long as failed jobs are kept. */
const MAX_PAUSE_MS = 7 * 24 * 3_600_000;

/** The options with the attempts, and the pause before the next one, bounded as those of a push are. @param failures how often the job has failed */
export function boundedOptions(options: JobsOptions, failures: number): JobsOptions {
  const { attempts = 1, backoff } = options;
  if (!(attempts > 1)) return options;
  const { type = 'fixed', delay = 0 } = typeof backoff === 'object' && backoff !== null ? backoff : { delay: backoff ?? 0 };
  const pause = type === 'exponential' ? delay * 2 ** failures : delay;
  return { ...options, attempts: Math.min(attempts, MAX_ATTEMPTS), ...(pause > MAX_PAUSE_MS && { backoff: { type: 'fixed', delay: MAX_PAUSE_MS } }) };
}
