import type { Source } from './sources.ts';

/** Number of lines, as wc(1) counts them. */
export function linesOf({ text }: Source): number {
  return text.split('\n').length - 1;
}

/** Lines that are neither empty nor a comment. */
export function codeLines({ text }: Source): string[] {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('//'));
}

/** Whether a file is a list of what other files export, and nothing else. */
export function onlyReexports(source: Source): boolean {
  const code = codeLines(source).join(' ');
  return code !== '' && code.replace(/export (?:type )?(?:\*(?: as \w+)?|\{[^}]*\}) from '[^']+';/g, '').trim() === '';
}

/** Names that a file declares and that end in one of these words. */
export function declaredWith(words: readonly string[], { text }: Source): string[] {
  const declared = text.matchAll(/^(?:export )?(?:declare )?(?:async )?(?:interface|type|class|function|const|let) (\w+)/gm);
  return [...declared].map(([, name = '']) => name).filter((name) => words.some((word) => name.endsWith(word)));
}

/** Limits under the old word. */
export function mostConstants({ text }: Source): string[] {
  return [...new Set(text.match(/\b(?:[A-Z0-9]+_)*MOST(?:_[A-Z0-9]+)*\b/g) ?? [])];
}

/** Calls of Node's recursive `mkdir`, which may never end: `makeDirectory` always does. */
export function recursiveMkdirs({ text }: Source): string[] {
  return text.match(/\bmkdir(?:Sync)?\((?:[^;]*?)\brecursive: true/g) ?? [];
}

/** Tests that decide for themselves whether they run: one that lacks its means fails and names the command. */
export function conditionalTests({ text }: Source): string[] {
  return text.match(/\b(?:describe|it|test)(?:\.\w+)*\.(?:skipIf|runIf)\b/g) ?? [];
}

/**
 * Where the source of a unit test should lie: `test/unit/lease/keys.test.ts` is about `src/lease/keys.ts` or, outside of src,
 * `lease/keys.ts`. Tests that are too many for one file name their part: `keys.rotation.test.ts`.
 */
export function mirroredSources(test: string): string[] {
  const name = test.replace(/^test\/unit\//, '').replace(/(?:\.[a-z-]+)?\.test\.ts$/, '');
  return [`src/${name}.ts`, `src/${name}.tsx`, `${name}.ts`];
}

/** The value below which a share of the sorted values lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
