import type { ProjectOrProduct } from '../../../core/ports/index.ts';

/** Facets narrow or order a search. Every value is a word; '' means: all. */
export interface Facets {
  readonly kind: string;
  readonly importance: string;
  readonly ack: string;
  readonly sort: string;
  readonly thread: string;
  /** `project:<id>` or `product:<id>`. */
  readonly scope: string;
  readonly mode: string;
}

export type FacetName = keyof Facets;

export const NO_FACETS: Facets = { kind: 'message', importance: '', ack: '', sort: 'relevance', thread: '', scope: '', mode: '' };

/** The source of the values of facets. */
export interface FacetSource {
  readonly places: readonly ProjectOrProduct[];
  /** The thread of the selected message. */
  readonly thread: string | undefined;
}

interface FacetRow {
  readonly name: FacetName;
  readonly title: string;
  /** The key for the next value; in upper case for the one before. */
  readonly key: string;
  readonly values: (source: FacetSource) => readonly string[];
  readonly shown: (value: string, source: FacetSource) => string;
  /** Whether only messages have it; the search ignores it for other kinds of documents. */
  readonly messagesOnly: boolean;
}

const word =
  (words: Readonly<Record<string, string>>) =>
  (value: string): string =>
    Object.hasOwn(words, value) ? (words[value] ?? value) : value;
const fixed =
  (...values: readonly string[]) =>
  (): readonly string[] =>
    values;

/** All facets in the order of the screen. */
export const FACETS = [
  {
    name: 'kind',
    title: 'Kind',
    key: 'd',
    values: fixed('message', 'agent', 'project', 'all'),
    shown: word({ message: 'messages', agent: 'agents', project: 'projects' }),
    messagesOnly: false,
  },
  { name: 'importance', title: 'Imp', key: 'i', values: fixed('', 'urgent', 'high', 'normal', 'low'), shown: word({ '': 'any' }), messagesOnly: true },
  {
    name: 'ack',
    title: 'Ack',
    key: 'a',
    values: fixed('', 'required', 'none'),
    shown: word({ '': 'any', none: 'not required' }),
    messagesOnly: true,
  },
  { name: 'sort', title: 'Sort', key: 's', values: fixed('relevance', 'newest', 'oldest'), shown: word({}), messagesOnly: false },
  {
    name: 'thread',
    title: 'Thread',
    key: 't',
    values: ({ thread }) => ['', ...(thread === undefined ? [] : [thread])],
    shown: word({ '': 'any' }),
    messagesOnly: true,
  },
  {
    name: 'scope',
    title: 'Scope',
    key: 'p',
    values: ({ places }) => ['', ...places.map(({ kind, id }) => `${kind}:${id}`)],
    shown: (value, { places }) => placeName(value, places),
    messagesOnly: false,
  },
  {
    name: 'mode',
    title: 'Mode',
    key: 'm',
    values: fixed('', 'lexical', 'semantic', 'hybrid', 'hybrid_rerank'),
    shown: word({ '': 'auto', hybrid_rerank: 'hybrid+rerank' }),
    messagesOnly: false,
  },
] as const satisfies readonly FacetRow[];

function placeName(value: string, places: readonly ProjectOrProduct[]): string {
  if (value === '') return 'everywhere';
  const place = places.find(({ kind, id }) => value === `${kind}:${id}`);
  return place === undefined ? value : `${place.kind === 'product' ? 'product ' : ''}${place.name}`;
}

/** The facets with one of them a step further, or back; after the last value comes the first. */
export function turned(facets: Facets, row: FacetRow, by: 1 | -1, source: FacetSource): Facets {
  const values = row.values(source);
  const at = values.indexOf(facets[row.name]);
  // A value that is no longer offered, e.g. the thread of another message, is dropped first.
  const next = at === -1 ? '' : (values[(at + by + values.length) % values.length] ?? '');
  return { ...facets, [row.name]: next };
}
