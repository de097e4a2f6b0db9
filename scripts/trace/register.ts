/** Levels as the specifications use them (RFC 2119), INFO for what binds nobody. */
export type Level = 'MUST' | 'MUST_NOT' | 'SHOULD' | 'MAY' | 'INFO';

/** One row of docs/requirements.tsv. */
export interface Requirement {
  readonly id: string;
  readonly level: Level;
}

/** One row of docs/areas.tsv: the ids that begin with `prefix` belong to a part of Writ that is finished, or not yet. */
export interface Area {
  readonly prefix: string;
  readonly finished: boolean;
}

const LEVELS: ReadonlySet<string> = new Set<Level>(['MUST', 'MUST_NOT', 'SHOULD', 'MAY', 'INFO']);

/** Reads docs/requirements.tsv. Throws on a row without a legal level and on an id that occurs twice. */
export function parseRequirements(tsv: string): Requirement[] {
  const rows = rowsOf(tsv).map(([id = '', , level = '']) => {
    if (!isLevel(level)) throw new Error(`docs/requirements.tsv: ${id} has no level`);
    return { id, level };
  });
  const twice = rows.find(({ id }, index) => rows.findIndex((other) => other.id === id) !== index);
  if (twice !== undefined) throw new Error(`docs/requirements.tsv: ${twice.id} occurs twice`);
  return rows;
}

/** The ids of docs/requirements.tsv as tags that a test may have. */
export function requirementTags(tsv: string): { name: string }[] {
  return parseRequirements(tsv).map(({ id }) => ({ name: id }));
}

/** Reads docs/areas.tsv. */
export function parseAreas(tsv: string): Area[] {
  return rowsOf(tsv).map(([prefix = '', , finished = '']) => {
    if (finished !== 'yes' && finished !== 'no') throw new Error(`docs/areas.tsv: ${prefix} must be finished yes or no`);
    return { prefix, finished: finished === 'yes' };
  });
}

/** Whether the id's area is finished; the longest prefix decides. */
export function isFinished(id: string, areas: readonly Area[]): boolean {
  const fitting = areas.filter(({ prefix }) => id.startsWith(prefix)).sort((a, b) => b.prefix.length - a.prefix.length);
  return fitting[0]?.finished ?? false;
}

function rowsOf(tsv: string): string[][] {
  const [, ...lines] = tsv.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => line.split('\t'));
}

function isLevel(word: string): word is Level {
  return LEVELS.has(word);
}
