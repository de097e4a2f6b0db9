import { type FacetName, type Facets, NO_FACETS } from './facets.ts';
import type { TuiState } from './state.ts';

/** A search that can be shared or kept: its words and its facets. */
export type Asked = Pick<TuiState, 'text' | 'facets'>;

const PATH = '/search';

interface LinkKey {
  readonly key: string;
  readonly facet: FacetName;
  /** Words of a link that differ from those of the facet: facet → link. */
  readonly words: Readonly<Record<string, string>>;
  readonly takes: RegExp;
}

/** The facets of a link behind its query, in their order. */
const KEYS: readonly LinkKey[] = [
  { key: 'scope', facet: 'scope', words: {}, takes: /^(?:project|product):\d{1,15}$/ },
  { key: 'type', facet: 'kind', words: { message: 'messages', agent: 'agents', project: 'projects' }, takes: /^(?:message|agent|project|all)$/ },
  { key: 'imp', facet: 'importance', words: {}, takes: /^(?:urgent|high|normal|low)$/ },
  { key: 'ack', facet: 'ack', words: { required: '1', none: '0' }, takes: /^(?:required|none)$/ },
  { key: 'sort', facet: 'sort', words: {}, takes: /^(?:relevance|newest|oldest)$/ },
  { key: 'thread', facet: 'thread', words: {}, takes: /^.{1,1024}$/su },
  { key: 'mode', facet: 'mode', words: {}, takes: /^(?:lexical|semantic|hybrid|hybrid_rerank)$/ },
];

/** The link of a search, such as `/search?q=hello%20world&type=all&imp=urgent`: percent-encoded, keys in a fixed order, without facets that have their first value. */
export function linkOf({ text, facets }: Asked): string {
  const parts = KEYS.flatMap(({ key, facet, words }) => (facets[facet] === NO_FACETS[facet] ? [] : [[key, wordOf(words, facets[facet])]]));
  const all = [...(text === '' ? [] : [['q', text]]), ...parts];
  return `${PATH}${all.length === 0 ? '' : '?'}${all.map(([key = '', value = '']) => `${key}=${encodeURIComponent(value.toWellFormed())}`).join('&')}`;
}

/** The search of a link; `undefined` for a text that is no link. Unknown keys and values are left out. */
export function askedBy(link: string): Asked | undefined {
  const [path, rest = ''] = [link.split('?', 1)[0], link.includes('?') ? link.slice(link.indexOf('?') + 1) : ''];
  if (path !== PATH) return undefined;
  const given = new URLSearchParams(rest);
  const facets: Partial<Record<FacetName, string>> = {};
  for (const { key, facet, words, takes } of KEYS) {
    const value = given.get(key) ?? '';
    const meant = Object.keys(words).find((word) => words[word] === value) ?? value;
    if (takes.test(meant)) facets[facet] = meant;
  }
  return { text: given.get('q') ?? '', facets: { ...NO_FACETS, ...facets } satisfies Facets };
}

/** The word of a facet in a link. Only own members count: a thread may be called `toString`. */
function wordOf(words: LinkKey['words'], value: string): string {
  return Object.hasOwn(words, value) ? (words[value] ?? value) : value;
}
