import type { Mail, Mailbox } from './mailbox.ts';
import type { Asked, Leaf, Wanted } from './mailbox-random.ts';

/**
 * What a search must find, by looking at every mail. It shares no code with the search: words, BM25, visibility and order
 * are written down here once more, from the descriptions of FTS5 and of the specification.
 */
export interface Expected {
  readonly id: number;
  readonly score: number;
  readonly visible: boolean;
}

/** Stems of the words in WRITTEN and SOUGHT; every other word is its own. */
const STEMS: Readonly<Record<string, string>> = { plans: 'plan', planned: 'plan', building: 'build', tested: 'test', locks: 'lock' };
const WEIGHT = { subject: 10, body: 1 };
const NOW_US = 1_000_000_000;

/** What an engine that ranks in a way of its own says of mails and a question: scores by id, of those that it finds at all. */
export interface RankOracle {
  (mails: readonly Mail[], text: string, asked: Asked): ReadonlyMap<number, number>;
  /** Whether a score is the share that a row has of the best row of the set. */
  readonly isShare?: true;
}

/** How an engine ranks: in a way of its own, or by BM25 with the numbers of the mail that whoever asks may see, not of all. */
export type Ranking = RankOracle | 'visible';

/** The whole set in its order; with a rank of its own for every text there is. */
export function oracle(box: Mailbox, asked: Asked, ranking?: Ranking): Expected[] {
  const rank = ranking === 'visible' ? undefined : ranking;
  const { query, wanted } = asked;
  if (wanted.by === 'filters' && !hasFilter(asked)) return [];
  const eyes = eyesOf(box, asked);
  // What a viewer may see is no matter of the query.
  const redacting = asked.viewer === null && query.redaction?.redact_body === true && eyes.length > 0;
  const given = rank !== undefined && wanted.by !== 'filters' ? rank(box.mails, query.text, asked) : undefined;
  const set = box.mails
    .filter((mail) => passes(box, mail, asked, eyes) && (given === undefined ? matches(mail, wanted) : given.has(mail.id)))
    .map((mail) => ({ mail, visible: eyes.every((agents) => maySee(box, mail, agents)) }))
    .filter(({ visible }) => visible || redacting);
  const raws = new Map(
    wanted.by === 'words' && given === undefined
      ? rawScores(
          ranking === 'visible' && asked.viewer !== null ? box.mails.filter((mail) => eyes.every((agents) => maySee(box, mail, agents))) : box.mails,
          set.map(({ mail }) => mail),
          wanted,
        )
      : [],
  );
  const keys = snapped(raws);
  const [best, worst] = [Math.max(...keys.values()), Math.min(...keys.values())];
  const top = rank?.isShare ? Math.max(...set.map(({ mail }) => given?.get(mail.id) ?? 0)) : 1;
  const scoreOf = (mail: Mail): number => {
    if (given !== undefined) return onGrid((given.get(mail.id) ?? Number.NaN) / top);
    const key = keys.get(mail.id);
    if (key === undefined || best === worst) return 1;
    return onGrid((key - worst) / (best - worst));
  };
  const rows = set.map(({ mail, visible }) => ({ id: mail.id, score: scoreOf(mail), visible, time: mail.created_ts }));
  const byTime = query.ranking === 'recency' || (wanted.by !== 'words' && given === undefined);
  const minimum = query.min_score ?? 0;
  return rows
    .filter(({ score }) => score >= minimum)
    .sort((a, b) => (byTime ? b.time - a.time : b.score - a.score) || a.id - b.id)
    .map(({ id, score, visible }) => ({ id, score, visible }));
}

function onGrid(score: number): number {
  return Math.round(score * 2 ** 40) / 2 ** 40;
}

/** What may not be seen, by id. */
export function deniedIds(box: Mailbox, asked: Asked, ranking?: Ranking): number[] {
  const rank = ranking === 'visible' ? undefined : ranking;
  if (asked.wanted.by === 'filters' && !hasFilter(asked)) return [];
  const eyes = eyesOf(box, asked);
  const given = rank !== undefined && asked.wanted.by !== 'filters' ? rank(box.mails, asked.query.text, asked) : undefined;
  const isFound = (mail: Mail): boolean => (given === undefined ? matches(mail, asked.wanted) : given.has(mail.id));
  return box.mails
    .filter((mail) => passes(box, mail, asked, eyes) && isFound(mail) && !eyes.every((agents) => maySee(box, mail, agents)))
    .map(({ id }) => id)
    .sort((a, b) => a - b);
}

