import type { ShadowReport } from '../../../core/ports/index.ts';
import { pairs, table } from '../text/table.ts';

/** Of queries that are shown one by one; all of them with --json. */
const SHOWN = 20;

/** For a person: the figures, the gates, and the queries to look at. */
export function shadowReportText({ queries, compared, irregular, errors, mean, latency, gates, apart, failed }: ShadowReport): string {
  const counts = [
    `${compared} of ${queries} compared`,
    ...(irregular > 0 ? [`${irregular} not, since they are no words for an index`] : []),
    ...(errors > 0 ? [`${errors} failed`] : []),
  ];
  const figures: readonly (readonly [string, string])[] = [
    ['queries', counts.join(', ')],
    ['overlap', `${rounded(mean.overlap_jaccard)} of both pages on average`],
    ['NDCG@10', `${rounded(mean.ndcg_at_10)} with the order of FTS5 as the judge`],
    ['MRR', `${rounded(mean.mrr_delta)} against 1 for the first result of FTS5`],
    [
      'time',
      `${rounded(latency.serving_ms)} ms by FTS5, ${rounded(latency.shadow_ms)} ms by Tantivy (medians), ratio ${rounded(latency.mean_ratio)} on average`,
    ],
  ];
  const rows = gates.map(({ gate, value, wanted, passed }) => [gate, rounded(value), wanted, VERDICT[String(passed)] ?? '']);
  return [
    pairs(figures),
    table([{ title: 'GATE' }, { title: 'VALUE', align: 'right' }, { title: 'WANTED' }, { title: 'VERDICT' }], rows),
    ...(apart.length === 0
      ? []
      : [
          table(
            APART,
            apart.slice(0, SHOWN).map((one) => [rounded(one.overlap_jaccard), `${one.serving_only}`, `${one.shadow_only}`, one.text]),
          ),
        ]),
    ...(failed.length === 0
      ? []
      : [
          table(
            [{ title: 'FAILED' }, { title: 'WHY' }],
            failed.slice(0, SHOWN).map(({ text, error }) => [text, error]),
          ),
        ]),
  ].join('\n\n');
}

const VERDICT: Readonly<Record<string, string>> = { true: 'passed', false: 'FAILED', null: 'NOT MEASURED' };
const APART = [
  { title: 'OVERLAP', align: 'right' as const },
  { title: 'FTS5 ONLY', align: 'right' as const },
  { title: 'TANTIVY ONLY', align: 'right' as const },
  { title: 'QUERY' },
];

function rounded(value: number | null): string {
  return value === null ? '-' : value.toFixed(3);
}
