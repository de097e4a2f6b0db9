import { readFileSync } from 'node:fs';
import type { Counts, Violation } from './counts.ts';

/** What must stand under a path from now on: a content, or nothing. */
interface Expectation {
  readonly content: string | undefined;
  /** What it means when it does not. */
  readonly else: Violation;
  readonly who: string;
}

/** The model's picture of the disk after a task has ended: it must never change any more. */
export interface Expectations {
  expect(path: string, content: string | undefined, otherwise: Violation, who: string): void;
  forget(path: string): void;
  /** Looks at everything. */
  check(): void;
}

export function createExpectations(counts: Counts): Expectations {
  const all = new Map<string, Expectation>();
  return {
    expect: (path, content, otherwise, who) => void all.set(path, { content, else: otherwise, who }),
    forget: (path) => void all.delete(path),
    check() {
      for (const [path, { content, else: violation, who }] of all) {
        const found = contentOf(path);
        if (found !== content) counts.violation(violation, `${who}: later, ${path} holds ${brief(found)} instead of ${brief(content)}`);
      }
    },
  };
}

/** The whole content, or `undefined` for nothing there. */
export function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

export function brief(content: string | undefined): string {
  if (content === undefined) return 'nothing';
  return content.length <= 48 ? `"${content}"` : `"${content.slice(0, 32)}…" (${content.length} bytes)`;
}
