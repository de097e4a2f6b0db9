import { IMPORTANCES, type SearchQuery } from '../../src/contracts/index.ts';
import type { SearchViewer } from '../../src/core/ports/message-search.ts';
import type { Agent, Link, Mail, Mailbox } from './mailbox.ts';
import type { Random } from './random.ts';

/** Generated mailboxes and queries for them: few words, few names, few times, so that ties and near misses are the rule. */

/** What a query looks for, as data: the oracle reads this, the search reads its text. */
export type Leaf =
  | { readonly is: 'word'; readonly word: string; readonly column?: 'subject' | 'body' }
  | { readonly is: 'prefix'; readonly prefix: string }
  | { readonly is: 'phrase'; readonly words: readonly string[] };
export type Wanted =
  | { readonly by: 'words'; readonly groups: readonly (readonly Leaf[])[]; readonly without?: Leaf }
  | { readonly by: 'substrings'; readonly terms: readonly string[] }
  | { readonly by: 'filters' };

export interface Asked {
  readonly query: SearchQuery;
  readonly viewer: Extract<SearchViewer, { readonly agent_id: number }> | null;
  readonly wanted: Wanted;
}

/** Written forms; the oracle has their stems. */
export const WRITTEN = [
  'plan',
  'plans',
  'Planned',
  'plän',
  'build',
  'building',
  'test',
  'TESTED',
  'graph',
  'ship',
  'mail',
  'lock',
  'locks',
  'root',
  'disk',
  'zulu',
  'plum',
  'POL-358',
  '計画',
];
const SOUGHT = ['plan', 'Plans', 'build', 'test', 'graph', 'ship', 'mail', 'locks', 'root', 'disk', 'zulu', 'plum', 'plän'];
const PREFIXES = ['pl', 'pla', 'bu', 'te', 'gra', 'lo'];
const NAMES = ['Ada', 'Bob', 'BlueLake', 'bob', 'Eve'];
const THREADS = ['br-42', 'br-4', 'TKT-1', '2'];
const POLICIES = ['auto', 'open', 'contacts_only', 'block_all', 'strange'];

export function randomMailbox(random: Random, size: number): Mailbox {
  const projects = [1, 2, 3].map((id) => ({ id, slug: random.pick(SOUGHT) + id, key: `/srv/${random.pick(SOUGHT)}/${id}` }));
  const agents: Agent[] = projects.flatMap(({ id }) =>
    NAMES.filter((_, index) => index < 2 || random.chance(0.6)).map((name, index) => ({
      id: id * 10 + index,
      project_id: id,
      name: name === 'bob' && id > 0 ? `bob${id}` : name,
      task: text(random, 4),
      policy: random.pick(POLICIES),
    })),
  );
  const links: Link[] = [];
  for (const a of agents) {
    const b = random.pick(agents);
    if (random.chance(0.3) && a.id !== b.id && !links.some((link) => link.a === a.id && link.b === b.id)) {
      links.push({
        a: a.id,
        b: b.id,
        status: random.pick(['approved', 'approved', 'pending', 'blocked'] as const),
        expires: random.pick([null, null, 1, 2e15]),
      });
    }
  }
  const box = {
    projects,
    agents,
    links,
    products: [
      { id: 1, name: 'Suite', project_ids: [1, 2] },
      { id: 2, name: 'Empty', project_ids: [] },
    ],
  };
  return { ...box, mails: Array.from({ length: size }, (_, index) => randomMail(random, agents, index + 1)) };
}

export function randomMail(random: Random, agents: readonly Agent[], id: number): Mail {
  const sender = random.pick(agents);
  const recipients = new Map(Array.from({ length: random.integer(4) }, () => [random.pick(agents).id, random.pick(['to', 'cc', 'bcc'] as const)] as const));
  return {
    id,
    project_id: random.chance(0.9) ? sender.project_id : random.pick([1, 2, 3]),
    sender_id: random.chance(0.95) ? sender.id : null,
    thread_id: random.chance(0.7) ? random.pick(THREADS) : null,
    subject: text(random, 3),
    body: text(random, 12),
    importance: random.pick(IMPORTANCES),
    ack: random.chance(0.4),
    created_ts: 1_700_000_000_000_000 + random.integer(12),
    recipients: [...recipients].map(([agent_id, kind]) => ({ agent_id, kind })),
  };
}

function text(random: Random, most: number): string {
  const words = Array.from({ length: random.integer(most + 1) }, () => random.pick(WRITTEN));
  return words.join(random.pick([' ', ', ', ' **', '\n']));
}

