import type { IngestOp } from '../../src/contracts/index.ts';
import { createRandom, type Random } from '../../test/support/random.ts';
import { BODIES, SUBJECTS, WORDS } from './language.ts';

/** What a generated mailbox consists of. */
const PROJECTS = 10;
const AGENTS = 60;
const PER_THREAD = 6;
const START_US = Date.UTC(2026, 0, 1) * 1000;
const GAP_US = 41_000_000;
const IMPORTANCES = ['low', 'normal', 'normal', 'normal', 'normal', 'high', 'high', 'urgent'] as const;

/**
 * Words of a query class and the share of messages that has each: put in on purpose, so that a query matches as many rows as
 * its class says.
 */
export const CLASSES = {
  selective: { falcon: 0.002, heron: 0.004, osprey: 0.006, kestrel: 0.008, plover: 0.01 },
  medium: { harbour: 0.08, lantern: 0.09, granite: 0.1, meadow: 0.1, copper: 0.12 },
  broad: { status: 0.55, branch: 0.6, review: 0.65, merge: 0.7, commit: 0.75 },
} as const satisfies Record<string, Record<string, number>>;
export type QueryClass = keyof typeof CLASSES;

const MARKS = Object.values(CLASSES).flatMap((words) => Object.entries(words));

/** Messages 1 to `count` of agent mail: the same seed and count give the same ones, whatever was made before. */
export function* mailbox(count: number, seed = 7): Generator<Extract<IngestOp, { op: 'message' }>> {
  const random = createRandom(seed);
  for (let id = 1; id <= count; id += 1) yield message(id, random);
}

function message(id: number, random: Random): Extract<IngestOp, { op: 'message' }> {
  const thread = Math.floor((id - 1) / PER_THREAD);
  const agent = (): string => `Agent${random.integer(AGENTS)}`;
  const marks = MARKS.filter(([, share]) => random.chance(share)).map(([word]) => word);
  // One mark in ten stands in the subject, where it weighs more.
  const [inSubject, inBody] = [marks.filter((_, at) => (id + at) % 10 === 0), marks.filter((_, at) => (id + at) % 10 !== 0)];
  return {
    op: 'message',
    project: `project-${thread % PROJECTS}`,
    key: `m${id}`,
    id,
    from: agent(),
    to: [agent()],
    cc: random.chance(0.3) ? [agent()] : [],
    bcc: random.chance(0.02) ? [agent()] : [],
    thread_id: `br-${thread}`,
    subject: [random.pick(SUBJECTS), ...inSubject].join(' '),
    body_md: body(random, inBody),
    importance: random.pick(IMPORTANCES),
    ack_required: random.chance(0.1),
    created_ts: START_US + id * GAP_US,
    attachments: [],
  };
}

/** Three to seven sentences, marks and rare words strewn in. */
function body(random: Random, marks: readonly string[]): string {
  const sentences = Array.from({ length: 3 + random.integer(5) }, () => random.pick(BODIES));
  const rare = Array.from({ length: 4 }, () => `${random.pick(WORDS)}${random.integer(5000)}`);
  const parts = [...sentences, ...marks.map((word) => `Note on ${word}.`), `See ${rare.join(', ')}.`];
  for (let at = parts.length - 1; at > 0; at -= 1) {
    const other = random.integer(at + 1);
    [parts[at], parts[other]] = [parts[other] ?? '', parts[at] ?? ''];
  }
  return parts.join(' ');
}
