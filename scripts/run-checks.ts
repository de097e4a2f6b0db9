import path from 'node:path';
import { packageRoot } from '../config/package.ts';
import { askProgram } from '../src/adapters/processes/program.ts';
import type { Check } from './checks.ts';

export interface CheckResult {
  readonly name: string;
  readonly passed: boolean;
  readonly output: string;
  readonly seconds: number;
}

/**
 * Runs the checks, `width` at a time, and reports each as it ends.
 *
 * @param report called once per check
 * @returns the results in the order of their end
 */
export async function runChecks(checks: readonly Check[], width: number, report: (result: CheckResult) => void): Promise<CheckResult[]> {
  const waiting = [...checks];
  const results: CheckResult[] = [];
  const lane = async (): Promise<void> => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      const result = await runCheck(check);
      results.push(result);
      report(result);
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  return results;
}

/** The text of one result: a line, and for a failure what the tool said. */
export function describeResult({ name, passed, output, seconds }: CheckResult): string {
  const line = `${passed ? 'ok    ' : 'FAILED'} ${name} (${seconds.toFixed(1)} s)\n`;
  return passed ? line : `${line}${output.trimEnd()}\n`;
}

async function runCheck(check: Check): Promise<CheckResult> {
  const start = performance.now();
  const { passed, output } = 'tool' in check ? await runTool(check.tool, check.env) : await runFunction(check.problems);
  return { name: check.name, passed, output, seconds: (performance.now() - start) / 1000 };
}

async function runFunction(problems: () => readonly string[] | Promise<readonly string[]>): Promise<{ passed: boolean; output: string }> {
  try {
    const found = await problems();
    return { passed: found.length === 0, output: found.join('\n') };
  } catch (error) {
    return { passed: false, output: String(error) };
  }
}

async function runTool(
  [name, ...args]: readonly [string, ...string[]],
  own: Readonly<Record<string, string>> = {},
): Promise<{ passed: boolean; output: string }> {
  const root = packageRoot();
  const file = path.resolve(root, 'node_modules', '.bin', name);
  const { failed, all, cause } = await askProgram(file, args, { cwd: root, all: true, env: { NO_COLOR: '1', ...own } });
  return { passed: !failed, output: cause instanceof Error ? `${name} cannot be started: ${cause.message}` : all };
}