/** Whom a message names as its recipients; Bcc is for the sender, those in it, and who may see everything. */
export function recipientsSeen(box: Mailbox, asked: Asked, id: number): { to: string[]; cc: string[]; bcc?: string[] } {
  const mail = box.mails.find((one) => one.id === id);
  const eyes = eyesOf(box, asked);
  const names = (kind: 'to' | 'cc' | 'bcc'): string[] =>
    (mail?.recipients ?? [])
      .filter(
        ({ agent_id, kind: own }) =>
          own === kind && (kind !== 'bcc' || eyes.every((looking) => looking.includes(agent_id) || looking.includes(mail?.sender_id ?? -1))),
      )
      .map(({ agent_id }) => box.agents.find((agent) => agent.id === agent_id)?.name ?? '')
      .sort((a, b) => (a < b ? -1 : 1));
  const bcc = names('bcc');
  return { to: names('to'), cc: names('cc'), ...(bcc.length > 0 ? { bcc } : {}) };
}

function hasFilter({ query }: Asked): boolean {
  const { project_id, product_id, importance, thread_id, ack_required, time_range, agent_name, sender_name, recipient_name } = query;
  return [project_id, product_id, importance?.[0], thread_id, ack_required, time_range?.min_ts, agent_name, sender_name, recipient_name].some(
    (value) => value !== undefined,
  );
}

const same = (a: string, b: string): boolean => ascii(a) === ascii(b);
const ascii = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Agents that look, one group for the viewer and one for the caller that the query names. */
function eyesOf(box: Mailbox, { query, viewer }: Asked): (readonly number[])[] {
  const { scope } = query;
  const groups: (readonly number[])[] = viewer === null ? [] : [[viewer.agent_id]];
  if (scope != null && scope !== 'unrestricted' && 'caller_scoped' in scope) {
    groups.push(box.agents.filter(({ name }) => same(name, scope.caller_scoped.caller_agent)).map(({ id }) => id));
  }
  return groups;
}

/** Whether agents with these ids may see a message. */
export function maySee(box: Mailbox, mail: Mail, looking: readonly number[]): boolean {
  const isLooking = (id: number | null): boolean => id !== null && looking.includes(id);
  if (isLooking(mail.sender_id) || mail.recipients.some(({ agent_id }) => isLooking(agent_id))) return true;
  const own = box.agents.filter(({ id }) => isLooking(id)).map(({ project_id }) => project_id);
  const near = box.products.filter(({ project_ids }) => project_ids.some((id) => own.includes(id))).flatMap(({ project_ids }) => project_ids);
  const contact = box.links.some(
    ({ a, b, status, expires }) =>
      status === 'approved' && (expires === null || expires > NOW_US) && ((isLooking(a) && b === mail.sender_id) || (isLooking(b) && a === mail.sender_id)),
  );
  if (contact) return true;
  const policy = box.agents.find(({ id }) => id === mail.sender_id)?.policy ?? 'auto';
  return [...own, ...near].includes(mail.project_id) && !['contacts_only', 'block_all'].includes(policy);
}

function passes(box: Mailbox, mail: Mail, { query }: Asked, eyes: readonly (readonly number[])[]): boolean {
  const { project_id, product_id, importance = [], thread_id, ack_required, time_range, direction, agent_name, sender_name, recipient_name, scope } = query;
  const product = project_id === undefined ? product_id : undefined;
  const named = (id: number | null, name: string): boolean => box.agents.some((agent) => agent.id === id && same(agent.name, name));
  const sentBy = (name: string): boolean => named(mail.sender_id, name);
  const sentTo = (name: string): boolean =>
    mail.recipients.some(
      ({ agent_id, kind }) =>
        named(agent_id, name) && (kind !== 'bcc' || eyes.every((looking) => looking.includes(agent_id) || looking.includes(mail.sender_id ?? -1))),
    );
  const agent = (name: string): boolean => {
    if (direction === 'inbox') return sentTo(name);
    return sentBy(name) || (direction === undefined && sentTo(name));
  };
  const holds: readonly boolean[] = [
    project_id === undefined || mail.project_id === project_id,
    product === undefined || box.products.some(({ id, project_ids }) => id === product && project_ids.includes(mail.project_id)),
    importance == null || importance.length === 0 || importance.includes(mail.importance),
    thread_id === undefined || mail.thread_id === thread_id,
    ack_required === undefined || mail.ack === ack_required,
    mail.created_ts >= (time_range?.min_ts ?? -Infinity) && mail.created_ts <= (time_range?.max_ts ?? Infinity),
    typeof agent_name !== 'string' || agent(agent_name),
    typeof sender_name !== 'string' || sentBy(sender_name),
    typeof recipient_name !== 'string' || sentTo(recipient_name),
    scope == null || scope === 'unrestricted' || !('project_set' in scope) || scope.project_set.allowed_project_ids.includes(mail.project_id),
  ];
  return holds.every(Boolean);
}

