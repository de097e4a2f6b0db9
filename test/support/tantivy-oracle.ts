import type { Mail } from './mailbox.ts';
import type { RankOracle } from './mailbox-oracle.ts';
import type { Asked, Leaf } from './mailbox-random.ts';

/**
 * What a search by Tantivy must find, by looking at every mail: words as they are written, without case, no stems, accents
 * kept, and what is no syntax as one phrase. How much a mail scores is Tantivy's own word; that it is BM25 is shown elsewhere.
 */
export function tantivyRank(rawScores: (text: string) => ReadonlyMap<number, number>): RankOracle {
  const rank = (mails: readonly Mail[], text: string, asked: Asked) => {
    const scores = rawScores(text);
    return new Map(mails.filter((mail) => matches(mail, asked)).map(({ id }) => [id, scores.get(id) ?? Number.NaN]));
  };
  return Object.assign(rank, { isShare: true as const });
}

function matches(mail: Mail, { query, wanted }: Asked): boolean {
  if (wanted.by === 'filters') return true;
  if (wanted.by === 'substrings') return brokenMatches(mail, query.text);
  return wanted.groups.every((group) => group.some((leaf) => has(mail, leaf))) && (wanted.without === undefined || !has(mail, wanted.without));
}

/** The generated texts that FTS5 refuses: signs beside words are none; a bracket, a quote or an operator too many makes all of it a phrase. */
function brokenMatches(mail: Mail, text: string): boolean {
  const isPhrase = /[("]| AND/u.test(text);
  const phrases = isPhrase ? [text] : text.split(/\s+/u);
  return phrases.every((phrase) => [mail.subject, mail.body].some((part) => occurs(tokens(part), tokens(phrase))));
}

function has(mail: Mail, leaf: Leaf): boolean {
  const parts = leaf.is === 'word' && leaf.column !== undefined ? [mail[leaf.column]] : [mail.subject, mail.body];
  if (leaf.is === 'prefix') return parts.some((part) => tokens(part).some((word) => word.startsWith(leaf.prefix)));
  const sought = leaf.is === 'word' ? tokens(leaf.word) : leaf.words.flatMap(tokens);
  return parts.some((part) => occurs(tokens(part), sought));
}

function occurs(words: readonly string[], sought: readonly string[]): boolean {
  return words.some((_, index) => sought.every((word, offset) => words[index + offset] === word));
}

function tokens(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
