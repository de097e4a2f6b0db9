/** An entry of docs/decisions.md and the ids that it settles. */
export interface Decision {
  /** Text of the heading. */
  readonly title: string;
  /** `Ids: …`: the text is replaced by a rule, which a test must show. */
  readonly decided: readonly string[];
  /** `Manual: …`: no machine can show it; the entry says how a person does. */
  readonly manual: readonly string[];
}

/** Reads the entries, one per `## ` heading. */
export function parseDecisions(markdown: string): Decision[] {
  return markdown
    .split(/^## /m)
    .slice(1)
    .map((entry) => ({ title: entry.split('\n', 1)[0]?.trim() ?? '', decided: idsAfter('Ids', entry), manual: idsAfter('Manual', entry) }));
}

/** Address of a heading within its page, as the usual renderers make it. */
export function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

function idsAfter(word: string, entry: string): string[] {
  const lists = [...entry.matchAll(new RegExp(`\\b${word}:\\s*([A-Z]+-[A-Za-z0-9.-]+(?:,\\s*[A-Z]+-[A-Za-z0-9.-]+)*)`, 'g'))];
  return lists.flatMap(([, list = '']) => list.split(/,\s*/)).map((id) => id.replace(/\.$/, ''));
}
