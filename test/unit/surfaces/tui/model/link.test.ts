import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_FACETS } from '../../../../../src/surfaces/tui/model/facets.ts';
import { askedBy, linkOf } from '../../../../../src/surfaces/tui/model/link.ts';

const facets = fc.record({
  kind: fc.constantFrom('message', 'agent', 'project', 'all'),
  importance: fc.constantFrom('', 'urgent', 'high', 'normal', 'low'),
  ack: fc.constantFrom('', 'required', 'none'),
  sort: fc.constantFrom('relevance', 'newest', 'oldest'),
  thread: fc.string({ unit: 'grapheme', maxLength: 12 }),
  scope: fc.constantFrom('', 'project:3', 'product:12'),
  mode: fc.constantFrom('', 'lexical', 'semantic', 'hybrid', 'hybrid_rerank'),
});

describe('the link of a search', () => {
  it('says what is asked for, and only that', () => {
    const all = { text: 'hello world', facets: { ...NO_FACETS, kind: 'all', importance: 'urgent', ack: 'required', sort: 'newest', thread: 't-1' } };
    expect(linkOf(all)).toBe('/search?q=hello%20world&type=all&imp=urgent&ack=1&sort=newest&thread=t-1');
    expect(linkOf({ text: '', facets: NO_FACETS })).toBe('/search');
    expect(linkOf({ text: 'a&b=c#d+e/ä', facets: NO_FACETS })).toBe('/search?q=a%26b%3Dc%23d%2Be%2F%C3%A4');
  });

  it('leads back to the same search, whatever is in it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), facets, (text, given) => {
        const asked = { text, facets: given };
        const link = linkOf(asked);
        expect(askedBy(link)).toEqual(asked);
        const keys = [...new URLSearchParams(link.split('?')[1]).keys()];
        expect(keys).toEqual(['q', 'scope', 'type', 'imp', 'ack', 'sort', 'thread', 'mode'].filter((key) => keys.includes(key)));
      }),
    );
  });

  it('is read as far as it is understood, and is no link without its path', () => {
    expect(askedBy('/search?imp=huge&type=agents&q=%ZZ&x=1&scope=moon:3&sort=relevance')).toEqual({ text: '%ZZ', facets: { ...NO_FACETS, kind: 'agent' } });
    for (const words of ['', 'search', '/searching?q=a', 'deploy /search?q=a']) expect(askedBy(words)).toBeUndefined();
  });
});