export function randomAsked(random: Random, agents: readonly Agent[]): Asked {
  const { wanted, words } = randomText(random);
  const name = (): string => random.pick([...NAMES, 'ADA', 'Nobody']);
  const sometimes = <T>(probability: number, fields: () => T): T | object => (random.chance(probability) ? fields() : {});
  const filters = {
    ...sometimes(0.25, () => ({ project_id: 1 + random.integer(4) })),
    ...sometimes(0.15, () => ({ product_id: 1 + random.integer(3) })),
    ...sometimes(0.2, () => ({ importance: IMPORTANCES.filter(() => random.chance(0.5)) })),
    ...sometimes(0.15, () => ({ thread_id: random.pick([...THREADS, 'br']) })),
    ...sometimes(0.15, () => ({ ack_required: random.chance(0.5) })),
    ...sometimes(0.2, () => ({
      time_range: { min_ts: 1_700_000_000_000_000 + random.integer(6), max_ts: random.chance(0.5) ? 1_700_000_000_000_006 + random.integer(6) : null },
    })),
    ...sometimes(0.2, () => ({ agent_name: name() })),
    ...sometimes(0.2, () => ({ direction: random.pick(['inbox', 'outbox'] as const) })),
    ...sometimes(0.15, () => ({ sender_name: name() })),
    ...sometimes(0.15, () => ({ recipient_name: name() })),
  };
  const query: SearchQuery = {
    text: words,
    ...filters,
    ...sometimes(0.4, () => ({ ranking: random.pick(['relevance', 'recency'] as const) })),
    ...sometimes(0.2, () => ({ min_score: random.pick([0.1, 0.5, 0.9, 1, 1.5]) })),
    ...sometimes(0.2, () => ({ scope: { caller_scoped: { caller_agent: name() } } })),
    ...sometimes(0.1, () => ({ scope: { project_set: { allowed_project_ids: [1, 2, 3].filter(() => random.chance(0.5)) } } })),
    ...sometimes(0.15, () => ({ redaction: { redact_body: true } })),
  };
  const { project_id, id: agent_id } = random.pick(agents);
  return { query, viewer: random.chance(0.2) ? { project_id, agent_id } : null, wanted };
}

function randomText(random: Random): { wanted: Wanted; words: string } {
  const kind = random.number();
  if (kind < 0.15) return { wanted: { by: 'filters' }, words: random.pick(['', '  ']) };
  if (kind < 0.3) return brokenText(random);
  const groups = Array.from({ length: 1 + random.integer(2) }, () => (random.chance(0.3) ? [randomLeaf(random), randomLeaf(random)] : [randomLeaf(random)]));
  const without = random.chance(0.2) && !losesBranches(groups) ? randomLeaf(random) : undefined;
  const together = groups
    .map((group) => (group.length > 1 ? `(${group.map(written).join(' OR ')})` : group.map(written).join('')))
    .join(random.pick([' AND ', ' AND ', '  AND  ']));
  const words = without === undefined ? together : `(${together}) NOT ${written(without)}`;
  return { wanted: { by: 'words', groups, ...(without !== undefined && { without }) }, words };
}

/**
 * Below a NOT, FTS5 empties all places of an AND in a row where a phrase or a column does not match, those too that an OR has
 * reached in a later row: that branch is missing from the row's bm25 (docs/message-search.md).
 */
function losesBranches(groups: readonly (readonly Leaf[])[]): boolean {
  const canMiss = (leaf: Leaf): boolean => leaf.is === 'phrase' || (leaf.is === 'word' && leaf.column !== undefined);
  return groups.length > 1 && groups.some((group) => group.length > 1) && groups.flat().some(canMiss);
}

/** What FTS5 refuses; its words are then looked for as parts. */
function brokenText(random: Random): { wanted: Wanted; words: string } {
  const [a, b] = [random.pick(['pla', 'build', 'POL-358', '計', 'mail', 'zul']), random.pick(['an', 'ing', '358', 'lock'])];
  const words = random.pick([`${a}, ${b}`, `(${a} ${b}`, `${a} ${b}"`, `@${a} ${b}`, `${a} ${b} AND`, `${a} AND NOT ${b}!`]);
  return { wanted: { by: 'substrings', terms: [a, b] }, words };
}

function randomLeaf(random: Random): Leaf {
  const kind = random.number();
  if (kind < 0.2) return { is: 'prefix', prefix: random.pick(PREFIXES) };
  if (kind < 0.35) return { is: 'phrase', words: [random.pick(SOUGHT), random.pick(SOUGHT)] };
  if (kind < 0.42) return { is: 'phrase', words: ['pol', '358'] };
  const word = random.pick(SOUGHT);
  return random.chance(0.15) ? { is: 'word', word, column: random.pick(['subject', 'body'] as const) } : { is: 'word', word };
}

function written(leaf: Leaf): string {
  if (leaf.is === 'prefix') return `${leaf.prefix}*`;
  if (leaf.is === 'phrase') return leaf.words.join() === 'pol,358' ? 'POL-358' : writtenPhrase(leaf.words);
  return leaf.column === undefined ? leaf.word : `${leaf.column}:${leaf.word}`;
}

/** Either way that FTS5 has for it. */
export function writtenPhrase(words: readonly string[]): string {
  return words.join('').length % 2 === 0 ? `"${words.join(' ')}"` : words.join(' + ');
}
