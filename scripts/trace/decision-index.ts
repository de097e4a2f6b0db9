import { anchorOf } from '../docs/markdown.ts';
import { type Decision, numberOf } from './decisions.ts';

/** A page of decisions with its heading. */
export interface DecisionArea {
  readonly area: string;
  /** The page's first heading without `: decisions`. */
  readonly title: string;
}

/** The page docs/decisions/README.md: every entry by its title, page by page. */
export function renderDecisionIndex(areas: readonly DecisionArea[], decisions: readonly Decision[]): string {
  const highest = Math.max(0, ...decisions.map((decision) => numberOf(decision) ?? 0));
  const parts = areas.map(({ area, title }) => {
    const own = decisions.filter((decision) => decision.area === area);
    return `## ${title}\n\n${own.map((decision) => `- [${decision.title}](${area}.md#${anchorOf(decision.title)})`).join('\n')}`;
  });
  return `# Decisions

Written by \`npm run trace\` from the pages of this folder; \`npm run check\` refuses a difference.

An entry says what the text says, what breaks, what we do, and which requirements it settles (\`Ids: …\`; \`Manual: …\` for what only a person can check). A specification wins over the design, the design over the notes. Where two of them disagree, an entry takes the reading that keeps results correct.

Entries keep their numbers for ever; the next one is D${highest + 1}. It goes to the end of the page of its area.

${parts.join('\n\n')}
`;
}

/** The heading of a page of decisions. */
export function areaTitle(markdown: string): string {
  return /^# (.*)$/m.exec(markdown)?.[1]?.replace(/: decisions$/, '') ?? '';
}
