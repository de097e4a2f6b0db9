import { type CronExpression, CronExpressionParser } from 'cron-parser';
import { WritError } from '../../core/errors.ts';

/** The fields of a cron expression in their order, and what each may be. */
const FIELDS = [
  { name: 'minute', may: '0 to 59' },
  { name: 'hour', may: '0 to 23' },
  { name: 'day of the month', may: '1 to 31, or L for the last' },
  { name: 'month', may: '1 to 12, or JAN to DEC' },
  { name: 'day of the week', may: '0 to 7 with Sunday as 0 and 7, or SUN to SAT' },
] as const;
/** Words that other programs know. */
const WORDS: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};
/** `H` would be a time by chance, and `?` is no field of cron's. */
const FIELD = /^[0-9A-Za-z*,/#-]+$/;
const CHANCE = /(^|[,/-])H/i;
const MINUTE = 60_000;

/**
 * The wall times of a cron expression, from cron-parser.
 *
 * @returns the first minute later than one, as if the wall clock were UTC; minutes since 1970
 * @throws WritError INVALID_ARGUMENT with the field `cron`
 */
export function wallClock(cron: string): { after(at: number): number | undefined } {
  const expression = expressionOf(cron.trim());
  return {
    after(at) {
      try {
        expression.reset(new Date(at * MINUTE));
        return Math.floor(expression.next().getTime() / MINUTE);
      } catch {
        return undefined;
      }
    },
  };
}

function expressionOf(cron: string): CronExpression {
  const words = cron.split(/\s+/);
  const meant = WORDS[cron.toLowerCase()];
  if (words.length !== FIELDS.length) {
    const hint = meant === undefined ? '' : `; ${cron} is "${meant}"`;
    throw badCron(`must have five fields: ${FIELDS.map(({ name }) => name).join(', ')}${hint}`);
  }
  const bad = FIELDS.findIndex((_, at) => parsed(words.map((word, other) => (other === at ? word : '*'))) === undefined);
  const field = FIELDS[bad];
  if (field !== undefined) throw badCron(`the ${field.name} "${words[bad]}" is none: ${field.may}, and lists (1,3), ranges (1-3) and steps (*/2) of them`);
  const expression = parsed(words);
  // Each for itself is legal.
  if (expression === undefined) throw badCron(`the ${FIELDS[2].name} "${words[2]}" never comes in the ${FIELDS[3].name} "${words[3]}"`);
  return expression;
}

function parsed(words: readonly string[]): CronExpression | undefined {
  if (!words.every((word) => FIELD.test(word) && !CHANCE.test(word))) return undefined;
  try {
    return CronExpressionParser.parse(words.join(' '), { tz: 'UTC' });
  } catch {
    return undefined;
  }
}

function badCron(why: string): WritError {
  return new WritError('INVALID_ARGUMENT', `cron: ${why}`, { field: 'cron' });
}
