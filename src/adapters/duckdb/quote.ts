/** A text as an SQL literal. The one way that text gets into a statement; queries are parameters. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
