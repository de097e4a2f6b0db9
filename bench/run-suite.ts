import { checkReport, FULL_SIZE, type Report, type Suite, type SuiteOptions } from './contract.ts';
import { type CaseResult, runCase } from './rounds.ts';

/**
 * Sets a suite up, runs its cases and closes it, whatever happens.
 *
 * @param progress one line per case, for a person
 * @param options a scale other than 1 is reported as the metric `scale`
 */
export async function runSuite(name: string, suite: Suite, progress: (line: string) => void, options = FULL_SIZE): Promise<Report> {
  const open = await suite.open(options);
  try {
    const results: CaseResult[] = [];
    for (const one of open.cases) {
      const result = await runCase(one, one.rounds);
      results.push(result);
      progress(describe(result));
    }
    const metrics = { ...(await open.metrics?.()), ...trial(options) };
    return checkReport({ suite: name, metrics, ratios: Object.fromEntries(results.map((result) => [result.name, result.ratio])) });
  } finally {
    await open.close();
  }
}

function trial({ scale }: SuiteOptions): Record<string, number> {
  return scale === 1 ? {} : { scale };
}

function describe({ name, ratio, ours, theirs }: CaseResult): string {
  const digits = (value: number) => Number(value.toPrecision(4));
  return `${name}: ${digits(ratio.median)} (${digits(ratio.min)} to ${digits(ratio.max)}); ours ${digits(ours.median)}, theirs ${digits(theirs.median)}`;
}
