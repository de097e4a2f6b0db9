import { WritError } from '../../../core/errors.ts';
import type { ShadowReport } from '../../../core/ports/index.ts';
import type { Call } from '../command.ts';
import { readText } from '../input/open.ts';
import { placeOf } from '../messages/query.ts';
import { shadowReportText } from '../messages/shadow-report.ts';
import { parseWhole } from '../text/values.ts';

export interface ShadowReportFlags {
  readonly project?: string;
  readonly product?: string;
  readonly limit: string;
}

/** A list of queries is a person's; a larger one is a mistake. */
const MAX_QUERIES = 10_000;

/** `writ messages shadow-report`: 0 all gates passed, 1 one did not, or could not be measured. */
export async function runShadowReport(call: Call, flags: ShadowReportFlags, file: string): Promise<number> {
  const limit = parseWhole(flags.limit, '--limit', { min: 1, max: 1000 });
  const texts = queriesIn(await readText(call.io, file));
  const services = await call.services();
  const place = await placeOf(flags, await services.messageSearch());
  if (!place.ok) throw new WritError('STORAGE_UNAVAILABLE', place.error.message);
  const report = await services.compareEngines({ texts, limit, ...place.value, signal: call.interrupted() });
  await call.output.answer(report, () => shadowReportText(report));
  return hasPassed(report) ? 0 : 1;
}

/** One a line; blank lines and those that begin with # are none. Throws WritError INVALID_ARGUMENT. */
function queriesIn(text: string): readonly string[] {
  const queries = text.split(/\r?\n/).map((line) => line.trim());
  const wanted = queries.filter((line) => line !== '' && !line.startsWith('#'));
  if (wanted.length === 0)
    throw new WritError('INVALID_ARGUMENT', 'there is no query: one a line is read from the file, or from standard input for -', { field: 'file' });
  if (wanted.length > MAX_QUERIES) throw new WritError('INVALID_ARGUMENT', `there are more than ${MAX_QUERIES} queries`, { field: 'file' });
  return wanted;
}

const hasPassed = ({ gates }: ShadowReport): boolean => gates.every(({ passed }) => passed === true);
