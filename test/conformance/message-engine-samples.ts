import { SearchQuery } from '../../src/contracts/index.ts';
import type { EngineFacets, EngineRequest, MessageEngine } from '../../src/core/ports/message-engine.ts';
import type { SearchViewer } from '../../src/core/ports/message-search.ts';
import { engineRequestOf, planOf } from '../../src/messages/search/planner.ts';
import { normalQuery } from '../../src/messages/search/query.ts';
import type { Mail, Mailbox } from '../support/mailbox.ts';
import type { Expected } from '../support/mailbox-oracle.ts';
import { type Asked, type Leaf, randomAsked, randomMailbox, writtenPhrase } from '../support/mailbox-random.ts';
import type { Random } from '../support/random.ts';

/** Words that every engine knows in the same way: without stems, accents and signs. */
const WORDS = ['graph', 'ship', 'mail', 'root', 'disk', 'zulu', 'plum'];
const PREFIXES = ['gra', 'shi', 'pl', 'zu'];
/** The clock of the oracle, microseconds. */
export const NOW_US = 1_000_000_000;

/** A mailbox of such words. */
export function plainMailbox(random: Random, size: number): Mailbox {
  const box = randomMailbox(random, size);
  return { ...box, mails: box.mails.map(plainMail) };
}

export function plainMail(mail: Mail): Mail {
  return { ...mail, subject: plainText(mail.subject), body: plainText(mail.body) };
}

function plainText(text: string): string {
  return text.replace(/[\p{L}\p{N}\p{M}-]+/gu, (word) => WORDS[word.length % WORDS.length] ?? word);
}

/** A question with filters, a scope and a viewer of the generator's, and words of the above. */
export function plainAsked(random: Random, box: Mailbox): Asked {
  const made = randomAsked(random, box.agents);
  // Sets of which a part is hidden from whom an operator asks for are where counts go wrong.
  const scope = random.chance(0.4) ? { caller_scoped: { caller_agent: random.pick(box.agents).name } } : made.query.scope;
  const asked = { ...made, query: { ...made.query, scope } };
  if (asked.wanted.by === 'filters') return { ...asked, query: { ...asked.query, min_score: undefined } };
  if (asked.wanted.by === 'substrings') {
    const terms = [random.pick(['lum', 'UL', 'oo', '%']), random.pick(['l', 'hi', 'raph'])];
    return { ...asked, query: { ...asked.query, text: terms.join(' '), min_score: undefined }, wanted: { by: 'substrings', terms } };
  }
  const groups = Array.from({ length: 1 + random.integer(2) }, () => [leaf(random), leaf(random)].slice(random.integer(2)));
  const text = groups.map((group) => `(${group.map(written).join(' OR ')})`).join(' AND ');
  return { ...asked, query: { ...asked.query, text, min_score: undefined }, wanted: { by: 'words', groups } };
}

function leaf(random: Random): Leaf {
  const kind = random.number();
  if (kind < 0.2) return { is: 'prefix', prefix: random.pick(PREFIXES) };
  if (kind < 0.35) return { is: 'phrase', words: [random.pick(WORDS), random.pick(WORDS)] };
  const word = random.pick(WORDS);
  return kind < 0.5 ? { is: 'word', word, column: random.pick(['subject', 'body'] as const) } : { is: 'word', word };
}

function written(one: Leaf): string {
  if (one.is === 'prefix') return `${one.prefix}*`;
  if (one.is === 'phrase') return writtenPhrase(one.words);
  return one.column === undefined ? one.word : `${one.column}:${one.word}`;
}

/** What the search asks an engine for it: the whole set, counted; `undefined`: it asks none. @param viewer whoever asks, where it is not the one of the question */
export function requestOf({ query, viewer: own, wanted }: Asked, viewer: SearchViewer = own): EngineRequest | undefined {
  const normal = normalQuery(SearchQuery.parse({ ...query, limit: 1000, explain: true, facets: true }));
  const plan = planOf(normal);
  const match = wanted.by === 'substrings' ? wanted : plan.empty ? undefined : plan.match;
  return match && { ...engineRequestOf(normal, viewer, match, NOW_US), after: null, list: 0 };
}

/** What `find` says; a refusal fails the test. */
export async function found(engine: MessageEngine, request: EngineRequest) {
  const answer = await engine.find(request);
  if (!answer.ok) throw new Error(`${engine.name}: ${answer.error.kind}: ${answer.error.message}`);
  return answer.value;
}

/** Facets of what may be seen, counted by hand. */
export function facetsByHand(box: Mailbox, expected: readonly Expected[]): EngineFacets {
  const seen = expected.flatMap(({ id, visible }) => (visible ? box.mails.filter((mail) => mail.id === id) : []));
  return {
    project_id: counted(seen.map(({ project_id }) => project_id)),
    importance: counted(seen.map(({ importance }) => importance)),
    from_agent: counted(seen.flatMap(({ sender_id }) => box.agents.find(({ id }) => id === sender_id)?.name ?? [])),
  };
}

function counted<T extends string | number>(values: readonly T[]): { value: T; count: number }[] {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}
