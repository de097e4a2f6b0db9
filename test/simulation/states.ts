import { protocolTable } from '../conformance/protocol-tables.ts';

/**
 * The states, answers, ends and points that docs/protocol.md names, as the words of what a history reached. A row of the
 * settle table whose words are not known here has no history that shows it.
 */
const SETTLED: Readonly<Record<string, string>> = {
  SUCCESS: 'end:SUCCESS',
  FAILURE: 'end:FAILURE',
  'finished earlier': 'claim:finished',
  'conflict: an executor has signed the end of another manifest': 'claim:conflict',
  'another manifest is at work: nobody has signed its row, so it proves nothing': 'says:at-work',
  '`INVALID_LEASE` before the claim': 'end:refused',
  malformed: 'end:malformed',
  'too large, or unreadable for BullMQ ([producers.md](producers.md#too-large))': 'says:too-large',
  'another delivery works on the task': 'end:parked',
  'busy: the host is not sure of an earlier attempt': 'end:busy',
  'cancelled before the intent': 'claim:cancelled',
  'interrupted (lock lost, shutdown)': 'end:interrupted',
  'stale at record': 'record:stale',
  'lost at claim or record': 'claim:lost',
  "ended elsewhere: before the record, the journal's attempt is open no more, and the claim is ours": 'says:elsewhere',
  '5th takeover': 'says:lost',
  crashed: 'end:crashed',
  'crashed for an outage (Redis, disk, kernel, a revocation log that does not verify)': 'end:outage',
  '5th crash': 'says:crashed',
  'the same fault came back (section 6)': 'says:came-back',
};

function rowStates(): readonly string[] {
  const meaning = protocolTable('2. Ledger row').get('`state`')?.get('meaning') ?? '';
  return [...meaning.matchAll(/`(\w+)`/g)].map(([, state]) => `row:${state}`);
}

function claimAnswers(): readonly string[] {
  const cells = [...protocolTable('Claim: answer').values()].flatMap((row) => [...row.values()]);
  const answers = cells.flatMap((cell) => [...cell.matchAll(/`(lost|new|cancelled|conflict|takeover|busy|finished|failed)`/g)]);
  return [...new Set(answers.map(([, answer]) => `claim:${answer}`))];
}

function effectPoints(): readonly string[] {
  const cells = [...protocolTable('5. Journal').values()].flatMap((row) => [...row.values()]);
  const points = cells.flatMap((cell) => [...cell.matchAll(/\b(?:([MLCX])(\d)(?: to \1(\d))?|(sealed|published|intent))\b/g)]);
  const words = points.flatMap(([, letter = '', from = '', to = from, word]) =>
    word === undefined ? Array.from({ length: Number(to) - Number(from) + 1 }, (_, more) => `${letter}${Number(from) + more}`) : [word],
  );
  return [...new Set(words.map((point) => `point:${point}`))];
}

function settledEnds(): readonly string[] {
  return [...protocolTable('4. Settle').keys()].map((label) => SETTLED[label] ?? `settle:${label}`);
}

/** All of them, each once. */
export const STATES: readonly string[] = [
  ...new Set([
    ...rowStates(),
    ...claimAnswers(),
    ...effectPoints(),
    ...settledEnds(),
    'claim:failed',
    'record:recorded',
    'record:awaited',
    'record:stale',
    'record:lost',
  ]),
];

/** Points on the way back, which the page has in its sentences. */
const IN_SENTENCES = new Set(['point:taken-back', 'point:withdrawn', 'point:before-close']);

/** What histories reached of the protocol and its page does not name. */
export function unnamedStates(reached: readonly string[]): readonly string[] {
  const protocol = reached.filter((word) => /^(row|claim|record|point):/.test(word) || (word.startsWith('end:') && !word.startsWith('end:plan-')));
  return protocol.filter((word) => !STATES.includes(word) && !IN_SENTENCES.has(word));
}
