import { Job, type Queue } from 'bullmq';
import type { Redis } from 'ioredis';

/** Of BullMQ's score of a delayed job: milliseconds since 1970 times this, and a number that keeps the order. */
export const SCORES_PER_MS = 0x1000;
/** Clocks of one installation agree so far, milliseconds. */
const AGREE_MS = 5_000;
/** Jobs that are looked at in one go. */
const PAGE = 500;
/** Jobs whose delay is known to be what was meant: with so many, all are forgotten and read again. */
const MAX_RIGHT = 20_000;

type Owner = ConstructorParameters<typeof Job>[0] & Pick<Queue, 'toKey'>;

/**
 * BullMQ compares the wall clock of whoever delays a job with that of whoever fetches. Where one of them is wrong, a job stays
 * delayed for as long as they differ. This compares with the one clock that all share, Redis's own, and ends the delay of
 * jobs that are overdue by it, and of those that a worker has put off for longer than was meant: their hash says how long
 * that was. The delay of a job that was never started is its producer's, however long. What was found to be right stays right
 * while the job keeps its score and Redis's clock goes on, so that jobs that only wait are not read again with every look.
 */
export function createLateJobs(owner: Owner): { promote(client: Redis): Promise<number> } {
  /** The farthest jobs come first; the next look goes on here. */
  let below = '+inf';
  /** Scores of jobs by their ids. */
  const right = new Map<string, number>();
  let lookedAt = 0;

  async function putOff(client: Redis, now: number): Promise<readonly string[]> {
    const least = (now + AGREE_MS) * SCORES_PER_MS;
    const found = await client.zrange(owner.toKey('delayed'), below, String(least), 'BYSCORE', 'REV', 'LIMIT', 0, PAGE, 'WITHSCORES');
    const page = found.flatMap((id, at) => (at % 2 === 0 ? [{ id, score: Number(found[at + 1]) }] : []));
    below = page.length < PAGE ? '+inf' : String(page.at(-1)?.score ?? '+inf');
    // The jobs that have gone are never asked for again.
    if (now < lookedAt || right.size >= MAX_RIGHT) right.clear();
    lookedAt = now;
    const jobs = page.filter(({ id, score }) => right.get(id) !== score);
    if (jobs.length === 0) return [];
    const fields = client.pipeline();
    for (const { id } of jobs) fields.hmget(owner.toKey(id), 'delay', 'ats');
    const answers = (await fields.exec()) ?? [];
    return jobs.flatMap(({ id, score }, at) => {
      const [delay, started] = (answers[at]?.[1] ?? []) as readonly (string | null)[];
      const isLate = Number(started) > 0 && score / SCORES_PER_MS > now + Number(delay) + AGREE_MS;
      if (isLate) return [id];
      right.set(id, score);
      return [];
    });
  }

  return {
    async promote(client) {
      const [seconds, micros] = await client.time();
      const now = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
      const overdue = await client.zrange(owner.toKey('delayed'), '-inf', String((now - AGREE_MS) * SCORES_PER_MS), 'BYSCORE', 'LIMIT', 0, PAGE);
      const late = [...overdue, ...(await putOff(client, now))];
      const promoted = await Promise.all(late.map((id) => promoteJob(owner, id)));
      return promoted.filter(Boolean).length;
    },
  };
}

/** Only the id counts here: fetching the job would fetch its data. False for one that is not delayed. */
export async function promoteJob(owner: Owner, jobId: string): Promise<boolean> {
  try {
    await new Job(owner, 'parked', null, {}, jobId).promote();
    return true;
  } catch (error) {
    // BullMQ's codes: -1 the job is gone, -3 it is not delayed.
    if (error instanceof Error && 'code' in error && (error.code === -1 || error.code === -3)) return false;
    throw error;
  }
}
