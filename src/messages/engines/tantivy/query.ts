import type { DocKind } from '../../../contracts/index.ts';
import { beginningOf } from './beginnings.ts';
import type { Tantivy, TantivyQuery, TantivySchema } from './binding.ts';
import type { Wanted } from './operators.ts';
import { fieldOf, PARTS, type Part, prefixFieldOf } from './schema.ts';

/** Makes queries of what is wanted. The tree is ours, because the binding's parser joins words by OR and drops stars. */
export function createQueries(tantivy: Tantivy, schema: TantivySchema): (wanted: Wanted, kind: DocKind) => TantivyQuery {
  const { Query, Occur } = tantivy;

  function queryOf(wanted: Wanted, kind: DocKind): TantivyQuery {
    switch (wanted.is) {
      case 'all':
        return joined(Occur.Must, wanted.of, kind);
      case 'any':
        return joined(Occur.Should, wanted.of, kind);
      case 'without':
        return Query.booleanQuery([
          { occur: Occur.Must, query: queryOf(wanted.keep, kind) },
          { occur: Occur.MustNot, query: queryOf(wanted.drop, kind) },
        ]);
      case 'words': {
        const { words, open } = wanted;
        if (words.length === 0) return Query.emptyQuery();
        return Query.booleanQuery(wanted.parts.map((part) => ({ occur: Occur.Should, query: Query.boostQuery(inPart(kind, part, words, open), PARTS[part]) })));
      }
    }
  }

  function joined(occur: number, of: readonly Wanted[], kind: DocKind): TantivyQuery {
    return of.length === 0 ? Query.emptyQuery() : Query.booleanQuery(of.map((one) => ({ occur, query: queryOf(one, kind) })));
  }

  function inPart(kind: DocKind, part: Part, words: readonly string[], open: boolean): TantivyQuery {
    const [first = ''] = words;
    const field = fieldOf(kind, part);
    if (words.length > 1) return open ? Query.phrasePrefixQuery(schema, field, words, EXPANSIONS) : Query.phraseQuery(schema, field, words);
    return open ? Query.termQuery(schema, prefixFieldOf(kind, part), beginningOf(first)) : Query.termQuery(schema, field, first);
  }

  return queryOf;
}

/** Words that the open end of a phrase may stand for. */
const EXPANSIONS = 10_000;
