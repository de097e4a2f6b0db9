/**
 * What `writ up` prints when everything runs.
 *
 * @param operatorKey file of the operator's key
 * @param url of the API
 */
export function nextSteps(workspace: string, operatorKey: string, url: string): string {
  return [
    '',
    'Writ is up:',
    `  ${url}/docs      the API, for people`,
    `  ${url}/board     queues and failed jobs; \`npx writ login-link\` prints a link that logs a browser in`,
    `  ${url}/metrics   figures for Prometheus`,
    `  The operator's key lies in ${operatorKey}`,
    '',
    'In another terminal:',
    `  echo '{"task_id":"first","capability_id":"FILE_COPY","inputs":{"source_path":"${workspace}/hello.txt","destination_path":"${workspace}/copy.txt"},"constraints":{}}' > task.json`,
    `  echo hello > ${workspace}/hello.txt`,
    '  npx writ push task.json --sign --wait     sign it, push it, see the answer',
    '  npx writ find workspace hello             a search: names of files, in a signed answer',
    `  npx writ search hello ${workspace}     a search: what files say, with your own rights`,
    '  npx writ status                           queues, ages, workers',
    '  npx writ doctor                           settings and what this host can do',
    '',
    'Ctrl-C stops it.',
  ].join('\n');
}
