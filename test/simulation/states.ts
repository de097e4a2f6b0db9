import { readFileSync } from 'node:fs';
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

/** Rows of the question, by their labels in docs/plan-protocol.md 10. */
const QUESTIONS: Readonly<Record<string, readonly string[]>> = {
  'none: never reached': ['question:none'],
  '`open`': ['question:open'],
  '`approved`, `denied`': ['question:approved', 'question:denied'],
  '`expired`': ['question:expired'],
  'of the same id with another hash (an answer before it was lost and came otherwise)': ['question:other-hash'],
};

/** What becomes of a notice, by the rows of docs/webhooks.md: state, event. */
const NOTICES: Readonly<Record<string, string>> = {
  'none: the index says that a task has ended, an endpoint is told of it, and its outcome is signed': 'notice:noted',
  'none: the same, and there is no room for its text': 'notice:no-room',
  'none: a push that wishes it finds the task or plan done (D391): no event comes any more': 'notice:on-wish',
  '`pending`: 2xx': 'notice:delivered',
  '`pending`: 410': 'notice:gone',
  '`pending`: anything else, before 24 hours or the tenth attempt': 'notice:repeated',
  '`pending`: anything else, after both': 'notice:given-up',
  '`dead`: a newer notice of the endpoint needs the room': 'notice:text-dropped',
  '`dead`: sent again by an operator': 'notice:resent',
  "`dead`, without text: sent again, and the task's result is the one that the id is of, and there is room": 'notice:restored',
  '`dead`, without text: sent again, and the result is gone or another one': 'notice:lost',
  '`delivered`, `dead`: `webhooks.keep_s` is over': 'notice:kept-over',
  '`delivered`, then `dead`: there are more than `webhooks.max_notices`; the oldest first': 'notice:surplus',
};

/** Cells of the table of a page that has this head. */
function rowsBelow(page: string, head: string): readonly (readonly string[])[] {
  const lines = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8').split('\n');
  const first = lines.findIndex((line) => line.startsWith(head)) + 2;
  const end = lines.findIndex((line, at) => at >= first && !line.startsWith('|'));
  return lines.slice(first, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function questions(): readonly string[] {
  return rowsBelow('plan-protocol.md', '| state of the row |').flatMap(([label = '']) => QUESTIONS[label] ?? [`question:${label}`]);
}

function notices(): readonly string[] {
  return rowsBelow('webhooks.md', '| state | event | next |').map(([state, event]) => NOTICES[`${state}: ${event}`] ?? `notice:${state}: ${event}`);
}

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
    ...questions(),
    ...notices(),
    'claim:failed',
    // Ends of plans have the rows of tasks' notices.
    'notice:plan-success',
    'notice:plan-failure',
    'notice:plan-again',
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
  const protocol = reached.filter(
    (word) => /^(row|claim|record|point|question|notice):/.test(word) || (word.startsWith('end:') && !word.startsWith('end:plan-')),
  );
  return protocol.filter((word) => !STATES.includes(word) && !IN_SENTENCES.has(word));
}
