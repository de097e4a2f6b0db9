import type { SearchResponse } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import type { MessageSearch } from '../../../core/ports/index.ts';
import { compareShadow, type ShadowReport, type ShadowTrial, shadowReport } from '../../../message-search/index.ts';
import type { Call } from '../act.ts';
import { readText } from '../input/open.ts';
import { placeOf } from '../messages/query.ts';
import { shadowReportText } from '../messages/shadow-report.ts';
import { parseWhole } from '../text/words.ts';

export interface ShadowReportFlags {
  readonly project?: string;
  readonly product?: string;
  readonly limit: string;
}

/** A list of queries is a person's; a larger one is a mistake. */
const MOST_QUERIES = 10_000;
const SERVING = 'fts5';
const SHADOW = 'tantivy';

/** `writ messages shadow-report`: 0 all gates passed, 1 one did not, or could not be measured. */
export async function runShadowReport(call: Call, flags: ShadowReportFlags, file: string): Promise<number> {
  const limit = parseWhole(flags.limit, '--limit', { min: 1, max: 1000 });
  const texts = queriesIn(await readText(call.io, file));
  const services = await call.services();
  const [serving, shadow] = await Promise.all([services.messageSearchBy(SERVING), services.messageSearchBy(SHADOW)]);
  const place = await placeOf(flags, serving);
  if (!place.ok) throw new WritError('STORAGE_UNAVAILABLE', place.error.message);
  const signal = call.interrupted();
  // Databases and indexes are opened by the first search, whose time would say nothing.
  await trialOf({ text: texts[0] ?? '', limit, explain: true, ...place.value }, serving, shadow);
  const trials: ShadowTrial[] = [];
  for (const text of texts) {
    if (signal.aborted) break;
    trials.push(await trialOf({ text, limit, explain: true, ...place.value }, serving, shadow));
  }
  const report = shadowReport(trials);
  await call.output.answer(report, () => shadowReportText(report));
  return hasPassed(report) ? 0 : 1;
}

/** One a line; blank lines and those that begin with # are none. Throws WritError INVALID_ARGUMENT. */
function queriesIn(text: string): readonly string[] {
  const queries = text.split(/\r?\n/).map((line) => line.trim());
  const wanted = queries.filter((line) => line !== '' && !line.startsWith('#'));
  if (wanted.length === 0)
    throw new WritError('INVALID_ARGUMENT', 'there is no query: one a line is read from the file, or from standard input for -', { field: 'file' });
  if (wanted.length > MOST_QUERIES) throw new WritError('INVALID_ARGUMENT', `there are more than ${MOST_QUERIES} queries`, { field: 'file' });
  return wanted;
}

async function trialOf(
  query: { readonly text: string; readonly limit: number; readonly explain: true },
  serving: MessageSearch,
  shadow: MessageSearch,
): Promise<ShadowTrial> {
  const served = await serving.search(query, null);
  const shadowed = await shadow.search(query, null);
  const irregular = served.explain?.method !== 'fts5';
  const error = irregular ? undefined : faultOf(shadowed);
  const [ids, shadowIds] = [idsOf(served), idsOf(shadowed)];
  return {
    text: query.text,
    serving: { ids, ms: msOf(served) },
    shadow: error === undefined ? { ids: shadowIds, ms: msOf(shadowed) } : { error },
    irregular,
    comparison: irregular || error !== undefined ? null : compareShadow(ids, shadowIds, { serving: SERVING, shadow: SHADOW }),
  };
}

/** Another engine than Tantivy answered. */
function faultOf({ explain }: SearchResponse): string | undefined {
  return explain?.engine === SHADOW ? undefined : (explain?.downgrade_reason ?? 'it did not answer');
}

const idsOf = ({ results }: SearchResponse): readonly number[] => results.map(({ id }) => id);
const msOf = ({ explain }: SearchResponse): number => (explain?.timing?.total_us ?? 0) / 1000;
const hasPassed = ({ gates }: ShadowReport): boolean => gates.every(({ passed }) => passed === true);
