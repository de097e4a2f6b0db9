import { createRandom } from '../random.ts';
import { type Boundary, FuzzFault, type OpenBoundary } from './boundary.ts';
import type { Corpus } from './corpus.ts';
import { mutated } from './mutate.ts';

/** What became of the cases of one boundary. */
export interface Driven {
  /** By outcome. */
  readonly outcomes: Record<string, number>;
  slowest: { index: number; ms: number };
  readonly findings: Finding[];
}

export interface Finding {
  readonly index: number;
  readonly why: string;
  /** The smallest input that was found to do the same, base64. */
  readonly input: string;
}

export interface DriveOptions {
  readonly seed: number;
  readonly from: number;
  readonly to: number;
  /** Told before each case: whoever watches knows which one hangs. */
  readonly onCase?: (index: number) => void;
  /** What is changed beside the valid inputs, and learns from what runs. Without it a case is its seed and its number. */
  readonly corpus?: Corpus;
}

/** Processor time of a case, milliseconds, unless the boundary says otherwise. */
const BOUND_MS = 2000;
const MOST_FINDINGS = 20;
const TRIES = 400;
/** Cases between two looks at what they reached. */
const BATCH = 128;
const GOLDEN = 0x9e3779b1;

/** The input of one case, by the seed of the run and its number. */
export function caseOf(boundary: Boundary, open: OpenBoundary, seed: number, index: number): Buffer {
  return mutated(boundary, open, createRandom(Math.imul(seed ^ Math.imul(index + 1, GOLDEN), GOLDEN)));
}

/** Runs cases one after the other; goes on behind a finding, and makes its input small. */
export async function drive(boundary: Boundary, open: OpenBoundary, { seed, from, to, onCase, corpus }: DriveOptions): Promise<Driven> {
  const driven: Driven = { outcomes: {}, slowest: { index: -1, ms: 0 }, findings: [] };
  const changed = corpus === undefined ? open : { ...open, seeds: corpus.inputs };
  const batch: Buffer[] = [];
  for (let index = from; index < to && driven.findings.length < MOST_FINDINGS; index += 1) {
    onCase?.(index);
    const input = caseOf(boundary, changed, seed, index);
    const { outcome, ms, fault } = await judged(boundary, open, input);
    if (ms > driven.slowest.ms) driven.slowest = { index, ms };
    driven.outcomes[outcome] = (driven.outcomes[outcome] ?? 0) + 1;
    if (fault !== undefined) driven.findings.push({ index, why: fault, input: (await smaller(boundary, open, input, fault)).toString('base64') });
    else batch.push(input);
    if (batch.length === BATCH) await corpus?.learn(batch);
    if (batch.length === BATCH) batch.length = 0;
  }
  return driven;
}

/** One input: its outcome, the processor time that it took, and why it is a finding, if it is one. */
export async function judged(boundary: Boundary, open: OpenBoundary, input: Buffer): Promise<{ outcome: string; ms: number; fault: string | undefined }> {
  const before = process.cpuUsage();
  let outcome = 'fault';
  let fault: string | undefined;
  try {
    outcome = await open.run(input);
  } catch (error) {
    fault = error instanceof FuzzFault ? error.message : `thrown: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  }
  const { user, system } = process.cpuUsage(before);
  const ms = (user + system) / 1000;
  const bound = boundary.boundMs ?? BOUND_MS;
  if (fault === undefined && ms > bound) fault = `took ${Math.round(ms)} ms of the processor`;
  return { outcome, ms, fault };
}

/** Cuts pieces out for as long as the fault stays of its kind. */
async function smaller(boundary: Boundary, open: OpenBoundary, input: Buffer, fault: string): Promise<Buffer> {
  const kind = kindOf(fault);
  let best = input;
  let tries = 0;
  for (let piece = best.length >> 1; piece > 0 && tries < TRIES; piece >>= 1) {
    for (let at = 0; at < best.length && tries < TRIES; ) {
      tries += 1;
      const cut = Buffer.concat([best.subarray(0, at), best.subarray(at + piece)]);
      const { fault: still } = await judged(boundary, open, cut);
      if (still !== undefined && kindOf(still) === kind) best = cut;
      else at += piece;
    }
  }
  return best;
}

/** The first line, without what is only of this input. */
function kindOf(fault: string): string {
  return (fault.split('\n', 1)[0] ?? '').replaceAll(/["'`].*["'`]|\d+/g, '#').slice(0, 80);
}
