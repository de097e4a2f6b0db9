import { type Panel, RATE, series, stat } from './panel.ts';

/** The dashboard of capabilities and errors: rate, errors and time of each, and what was refused. */
export const CAPABILITIES: readonly Panel[] = [
  stat('Tasks a second', 'New answers per second.', 'ops', { tasks: `sum(rate(writ_tasks_finished_total{capability=~"$capability"}[${RATE}]))` }),
  stat(
    'Error ratio of an hour',
    "Part of the answers of an hour that failed for reasons that are not the producer's. The objective is 1 %.",
    'percentunit',
    {
      errors:
        'sum(rate(writ_task_outcomes_total{capability=~"$capability", whose=~"host|tool"}[1h])) / (sum(rate(writ_task_outcomes_total{capability=~"$capability"}[1h])) > 0)',
    },
    { warn: 0.01, bad: 0.06 },
  ),
  stat(
    'Lease refusals an hour',
    "Tasks that were refused for their lease. A producer's clock or key.",
    'short',
    { refused: 'sum(increase(writ_lease_refusals_total[1h]))' },
    { warn: 1, bad: 1000 },
  ),
  stat(
    'Ledger conflicts an hour',
    'One task_id for different manifests.',
    'short',
    { conflicts: 'sum(increase(writ_ledger_answers_total{answer="conflict"}[1h]))' },
    { warn: 1, bad: 1 },
  ),
  series('Rate by capability', 'New answers per second.', 'ops', {
    '{{capability}}': `sum by (capability) (rate(writ_tasks_finished_total{capability=~"$capability"}[${RATE}]))`,
  }),
  series(
    'Errors by capability',
    "Part of the answers that failed for reasons that are not the producer's, by capability.",
    'percentunit',
    {
      '{{capability}}': `sum by (capability) (rate(writ_task_outcomes_total{capability=~"$capability", whose=~"host|tool"}[${RATE}])) / (sum by (capability) (rate(writ_task_outcomes_total{capability=~"$capability"}[${RATE}])) > 0)`,
    },
    { warn: 0.01, bad: 0.06 },
  ),
  series('Failures by owner', 'Answers without success per second, by who can mend them. Those of host and tool spend the error budget.', 'ops', {
    '{{whose}}': `sum by (whose) (rate(writ_task_outcomes_total{capability=~"$capability", whose!="none"}[${RATE}]))`,
  }),
  series('Failures by reason', 'Answers without success per second, by reason. Which is whose: docs/generated/errors.md.', 'ops', {
    '{{reason}}': `sum by (reason) (rate(writ_task_failure_reasons_total{capability=~"$capability"}[${RATE}]))`,
  }),
  series('Answers by error code', 'Answers without success per second, by code.', 'ops', {
    '{{error_code}}': `sum by (error_code) (rate(writ_tasks_finished_total{capability=~"$capability", status!="success"}[${RATE}]))`,
  }),
  series(
    'Wait by capability',
    'The 95th percentile from the push to the first delivery; first attempts only. Silent while nothing is taken: look at the oldest waiting job.',
    's',
    { '{{capability}}': `histogram_quantile(0.95, sum by (capability, le) (rate(writ_task_wait_seconds_bucket{capability=~"$capability"}[${RATE}])))` },
    { warn: 5, bad: 60 },
  ),
  series(
    'Run by capability',
    'The 95th percentile from the delivery to the recorded answer.',
    's',
    { '{{capability}}': `histogram_quantile(0.95, sum by (capability, le) (rate(writ_task_run_seconds_bucket{capability=~"$capability"}[${RATE}])))` },
    { warn: 5, bad: 60 },
  ),
  series(
    'End to end by capability',
    'The 95th percentile from the push to the recorded answer, attempts included.',
    's',
    { '{{capability}}': `histogram_quantile(0.95, sum by (capability, le) (rate(writ_task_end_to_end_seconds_bucket{capability=~"$capability"}[${RATE}])))` },
    { warn: 5, bad: 60 },
  ),
  series('Refusals by code', 'Tasks that were refused for their lease per second, by code.', 'ops', {
    '{{error_code}}': `sum by (error_code) (rate(writ_lease_refusals_total[${RATE}]))`,
  }),
  series('What the ledger said', "Claims per second by the ledger's answer; finished ones get their earlier answer again.", 'ops', {
    '{{answer}}': `sum by (answer) (rate(writ_ledger_answers_total[${RATE}]))`,
  }),
  series('Pushes by surface and outcome', 'Tasks that were pushed per second.', 'ops', {
    '{{surface}} {{outcome}}': `sum by (surface, outcome) (rate(writ_tasks_submitted_total[${RATE}]))`,
  }),
  series('Kernel', 'Leases that were asked of the kernel per second, by operation and outcome, and revocations.', 'ops', {
    '{{operation}} {{outcome}}': `sum by (operation, outcome) (rate(writ_kernel_leases_total[${RATE}]))`,
    revocations: `sum(rate(writ_kernel_revocations_total[${RATE}]))`,
  }),
  series('Requests by class', 'HTTP requests per second by class of the status.', 'ops', {
    '{{status_class}}': `sum by (status_class) (rate(writ_http_requests_total[${RATE}]))`,
  }),
  series(
    'Request time',
    'The 95th percentile of HTTP requests by route, event streams left out.',
    's',
    { '{{route}}': `histogram_quantile(0.95, sum by (route, le) (rate(writ_http_request_seconds_bucket{route!="/v1/events"}[${RATE}])))` },
    { warn: 1, bad: 10 },
  ),
];
