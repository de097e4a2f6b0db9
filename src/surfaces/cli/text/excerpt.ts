const BEFORE = 20;
const LONGEST = 72;

/** What of a snippet fits on a line, in code points: the match and something around it. `…` marks what was cut. */
export function excerpt(snippet: string, query: string): string {
  const characters = [...snippet];
  if (characters.length <= LONGEST) return snippet;
  const match = Math.max(0, snippet.indexOf(query.trim()));
  const start = Math.min(Math.max(0, [...snippet.slice(0, match)].length - BEFORE), characters.length - LONGEST);
  const end = start + LONGEST;
  return `${start > 0 ? '…' : ''}${characters.slice(start, end).join('')}${end < characters.length ? '…' : ''}`;
}
