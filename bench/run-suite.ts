import { checkReport, type Report, type Suite } from './contract.ts';
import { type CaseResult, runCase } from './rounds.ts';

/**
 * Sets a suite up, runs its cases and closes it, whatever happens.
 *
 * @param progress one line per case, for a person
 */
export async function runSuite(name: string, suite: Suite, progress: (line: string) => void): Promise<Report> {
  const open = await suite.open();
  try {
    const results: CaseResult[] = [];
    for (const one of open.cases) {
      const result = await runCase(one);
      results.push(result);
      progress(describe(result));
    }
    const metrics = (await open.metrics?.()) ?? {};
    return checkReport({ suite: name, metrics, ratios: Object.fromEntries(results.map((result) => [result.name, result.ratio])) });
  } finally {
    await open.close();
  }
}

function describe({ name, ratio, ours, theirs }: CaseResult): string {
  const digits = (value: number) => Number(value.toPrecision(4));
  return `${name}: ${digits(ratio.median)} (${digits(ratio.min)} to ${digits(ratio.max)}); ours ${digits(ours.median)}, theirs ${digits(theirs.median)}`;
}
