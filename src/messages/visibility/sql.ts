/** A value that SQLite takes as a parameter. */
export type SqlValue = string | number | bigint | null;

/** A piece of a statement and what its question marks stand for. */
export interface Sql {
  readonly text: string;
  readonly params: readonly SqlValue[];
}

/** Makes a piece of SQL from literal text: what is put in is another piece, or becomes a parameter. No value ever becomes text. */
export function sql(texts: TemplateStringsArray, ...parts: readonly (Sql | SqlValue)[]): Sql {
  const params: SqlValue[] = [];
  const text = texts.reduce((sum, literal, index) => {
    const part = parts[index - 1];
    if (typeof part === 'object' && part !== null) {
      params.push(...part.params);
      return sum + part.text + literal;
    }
    params.push(part ?? null);
    return `${sum}?${literal}`;
  });
  return { text, params };
}

export const NOTHING = sql``;

/** The pieces with a separator between them. */
export function joined(pieces: readonly Sql[], separator: ' AND ' | ' OR ' | ', ' | ' '): Sql {
  return { text: pieces.map(({ text }) => text).join(separator), params: pieces.flatMap(({ params }) => params) };
}

/** Conditions that must all hold; none: always true. */
export function all(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`1` : joined(conditions, ' AND ');
}
