import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { spread } from '../contract.ts';
import type { Running } from '../process.ts';
import type { LibraryReport, LibraryWish } from './library.ts';

/** Files that change before the next search. */
const SIZES = [1, 10, 100, 1_000] as const;
const ROUNDS = 5;

/** What the next search takes after so many files were written; each of them finds what was written. */
export async function changes(library: Running, root: string): Promise<Record<string, number>> {
  const figures: Record<string, number> = {};
  for (const size of SIZES) {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const pattern = `writ_bench_change_${size}_${round}_`;
      const files = Array.from({ length: size }, (_, number) => path.join(root, `writ-bench-change-${number}.txt`));
      for (const file of files) writeFileSync(file, `${pattern}\n`);
      const { ms, work } = await library.ask<LibraryReport>({ pattern, indexed: true, mayBypass: true } satisfies LibraryWish);
      if (work.events !== size) throw new Error(`${size} files were written, and ${work.events} were found`);
      times.push(ms);
    }
    figures[`after_change_of_${size}_ms`] = Number(spread(times).median.toPrecision(4));
  }
  for (let number = 0; number < Math.max(...SIZES); number += 1) rmSync(path.join(root, `writ-bench-change-${number}.txt`), { force: true });
  return figures;
}