function matches(mail: Mail, wanted: Wanted): boolean {
  if (wanted.by === 'filters') return true;
  if (wanted.by === 'substrings') return wanted.terms.every((term) => [mail.subject, mail.body].some((text) => ascii(text).includes(ascii(term))));
  const has = (leaf: Leaf): boolean => weightIn(mail, leaf) > 0;
  return wanted.groups.every((group) => group.some(has)) && (wanted.without === undefined || !has(wanted.without));
}

/** BM25 as FTS5 computes it, negative, for each mail of the set; statistics over all mails. */
function rawScores(all: readonly Mail[], set: readonly Mail[], wanted: Extract<Wanted, { by: 'words' }>): [number, number][] {
  // The leaf behind NOT never occurs in a row of the set.
  const leaves = wanted.groups.flat();
  const lengths = new Map(all.map((mail) => [mail.id, [mail.subject, mail.body].reduce((sum, text) => sum + tokens(text).length + pairs(text), 0)]));
  const average = [...lengths.values()].reduce((sum, length) => sum + length, 0) / all.length;
  const rarity = leaves.map((leaf) => {
    const hits = all.filter((mail) => weightIn(mail, leaf) > 0).length;
    const idf = Math.log((all.length - hits + 0.5) / (hits + 0.5));
    return idf <= 0 ? 1e-6 : idf;
  });
  return set.map((mail) => {
    const norm = 1.2 * (1 - 0.75 + (0.75 * (lengths.get(mail.id) ?? 0)) / average);
    const sum = leaves.reduce((total, leaf, index) => {
      const weight = weightIn(mail, leaf);
      return total + (rarity[index] ?? 0) * ((weight * 2.2) / (weight + norm));
    }, 0);
    return [mail.id, -sum];
  });
}

/** Scores as whole numbers, higher is better, on a grid 30 bits below the largest. */
function snapped(raws: ReadonlyMap<number, number>): Map<number, number> {
  if (raws.size === 0) return new Map();
  const largest = Math.max(...[...raws.values()].map((raw) => Math.abs(raw)));
  const exponent = exponentOf(largest);
  return new Map([...raws].map(([id, raw]) => [id, Math.round(Math.abs(raw) * 2 ** (30 - exponent))]));
}

function exponentOf(value: number): number {
  let exponent = 0;
  while (value < 2 ** exponent) exponent -= 1;
  while (value >= 2 ** (exponent + 1)) exponent += 1;
  return exponent;
}

/** How often a leaf occurs, ten times as much in the subject. @param anywhere in a column that it does not name, too */
export function weightIn(mail: Mail, leaf: Leaf, anywhere = false): number {
  const columns: readonly (keyof typeof WEIGHT)[] = !anywhere && leaf.is === 'word' && leaf.column !== undefined ? [leaf.column] : ['subject', 'body'];
  return columns.reduce((sum, column) => sum + WEIGHT[column] * occurrences(tokens(mail[column]), leaf), 0);
}

function occurrences(words: readonly string[], leaf: Leaf): number {
  if (leaf.is === 'prefix') return words.filter((word) => word.startsWith(leaf.prefix)).length;
  const sought = leaf.is === 'word' ? tokens(leaf.word) : leaf.words.flatMap(tokens);
  return words.filter((_, index) => sought.every((word, offset) => words[index + offset] === word)).length;
}

/** Of the one written word in a script without blanks, two letters, the index has the pair and its last letter besides. */
function pairs(text: string): number {
  return 2 * (text.split('計画').length - 1);
}

const known = new Map<string, readonly string[]>();

function tokens(text: string): readonly string[] {
  const found = known.get(text);
  if (found !== undefined) return found;
  const words = text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => STEMS[word] ?? word);
  known.set(text, words);
  return words;
}
