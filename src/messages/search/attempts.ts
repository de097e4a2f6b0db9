import type { EngineMatch, MessageEngine } from '../../core/ports/message-engine.ts';
import { scopeOf } from '../visibility/scope.ts';
import { decodeCursor } from './cursor.ts';
import type { EngineFault } from './engine-fault.ts';
import { factsOf } from './engines.ts';
import { filtersOf } from './facets.ts';
import type { OrderLists } from './order-lists.ts';
import { catchEngineErrors, pageOf } from './pages.ts';
import { type EngineSetup, engineRequestOf, type Plan, plainMatch, type Route } from './planner.ts';
import { plainUnits, type RetryStep, retrySteps, wordsAsked } from './retry.ts';
import type { EngineAttempt, RunContext } from './search-trace.ts';

/** What asking engines takes. */
interface AttemptParts extends EngineSetup {
  readonly now: () => number;
  readonly elapsed: () => number;
}

type WorkingPlan = Extract<Plan, { empty: false }>;

/** Step 3: what the text matches as it stands; where that is nothing, what else it may have meant. */
export async function findRows(parts: AttemptParts, lists: OrderLists, run: RunContext): Promise<EngineAttempt> {
  const { plan, query } = run;
  if (plan.empty) return { ...UNSERVED, notes: [plan.reason] };
  const wanted = query.cursor === null ? undefined : decodeCursor(query.cursor)?.retry;
  // A page goes on with what made the one before.
  const strict = wanted === undefined ? await tryEngines(parts, lists, run, plan, plan.match) : { ...UNSERVED, notes: run.admission };
  if (wanted === undefined && !mayTryAgain(run, strict)) return strict;
  const { steps, faults } = await stepsOf(parts, run);
  const cut = [...faults];
  for (const step of steps) {
    if (wanted !== undefined && wanted !== step.by) continue;
    const again = await tryEngines(parts, lists, run, { ...plan, faults: [...strict.faults] }, step.match);
    if (again.served === null) {
      // What was looked for instead was not looked for to its end: that is told, rather than that nothing has it.
      cut.push(...again.faults.slice(strict.faults.length));
      break;
    }
    if (wanted !== undefined || (again.served.page.rows.length > 0 && again.served.page.byWords !== 0)) return { ...again, retry: step };
  }
  return cut.length === 0 ? strict : { ...strict, faults: [...strict.faults, ...cut] };
}

/** Whether nothing at all matches, not only nothing on this page, of a search that was answered. */
function mayTryAgain({ query }: RunContext, { served, faults }: EngineAttempt): boolean {
  if (!query.retry || served === null || served.engine.mode === 'semantic' || served.request.match.by === 'filters') return false;
  const { page } = served;
  if (page.cursorUsed || faults.some(({ stage }) => stage === 'deadline')) return false;
  // What only vectors found is kept for when no other words find anything.
  if (page.byWords !== undefined) return page.byWords === 0;
  if (page.rows.length > 0) return false;
  return page.matched === 0 || (page.matched === null && query.offset === 0 && query.min_score === null);
}

/** FTS5 knows the words, whichever engine is asked for them; where it is not there, no other spellings are known. */
async function stepsOf({ engines: { fts5 }, now }: AttemptParts, { query, viewer }: RunContext): Promise<Steps> {
  const units = plainUnits(query.text);
  if (units === undefined) return { steps: [], faults: [] };
  if (fts5.words === undefined) return { steps: retrySteps(query, units, []), faults: [] };
  const question = { kind: query.doc_kind, filters: filtersOf(query), scope: scopeOf(query, viewer), words: wordsAsked(units), now_us: now() * 1000 };
  const findings = await catchEngineErrors(async () => (await fts5.words?.(question)) ?? { ok: true, value: [] });
  return findings.ok ? { steps: retrySteps(query, units, findings.value), faults: [] } : { steps: [], faults: [{ engine: fts5.name, ...findings.error }] };
}

interface Steps {
  readonly steps: readonly RetryStep[];
  /** Why there are none, where nobody could say it. */
  readonly faults: readonly EngineFault[];
}

/** One engine after the other, the tables at the end, until one answers. */
async function tryEngines(
  parts: AttemptParts,
  lists: OrderLists,
  { query, viewer, route, admission }: RunContext,
  plan: WorkingPlan,
  wanted: EngineMatch,
): Promise<EngineAttempt> {
  const faults: EngineFault[] = [...plan.faults];
  for (const { engine, match } of candidatesOf(parts, route, wanted)) {
    // A database that is not there is not there for its tables either.
    // And what took too long has no time left for them.
    if (faults.some((fault) => fault.engine === engine.name && (fault.kind === 'index_not_ready' || fault.stage === 'deadline'))) continue;
    const started = parts.elapsed();
    const request = engineRequestOf(query, viewer, match, parts.now() * 1000);
    const page = await catchEngineErrors(() => pageOf(engine, request, query.cursor, lists));
    if (page.ok)
      return {
        served: { engine, request, page: page.value },
        faults,
        notes: [...admission, ...notesOf(plan, engine), ...page.value.notes],
        engineMs: parts.elapsed() - started,
      };
    faults.push({ engine: engine.name, ...page.error });
  }
  return { ...UNSERVED, faults, notes: ['no engine could answer'] };
}

/** What was changed in the text for this engine. */
function notesOf({ notes, notesWithLetters }: WorkingPlan, { name }: MessageEngine): readonly string[] {
  return factsOf(name).letters ? (notesWithLetters ?? notes) : notes;
}

const UNSERVED: EngineAttempt = { served: null, faults: [], notes: [], engineMs: 0 };

/** Engines and what each is asked to match; only some take anything but words. */
function candidatesOf({ engines }: AttemptParts, route: Route, match: EngineMatch): readonly Candidate[] {
  const there = route.engines.flatMap((name) => engines[name] ?? []);
  const takeAll = there.filter(({ name }) => factsOf(name).matches === 'all');
  if (match.by !== 'words') return takeAll.map((engine) => ({ engine, match }));
  const plain = plainMatch(match.text);
  const instead = plain === undefined ? [] : takeAll.map((engine) => ({ engine, match: plain }));
  return [...there.map((engine) => ({ engine, match })), ...instead];
}

interface Candidate {
  readonly engine: MessageEngine;
  readonly match: EngineMatch;
}
