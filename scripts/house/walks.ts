/** A guided walk of docs/architecture.md: the files that a reader opens who follows one call. */
export interface Walk {
  /** `a` to `e`. */
  readonly id: string;
  readonly title: string;
  readonly files: readonly string[];
}

const HEADING = /^### Walk \((\w)\) (.+)$/;
const STEP = /^\d+\. `([^`]+)`/;

/** Reads the walks: a heading `### Walk (a) …`, then a numbered list whose items begin with a file in code marks. */
export function readWalks(markdown: string): Walk[] {
  const walks: { id: string; title: string; files: string[] }[] = [];
  let open: { files: string[] } | undefined;
  for (const line of markdown.split('\n')) {
    const heading = HEADING.exec(line);
    if (heading !== null) {
      const walk = { id: heading[1] ?? '', title: heading[2] ?? '', files: [] };
      walks.push(walk);
      open = walk;
    } else if (line.startsWith('#')) open = undefined;
    const step = STEP.exec(line)?.[1];
    if (step !== undefined) open?.files.push(step);
  }
  return walks;
}

/** What is wrong with the walks: files that are not there, and files that a walk names twice. */
export function walkProblems(walks: readonly Walk[], exists: (file: string) => boolean): string[] {
  return walks.flatMap(({ id, files }) => [
    ...files.filter((file) => !exists(file)).map((file) => `walk (${id}) of docs/architecture.md names ${file}, which is not there`),
    ...files.filter((file, at) => files.indexOf(file) !== at).map((file) => `walk (${id}) of docs/architecture.md names ${file} twice`),
  ]);
}
