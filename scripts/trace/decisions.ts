/** An entry of docs/decisions and the ids that it settles. */
export interface Decision {
  /** The page that it stands on, without its ending: `plans` of docs/decisions/plans.md. */
  readonly area: string;
  /** Text of the heading. */
  readonly title: string;
  /** `Ids: …`: the text is replaced by a rule, which a test must show. */
  readonly decided: readonly string[];
  /** `Manual: …`: no machine can show it; the entry says how a person does. */
  readonly manual: readonly string[];
}

/** A page of docs/decisions: one area of the system. */
export interface DecisionPage {
  readonly area: string;
  readonly markdown: string;
}

/** Reads the entries of one page, one per `## ` heading. */
export function parseDecisions({ area, markdown }: DecisionPage): Decision[] {
  return markdown
    .split(/^## /m)
    .slice(1)
    .map((entry) => ({ area, title: entry.split('\n', 1)[0]?.trim() ?? '', decided: idsAfter('Ids', entry), manual: idsAfter('Manual', entry) }));
}

/** The number of an entry: 7 of `D7. A redo needs an untouched inode`; undefined where a heading has none. */
export function numberOf({ title }: Pick<Decision, 'title'>): number | undefined {
  const [, digits] = /^D([1-9]\d*)\. /.exec(title) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** Headings without a number, numbers given twice, and entries that stand before one with a lower number; one sentence each. */
export function decisionProblems(decisions: readonly Decision[]): string[] {
  const problems: string[] = [];
  const first = new Map<number, Decision>();
  let before: { readonly area: string; readonly number: number } | undefined;
  for (const decision of decisions) {
    const number = numberOf(decision);
    if (number === undefined) {
      problems.push(`docs/decisions/${decision.area}.md: '${decision.title}' does not begin with its number, like 'D7. '`);
      continue;
    }
    const twin = first.get(number);
    if (twin !== undefined) problems.push(`docs/decisions/${decision.area}.md: D${number} is an entry of docs/decisions/${twin.area}.md, too`);
    else first.set(number, decision);
    if (before?.area === decision.area && before.number > number)
      problems.push(`docs/decisions/${decision.area}.md: D${number} stands behind D${before.number}`);
    before = { area: decision.area, number };
  }
  return problems;
}

function idsAfter(word: string, entry: string): string[] {
  const lists = [...entry.matchAll(new RegExp(`\\b${word}:\\s*([A-Z]+-[A-Za-z0-9.-]+(?:,\\s*[A-Z]+-[A-Za-z0-9.-]+)*)`, 'g'))];
  return lists.flatMap(([, list = '']) => list.split(/,\s*/)).map((id) => id.replace(/\.$/, ''));
}
