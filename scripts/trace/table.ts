import { anchorOf } from '../docs/markdown.ts';
import { type Decision, decisionProblems } from './decisions.ts';
import { type Area, isFinished, type Requirement } from './register.ts';
import type { TracedTest } from './tags.ts';

export interface TraceInput {
  readonly requirements: readonly Requirement[];
  readonly areas: readonly Area[];
  readonly tests: readonly TracedTest[];
  readonly decisions: readonly Decision[];
}

/**
 * `tested`: a test is tagged with the id. `decided`: an entry of docs/decisions replaces the text, and a test names
 * the id where the text binds (MUST, MUST_NOT). `manual`: an entry says how a person checks it. `uncovered`: none of these.
 */
export type State = 'tested' | 'decided' | 'manual' | 'uncovered';

interface Row {
  readonly requirement: Requirement;
  readonly state: State;
  readonly tests: readonly TracedTest[];
  readonly decisions: readonly Decision[];
}

/** The page docs/generated/traceability.md. */
export function renderTrace(input: TraceInput): string {
  const rows = rowsOf(input);
  const lines = rows.map((row) => `| ${row.requirement.id} | ${row.state} | ${evidence(row)} |`);
  const counts = (['tested', 'decided', 'manual', 'uncovered'] satisfies State[]).map(
    (state) => `${rows.filter((row) => row.state === state).length} ${state}`,
  );
  return `# Traceability

Written by \`npm run trace\` from \`docs/requirements.tsv\`, the tags of tests and the entries of \`docs/decisions\`; \`npm run check\` refuses a difference. Finished areas (\`docs/areas.tsv\`) may leave no MUST and no MUST_NOT uncovered.

${rows.length} requirements: ${counts.join(', ')}.

| id | state | tests or decision |
|---|---|---|
${lines.join('\n')}
`;
}

/** Everything that the trace refuses, one sentence each. */
export function traceProblems(input: TraceInput): string[] {
  const known = new Set(input.requirements.map(({ id }) => id));
  const unknown = (ids: readonly string[], where: string) =>
    ids.filter((id) => !known.has(id)).map((id) => `${where} names ${id}, which docs/requirements.tsv does not have`);
  return [
    ...decisionProblems(input.decisions),
    ...input.tests.flatMap(({ file, title, ids }) => unknown(ids, `${file} "${title}"`)),
    ...input.decisions.flatMap(({ area, title, decided, manual }) => unknown([...decided, ...manual], `docs/decisions/${area}.md "${title}"`)),
    ...rowsOf(input)
      .filter(({ requirement, state }) => state === 'uncovered' && binds(requirement) && isFinished(requirement.id, input.areas))
      .map(
        ({ requirement, decisions }) =>
          `${requirement.id} (${requirement.level}) is uncovered${decisions.length === 0 ? '' : ': its decision needs a test of the replacing rule'}`,
      ),
  ];
}

function rowsOf({ requirements, tests, decisions }: TraceInput): Row[] {
  return requirements.map((requirement) => {
    const own = {
      requirement,
      tests: tests.filter(({ ids }) => ids.includes(requirement.id)),
      decisions: decisions.filter(({ decided, manual }) => decided.includes(requirement.id) || manual.includes(requirement.id)),
    };
    return { ...own, state: stateOf(own) };
  });
}

function stateOf({ requirement: { id, ...requirement }, tests, decisions }: Omit<Row, 'state'>): State {
  if (decisions.some(({ decided }) => decided.includes(id)) && (tests.length > 0 || !binds({ id, ...requirement }))) return 'decided';
  if (tests.length > 0) return 'tested';
  return decisions.some(({ manual }) => manual.includes(id)) ? 'manual' : 'uncovered';
}

function binds({ level }: Requirement): boolean {
  return level === 'MUST' || level === 'MUST_NOT';
}

function evidence({ tests, decisions }: Row): string {
  const entries = decisions.map(({ area, title }) => `[${title}](../decisions/${area}.md#${anchorOf(title)})`);
  const titles = tests.map(({ file, title }) => `\`${file}\` ${title}`);
  return [...entries, ...titles].map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join('; ');
}
