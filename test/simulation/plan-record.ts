import type { PlanRecord } from '../../src/core/ports/index.ts';
import type { Stores, StoreTwin } from './twins/stores.ts';

type Journals = Readonly<Record<keyof Stores, StoreTwin>>;

/** What the plan journal has of a plan, without an event of its own. */
export function planRecord({ plan }: Pick<Journals, 'plan'>, planSha256: string): PlanRecord | undefined {
  return plan.look('record', planSha256) as PlanRecord | undefined;
}

/** Only that the plan was run is left of it; whoever asks for it is answered so. */
export function isTrimmed(journals: Pick<Journals, 'plan'>, planSha256: string): boolean {
  return journals.plan.look('trimmed', planSha256) !== undefined && planRecord(journals, planSha256) === undefined;
}
