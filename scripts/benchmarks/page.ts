import type { GeneratedFile } from '../generated.ts';
import { chartOf } from './chart.ts';
import { isQuiet, type Kept, keptReports } from './kept.ts';
import { isMet, wantedOf } from './wanted.ts';

const HEAD = `# Figures of the benchmarks

Made by \`npm run docs\` from \`docs/evidence/benchmarks.json\`, which \`npm run benchmarks\` keeps. How to read them, and what limits them: [benchmarks.md](../benchmarks.md).

A ratio is the median of its rounds, and their range; 1 is level. \`speed\`: more is better; \`size\`: less is.

![Each ratio with its range on a scale of powers of ten, and what is wanted](benchmarks.svg)
`;

/** The page of figures and its chart. */
export function benchmarkFiles(kept = keptReports()): readonly GeneratedFile[] {
  const reports = Object.entries(kept);
  const machines = new Set(reports.map(([, { machine }]) => machineText(machine)));
  // Where all ran on one machine it is told once.
  const head = machines.size === 1 ? `${HEAD}\nAll on ${[...machines][0]}.\n` : HEAD;
  const sections = reports.map(([suite, report]) => section(suite, report, machines.size > 1));
  return [
    { path: 'docs/generated/benchmarks.md', content: [head, ...sections].join('\n') },
    { path: 'docs/generated/benchmarks.svg', content: chartOf(reports) },
  ];
}

function section(suite: string, report: Kept, withMachine: boolean): string {
  const rows = Object.entries(report.ratios).map(([ratio, { median, min, max }]) => {
    const wanted = wantedOf(suite, ratio);
    const verdict = wanted === undefined ? '' : isMet(ratio, median, wanted) ? 'met' : '**missed**';
    return `| \`${ratio}\` | ${short(median)} | ${short(min)} to ${short(max)} | ${wanted ?? ''} | ${verdict} |`;
  });
  return `## ${suite}

\`npm run bench -- ${suite} --json\`: ${report.what}. ${conditions(report)}${withMachine ? ` On ${machineText(report.machine)}.` : ''}

| Ratio | Median | Range | Wanted | |
|---|---|---|---|---|
${rows.join('\n')}
`;
}

function conditions(report: Kept): string {
  const { startedAt, minutes, commit, busy } = report;
  const others = isQuiet(report)
    ? 'Nothing else was running.'
    : `**Not quiet**: others used ${percent(busy.before)} of the processors before it and ${percent(busy.after)} after it.`;
  return `${startedAt.slice(0, 10)}, ${Math.ceil(minutes)} min, commit ${commit.slice(0, 8)}. ${others}`;
}

function machineText({ processor, cores, memoryGiB, kernel, versions }: Kept['machine']): string {
  const programs = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `${cores} cores of ${processor}, ${memoryGiB} GiB, Linux ${kernel}; ${programs.join(', ')}`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** Three digits that say something. */
export function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}
